"""Entity rules on labelled entities, beside the majority and plain equality.

    python -m benchmarks.entities PATH/key_entity_transcription.jsonl

Reads EVA's file (MIT): each entity's intended and heard text, and whether people call
them equal.
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
    """Print the accuracy of rules and baselines, of all and of wrong entities."""
    parser = options_of(__doc__)
    parser.add_argument("path", type=Path)
    rows = list(entities(parser.parse_args().path))
    truth = np.array([bool(row["correct"]) for row in rows])
    said = {
        "majority": np.full(len(truth), truth.mean() >= 0.5),
        "plain equality": [
            plainly_same(r["value"], r["transcribed_value"]) for r in rows
        ],
        "rules": [same(r["value"], r["transcribed_value"], r["type"]) for r in rows],
    }
    print(f"{len(rows)} entities, {(~truth).sum()} wrong")
    for name, verdicts in said.items():
        right = np.asarray(verdicts) == truth
        print(
            f"{name:15} accuracy {right.mean():.4f}  on wrong ones"
            f" {right[~truth].mean():.4f}"
        )


if __name__ == "__main__":
    main()
