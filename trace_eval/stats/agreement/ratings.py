"""People's ratings from a file of one rating per row, or from labelled items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import Numbers, OffScale
from trace_eval.data.answers import turn_role
from trace_eval.data.items import ANONYMOUS, Single
from trace_eval.data.label_files import SCORE_FIELDS, columns_of, read_columns
from trace_eval.data.manifests import read_items
from trace_eval.data.tables import CSV, column_names


@dataclass(frozen=True)
class Ratings:
    """Ratings and what is known of the items they are about.

    Attributes:
        source: where they are from.
        ids: item of each rating.
        raters: who gave it; empty: unknown, or known by place only.
        values: the scores, on the rubric's scale [shape=(ratings,)].
        facts: id -> (question, system, split) as far as the labels name them.
        texts: id -> (candidate, references), where the labels are whole items.
        opinions: they are mean opinions of several people, anywhere on the scale; else each is
            one of the scale's labels.
    """

    source: str
    ids: Sequence[str]
    raters: Sequence[str]
    values: NDArray[np.float64]
    facts: dict[str, tuple[str | None, str | None, str | None]]
    texts: dict[str, tuple[str, tuple[str, ...]]]
    opinions: bool = False


def read_ratings(
    path: Path, rubric: str | None = None, columns: Mapping[str, str] | None = None
) -> Ratings:
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


def ratings_of_items(source: str, items: Sequence[Single], turns: bool | None = None) -> Ratings:
    """The labels inside items; a None score is no rating.

    Args:
        source: where they are from.
        items: with labels.
        turns: of the turns of conversations, called ``ITEM/turn-N``, instead of the items; None:
            where no item has a label of its own.
    """
    if turns is None:
        turns = not any(item.labels and item.labels.scores for item in items)
    ids: list[str] = []
    raters: list[str] = []
    values: list[float] = []
    facts = {}
    for item in items:
        facts[item.id] = (item.question_id, item.system, item.split)
        given = {item.id: item.labels.given} if item.labels and not turns else {}
        for number, scores in (item.labels.turns if item.labels and turns else {}).items():
            turn = turn_role(item.id, int(number))
            facts[turn] = (item.question_id or item.id, item.system, item.split)
            given[turn] = scores
        for id_, scores in given.items():
            for rater, score in scores.items():
                ids.append(id_)
                raters.append("" if rater.startswith(ANONYMOUS) else rater)
                values.append(score)
    return Ratings(source, ids, raters, np.array(values, float), facts, texts_of(items))


def texts_of(items: Sequence[Single]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Item -> (written answer, references), of those that have one."""
    written = ((item, item.answer.text) for item in items)
    return {item.id: (text, item.reference) for item, text in written if text is not None}


def as_opinions(ratings: Ratings, scale: Numbers) -> Ratings:
    """Ratings of which each is the mean of several people's, marked as such.

    That is so where a number between two labels occurs, every item has one number alone, and nobody
    is named who gave it: what one person chose is a label.
    """
    alone = len(set(ratings.ids)) == len(ratings.ids) and not any(ratings.raters)
    values, labels = np.unique(ratings.values), np.array(scale.labels, float)
    between = (np.abs(values[:, None] - labels) > _SAME_LABEL).all(1).any()
    inside = ((values >= scale.low) & (values <= scale.high)).all()
    return replace(ratings, opinions=True) if alone and between and inside else ratings


#: Numbers closer than this are one label.
_SAME_LABEL = 1e-6


def positions(ratings: Ratings, scale: Numbers) -> NDArray[np.float64]:
    """The ratings' places on [0, 1] [shape=(ratings,)].

    Raises:
        UserError: one is none of the scale's labels, or a mean opinion lies beside the scale.
    """
    if ratings.opinions:
        return _on_scale(ratings, scale)
    known: dict[float, float] = {}
    for value in np.unique(ratings.values):
        try:
            known[float(value)] = scale.position(scale.parse(float(value)))
        except OffScale as error:
            row = int(np.flatnonzero(ratings.values == value)[0])
            raise UserError(
                f"{ratings.source}: rating of item {ratings.ids[row]!r}: {error}; correct it,"
                " name the rubric with --rubric, or call the column mos where it is the mean of"
                " several people's"
            ) from None
    values, index = np.unique(ratings.values, return_inverse=True)
    return np.array([known[float(value)] for value in values])[index]


def _on_scale(ratings: Ratings, scale: Numbers) -> NDArray[np.float64]:
    beside = np.flatnonzero((ratings.values < scale.low) | (ratings.values > scale.high))
    if len(beside):
        row = int(beside[0])
        raise UserError(
            f"{ratings.source}: mos of item {ratings.ids[row]!r} is {ratings.values[row]:g}, and"
            f" the scale goes from {scale.low:g} to {scale.high:g}; correct it, or name the rubric"
            " with --rubric"
        )
    return np.asarray((ratings.values - scale.low) / (scale.high - scale.low), float)


def _holds_items(path: Path, named: Mapping[str, str]) -> bool:
    """Whether a file is of whole items, of which none says in a column what a rater gave."""
    scores = {*SCORE_FIELDS.names["score"], *SCORE_FIELDS.names["mos"]}
    return not (scores & {*column_names(path)} or {"score", "mos"} & named.keys())


def _from_columns(path: Path, rubric: str | None, named: Mapping[str, str]) -> Ratings:
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
    rows = np.fromiter(_rows(path, columns, rubric), np.int64)
    scores = columns.pop("score")
    values = np.array([float(scores[row] or "nan") for row in rows.tolist()])
    del scores
    one = _Same()  # millions of ratings repeat fewer ids and names
    ids = [one(columns["id"][row] or "") for row in rows.tolist()]
    who = columns.get("rater")
    raters = [one(who[row] or "") for row in rows.tolist()] if who else [""] * len(ids)
    if twice := _twice(ids, raters):
        raise UserError(f"{path}: rater {twice[1]!r} rated item {twice[0]!r} twice; keep one")
    facts = _facts(columns, rows.tolist(), ids)
    return Ratings(str(path), ids, raters, values, facts, {}, opinions)


class _Same(dict[str, str]):
    """One object for equal texts."""

    def __call__(self, text: str) -> str:
        return self.setdefault(text, text)


def _facts(
    columns: dict[str, list[str | None]], rows: Sequence[int], ids: Sequence[str]
) -> dict[str, tuple[str | None, str | None, str | None]]:
    names = ("question_id", "system", "split")
    if not any(name in columns for name in names):
        return {}
    empty: list[str | None] = [None] * len(columns["id"])
    question, system, split = (columns.get(name, empty) for name in names)
    return {
        id_: (question[row], system[row], split[row]) for id_, row in zip(ids, rows, strict=True)
    }


def _rows(path: Path, columns: dict[str, list[str | None]], rubric: str | None) -> Iterator[int]:
    """Rows with a rating, of one rubric."""
    names = columns.get("rubric")
    if names and rubric is None and len(known := sorted({n for n in names if n})) > 1:
        raise UserError(
            f"{path}: ratings of {len(known)} rubrics ({', '.join(known)}); choose by --rubric"
        )
    for row, (id_, score) in enumerate(zip(columns["id"], columns["score"], strict=True)):
        if names and rubric is not None and names[row] not in (rubric, None):
            continue
        if not id_:
            raise UserError(f"{path}, row {row + 1}: there is no id")
        if score is None or not score.strip():
            continue  # this rater gave none
        if not _is_finite(score):
            raise UserError(
                f"{path}, row {row + 1}: score {score[:40]!r} is no number; leave it empty where"
                " the rater gave none"
            )
        yield row


def _is_finite(text: str) -> bool:
    """Whether a cell is a number that is not infinite."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _twice(ids: Sequence[str], raters: Sequence[str]) -> tuple[str, str] | None:
    """The first item that a known rater rated again."""
    if not any(raters):
        return None
    item, who = _codes(ids), _codes(raters)
    known = np.flatnonzero(np.array([bool(rater) for rater in raters]))
    key = item[known] * (int(who.max()) + 1) + who[known]
    _, first = np.unique(key, return_index=True)
    if len(first) == len(key):
        return None
    again = int(known[np.setdiff1d(np.arange(len(key)), first)[0]])
    return ids[again], raters[again]


def _codes(texts: Sequence[str]) -> NDArray[np.int64]:
    code: dict[str, int] = {}
    return np.fromiter((code.setdefault(text, len(code)) for text in texts), np.int64)
