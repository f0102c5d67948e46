"""Files of ratings of single answers, a row a rating, as opinions with scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError, counted
from trace_eval.data.columns import Columns, Ends, is_number
from trace_eval.data.manifests import read_items
from trace_eval.data.rubrics.load import rubric_names
from trace_eval.data.spelling import NO_LABEL, is_missing
from trace_eval.data.tables import CSV, column_names
from trace_eval.opinions.absent_scores import refuse_without_scores
from trace_eval.opinions.cells import (
    ids_of,
    numbers_of,
    refuse_duplicates,
    texts_of,
    without_traps,
)
from trace_eval.opinions.found_scales import (
    FOUND_SCALE,
    refuse_doubtful,
    refuse_off_scale,
    said_of,
    scale_by_values,
    scale_of_ends,
    scales_apart,
)
from trace_eval.opinions.instructions import told_apart_by
from trace_eval.opinions.label_files import SCORE_FIELDS, OpinionTable, start_of
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.rater_columns import rater_columns, score_of_each
from trace_eval.opinions.ratings import (
    ITEM_COLUMNS,
    ratings_of_items,
    score_table,
    shared,
)
from trace_eval.opinions.same_names import raters_of
from trace_eval.opinions.survey_layouts import fits_any
from trace_eval.opinions.units import index_of

#: What else tells two scores apart where nobody says who rated.
_OF_A_JUDGE = (
    "give each an id of its own, for a judge's repetitions are not read; where raters"
    " gave them, name their column: --column rater=COLUMN"
)


def read_ratings(
    path: Path,
    rubric: str | None = None,
    columns: Columns | Mapping[str, str] | None = None,
) -> Opinions:
    """Read ``id, rater, score[, rubric]`` from CSV or JSON lines, or labelled items.

    A column ``mos`` in place of ``score`` holds mean opinion scores: they are on the
    rubric's scale, but need be none of its labels. Columns ``rater1``, ``rater2`` are
    ratings of one each.

    Args:
        rubric: where the file has a column of that name, only its rows; None: there
            must be one rubric at most.
        columns: how the file names its columns, which rows count, and its scale; or
            field -> column alone.

    Raises:
        UserError: it cannot be read, or a row has no id, or two ratings of one rater.
    """
    columns = _as_columns(columns)
    if not _is_table(path, columns):
        manifest = read_items(path, columns=columns.fields)
        if manifest.problems:
            raise InputError(str(manifest.problems[0]))
        return ratings_of_items(str(path), manifest.singles)
    table = OpinionTable.of_file(path, SCORE_FIELDS, columns.where)
    return ratings_in(table, rubric, columns)


def _is_table(path: Path, columns: Columns) -> bool:
    """Tell whether a file is a table of ratings, and no items with them."""
    if path.suffix.lower() in CSV or _names_scores(path, columns):
        return True
    return fits_any(start_of(path).first)


def _names_scores(path: Path, columns: Columns) -> bool:
    """Tell whether a file has a column of scores, by our names or a user's."""
    if "score" in columns.named or "mos" in columns.named:
        return True
    scores = SCORE_FIELDS.names["score"] + SCORE_FIELDS.names["mos"]
    return not set(scores).isdisjoint(column_names(path))


def _as_columns(columns: Columns | Mapping[str, str] | None) -> Columns:
    if isinstance(columns, Columns):
        return columns
    return Columns(named=columns or {})


def ratings_in(
    source: OpinionTable,
    rubric: str | None = None,
    columns: Columns | Mapping[str, str] | None = None,
) -> Opinions:
    """Read the ratings of a table; see :func:`read_ratings`.

    Their scale is the one that is declared; else, where no rubric says it, the one
    found by their values, which a warning states.
    """
    columns = _as_columns(columns)
    table, raters = columns_of_scores(source, columns.fields)
    if "mos" in table and "score" in table:
        raise InputError(
            f"{source.name}: has both score and mos; keep score where each row is one"
            " annotator's rating, and mos where it is the mean of several"
        )
    name = "mos" if "mos" in table else "score"
    if not {"id", name} <= table.keys():
        lacking = name if "id" in table else "id"
        refuse_without_scores(
            source,
            table,
            lacking,
            "a file of ratings has id, rater, score (or mos, the mean of several) and,"
            " where there are several, rubric",
        )
    table, traps = without_traps(source.name, table, (name,))
    table[name] = mapped_scores(table[name], columns.mapping)
    rubrics = sorted({one for one in table.get("rubric", ()) if one})
    if rubric is None and len(rubrics) > 1:
        raise InputError(
            f"{source.name}: ratings of {len(rubrics)} rubrics ({', '.join(rubrics)});"
            " choose by --rubric"
        )
    kept = np.array([not is_missing(text) for text in table[name]], bool)
    if rubrics and rubric is not None:
        kept &= np.array([one in (rubric, None) for one in table["rubric"]])
        if not kept.any():
            raise InputError(
                f"{source.name}: has no ratings of rubric {rubric}; there are"
                f" {', '.join(rubrics)}"
            )
    ratings = rows_of(
        source.name,
        table,
        numbers=(name,),
        raters=[rater or "" for rater in table.get("rater", ())],
        kept=kept,
        repeats=table.get("repeat", ()),
    )
    warnings = source.warnings + raters + ratings.warnings
    ratings = replace(ratings, warnings=warnings, traps=traps)
    known = rubric is not None or not set(rubrics).isdisjoint(rubric_names())
    ratings = with_scale(
        ratings, name, texts=table[name], kept=kept, ends=columns.scale, known=known
    )
    return _first_of_each(ratings)


def _first_of_each(ratings: Opinions) -> Opinions:
    """Keep each rater's first score of an item, and put the repeated ones beside.

    Scores without a rater may be of several raters: all of them count.
    """
    if ratings.repeat is None:
        return ratings
    raters = [""] * len(ratings)
    if ratings.rater is not None:
        raters = ratings.rater.tolist()
    is_named = np.array([bool(rater) for rater in raters], bool)
    both, _ = index_of(list(zip(raters, ratings.ids.tolist(), strict=True)))
    in_order = np.argsort(_numbers_of(ratings.repeat.tolist()), kind="stable")
    _, first_places = np.unique(both[in_order], return_index=True)
    is_first = ~is_named
    is_first[in_order[first_places]] = True
    first = replace(ratings.take(is_first), repeat=None)
    number = len(ratings) - len(first)
    if not number:
        return first
    text = (
        f"{ratings.source}: {counted(number, 'score')} of items that their rater scored"
        " before: the first counts, and all tell how alike a rater answers"
    )
    is_repeated = (np.bincount(both)[both] > 1) & is_named
    return replace(
        first,
        again=ratings.take(is_repeated),
        warnings=first.warnings + (DataWarning("repeats", text),),
    )


def _numbers_of(repeats: Sequence[object]) -> list[float]:
    """Return the numbers of repetitions; all alike where one of them is no number."""
    texts = [str(repeat) for repeat in repeats]
    if not all(map(is_number, texts)):
        return [0.0] * len(texts)
    return [float(text) for text in texts]


def columns_of_scores(
    source: OpinionTable, named: Mapping[str, str]
) -> tuple[dict[str, list[str | None]], tuple[DataWarning, ...]]:
    """Read a table of scores; columns of one rater each become one, with a note."""
    wanted = SCORE_FIELDS.by_column(named)
    raters = rater_columns(wanted, source.columns)
    if raters:
        wanted = {name: ours for name, ours in wanted.items() if ours != "rater"}
    table = source.read(wanted)
    if not raters and ("mos" in table or "score" in table):
        return table, ()
    of_each = score_of_each(source, table, raters)
    if of_each is None:
        return table, ()
    names = ", ".join(map(str, dict.fromkeys(of_each["rater"])))
    text = f"{source.name}: each of the columns {names} is read as a rater"
    return of_each, (DataWarning("raters", text),)


def mapped_scores(values: Sequence[Any], mapping: Mapping[str, str]) -> list[Any]:
    """Replace the scores that a user maps to numbers, or to nothing."""
    meanings: dict[str, str | None] = {}
    for value, text in mapping.items():
        if text != NO_LABEL and not is_number(text):
            raise InputError(
                f"--map {value}={text}: of scores a value means a number or"
                f" {NO_LABEL}; write one"
            )
        meanings[value] = None if text == NO_LABEL else text
    return [meanings.get(str(value), value) for value in values]


def with_scale(
    scores: Opinions,
    name: str,
    texts: Sequence[Any],
    kept: NDArray[np.bool_],
    ends: Ends | None,
    known: bool,
) -> Opinions:
    """Return scores with their scale: declared, a rubric's (None here), or found.

    Args:
        name: of the fact that holds them.
        texts: as they stand in the table [shape=(rows,)].
        kept: rows of the table that are there [shape=(rows,)].
        known: a rubric says the scale.

    Raises:
        UserError: a score is not on the declared scale, or may stand for none.
    """
    values = np.full(len(kept), np.nan)
    values[kept] = scores.facts[name]
    if ends is not None:
        scale = scale_of_ends(ends, texts)
        refuse_off_scale(scores.source, name, texts=texts, values=values, ends=ends)
        return replace(scores, scale=scale)
    if known:
        return scores
    refuse_doubtful(scores.source, name, texts, values)
    scale = scale_by_values(values)
    warnings = [DataWarning(FOUND_SCALE, f"{scores.source}: {said_of(scale)}")]
    systems = scores.facts.get("system")
    if systems is not None and (
        apart := scales_apart(scores.facts[name], systems.tolist())
    ):
        warnings.append(DataWarning("two_scales", f"{scores.source}: {apart}"))
    return replace(scores, scale=scale, warnings=(*scores.warnings, *warnings))


def rows_of(
    source: str,
    table: Mapping[str, Sequence[Any]],
    numbers: Sequence[str],
    raters: Sequence[str],
    kept: NDArray[np.bool_],
    repeats: Sequence[str | None] | None = None,
) -> Opinions:
    """Select a table's kept rows of scores or ratings, each rater's once for an item.

    Args:
        table: ``id``, columns of ``numbers``, and facts of the items in
            :data:`ITEM_COLUMNS`.
        raters: who gave each; empty: unknown.
        kept: rows that count [shape=(rows,)].
        repeats: which repetition each is; empty: none is one. None: a judge has none.
    """
    table = _by_system(table)
    ids = ids_of(source, table, False)
    columns: dict[str, Any] = {}
    for name in numbers:
        if name in table:
            columns[name] = numbers_of(table[name], source, name, mappable=True)
    for ours, theirs in ITEM_COLUMNS.items():
        if theirs in table:
            columns[ours] = shared(table[theirs])
    if "wording" in table:
        told = told_apart_by(
            table["wording"], table.get("question_id"), table.get("system", ())
        )
        if told is not None:
            columns["instruction_id"] = shared(told)
    names, warnings = raters_of(source, raters or None, ids.tolist())
    rows = score_table(
        source,
        shared(ids.tolist()),
        [] if names is None else shared(names.tolist()),
        **columns,
    )
    if repeats:
        rows = replace(rows, repeat=texts_of(repeats))
    rows = rows.take(kept)
    if rows.rater is not None:
        refuse_duplicates(
            source,
            rows.ids,
            rater=rows.rater,
            repeat=rows.repeat,
            records=np.flatnonzero(kept),
            remedy=_OF_A_JUDGE if repeats is None else None,
        )
    return replace(rows, warnings=warnings)


def _by_system(table: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """Make each id name one answer: where several systems share one, as ``SYSTEM/ID``.

    So are the answers in folders of systems called; what they shared is their question.
    """
    ids = table.get("id", ())
    systems = table.get("system", ())
    answers = {pair for pair in zip(ids, systems, strict=False) if all(pair)}
    if len(answers) == len({id_ for id_, _ in answers}):
        return table
    names: list[Any] = []
    for id_, system in zip(ids, systems, strict=True):
        names.append(f"{system}/{id_}" if system and id_ else id_)
    renamed = dict(table)
    renamed.setdefault("question_id", ids)
    renamed["id"] = names
    return renamed
