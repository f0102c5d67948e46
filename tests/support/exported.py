"""Tables as tests write them, and what was read of them, row by row."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from trace_eval.opinions.codes import LABELS
from trace_eval.opinions.opinions import Opinions


def write_rows(path: Path, *rows: Sequence[object]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def labels_of(table: Opinions) -> list[tuple[str, str, str | None]]:
    assert table.rater is not None
    codes = table.codes["preference"].tolist()
    return [
        (who, item, LABELS[code] if code >= 0 else None)
        for who, item, code in zip(
            table.rater.tolist(), table.ids.tolist(), codes, strict=True
        )
    ]


def scores_of(table: Opinions) -> list[tuple[str, str, float]]:
    assert table.rater is not None
    rows = zip(table.rater, table.facts["system"], table.facts["score"], strict=True)
    return [(str(who), str(system), float(score)) for who, system, score in rows]
