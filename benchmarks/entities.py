"""Entity rules on labelled entities, beside the majority and plain equality of letters and digits.

    python -m benchmarks.entities PATH/key_entity_transcription.jsonl

Reads EVA's file (MIT): each entity's intended and heard text, and whether people call them equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.report import options_of
from trace_eval.turns.entities.check import same


def plainly_same(intended: str, recognised: str | None) -> bool:
    """Equality of letters and digits alone: the baseline."""

    def bare(text: str) -> str:
        return re.sub(r"[^a-z0-9]", "", text.casefold())

    return recognised is not None and bare(intended) == bare(recognised)


def entities(path: Path) -> Iterator[dict[str, Any]]:
    """Every labelled entity."""
    for line in path.read_text().splitlines():
        for turn in json.loads(line)["labels"]:
            yield from turn["entities"]


def main() -> None:
    """Print accuracy, recall of wrong entities, and macro-F1 of rules and baselines."""
    parser = options_of(__doc__)
    parser.add_argument("path", type=Path)
    rows = list(entities(parser.parse_args().path))
    truth = [bool(row["correct"]) for row in rows]
    majority = sum(truth) * 2 >= len(truth)
    judges: dict[str, Callable[[dict[str, Any]], bool]] = {
        "majority": lambda row: majority,
        "plain equality": lambda row: plainly_same(row["value"], row["transcribed_value"]),
        "rules": lambda row: same(row["value"], row["transcribed_value"], row["type"]),
    }
    print(f"{len(rows)} entities, {truth.count(False)} wrong")
    for name, judge in judges.items():
        said = [judge(row) for row in rows]
        right = sum(s == t for s, t in zip(said, truth, strict=True))
        scores = [_f1(said, truth, label) for label in (True, False)]
        caught = sum(not s and not t for s, t in zip(said, truth, strict=True))
        print(
            f"{name:15} accuracy {right / len(rows):.4f}  macro-F1 {sum(scores) / 2:.4f}"
            f"  recall of wrong {caught / truth.count(False):.4f}"
        )


def _f1(said: list[bool], truth: list[bool], label: bool) -> float:
    both = sum(s == label == t for s, t in zip(said, truth, strict=True))
    total = said.count(label) + truth.count(label)
    return 2 * both / total if total else 0.0


if __name__ == "__main__":
    main()
