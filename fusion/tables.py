"""A user's own policy: a 64-row table in CSV or JSON, or an entry point."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from pathlib import Path

from fusion.policies import CELLS, POLICIES, Decision, Policy
from fusion.ratings import DIMENSIONS, Rating

#: Entry-point group through which an installed package offers policies.
ENTRY_POINT_GROUP = "trace_eval.policies"

_COLUMNS = (*DIMENSIONS, "overall")


def policy_from_rows(
    name: str, rows: Iterable[Mapping[str, object]], where: str | None = None
) -> Policy:
    """Build a policy from 64 rows ``content, voice_quality, paralinguistics, overall``.

    Raises:
        ValueError: a label is unknown, a column or an input is missing, or an input stands
            twice. The message names ``where`` and the row (from 1).
    """
    where = where or name
    table: dict[tuple[Rating, ...], Rating] = {}
    for number, row in enumerate(rows, start=1):
        missing = [column for column in _COLUMNS if row.get(column) is None]
        if missing:
            raise ValueError(
                f"{where}, row {number}: no {missing[0]!r}; columns are {', '.join(_COLUMNS)}"
            )
        *cell, overall = (
            Rating.parse(row[column], f"{where}, row {number}, {column}") for column in _COLUMNS
        )
        if tuple(cell) in table:
            raise ValueError(f"{where}, row {number}: {_show(cell)} stands twice; delete one")
        table[tuple(cell)] = overall
    absent = [cell for cell in CELLS if cell not in table]
    if absent:
        raise ValueError(
            f"{where}: {len(absent)} of {len(CELLS)} inputs are missing, first {_show(absent[0])}"
        )

    def rule(c: Rating, vq: Rating, p: Rating) -> Decision:
        return Decision(table[c, vq, p], f"table {name}: {_show((c, vq, p))}")

    return Policy(name, f"{len(CELLS)}-row table {where}", rule)


def _row(items: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys are distinct: JSON readers differ in which of two equal ones counts."""
    row = dict(items)
    if len(row) != len(items):
        raise ValueError("a row names a column twice")
    return row


def _show(cell: Iterable[Rating]) -> str:
    return "(" + ", ".join(cell) + ")"


def read_policy(path: Path) -> Policy:
    """Read a policy table from ``.csv`` (with a header) or ``.json`` (a list of objects).

    Raises:
        ValueError: the file cannot be read as such a table.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if path.suffix == ".json":
            rows = json.loads(text, object_pairs_hook=_row)
        else:
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (OSError, ValueError, csv.Error) as error:
        raise ValueError(f"{path}: not a readable policy table ({error})") from error
    except RecursionError:
        raise ValueError(f"{path}: not a readable policy table (nested too deeply)") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{path}: expected a list of objects with {', '.join(_COLUMNS)}")
    return policy_from_rows(path.stem, rows, str(path))


def load_policy(spec: str) -> Policy:
    """Find a policy by built-in name, table file (``.csv``, ``.json``) or entry point.

    Raises:
        ValueError: nothing of that name exists, or the table is not valid.
    """
    if spec in POLICIES:
        return POLICIES[spec]
    if spec.endswith((".csv", ".json")):
        return read_policy(Path(spec))
    for entry in entry_points(group=ENTRY_POINT_GROUP, name=spec):
        result = entry.load()
        if isinstance(result, Policy):
            return result
        raise ValueError(f"policy {spec}: {entry.value} is not a fusion.Policy")
    raise ValueError(
        f"policy {spec!r} is unknown; use one of {', '.join(POLICIES)}, a 64-row .csv or .json"
        f" table, or an entry point of group {ENTRY_POINT_GROUP!r}"
    )
