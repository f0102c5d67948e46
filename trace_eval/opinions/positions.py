"""Tables of a judge's verdicts in both orders of a comparison with one system.

The layout of the released SpeakBench runs (arXiv 2507.12705): ``instruction_id``,
``model_name``, ``position1_prediction`` with the system first, ``position2_prediction`` with
the baseline first; both by place. The baseline itself is in no column.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from blueprints import UserError
from fusion import mean_points, threshold
from trace_eval.data.label_files import read_columns
from trace_eval.data.tables import column_names
from trace_eval.opinions.labels import label_table
from trace_eval.opinions.opinions import Opinions

#: Columns of the layout -> what they are read as.
_COLUMNS = {
    "instruction_id": "instruction_id",
    "model_name": "system_a",
    "position1_prediction": "first",
    "position2_prediction": "second",
}
_TURNED: dict[str | None, str] = {"1": "2", "2": "1", "tie": "tie"}


def has_positions(path: Path) -> bool:
    """True of a CSV table with the columns of both orders."""
    names = column_names(path) if path.suffix == ".csv" else ()
    return {"position1_prediction", "position2_prediction"} <= set(names)


def read_positions(path: Path, baseline: str | None) -> Opinions:
    """The table as judgements and single calls, A being the system and B the baseline.

    A comparison in which either order has no label is left out, and so is the baseline
    against itself.

    Args:
        path: the table.
        baseline: name of the system that all are compared with.

    Raises:
        UserError: no baseline is named, a column is missing, or nothing was decided.
    """
    if baseline is None:
        raise UserError(
            f"{path}: compares systems with one that it does not name; name it by --baseline"
        )
    result = read_columns(path, _COLUMNS)
    for name, ours in _COLUMNS.items():
        if ours not in result:
            raise UserError(f"{path}: no column {name!r}; needed are {', '.join(_COLUMNS)}")
    rows = [
        (instruction, system, first, _TURNED[second])
        for instruction, system, first, second in zip(
            *(result[name] for name in _COLUMNS.values()), strict=True
        )
        if first in _TURNED and second in _TURNED and system != baseline
    ]
    if not rows:
        raise UserError(f"{path}: no comparison with 1, 2 or tie in both orders")
    calls: list[dict[str, Any]] = []
    whole: list[dict[str, Any]] = []
    for instruction, system, first, second in rows:
        facts = {
            "id": f"{instruction}/{system}",
            "instruction_id": instruction,
            "system_a": system,
            "system_b": baseline,
        }
        said = [str(first), second]
        whole.append({**facts, "preference": threshold(mean_points(said))})
        calls += [
            {**facts, "order": order, "repeat": f"{order}/0", "preference": label}
            for order, label in zip(("ab", "ba"), said, strict=True)
        ]
    judged, opinions = (
        label_table(str(path), {name: [row[name] for row in table] for name in table[0]})
        for table in (whole, calls)
    )
    return judged.beside(calls=opinions)
