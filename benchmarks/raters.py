"""Compare the raters that ``agree`` flags with published rules, on listeners' votes.

    TRACE_EVAL_DATA=... python -m benchmarks.raters

Three rules are written down a second time, vote by vote as the documents have them:
BT.500-15 (annex 1, 2.3.1), the modified z score of the agreement with the others
(Iglewicz & Hoaglin 1993), and the correlation of ITU-T P.913 (12.4: below .75), which
``agree`` does not use.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.report import data_folder, save
from trace_eval.stats.agreement.suspects import LEAST_VOTES, check_raters
from trace_eval.stats.agreement.with_others import LEAST_ITEMS

Votes = list[tuple[str, str, float]]


def read(path: Path) -> Votes:
    """Return (listener, condition, vote) of each row."""
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        return [(row["userid"], row["condition"], float(row["rating"])) for row in rows]


def rejected(votes: Votes) -> set[str]:
    """Return whom BT.500 rejects."""
    by_item: dict[str, list[float]] = {}
    for _, item, value in votes:
        by_item.setdefault(item, []).append(value)
    above: dict[str, int] = {}
    below: dict[str, int] = {}
    count: dict[str, int] = {}
    for who, item, value in votes:
        own = np.array(by_item[item])
        deviation = own.std(ddof=1) if len(own) > 1 else 0.0
        if len(own) < LEAST_VOTES:
            continue
        count[who] = count.get(who, 0) + 1
        if deviation == 0:
            continue
        away = own - own.mean()
        kurtosis = (away**4).mean() / (away**2).mean() ** 2
        reach = deviation * (2 if 2 <= kurtosis <= 4 else 20**0.5)
        above[who] = above.get(who, 0) + (value >= own.mean() + reach)
        below[who] = below.get(who, 0) + (value <= own.mean() - reach)
    result = set()
    for who, number in count.items():
        p, q = above.get(who, 0), below.get(who, 0)
        if (p + q) / number > 0.05 and abs(p - q) / (p + q) < 0.3:
            result.add(who)
    return result


def correlations(votes: Votes) -> Iterator[tuple[str, float]]:
    """Yield each listener with the correlation with the mean of all others."""
    for who in dict.fromkeys(name for name, _, _ in votes):
        own: dict[str, list[float]] = {}
        others: dict[str, list[float]] = {}
        for name, item, value in votes:
            (own if name == who else others).setdefault(item, []).append(value)
        shared = [item for item in own if item in others]
        if len(shared) < LEAST_ITEMS:
            continue
        x = [float(np.mean(own[item])) for item in shared]
        y = [float(np.mean(others[item])) for item in shared]
        if np.std(x) and np.std(y):
            yield who, float(np.corrcoef(x, y)[0, 1])


def outliers(known: dict[str, float]) -> set[str]:
    """Return who agrees far less than the others, by the modified z score."""
    middle = np.median(list(known.values()))
    spread = np.median([abs(r - middle) for r in known.values()])
    return {who for who, r in known.items() if 0.6745 * (r - middle) / spread < -3.5}


def main() -> None:
    """Print and store, for each study, who is flagged and by which rule."""
    studies = {}
    for path in sorted((data_folder() / "votes").glob("*.csv")):
        votes = read(path)
        names, items, values = zip(*votes, strict=True)
        rows = check_raters(list(names), list(items), np.array(values), of_scores=True)
        known = dict(correlations(votes))
        bt500, far = rejected(votes), outliers(known)
        flagged = {row.rater for row in rows if row.flagged}
        studies[path.stem] = {
            "listeners": len(rows),
            "votes": len(votes),
            "flagged": sorted(flagged, key=int),
            "BT.500": sorted(bt500, key=int),
            "modified z": sorted(far, key=int),
            "flagged by neither": sorted(flagged - bt500 - far, key=int),
            "missed": sorted((bt500 | far) - flagged, key=int),
            "below .75 of P.913": sum(r < 0.75 for r in known.values()),
        }
        print(path.stem, studies[path.stem])
    save("raters", {"studies": studies})


if __name__ == "__main__":
    main()
