"""Entity rules on labelled entities, beside the majority and plain equality of letters and digits.

    python -m benchmarks.entities PATH/key_entity_transcription.jsonl

Reads EVA's file (MIT): each entity's intended and heard text, and whether people call them equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

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
    truth = np.array([bool(row["correct"]) for row in rows])
    said = {
        "majority": np.full(len(truth), truth.mean() >= 0.5),
        "plain equality": [plainly_same(r["value"], r["transcribed_value"]) for r in rows],
        "rules": [same(r["value"], r["transcribed_value"], r["type"]) for r in rows],
    }
    print(f"{len(rows)} entities, {(~truth).sum()} wrong")
    for name, verdicts in said.items():
        right = np.asarray(verdicts) == truth
        f1 = [_f1(right[truth], right[~truth]), _f1(right[~truth], right[truth])]
        print(
            f"{name:15} accuracy {right.mean():.4f}  macro-F1 {np.mean(f1):.4f}"
            f"  recall of wrong {right[~truth].mean():.4f}"
        )


def _f1(own: Any, others: Any) -> float:
    """F1 of a label from who is right on items that have it, and on the others."""
    return float(2 * own.sum() / (len(own) + own.sum() + (~others).sum() or 1))


if __name__ == "__main__":
    main()
