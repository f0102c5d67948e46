"""Reading a judging or a board, from a run or a column of a table."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from blueprints import UserError
from trace_eval.compare.judgings import ABSENT, Judging
from trace_eval.compare.run_judgings import run_judging
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.opinions.cells import ids_of, texts_of
from trace_eval.opinions.codes import MISSING, Codes
from trace_eval.opinions.encoding import RowSystems, encode
from trace_eval.opinions.instructions import told_apart_by
from trace_eval.opinions.label_files import TextColumns, read_columns
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.unread import UnreadValues
from trace_eval.runs.run import Run

#: What can be put beside another: a run or its folder, or a table ``FILE:COLUMN``.
JudgingSource = Path | str | Run

#: Why an item of a table has no verdict.
NO_VERDICT = "unparseable"

#: Columns of a table that are read beside the verdicts.
FACTS = ("instruction_id", "category", "system_a", "system_b")


def _split_column(source: str) -> tuple[Path, str | None]:
    """Split ``FILE:COLUMN`` in two parts; an existing path is not split."""
    path, colon, column = source.rpartition(":")
    if not colon or Path(source).exists():
        return Path(source), None
    return Path(path), column


def read_judging(source: JudgingSource, truth: str | None = None) -> Judging:
    """Read a run, or one column of verdicts of a table.

    Args:
        source: a run or its folder; or ``FILE:COLUMN``, a CSV, JSONL or JSON table with
            a row per item: ``item`` (or ``id``), the column with ``1``, ``2``, ``tie``,
            ``both_good``, ``both_bad``, nothing (the reply held no verdict) or
            ``absent`` (not judged), and maybe ``system_a``, ``system_b``,
            ``instruction_id``, ``category``, ``severe``.
        truth: of tables, the column of human labels.

    Raises:
        UserError: neither can be read there.
    """
    if isinstance(source, Run):
        return run_judging(source)
    path, column = _split_column(str(source))
    if column is not None:
        return _table(path, column, truth)
    if path.is_dir():
        return run_judging(Run.open(path))
    if not path.exists():
        raise UserError(
            f"{path}: no such run or table; name a run folder, or FILE:COLUMN"
        )
    raise UserError(
        f"{path}: which column holds the verdicts? write"
        f" {shlex.quote(str(path))}:COLUMN; the timing of calls is compared by"
        " trace-eval turns NEW --against OLD --fail-over"
    )


def is_board(source: JudgingSource) -> bool:
    """Whether ``FILE:COLUMN`` has a row per system, and none per item."""
    path, column = _split_column(str(source))
    if isinstance(source, Run) or column is None or not path.is_file():
        return False
    columns = read_columns(path, {"system": "system"})
    return "system" in columns and "id" not in columns


def read_board(source: JudgingSource, keys: Sequence[str] = ("system",)) -> Opinions:
    """Read one column of a table (``FILE:COLUMN``) with systems named by ``keys``.

    A row has ``score`` as in the table, and the fact ``baseline``, which one system at
    most has: all others are compared with it.

    Raises:
        UserError: a column is missing, a score is no number, or two rows have one name.
    """
    path, column = _split_column(str(source))
    wanted = {
        str(column): "score",
        "baseline": "baseline",
        **{key: f"key {key}" for key in keys},
    }
    columns = _columns(path, wanted, optional="baseline")
    parts = [columns[f"key {key}"] for key in keys]
    names: list[str] = []
    for row in zip(*parts, strict=True):
        names.append(" ".join(filter(None, row)))
    if (twice := _twice(names)) is not None:
        raise UserError(
            f"{path}: system {twice!r} has two rows; tell them apart by more columns,"
            f" e.g. --key {' --key '.join(keys)} --key OTHER"
        )
    scores = []
    for name, text in zip(names, columns["score"], strict=True):
        try:
            scores.append(float(text or ""))
        except ValueError:
            raise UserError(
                f"{path}, {name}: {column} is {text!r}; give a number"
            ) from None
    baseline = _flags(columns.get("baseline", [None] * len(names)))
    if baseline.sum() > 1:
        raise UserError(f"{path}: several rows are the baseline; mark one")
    return Opinions(
        f"{path.stem}:{column}",
        texts_of(names),
        {},
        facts={"baseline": baseline},
        scores={"score": np.array(scores)},
    )


def _columns(path: Path, wanted: Mapping[str, str], optional: str) -> TextColumns:
    """Read the columns of a table under our names; only one of them may be missing."""
    columns = read_columns(path, wanted)
    for name, ours in wanted.items():
        if ours not in columns and ours != optional:
            raise UserError(f"{path}: no column {name!r}; name one that it has")
    return columns


def _flags(column: Sequence[str | None]) -> Mask:
    return np.array(
        [(text or "").lower() in ("1", "true", "yes") for text in column], bool
    )


#: What a cell of a verdict may hold besides labels, after them in a message.
_NO_LABEL = f", nothing (no verdict) or {ABSENT}"


def _is_absent(text: str | None) -> bool:
    return (text or "").lower() == ABSENT


def _twice(names: Sequence[str]) -> str | None:
    """Return the first name that occurs more than once."""
    return next((name for name, rows in Counter(names).items() if rows > 1), None)


def _table(path: Path, column: str, truth: str | None) -> Judging:
    source = str(path)
    wanted = {column: "verdict", "severe": "severe"}
    if truth:
        wanted |= {truth: "truth"}
    columns = _columns(path, wanted, optional="severe")
    ids = ids_of(source, columns, False)
    if (twice := _twice(ids.tolist())) is not None:
        raise UserError(f"{path}: item {twice!r} has two rows; keep one")
    systems = RowSystems.of(columns)
    unread = UnreadValues(source, ids, _NO_LABEL)

    def codes_of(name: str, called: str) -> Codes:
        values = [None if _is_absent(text) else text for text in columns[name]]
        return encode(values, "verdict", systems=systems, unread=unread, called=called)

    codes = codes_of("verdict", column)
    labels = (
        Opinions(source, ids, {"human": codes_of("truth", truth)}) if truth else None
    )
    unread.refuse(mappable=False)
    facts: dict[str, Array] = {n: texts_of(columns[n]) for n in FACTS if n in columns}
    if "wording" in columns:
        instructions = told_apart_by(columns["wording"], columns.get("instruction_id"))
        if instructions is not None:
            facts["instruction_id"] = texts_of(instructions)
    if "severe" in columns:
        facts["severe"] = _flags(columns["severe"])
    reasons: Array = np.full(len(codes), None)
    reasons[codes == MISSING] = NO_VERDICT
    judging = Judging(
        source=f"{path.stem}:{column}",
        ids=ids,
        codes={"verdict": codes},
        facts=facts,
        reasons={"verdict": reasons},
        labels=labels,
    )
    is_present = [not _is_absent(text) for text in columns["verdict"]]
    return judging.take(np.array(is_present, bool))
