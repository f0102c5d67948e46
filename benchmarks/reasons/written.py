"""Reasons as models write them, true ones and ones with a planted fault, looked up.

    python -m benchmarks.reasons.written [--show NAME] [--first-look]

Careful readers stood in for models of several kinds. Each read 40 requests about rated
pairs, as a judge gets them, and wrote every reply twice: with true reasons, and with
one reason that has a wrong number, the sides exchanged, or an invented quotation. The
blueprints that they read are stored beside the replies. A reason counts as flagged
where a claim of it is false.

The reader of claims was corrected by what it misread, file by file in the order of
``ORDER``, so the first look at each file is kept in the results: ``--first-look``
stores one for files that have none.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import RESULTS, save, stored, table
from blueprints import Blueprint
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.judgement import VerdictOpinion
from trace_eval.judges.base import Case
from trace_eval.judges.claims.reasons import checked

REPLIES = Path(__file__).with_name("replies")

#: The files in the order in which they were read; those of one entry were written apart
#: and read at once. The last entry is the newest, and corrected the least.
ORDER = (
    ("small_1", "structured_1"),
    ("chat_1",),
    ("weighing_1",),
    ("explaining_1",),
    ("friendly_1",),
    ("confident_1",),
    ("matter_of_fact_1", "small_2"),
    ("weighing_2", "engineer_1"),
    ("chat_2", "explaining_2", "matter_of_fact_2"),
    ("confident_2",),
    ("structured_2", "weighing_3", "friendly_2"),
    ("small_3", "weighing_4", "chat_3"),
    ("matter_of_fact_3", "explaining_3", "structured_3"),
    (
        *("chat_4", "friendly_3", "explaining_4", "structured_4", "confident_3"),
        *("weighing_5", "small_4", "matter_of_fact_4", "chat_5", "weighing_6"),
        *("engineer_2", "explaining_5"),
    ),
    ("chat_6", "engineer_3", "talking_1", "explaining_6", "small_5", "confident_4"),
    (
        *("chat_7", "friendly_4", "weighing_7", "structured_5", "explaining_7"),
        "matter_of_fact_5",
    ),
    ("chat_8", "formal_1", "explaining_8", "small_6", "weighing_8", "small_7"),
    ("chat_9", "formal_2", "explaining_9", "small_8", "weighing_9", "small_9"),
    (
        *("chat_10", "structured_6", "cautious_1", "compact_1", "weighing_10"),
        "explaining_10",
    ),
    ("chat_11", "listing_1", "formal_3", "small_10", "weighing_11", "friendly_5"),
    ("chat_12", "structured_7", "formal_4", "small_11", "weighing_12", "talking_2"),
    ("chat_13", "structured_8", "formal_5", "small_12", "weighing_13", "explaining_11"),
    (
        *("chat_14", "structured_9", "formal_6", "small_13", "weighing_14"),
        *("talking_3", "chat_15", "listing_2", "formal_7", "small_14", "weighing_15"),
        *("talking_4", "structured_10"),
    ),
)


@dataclass(frozen=True)
class Look:
    """What was found in a file of replies.

    Attributes:
        planted, recalled: faults, and those whose reason is flagged.
        honest, flagged_wrongly: true reasons, and those that are flagged.
    """

    planted: int
    recalled: int
    honest: int
    flagged_wrongly: int


def main() -> None:
    """Print what is found in each file, at the first look and now, and store it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--show", metavar="NAME", help="print what was misread")
    parser.add_argument("--first-look", action="store_true")
    options = parser.parse_args()
    blueprints = _blueprints()
    if options.show:
        look_at(options.show, blueprints, show=True)
        return
    now: dict[str, Look] = {}
    for names in ORDER:
        for name in names:
            now[name] = look_at(name, blueprints)
    kept = _first_looks()
    if options.first_look:
        kept = {name: asdict(look) for name, look in now.items()} | kept
    _print(now, kept)
    rows = {name: asdict(look) for name, look in now.items()}
    save("reasons_written", {"now": rows, "first_looks": kept})


def _first_looks() -> dict[str, Any]:
    if not (RESULTS / "reasons_written.json").is_file():
        return {}
    looks: dict[str, Any] = stored("reasons_written")["first_looks"]
    return looks


def _blueprints() -> dict[str, Blueprint]:
    """Return the blueprints that were read, by clip; contours are left out."""
    blueprints: dict[str, Blueprint] = {}
    with gzip.open(REPLIES / "blueprints.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            blueprints[row["clip"]] = Blueprint.model_validate(row["blueprint"])
    return blueprints


def look_at(name: str, blueprints: Mapping[str, Blueprint], show: bool = False) -> Look:
    """Return what is found in one file; ``show`` prints what was misread."""
    planted = recalled = honest = flagged_wrongly = 0
    for row in _rows(name):
        case = _case(row, blueprints)
        for dimension, reason in row["honest"].items():
            honest += 1
            false = false_claims(reason, dimension, case)
            flagged_wrongly += bool(false)
            if show and false:
                print(f"flagged wrongly: {reason}\n    {'; '.join(false)}")
        planted += 1
        is_found = bool(false_claims(row["faulty"], row["dimension"], case))
        recalled += is_found
        if show and not is_found:
            print(f"{row['kind']} missed: {row['faulty']}")
    return Look(planted, recalled, honest, flagged_wrongly)


def _rows(name: str) -> Iterator[dict[str, Any]]:
    for line in (REPLIES / f"{name}.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def _case(row: Mapping[str, Any], blueprints: Mapping[str, Blueprint]) -> Case:
    """Return a pair as the judge got it, answer 1 being A."""
    pair = Pair(
        id="pair",
        instruction=Instruction(text=row["request"]),
        a=Answer(audio="a.wav"),
        b=Answer(audio="b.wav"),
    )
    return Case.of(pair, blueprints[row["a"]], blueprints[row["b"]])


def false_claims(reason: str, dimension: str, case: Case) -> list[str]:
    """Return the false claims of a reason, each with what speaks against it."""
    opinion = VerdictOpinion(order="ab", reasoning={dimension: reason})
    results: list[str] = []
    for claim in checked(opinion, case):
        if claim.kind != "verdict" and claim.holds is False:
            results.append(f"{claim.text!r}: {claim.why}")
    return results


def _print(now: Mapping[str, Look], first: Mapping[str, Any]) -> None:
    lines: list[list[object]] = []
    for names in ORDER:
        for name in names:
            was = Look(**first[name]) if name in first else now[name]
            lines.append([name, *_shares(was), *_shares(now[name])])
    looks = [Look(**first[name]) if name in first else now[name] for name in now]
    lines.append(["all", *_shares(_sum(looks)), *_shares(_sum(now.values()))])
    heads = ["replies", "recall, first", "precision, first", "recall", "precision"]
    table("planted faults in reasons as models write them", heads, lines)


def _sum(looks: Iterable[Look]) -> Look:
    planted = recalled = honest = flagged_wrongly = 0
    for look in looks:
        planted += look.planted
        recalled += look.recalled
        honest += look.honest
        flagged_wrongly += look.flagged_wrongly
    return Look(planted, recalled, honest, flagged_wrongly)


def _shares(look: Look) -> tuple[str, str]:
    """Return recall and precision, each with its n."""
    flagged = look.recalled + look.flagged_wrongly
    recall = f"{look.recalled / look.planted:.3f} (n={look.planted})"
    return recall, f"{look.recalled / flagged:.3f} (n={flagged})"


if __name__ == "__main__":
    main()
