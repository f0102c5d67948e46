"""Reading a judging: a run folder, a run that is open, or one column of a table of verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from blueprints import UserError
from trace_eval.compare.judgings import ABSENT, Judging
from trace_eval.compare.run_judgings import pairs_judging, scores_judging
from trace_eval.data.label_files import read_columns
from trace_eval.data.spelling import WORDS, plain
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.codes import LABELS, MISSING, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.run import Run

#: What can be put beside another: a run or its folder, or a table ``FILE:COLUMN``.
Source = Path | str | Run

#: Why an item of a table has no verdict.
NO_VERDICT = "unparseable"

#: Columns of a table that are read beside the verdicts.
FACTS = ("instruction_id", "category", "system_a", "system_b")


def split_column(source: str) -> tuple[Path, str | None]:
    """``FILE:COLUMN`` as both; a path that is there is taken as a whole."""
    path, colon, column = source.rpartition(":")
    if not colon or Path(source).exists():
        return Path(source), None
    return Path(path), column


def read_judging(source: Source, truth: str | None = None) -> Judging:
    """Read a run, or one column of verdicts of a table.

    Args:
        source: a run or its folder; or ``FILE:COLUMN``, a CSV, JSONL or JSON table with a row per
            item: ``item`` (or ``id``), the column with ``1``, ``2``, ``tie``, ``both_good``,
            ``both_bad``, nothing (the reply held no verdict) or ``absent`` (not judged), and
            maybe ``system_a``, ``system_b``, ``instruction_id``, ``category``, ``severe``.
        truth: of tables, the column of human labels.

    Raises:
        UserError: neither can be read there.
    """
    if isinstance(source, Run):
        return scores_judging(source) if source.holds_scores else pairs_judging(source)
    path, column = split_column(str(source))
    if column is not None:
        return _table(path, column, truth)
    if path.is_dir():
        run = Run.open(path)
        return scores_judging(run) if run.holds_scores else pairs_judging(run)
    if not path.exists():
        raise UserError(f"{path}: no such run or table; name a run folder, or FILE:COLUMN")
    raise UserError(f"{path}: which column holds the verdicts? write {path}:COLUMN")


def _table(path: Path, column: str, truth: str | None) -> Judging:
    requested = {column: "verdict", "severe": "severe"} | ({truth: "truth"} if truth else {})
    result = read_columns(path, requested)
    for name, ours in requested.items():
        if ours not in result and ours != "severe":
            raise UserError(f"{path}: no column {name!r}; name one that it has")
    if "id" not in result:
        raise UserError(f"{path}: no column 'item' (or id, pair, index); add one")
    ids = [text or "" for text in result["id"]]
    if len(set(ids)) < len(ids):
        twice = next(name for row, name in enumerate(ids) if name in ids[:row])
        raise UserError(f"{path}: item {twice!r} has two rows; keep one")
    provided = result["verdict"]
    asked_of = np.array([text != ABSENT for text in provided], bool)
    codes = _encoded(provided, path, column, ids)
    reasons = [
        None if code != MISSING else NO_VERDICT if available else ABSENT
        for code, available in zip(codes.tolist(), asked_of.tolist(), strict=True)
    ]
    kept = np.flatnonzero(asked_of)
    people = None
    if truth:
        said = {"people": _encoded(result["truth"], path, str(truth), ids)}
        people = Opinions(str(path), texts_of(ids), said)
    flags = [(text or "").lower() in ("1", "true", "yes") for text in result.get("severe", ())]
    facts = {name: texts_of(result[name]) for name in FACTS if name in result}
    return Judging(
        source=f"{path.stem}:{column}",
        ids=texts_of(ids),
        codes={"verdict": codes},
        facts=facts | ({"severe": np.array(flags, bool)} if flags else {}),
        reasons={"verdict": texts_of(reasons)},
        labels=people,
    ).take(kept)


def _encoded(values: Sequence[str | None], path: Path, column: str, ids: Sequence[str]) -> Codes:
    codes: dict[str | None, int] = {label: number for number, label in enumerate(LABELS)}
    codes |= {name: LABELS.index(label) for name, label in WORDS.items()}
    codes |= {None: MISSING, "": MISSING, ABSENT: MISSING}
    values = [value if value in codes else plain(value) for value in values]
    wrong = next((row for row, value in enumerate(values) if value not in codes), None)
    if wrong is not None:
        raise UserError(
            f"{path}, item {ids[wrong]}: {column} is {values[wrong]!r:.80}; use one of"
            f" {', '.join(LABELS)}, nothing (no verdict) or {ABSENT}"
        )
    return np.array([codes[value] for value in values], np.int8)
