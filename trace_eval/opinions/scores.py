"""Judges' scores of single answers, from run folders of ``rate`` and from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from blueprints import UserError
from fusion import Numbers, numbers
from trace_eval.data.columns import Columns
from trace_eval.data.files import as_path
from trace_eval.data.label_files import (
    LABEL_FIELDS,
    SCORE_FIELDS,
    OpinionTable,
    columns_of,
    names_in,
)
from trace_eval.data.names import fields_of
from trace_eval.data.rubrics.load import load_rubric, rubric_names
from trace_eval.opinions.codes import LABEL_COLUMNS, SCORE_FACTS
from trace_eval.opinions.labels import table_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import (
    DEFAULT_SCALE,
    mean_ratings,
    ratings_in,
    read_ratings,
    rows_of,
)
from trace_eval.opinions.score_records import holds_records, only_rubric, read_records, read_run


def holds_scores(source: Path | Opinions, columns: Columns | None = None) -> bool:
    """Whether a source holds scores of single answers; of what is neither, its reader says why.

    A run folder is of the command that wrote it. A file holds scores if its records are those of
    ``rate``, or if it has a column of scores and none of labels; ``columns`` are a user's names.
    """
    if not isinstance(source, Path):
        return not source.codes
    if source.is_dir():
        return (source / "items.jsonl").is_file()
    if not source.is_file():
        return False
    if source.suffix == ".jsonl" and holds_records(source):
        return True
    return _names_scores(names_in(source), columns or Columns())


def _names_scores(names: Sequence[str], columns: Columns) -> bool:
    labels, scores = (fields_of(kind.names, names) for kind in (LABEL_FIELDS, SCORE_FIELDS))
    named = {labels.get(name, name) for name in columns.named} | {
        ours for name, ours in labels.items() if name in names
    }
    labelled = named & {*LABEL_COLUMNS, *SCORE_FACTS} or columns.prediction or columns.truth
    scored = any(scores.get(name) in ("score", "mos") for name in (*columns.named, *names))
    return scored and not labelled


def read_scores(
    path: Path, rubric: str | None = None, columns: Mapping[str, str] | None = None
) -> Opinions:
    """Read a run folder of ``rate``, score records, or a table with ``id`` and ``score``.

    The rater of a row is its judge. A table that names raters and no judge, or holds mean opinion
    scores, is a listening test: the score of an item is the mean of its ratings. Facts beside
    ``score``: ``variance``, ``distribution`` (label -> share), ``beta`` (alpha and beta
    [shape=(n, 2)]), ``samples`` (a list), ``clamped``, ``caveats``, and ``pooled`` where it is a
    mixture of judges that have rows of their own. ``columns`` says how a table calls fields.

    Raises:
        UserError: there are no scores of this rubric, or of several and none is named.
    """
    if path.is_dir():
        return read_run(path, rubric)
    if path.suffix == ".jsonl" and holds_records(path):
        return read_records(path, rubric)
    return _of_columns(OpinionTable.of_file(path, SCORE_FIELDS), rubric, columns or {})


def as_source(provided: Any) -> Path | Opinions:
    """What statistics read: a name as a path, a table at hand as its labels or scores.

    Raises:
        UserError: it is no table, or one without either.
    """
    named = as_path(provided)
    if isinstance(named, Path | Opinions):
        return named
    table = OpinionTable.at_hand(named, SCORE_FIELDS)
    if _names_scores(table.columns(), Columns()):
        return _of_columns(table, None, {})
    return table_labels(named)


def read_with_ratings(
    sources: Sequence[Path | Opinions],
    ratings: Any,
    columns: Columns | None = None,
    rubric: str | None = None,
) -> tuple[list[Opinions], Opinions | None]:
    """Scores, all on one scale, and the ratings beside them.

    Args:
        sources: run folders of ``rate``, files of scores, or what was read of them.
        ratings: a file of ratings or of items with labels, a table of ratings at hand, or what was
            read of one; None: none.
        columns: how the files name their columns; those of ratings alone where a source is a run.
        rubric: name or file; None: the only one that the sources have.

    Raises:
        UserError: one cannot be read, or they score different rubrics.
    """
    columns = columns or Columns()
    if replace(columns, named={}, id=None) != Columns():
        raise UserError(
            "--prediction, --truth, --map and --flip-b mean nothing for scores; leave them out"
        )
    name, named = load_rubric(rubric).name if rubric else None, columns.fields
    every = [read_scores(s, name, named) if isinstance(s, Path) else s for s in sources]
    every = _on_one_scale(every, rubric)
    if isinstance(ratings, Path):
        ratings = read_ratings(ratings, every[0].rubric, named)
    elif named and any(isinstance(source, Path) and source.is_dir() for source in sources):
        raise UserError(f"{sources[0]}: --id and --column mean nothing for a run; leave them out")
    elif ratings is not None and not isinstance(ratings, Opinions):
        table = OpinionTable.at_hand(ratings, SCORE_FIELDS)
        ratings = ratings_in(table, every[0].rubric, columns.fields)
    if ratings is not None and ratings.codes:
        raise UserError(f"{ratings.source}: holds labels of pairs; give ratings of single answers")
    return every, ratings


def _on_one_scale(sources: Sequence[Opinions], rubric: str | None) -> list[Opinions]:
    """The sources with one rubric and its scale; refused where they score different ones."""
    scored = {source.rubric for source in sources if source.rubric}
    if len(scored) > 1:
        raise UserError(
            f"the sources score different rubrics ({', '.join(sorted(scored))}); compare one"
        )
    named = load_rubric(rubric) if rubric else None
    name = named.name if named else next(iter(scored), None)
    scale = named.numbers if named else _scale(sources, name)
    return [source.on(name, scale) for source in sources]


def _scale(sources: Sequence[Opinions], rubric: str | None) -> Numbers:
    stored = next((source.scale for source in sources if source.scale is not None), None)
    if stored is not None:
        return stored
    if rubric in rubric_names():
        return load_rubric(rubric).numbers
    every = (one for source in sources for one in source.facts.get("distribution", ()) if one)
    labels = {float(label) for shares in every for label in shares}
    return numbers(labels) if len(labels) > 1 else DEFAULT_SCALE


def _of_columns(source: OpinionTable, rubric: str | None, named: Mapping[str, str]) -> Opinions:
    table = source.read(columns_of(named, SCORE_FIELDS))
    if "judge" not in table and {"rater", "mos"} & table.keys():
        return mean_ratings(ratings_in(source, rubric, named)).on(rubric)
    for name in ("id", "score"):
        if name not in table:
            raise UserError(f"{source.name}: no column {name!r}; a file of scores has id and score")
    size = len(table["id"])
    rubrics = [of or "" for of in table.get("rubric", [None] * size)]
    name = only_rubric(source.name, {*rubrics}, rubric)
    raters = [who or Path(source.name).stem for who in table.get("judge", [None] * size)]
    kept = np.array([of == name for of in rubrics], bool)
    return rows_of(source.name, table, ("score", "variance"), raters, kept).on(name or None)
