"""The pairs on which the verdicts of runs are furthest apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from trace_eval.opinions.codes import SPLIT, TIE, Codes, label_text
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.judges import with_preference

#: Label -> its position between A (0) and B (1); all others are in the middle.
_POSITION = {"1": 0.0, "2": 1.0, "true": 0.0, "false": 1.0}

#: Weights of columns against those of one dimension.
_WEIGHT = {"overall": 3.0, "preference": 3.0, "match": 3.0}


@dataclass(frozen=True)
class Disagreement:
    """A pair with the verdict of each run.

    Attributes:
        distance: opposite winners of the pair as a whole count 3, of one dimension 1, a
            winner and a tie half of that; the largest over any two runs.
        verdicts: run -> dimension -> label, where there is one.
        people: dimension -> human label.
    """

    pair: str
    distance: float
    verdicts: dict[str, dict[str, str]]
    people: dict[str, str]


def disagreements(tables: Mapping[str, Opinions], labels: Opinions | None) -> list[Disagreement]:
    """Pairs with any difference, furthest first; equal ones in the order of the input."""
    human: dict[str, dict[str, str]] = {}
    if labels is not None:
        codes = with_preference(labels.per_item.codes)
        human = {pair: _labels(codes, row) for row, pair in enumerate(labels.per_item.ids.tolist())}
    results = []
    for row, pair in enumerate(next(iter(tables.values())).ids.tolist()):
        verdicts = {name: _labels(table.codes, row) for name, table in tables.items()}
        distance = max(_distance(*two) for two in combinations(verdicts.values(), 2))
        if distance:
            results.append(Disagreement(str(pair), distance, verdicts, human.get(pair, {})))
    return sorted(results, key=lambda item: -item.distance)


def _labels(columns: Mapping[str, Codes], row: int) -> dict[str, str]:
    """Column -> label of one row, where it has one; matches have their own words."""
    texts = {}
    for name, codes in columns.items():
        text = label_text(code := int(codes[row]))
        if text is not None and code < SPLIT:
            words = {"1": "true", "2": "false"} if name == "match" else {}
            text = "tie" if name == "preference" and code >= TIE else words.get(text, text)
        if text is not None:
            texts[name] = text
    return texts


def _distance(one: Mapping[str, str], other: Mapping[str, str]) -> float:
    return sum(
        _WEIGHT.get(name, 1.0)
        * abs(_POSITION.get(one[name], 0.5) - _POSITION.get(other[name], 0.5))
        for name in one.keys() & other.keys()
    )
