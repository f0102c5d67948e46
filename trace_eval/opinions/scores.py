"""Judges' scores of single answers, from run folders of ``rate`` and from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from blueprints import InputError, UserError
from fusion import Numbers, numbers
from trace_eval.data.columns import OUR_NAMES, Columns
from trace_eval.data.files import as_path
from trace_eval.data.names import fields_of
from trace_eval.data.rubrics.load import load_rubric, rubric_names
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.spelling import is_missing
from trace_eval.opinions.absent_scores import refuse_without_scores
from trace_eval.opinions.codes import LABEL_COLUMNS, SCORE_FACTS
from trace_eval.opinions.found_scales import FOUND_SCALE, scale_by_values
from trace_eval.opinions.label_files import (
    LABEL_FIELDS,
    NAMES,
    SCORE_FIELDS,
    OpinionTable,
    start_of,
)
from trace_eval.opinions.labels import table_labels
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.rater_columns import holds_scores_of_raters, rater_columns
from trace_eval.opinions.rating_files import (
    columns_of_scores,
    mapped_scores,
    ratings_in,
    read_ratings,
    rows_of,
    with_scale,
)
from trace_eval.opinions.ratings import mean_ratings, places_on, values_of
from trace_eval.opinions.score_records import (
    holds_records,
    only_rubric,
    read_records,
    read_run,
)


def holds_scores(source: Path | Opinions, columns: Columns | None = None) -> bool:
    """Tell whether a source holds scores of single answers.

    A source of neither kind is left to its reader, which says what is wrong.

    A run folder is of the command that wrote it. A file holds scores if its records are
    those of ``rate``, or if it has a column of scores and none of labels; ``columns``
    are a user's names.
    """
    if not isinstance(source, Path):
        return not source.codes
    if source.is_dir():
        return (source / "items.jsonl").is_file()
    if not source.is_file():
        return False
    if source.suffix == ".jsonl" and holds_records(source):
        return True
    columns = columns or OUR_NAMES
    header = start_of(source).columns
    labels = fields_of(LABEL_FIELDS.names, header)
    if _are_of_pairs(header, labels, columns):
        return False
    if _names_scores(header, labels, columns):
        return True
    if not _LABEL_NAMES.isdisjoint(header):
        return False
    table = OpinionTable.of_file(source, SCORE_FIELDS, columns.where)
    return _table_of_scores(table, columns)


def hold_scores(
    sources: Sequence[Path | Opinions], columns: Columns | None = None
) -> bool:
    """Tell whether some source holds scores of single answers."""
    return any(holds_scores(source, columns) for source in sources)


def _are_of_pairs(
    header: Sequence[str], labels: Mapping[str, str], columns: Columns
) -> bool:
    """Tell whether a user names labels, or each row compares two systems.

    Then its number is no score.

    Args:
        labels: columns of the header -> our names of fields of labels.
    """
    if columns.prediction or columns.truth:
        return True
    fields = set(columns.named)
    fields.update(labels[name] for name in header if name in labels)
    return {"system_a", "system_b"} <= fields


#: Names of columns of labels: a table with one has no columns of raters.
_LABEL_NAMES = frozenset(NAMES).intersection(
    chain.from_iterable(
        LABEL_FIELDS.names[field] for field in LABEL_COLUMNS + SCORE_FACTS
    )
)


def _table_of_scores(table: OpinionTable, columns: Columns) -> bool:
    """Tell whether a table, unfolded by its layout, holds a column of scores or more.

    Several are those of a rater each.
    """
    header = table.columns
    labels = fields_of(LABEL_FIELDS.names, header)
    are_of_pairs = _are_of_pairs(header, labels, columns)
    if not are_of_pairs and _names_scores(header, labels, columns):
        return True
    try:
        named = SCORE_FIELDS.by_column(columns.fields)
    except UserError:  # what a user names are no fields of scores
        named = {}
    return holds_scores_of_raters(table, rater_columns(named, header))


def _names_scores(
    header: Sequence[str], labels: Mapping[str, str], columns: Columns
) -> bool:
    """Tell whether a column is named as scores are, and none as labels are."""
    fields = {labels.get(name, name) for name in columns.named}
    fields.update(labels[name] for name in header if name in labels)
    if not fields.isdisjoint(LABEL_COLUMNS + SCORE_FACTS):
        return False
    scores = fields_of(SCORE_FIELDS.names, header)
    for name in list(columns.named) + list(header):
        if scores.get(name) in ("score", "mos"):
            return True
    return False


def read_scores(
    path: Path,
    rubric: str | None = None,
    columns: Columns | Mapping[str, str] | None = None,
) -> Opinions:
    """Read a run folder of ``rate``, its records, or a table with ``id`` and ``score``.

    The rater of a row is its judge. A table that names raters and no judge, or holds
    mean opinion scores, is a listening test: the score of an item is the mean of its
    ratings. Facts beside ``score``: ``variance``, ``distribution`` (label -> share),
    ``beta`` (alpha and beta [shape=(n, 2)]), ``samples`` (a list), ``clamped``,
    ``caveats``, and ``pooled`` where it is a mixture of judges that have rows of their
    own. ``columns`` says how a table calls fields.

    Raises:
        UserError: there are no scores of this rubric, or of several and none is named.
    """
    if path.is_dir():
        return read_run(path, rubric)
    if path.suffix == ".jsonl" and holds_records(path):
        return read_records(path, rubric)
    columns = columns if isinstance(columns, Columns) else Columns(named=columns or {})
    table = OpinionTable.of_file(path, SCORE_FIELDS, columns.where)
    return _of_columns(table, rubric, columns)


def as_sources(provided: Any, columns: Columns | None = None) -> list[Path | Opinions]:
    """Return one or several sources as a list, see :func:`as_source`."""
    if isinstance(provided, Sequence) and not isinstance(provided, str | bytes):
        return [as_source(one, columns) for one in provided]
    return [as_source(provided, columns)]


def as_source(provided: Any, columns: Columns | None = None) -> Path | Opinions:
    """Turn a name into a path, and a table at hand into its labels or scores.

    Args:
        columns: how a table names its columns; None: by our names.

    Raises:
        UserError: it is no table, or one without either.
    """
    named = as_path(provided)
    if isinstance(named, Path | Opinions):
        return named
    columns = columns or OUR_NAMES
    table = OpinionTable.at_hand(named, SCORE_FIELDS, columns.where)
    if _table_of_scores(table, columns):
        return _of_columns(table, None, columns)
    mapping = columns.mapping
    where = columns.where
    scale = columns.scale
    return table_labels(
        named, columns.fields, mapping=mapping, about=(), where=where, scale=scale
    )


def read_with_ratings(
    sources: Sequence[Path | Opinions],
    ratings: Any,
    columns: Columns | None = None,
    rubric: str | None = None,
) -> tuple[list[Opinions], Opinions | None]:
    """Read scores, all on one scale, and the ratings beside them.

    Args:
        sources: run folders of ``rate``, files of scores, or what was read of them.
        ratings: a file of ratings or of items with labels, a table of ratings at hand,
            or what was read of one; None: none.
        columns: how the files name their columns; those of ratings alone where a source
            is a run.
        rubric: name, also one of the sources' own, or file; None: the only one that the
            sources have.

    Raises:
        UserError: one cannot be read, or they score different rubrics.
    """
    columns = columns or OUR_NAMES
    for_scores = replace(columns, prediction=None, truth=None, flip_b=False, tail=None)
    if columns != for_scores:
        raise InputError(
            "--prediction, --truth and --flip-b mean nothing for scores; leave them out"
        )
    rubric_read = _known_rubric(rubric)
    name = rubric_read.name if rubric_read else rubric
    named = _columns_of_sources(sources, ratings, columns)
    scores: list[Opinions] = []
    for source in sources:
        if isinstance(source, Path):
            scores.append(read_scores(source, name, named))
        else:
            scores.append(source)
    rubrics = [source.rubric for source in scores if source.rubric]
    if rubric and not rubric_read and rubric not in rubrics:
        load_rubric(rubric)  # nobody knows it: this says which names there are
    if ratings is not None and not isinstance(ratings, Opinions):
        name = rubrics[0] if rubrics else name
        if isinstance(ratings, Path):
            ratings = read_ratings(ratings, name, columns)
        else:
            table = OpinionTable.at_hand(ratings, SCORE_FIELDS, columns.where)
            ratings = ratings_in(table, name, columns)
    if ratings is not None and ratings.codes:
        raise InputError(
            f"{ratings.source}: holds labels of pairs; give ratings of single answers"
        )
    scores = _on_one_scale(scores, rubric_read)
    if ratings is not None and scores[0].scale is not None:
        ratings = _beside(ratings, scores[0].scale, declared=columns.scale is not None)
    return scores, ratings


def _columns_of_sources(
    sources: Sequence[Path | Opinions], ratings: Any, columns: Columns
) -> Columns:
    """Return how sources of scores name their columns: those of a run by our names.

    Raises:
        UserError: there is a run, and nothing beside it whose columns could be meant.
    """
    for source in sources:
        if not isinstance(source, Path) or not source.is_dir():
            continue
        if ratings is None and columns != OUR_NAMES:
            raise InputError(
                f"{source}: --id, --column, --map, --where and --scale mean nothing for"
                " a run; leave them out"
            )
        if isinstance(ratings, Opinions):
            return replace(columns, named={}, id=None)
        return OUR_NAMES  # they are about the ratings beside it
    return columns


def _beside(ratings: Opinions, scale: Numbers, declared: bool) -> Opinions:
    """Put ratings on the scores' scale; one that was found yields to a rubric's."""
    warnings = [one for one in ratings.warnings if one.check != FOUND_SCALE]
    old_scale = ratings.scale
    if not declared or old_scale is None or old_scale == scale:
        return replace(ratings, warnings=tuple(warnings))
    text = (
        f"{ratings.source}: ratings from {old_scale.low:g} to {old_scale.high:g} are"
        f" put on the scale of the scores, {scale.low:g} to {scale.high:g}"
    )
    warnings.append(DataWarning(FOUND_SCALE, text))
    places = places_on(values_of(ratings), old_scale)
    facts = dict(ratings.facts)
    facts.pop("score", None)
    facts["mos"] = scale.low + (scale.high - scale.low) * places
    return replace(ratings, facts=facts, warnings=tuple(warnings))


def _known_rubric(rubric: str | None) -> ScoreRubric | None:
    """Return a rubric, shipped or of a file; None for a name that a source may know."""
    if rubric is None:
        return None
    if rubric in rubric_names() or Path(rubric).suffix == ".toml":
        return load_rubric(rubric)
    return None


def _on_one_scale(
    sources: Sequence[Opinions], named: ScoreRubric | None
) -> list[Opinions]:
    """Put the sources on one rubric and its scale; refuse if they score several."""
    rubrics = {source.rubric for source in sources if source.rubric}
    if len(rubrics) > 1:
        raise InputError(
            f"the sources score different rubrics ({', '.join(sorted(rubrics))});"
            " compare one"
        )
    if named:
        return [source.on(named.name, named.numbers) for source in sources]
    name = next(iter(rubrics), None)
    scale = _scale(sources, name)
    return [source.on(name, scale) for source in sources]


def _was_found(source: Opinions) -> bool:
    return any(warning.check == FOUND_SCALE for warning in source.warnings)


def _scale(sources: Sequence[Opinions], rubric: str | None) -> Numbers:
    """Return the scale of run, user or rubric; else the least one with all scores."""
    for source in sources:
        if source.scale is not None and not _was_found(source):
            return source.scale
    if rubric in rubric_names():
        return load_rubric(rubric).numbers
    labels: set[float] = set()
    for source in sources:
        for shares in filter(None, source.facts.get("distribution", ())):
            labels.update(map(float, shares))
    if len(labels) > 1:
        return numbers(labels)
    scales = [source.scale for source in sources if source.scale is not None]
    if len(set(scales)) == 1:
        return scales[0]
    ends: list[float] = []
    for scale in scales:
        ends += [float(scale.low), float(scale.high)]
    return scale_by_values(np.array(ends))


def _of_columns(source: OpinionTable, rubric: str | None, columns: Columns) -> Opinions:
    table, raters = columns_of_scores(source, columns.fields)
    if "judge" not in table and {"rater", "mos"} & table.keys():
        ratings = ratings_in(source, rubric, columns)
        rubrics = [name for name in table.get("rubric", ()) if name]
        if rubric not in rubrics:
            rubric = rubrics[0] if rubrics else None
        return mean_ratings(ratings).on(rubric, ratings.scale)
    for name in ("id", "score"):
        if name not in table:
            refuse_without_scores(
                source, table, name, "a file of scores has id and score"
            )
    unknown = [None] * len(table["id"])
    rubrics = [name or "" for name in table.get("rubric", unknown)]
    name = only_rubric(source.name, set(rubrics), rubric)
    unnamed = Path(source.name).stem
    judges: list[str] = []
    for judge in table.get("judge", unknown):
        judges.append(unnamed if is_missing(judge) else str(judge))
    kept = np.array([row_rubric == name for row_rubric in rubrics], bool)
    texts = mapped_scores(table["score"], columns.mapping)
    table["score"] = texts
    scores = rows_of(
        source.name,
        table,
        numbers=("score", "variance"),
        raters=judges,
        kept=kept,
    )
    scores = replace(scores, warnings=source.warnings + raters + scores.warnings)
    known = rubric is not None or name in rubric_names()
    scores = with_scale(
        scores, "score", texts=texts, kept=kept, ends=columns.scale, known=known
    )
    return scores.on(name or None, scores.scale)
