"""Human ratings from a file of one rating per row, or from labelled items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import Numbers, OffScale
from trace_eval.data.answers import turn_role
from trace_eval.data.items import ANONYMOUS, Single
from trace_eval.data.label_files import SCORE_FIELDS, columns_of, read_columns
from trace_eval.data.manifests import read_items
from trace_eval.data.tables import CSV, column_names
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.opinions import Opinions


def rating_table(
    source: str,
    ids: Sequence[str],
    raters: Sequence[str],
    values: NDArray[np.float64],
    means: bool = False,
    **facts: Sequence[Any],
) -> Opinions:
    """Ratings as a table without labels: one row per rating, or per item that has none.

    Args:
        source: where they are from.
        ids: item of each rating.
        raters: who gave it; empty: unknown, or known by place only.
        values: on the rubric's scale; NaN: nobody rated that item [shape=(ratings,)].
        means: they are mean opinions of several people (the fact ``mos``), anywhere on the scale;
            else each is one of the scale's labels (the fact ``score``).
        facts: what is known of the items: ``question_id``, ``system``, ``split``; where they
            are whole, ``candidate`` and ``reference``.
    """
    available = {name: texts_of(column) for name, column in facts.items() if any(column)}
    return Opinions(
        source,
        texts_of(ids),
        {},
        texts_of(raters) if any(raters) else None,
        facts={"mos" if means else "score": values, **available},
    )


def values_of(ratings: Opinions) -> NDArray[np.float64]:
    """What was given, on the rubric's scale [shape=(ratings,)]."""
    return ratings.facts["mos" if "mos" in ratings.facts else "score"]


def rated(ratings: Opinions) -> Opinions:
    """The rows that hold a rating."""
    provided = ~np.isnan(values_of(ratings))
    return ratings if provided.all() else ratings.take(provided)


def read_ratings(
    path: Path, rubric: str | None = None, columns: Mapping[str, str] | None = None
) -> Opinions:
    """Read ``id, rater, score[, rubric]`` from CSV or JSON lines, or items with their labels.

    A column ``mos`` in place of ``score`` holds mean opinion scores: they are on the rubric's
    scale, but need be none of its labels.

    Args:
        path: the file.
        rubric: where the file has a column of that name, only its rows; None: there must be
            one rubric at most.
        columns: field -> column of the file, as ``--column`` says.

    Raises:
        UserError: it cannot be read, or a row has no id, or two ratings of one rater.
    """
    if path.suffix.lower() not in CSV and _holds_items(path, columns or {}):
        manifest = read_items(path, columns=columns)
        if manifest.problems:
            raise UserError(str(manifest.problems[0]))
        return ratings_of_items(str(path), manifest.singles)
    return _from_columns(path, rubric, columns or {})


def ratings_of_items(source: str, items: Sequence[Single], turns: bool | None = None) -> Opinions:
    """The labels inside items; a None score is no rating.

    Args:
        source: where they are from.
        items: with labels.
        turns: of the turns of conversations, called ``ITEM/turn-N``, instead of the items; None:
            where no item has a label of its own.
    """
    if turns is None:
        turns = not any(item.labels and item.labels.scores for item in items)
    rows: list[tuple[str, str, float, str | None, Single]] = []
    for item in items:
        provided = {item.id: item.labels.given} if item.labels and not turns else {item.id: {}}
        for number, scores in (item.labels.turns if item.labels and turns else {}).items():
            provided[turn_role(item.id, int(number))] = scores
        for id_, scores in provided.items():
            requested = item.question_id or (None if id_ == item.id else item.id)
            for rater, score in (scores or {"": np.nan}).items():
                who = "" if rater.startswith(ANONYMOUS) else rater
                rows.append((id_, who, score, requested, item))
    ids, raters, values, asked_, whole = zip(*rows, strict=True) if rows else [()] * 5
    return rating_table(
        source,
        ids,
        raters,
        np.array(values, float),
        question_id=asked_,
        system=[item.system for item in whole],
        split=[item.split for item in whole],
        candidate=[item.answer.text for item in whole],
        reference=[item.reference for item in whole],
    )


def written(items: Sequence[Single]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Item -> (written answer, references), of those that have one."""
    texts = ((item, item.answer.text) for item in items)
    return {item.id: (text, item.reference) for item, text in texts if text is not None}


def as_means(ratings: Opinions, scale: Numbers) -> Opinions:
    """Ratings that are each the mean of several raters, under the fact ``mos``.

    That is so where a number between two labels occurs, every item has one number alone, and nobody
    is named who gave it: what one person chose is a label.
    """
    alone = ratings.rater is None and len(set(ratings.ids.tolist())) == len(ratings)
    if not alone or "mos" in ratings.facts:
        return ratings
    values, labels = np.unique(values_of(ratings)), np.array(scale.labels, float)
    between = (np.abs(values[:, None] - labels) > _SAME_LABEL).all(1).any()
    inside = ((values >= scale.low) & (values <= scale.high)).all()
    if not (between and inside):
        return ratings
    facts = {"mos" if name == "score" else name: held for name, held in ratings.facts.items()}
    return replace(ratings, facts=facts)


#: Numbers closer than this are one label.
_SAME_LABEL = 1e-6


def positions(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    """The ratings' places on [0, 1] [shape=(ratings,)].

    Raises:
        UserError: one is none of the scale's labels, or a mean opinion lies beside the scale.
    """
    provided = values_of(ratings)
    if "mos" in ratings.facts:
        return _on_scale(ratings, scale)
    available: dict[float, float] = {}
    for value in np.unique(provided):
        try:
            available[float(value)] = scale.position(scale.parse(float(value)))
        except OffScale as error:
            row = int(np.flatnonzero(provided == value)[0])
            raise UserError(
                f"{ratings.source}: rating of item {ratings.ids[row]!r}: {error}; correct it,"
                " name the rubric with --rubric, or call the column mos where it is the mean of"
                " several people's"
            ) from None
    values, index = np.unique(provided, return_inverse=True)
    return np.array([available[float(value)] for value in values])[index]


def _on_scale(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    provided = values_of(ratings)
    beside = np.flatnonzero((provided < scale.low) | (provided > scale.high))
    if len(beside):
        row = int(beside[0])
        raise UserError(
            f"{ratings.source}: mos of item {ratings.ids[row]!r} is {provided[row]:g}, and"
            f" the scale goes from {scale.low:g} to {scale.high:g}; correct it, or name the rubric"
            " with --rubric"
        )
    return np.asarray((provided - scale.low) / (scale.high - scale.low), float)


def _holds_items(path: Path, named: Mapping[str, str]) -> bool:
    """Whether a file is of whole items, of which none says in a column what a rater gave."""
    scores = {*SCORE_FIELDS.names["score"], *SCORE_FIELDS.names["mos"]}
    return not (scores & {*column_names(path)} or {"score", "mos"} & named.keys())


def _from_columns(path: Path, rubric: str | None, named: Mapping[str, str]) -> Opinions:
    columns = read_columns(path, columns_of(named, SCORE_FIELDS), SCORE_FIELDS)
    opinions = "mos" in columns
    if opinions and "score" in columns:
        raise UserError(
            f"{path}: has both score and mos; keep score where each row is one person's rating, mos"
            " where it is the mean of several"
        )
    if opinions:
        columns["score"] = columns.pop("mos")
    for name in ("id", "score"):
        if name not in columns:
            raise UserError(
                f"{path}: no column {name!r}; a file of ratings has id, rater, score (or mos, the"
                " mean of several) and, where there are several, rubric"
            )
    kept = np.fromiter(_rows(path, columns, rubric), [("row", np.int64), ("value", float)])
    rows, values = kept["row"].tolist(), kept["value"].copy()
    same: dict[str, str] = {}  # millions of ratings repeat fewer ids and names
    ids = [same.setdefault(id_, id_) for row in rows if (id_ := columns["id"][row])]
    who = columns.get("rater") or [None] * len(columns["id"])
    raters = [same.setdefault(name, name) for name in (who[row] or "" for row in rows)]
    if twice := _twice(ids, raters):
        raise UserError(f"{path}: rater {twice[1]!r} rated item {twice[0]!r} twice; keep one")
    facts = {
        name: [columns[name][row] for row in rows]
        for name in ("question_id", "system", "split")
        if name in columns
    }
    return rating_table(str(path), ids, raters, values, opinions, **facts)


def _rows(
    path: Path, columns: dict[str, list[str | None]], rubric: str | None
) -> Iterator[tuple[int, float]]:
    """Rows with a rating of one rubric, and the rating."""
    names = columns.get("rubric")
    if names and rubric is None and len(available := sorted({n for n in names if n})) > 1:
        raise UserError(
            f"{path}: ratings of {len(available)} rubrics ({', '.join(available)}); choose by"
            " --rubric"
        )
    source = str(path)  # a path takes its time over each
    for row, (id_, score) in enumerate(zip(columns["id"], columns["score"], strict=True)):
        if names and rubric is not None and names[row] not in (rubric, None):
            continue
        if not id_:
            raise UserError(f"{path}, row {row + 1}: there is no id")
        if (value := number_of(score, source, row + 1, "score")) is not None:
            yield row, value


def number_of(text: str | None, source: str, row: int, name: str) -> float | None:
    """The number in a cell; None: the cell is empty.

    Raises:
        UserError: it holds something else.
    """
    if text is None or not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserError(
            f"{source}, row {row}: {name} {text[:40]!r} is no number; write it with a decimal"
            " point, e.g. 3.5, or leave it empty where there is none"
        )
    return value


def _twice(ids: Sequence[str], raters: Sequence[str]) -> tuple[str, str] | None:
    """The first item that a known rater rated again."""
    if not any(raters):
        return None
    item, who = _codes(ids), _codes(raters)
    available = np.flatnonzero(np.array([bool(rater) for rater in raters]))
    key = item[available] * (int(who.max()) + 1) + who[available]
    _, first = np.unique(key, return_index=True)
    if len(first) == len(key):
        return None
    again = int(available[np.setdiff1d(np.arange(len(key)), first)[0]])
    return ids[again], raters[again]


def _codes(texts: Sequence[str]) -> NDArray[np.int64]:
    code: dict[str, int] = {}
    return np.fromiter((code.setdefault(text, len(code)) for text in texts), np.int64)
