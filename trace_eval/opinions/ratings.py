"""Human ratings of single answers, from a file of one rating per row or from labelled items.

As they are read, numbers are facts on the rubric's scale: ``score``, or ``mos`` where a number is
the mean of several annotators; :mod:`trace_eval.opinions.scale` makes places of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.data.answers import turn_role
from trace_eval.data.items import ANONYMOUS, Single
from trace_eval.data.label_files import SCORE_FIELDS, columns_of, read_columns
from trace_eval.data.manifests import read_items
from trace_eval.data.tables import CSV, column_names
from trace_eval.opinions.cells import ids_of, numbers_of, refuse_duplicates, texts_of
from trace_eval.opinions.opinions import Opinions

#: Fact of an item -> its column in files.
ITEM_COLUMNS = {"instruction_id": "question_id", "system": "system", "split": "split"}


def score_table(
    source: str, ids: Sequence[str], raters: Sequence[str], **facts: Sequence[Any] | NDArray[Any]
) -> Opinions:
    """Scores as a table, one row per score, or per item that has none.

    Args:
        ids: item of each score.
        raters: who gave it; empty: unknown, or known by place only.
        facts: ``score`` or ``mos``, on the rubric's scale, NaN: nobody gave one; of items
            ``instruction_id``, ``system``, ``split``, ``candidate`` and ``reference``.
    """
    available = {
        name: column if isinstance(column, np.ndarray) else texts_of(column)
        for name, column in facts.items()
        if isinstance(column, np.ndarray) or any(column)
    }
    rater = texts_of(raters) if any(raters) else None
    return Opinions(source, texts_of(ids), {}, rater, facts=available)


def read_ratings(
    path: Path, rubric: str | None = None, columns: Mapping[str, str] | None = None
) -> Opinions:
    """Read ``id, rater, score[, rubric]`` from CSV or JSON lines, or items with their labels.

    A column ``mos`` in place of ``score`` holds mean opinion scores: they are on the rubric's
    scale, but need be none of its labels.

    Args:
        rubric: where the file has a column of that name, only its rows; None: there must be
            one rubric at most.
        columns: field -> column of the file, as ``--column`` says.

    Raises:
        UserError: it cannot be read, or a row has no id, or two ratings of one rater.
    """
    columns = columns or {}
    scores = {*SCORE_FIELDS.names["score"], *SCORE_FIELDS.names["mos"]}
    of_scores = scores & {*column_names(path)} or {"score", "mos"} & columns.keys()
    if path.suffix.lower() not in CSV and not of_scores:
        manifest = read_items(path, columns=columns)
        if manifest.problems:
            raise UserError(str(manifest.problems[0]))
        return ratings_of_items(str(path), manifest.singles)
    table = read_columns(path, columns_of(columns, SCORE_FIELDS), SCORE_FIELDS)
    if "mos" in table and "score" in table:
        raise UserError(
            f"{path}: has both score and mos; keep score where each row is one annotator's rating,"
            " and mos where it is the mean of several"
        )
    name = "mos" if "mos" in table else "score"
    if not {"id", name} <= table.keys():
        raise UserError(
            f"{path}: no column {'id' if 'id' not in table else name!r}; a file of ratings has id,"
            " rater, score (or mos, the mean of several) and, where there are several, rubric"
        )
    named = sorted({one for one in table.get("rubric", ()) if one})
    if rubric is None and len(named) > 1:
        raise UserError(
            f"{path}: ratings of {len(named)} rubrics ({', '.join(named)}); choose by --rubric"
        )
    source = str(path)
    values, ids = numbers_of(table[name], source, name), ids_of(source, table, False)
    kept = ~np.isnan(values)
    if named and rubric is not None:
        kept &= np.array([of in (rubric, None) for of in table["rubric"]])
    columns_of_items = {
        ours: shared(table[theirs]) for ours, theirs in ITEM_COLUMNS.items() if theirs in table
    }
    whole = score_table(
        source,
        shared(ids.tolist()),
        shared([who or "" for who in table.get("rater", ())]),
        **columns_of_items,
        **{name: values},
    ).take(kept)
    if whole.rater is not None:
        refuse_duplicates(source, whole.ids, whole.rater, whole.repeat, np.flatnonzero(kept))
    return whole


def ratings_of_items(source: str, items: Sequence[Single], turns: bool | None = None) -> Opinions:
    """The labels inside items; a None score is no rating.

    Args:
        items: with labels.
        turns: labels of the turns of conversations, called ``ITEM/turn-N``; None: where no item has
            one of its own.
    """
    if turns is None:
        turns = not any(item.labels and item.labels.scores for item in items)
    rows: list[tuple[str, str, float, str | None, Single]] = []
    for item in items:
        provided = {item.id: item.labels.ratings} if item.labels and not turns else {item.id: {}}
        for number, scores in (item.labels.turns if item.labels and turns else {}).items():
            provided[turn_role(item.id, int(number))] = scores
        for id_, scores in provided.items():
            requested = item.question_id or (None if id_ == item.id else item.id)
            for rater, score in (scores or {"": np.nan}).items():
                who = "" if rater.startswith(ANONYMOUS) else rater
                rows.append((id_, who, score, requested, item))
    ids, raters, values, questions, whole = zip(*rows, strict=True) if rows else [()] * 5
    facts = facts_of(whole)
    return score_table(
        source, ids, raters, score=np.array(values, float), **facts | {"instruction_id": questions}
    )


def facts_of(items: Sequence[Single]) -> dict[str, list[Any]]:
    """Facts of items, a column each."""
    return {
        "instruction_id": [item.question_id for item in items],
        "system": [item.system for item in items],
        "split": [item.split for item in items],
        "candidate": [item.answer.text for item in items],
        "reference": [item.reference for item in items],
    }


def shared(values: Sequence[Any]) -> list[Any]:
    """The same values, equal ones as one object: a million items name fewer questions."""
    same: dict[Any, Any] = {}
    return [same.setdefault(value, value) for value in values]
