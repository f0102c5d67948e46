"""Human ratings of single answers, from a file of one rating per row or from labelled items.

As they are read, numbers are facts on the rubric's scale: ``score``, or ``mos`` where a number is
the mean of several annotators; :func:`placed` makes places of them, from 0 to 1:
y = (r - 1) / 4 for 1 to 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError
from fusion import Numbers, OffScale
from trace_eval.data.answers import turn_role
from trace_eval.data.columns import Columns, Ends, is_number
from trace_eval.data.items import ANONYMOUS, Single
from trace_eval.data.manifests import read_items
from trace_eval.data.rubrics.load import rubric_names
from trace_eval.data.spelling import NO_LABEL, is_missing
from trace_eval.data.tables import CSV, column_names
from trace_eval.opinions.cells import (
    ids_of,
    numbers_of,
    raters_of,
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
)
from trace_eval.opinions.label_files import (
    SCORE_FIELDS,
    OpinionTable,
    columns_of,
    rater_columns,
    score_of_each,
)
from trace_eval.opinions.opinions import DataWarning, Opinions

#: Numbers closer than this are one label.
_SAME_LABEL = 1e-6


def levels_of(scale: Numbers) -> NDArray[np.float64]:
    """Return the places of a scale's labels, ascending from 0 to 1 [shape=(labels,)]."""
    return np.array([scale.position(label) for label in scale.labels])


def nearest(levels: NDArray[Any], places: NDArray[Any]) -> NDArray[np.int64]:
    """Index of the nearest label; the upper one of two at equal distance."""
    return np.searchsorted((levels[1:] + levels[:-1]) / 2, places, side="right")


def values_of(ratings: Opinions) -> NDArray[np.float64]:
    """Return the raters' numbers, on the rubric's scale [shape=(ratings,)]."""
    return ratings.facts["mos" if "mos" in ratings.facts else "score"]


def rated(ratings: Opinions) -> Opinions:
    """Select the rows that hold a number."""
    is_rated = ~np.isnan(values_of(ratings))
    return ratings if is_rated.all() else ratings.take(is_rated)


def placed(judged: Opinions, scale: Numbers) -> Opinions:
    """Return scores of one judge as places on a scale, in ``scores``.

    ``score`` [shape=(n,)], and what else it said: ``variance`` [shape=(n,)], ``shares`` of the
    labels [shape=(n, labels)], ``beta``, the parameters (alpha, beta) [shape=(n, 2)], single
    ``samples`` [shape=(n, samples)], and the ``clamped`` score. NaN where there is none.

    Raises:
        UserError: a distribution has a label that is not on the scale.
    """
    facts = judged.facts
    scores = {"score": places_on(facts["score"], scale)}
    for name in ("variance", "beta", "clamped"):
        if name in facts and not np.isnan(facts[name]).all():
            scores[name] = facts[name]
    if any(facts.get("distribution", ())):
        scores["shares"] = _shares(judged.ids.tolist(), facts["distribution"].tolist(), scale)
    samples = facts["samples"].tolist() if "samples" in facts else []
    if (count := max((len(values or ()) for values in samples), default=0)) > 1:
        table = np.full((len(judged), count), np.nan)
        for row, values in enumerate(samples):
            table[row, : len(values or ())] = np.array(values or (), float)  # None is NaN
        scores["samples"] = places_on(table, scale)
    return replace(judged, scores=scores, scale=scale)


def placed_ratings(ratings: Opinions, scale: Numbers) -> Opinions:
    """Return human ratings as places on a scale, in ``scores``.

    Under the fact ``mos`` they are means of several raters, and need not be labels of the scale.
    They are that, too, where a number between two labels occurs, every item has one number alone,
    and nobody is named who gave it: what one rater chose is a label.

    Raises:
        UserError: a label or mean is not on the scale.
    """
    if "score" in ratings.facts and _are_means(ratings, scale):
        facts = {"mos" if name == "score" else name: held for name, held in ratings.facts.items()}
        ratings = replace(ratings, facts=facts)
    places = _of_means(ratings, scale) if "mos" in ratings.facts else _of_labels(ratings, scale)
    return replace(ratings, scores={"score": places}, scale=scale)


def places_on(score: NDArray[Any], scale: Numbers) -> NDArray[np.float64]:
    """Return numbers on a scale as places, 0 to 1 [shape as of ``score``]."""
    return np.asarray((score - float(scale.low)) / (float(scale.high) - float(scale.low)))


def _are_means(ratings: Opinions, scale: Numbers) -> bool:
    if ratings.rater is not None or len(set(ratings.ids.tolist())) < len(ratings):
        return False
    values, labels = np.unique(ratings.facts["score"]), np.array(scale.labels, float)
    between = (np.abs(values[:, None] - labels) > _SAME_LABEL).all(1).any()
    return bool(between and ((values >= scale.low) & (values <= scale.high)).all())


def _of_means(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    mos = ratings.facts["mos"]
    beside = np.flatnonzero((mos < scale.low) | (mos > scale.high))
    if len(beside):
        row = int(beside[0])
        raise InputError(
            f"{ratings.source}: mos of item {ratings.ids[row]!r} is {mos[row]:g}, and"
            f" the scale goes from {scale.low:g} to {scale.high:g}; correct it, or name the rubric"
            " with --rubric"
        )
    return places_on(mos, scale)


def _of_labels(ratings: Opinions, scale: Numbers) -> NDArray[np.float64]:
    values, index = np.unique(ratings.facts["score"], return_inverse=True)
    places = np.empty(len(values))
    for number, value in enumerate(values.tolist()):
        try:
            places[number] = scale.position(scale.parse(value))
        except OffScale as error:
            row = int(np.flatnonzero(index == number)[0])
            raise InputError(
                f"{ratings.source}: rating of item {ratings.ids[row]!r}: {error}; correct it,"
                f" leave it out (--map {value:g}=missing), name the rubric with --rubric, declare"
                " the scale with --scale, or call the column mos where it is the mean of several"
                " annotators'"
            ) from None
    return places[index]


def _shares(
    ids: Sequence[str], distributions: Sequence[Mapping[str, float] | None], scale: Numbers
) -> NDArray[np.float64]:
    names = [f"{label:g}" for label in scale.labels]
    result = np.full((len(ids), len(names)), np.nan)
    for row, shares in enumerate(distributions):
        if shares is None:
            continue
        provided = {_name(label): share for label, share in shares.items()}
        if stray := set(provided) - set(names):
            raise InputError(
                f"item {ids[row]!r}: its distribution has the label {min(stray)}, which is not on"
                f" the scale {', '.join(names)}; name the rubric with --rubric"
            )
        result[row] = [provided.get(name, 0.0) for name in names]
    return result


def _name(label: str) -> str:
    try:
        return f"{float(label):g}"
    except ValueError:
        return label


#: Fact of an item -> its column in files.
ITEM_COLUMNS = {"instruction_id": "question_id", "system": "system", "split": "split"}


def score_table(
    source: str, ids: Sequence[str], raters: Sequence[str], **facts: Sequence[Any] | NDArray[Any]
) -> Opinions:
    """Return scores as a table, one row per score, or per item that has none.

    Args:
        ids, raters: item of each score, and who gave it; empty: unknown, or known by place only.
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
    path: Path, rubric: str | None = None, columns: Columns | Mapping[str, str] | None = None
) -> Opinions:
    """Read ``id, rater, score[, rubric]`` from CSV or JSON lines, or items with their labels.

    A column ``mos`` in place of ``score`` holds mean opinion scores: they are on the rubric's
    scale, but need be none of its labels. Columns ``rater1``, ``rater2`` are ratings of one each.

    Args:
        rubric: where the file has a column of that name, only its rows; None: there must be
            one rubric at most.
        columns: how the file names its columns, which rows count, and its scale; or field ->
            column alone.

    Raises:
        UserError: it cannot be read, or a row has no id, or two ratings of one rater.
    """
    columns = _as_columns(columns)
    scores = {*SCORE_FIELDS.names["score"], *SCORE_FIELDS.names["mos"]}
    of_scores = scores & {*column_names(path)} or {"score", "mos"} & columns.named.keys()
    if path.suffix.lower() not in CSV and not of_scores:
        manifest = read_items(path, columns=columns.fields)
        if manifest.problems:
            raise InputError(str(manifest.problems[0]))
        return ratings_of_items(str(path), manifest.singles)
    return ratings_in(OpinionTable.of_file(path, SCORE_FIELDS, columns.where), rubric, columns)


def _as_columns(columns: Columns | Mapping[str, str] | None) -> Columns:
    return columns if isinstance(columns, Columns) else Columns(named=columns or {})


def ratings_in(
    source: OpinionTable,
    rubric: str | None = None,
    columns: Columns | Mapping[str, str] | None = None,
) -> Opinions:
    """Read the ratings of a table; see :func:`read_ratings`.

    Their scale is the one that is declared; else, where no rubric says it, the one found by their
    values, which a warning states.
    """
    columns = _as_columns(columns)
    table, raters = columns_of_scores(source, columns.fields)
    if "mos" in table and "score" in table:
        raise InputError(
            f"{source.name}: has both score and mos; keep score where each row is one annotator's"
            " rating, and mos where it is the mean of several"
        )
    name = "mos" if "mos" in table else "score"
    if not {"id", name} <= table.keys():
        lacking = name if "id" in table else "id"
        raise InputError(
            f"{source.name}: no column {lacking!r}; a file of ratings has id, rater, score (or mos,"
            " the mean of several) and, where there are several, rubric"
        )
    table, traps = without_traps(source.name, table, (name,))
    table = {**table, name: mapped_scores(table[name], columns.mapping)}
    named = sorted({one for one in table.get("rubric", ()) if one})
    if rubric is None and len(named) > 1:
        raise InputError(
            f"{source.name}: ratings of {len(named)} rubrics ({', '.join(named)}); choose by"
            " --rubric"
        )
    kept = np.array([not is_missing(text) for text in table[name]], bool)
    if named and rubric is not None:
        kept &= np.array([of in (rubric, None) for of in table["rubric"]])
        if not kept.any():
            raise InputError(
                f"{source.name}: has no ratings of rubric {rubric}; there are {', '.join(named)}"
            )
    who = [who or "" for who in table.get("rater", ())]
    ratings = rows_of(source.name, table, numbers=(name,), raters=who, kept=kept)
    warnings = (*source.warnings(), *raters, *ratings.warnings)
    ratings = replace(ratings, warnings=warnings, traps=traps)
    known = rubric is not None or bool({*named} & {*rubric_names()})
    return with_scale(ratings, name, texts=table[name], kept=kept, ends=columns.scale, known=known)


def columns_of_scores(
    source: OpinionTable, named: Mapping[str, str]
) -> tuple[dict[str, list[str | None]], tuple[DataWarning, ...]]:
    """Read a table of scores; columns of one rater each become one, with a note on them."""
    own = columns_of(named, SCORE_FIELDS)
    raters = rater_columns(own, source.columns())
    table = source.read({name: ours for name, ours in own.items() if not raters or ours != "rater"})
    if not raters and {"mos", "score"} & table.keys():
        return table, ()
    each = score_of_each(source, table, raters)
    if each is None:
        return table, ()
    who = ", ".join(map(str, dict.fromkeys(each["rater"])))
    text = f"{source.name}: each of the columns {who} is read as a rater"
    return each, (DataWarning("raters", text),)


def mapped_scores(values: Sequence[Any], mapping: Mapping[str, str]) -> list[Any]:
    """Replace the scores that a user maps to numbers, or to nothing."""
    meant = {value: None if text == NO_LABEL else text for value, text in mapping.items()}
    for value, text in mapping.items():
        if text != NO_LABEL and not is_number(text):
            raise InputError(
                f"--map {value}={text}: of scores a value means a number or {NO_LABEL}; write one"
            )
    return [meant.get(str(value), value) for value in values]


def with_scale(
    scores: Opinions,
    name: str,
    texts: Sequence[Any],
    kept: NDArray[np.bool_],
    ends: Ends | None,
    known: bool,
) -> Opinions:
    """Return scores with their scale: declared, of a rubric (None here), or found by the values.

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
        scale = scale_of_ends(ends)
        refuse_off_scale(scores.source, name, texts=texts, values=values, ends=ends)
        return replace(scores, scale=scale)
    if known:
        return scores
    refuse_doubtful(scores.source, name, texts, values)
    scale = scale_by_values(values)
    said = DataWarning(FOUND_SCALE, f"{scores.source}: {said_of(scale)}")
    return replace(scores, scale=scale, warnings=(*scores.warnings, said))


def rows_of(
    source: str,
    table: Mapping[str, Sequence[Any]],
    numbers: Sequence[str],
    raters: Sequence[str],
    kept: NDArray[np.bool_],
) -> Opinions:
    """Select the kept rows of a table of scores or ratings, each rater's once for an item.

    Args:
        table: ``id``, columns of ``numbers``, and facts of the items in :data:`ITEM_COLUMNS`.
        raters: who gave each; empty: unknown.
        kept: rows that count [shape=(rows,)].
    """
    table = _by_system(table)
    ids = ids_of(source, table, False)
    columns: dict[str, Any] = {
        name: numbers_of(table[name], source, name, mappable=True)
        for name in numbers
        if name in table
    }
    columns |= {
        ours: shared(table[theirs]) for ours, theirs in ITEM_COLUMNS.items() if theirs in table
    }
    met, alike = raters_of(raters or None, ids.tolist())
    who = [] if met is None else met.tolist()
    whole = score_table(source, shared(ids.tolist()), shared(who), **columns).take(kept)
    said = tuple(DataWarning("raters", f"{source}: {text}") for text in alike)
    whole = replace(whole, warnings=said)
    if whole.rater is not None:
        refuse_duplicates(
            source, whole.ids, rater=whole.rater, repeat=whole.repeat, records=np.flatnonzero(kept)
        )
    return whole


def _by_system(table: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """Make each id name one answer: where several systems share one, as ``SYSTEM/ID``.

    So are the answers in folders of systems called; what they shared is their question.
    """
    ids, systems = table.get("id", ()), table.get("system", ())
    pairs = {pair for pair in zip(ids, systems, strict=False) if all(pair)}
    if len(pairs) == len({id_ for id_, _ in pairs}):
        return table
    names = [f"{of}/{id_}" if of and id_ else id_ for id_, of in zip(ids, systems, strict=True)]
    return {"question_id": ids, **table, "id": names}


def mean_ratings(ratings: Opinions) -> Opinions:
    """Return one row per item, whose ``score`` is its mean rating; NaN: nobody rated it."""
    values, size = values_of(ratings), int(ratings.item.max(initial=-1)) + 1
    is_known = ~np.isnan(values)
    count = np.bincount(ratings.item[is_known], minlength=size)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(ratings.item[is_known], values[is_known], size) / count
    first = ratings.take(np.unique(ratings.item, return_index=True)[1])
    facts = {name: column for name, column in first.facts.items() if name != "mos"}
    return replace(first, rater=None, facts={**facts, "score": mean}, human=True)


def ratings_of_items(source: str, items: Sequence[Single], turns: bool | None = None) -> Opinions:
    """Read the labels inside items; a None score is no rating.

    ``turns``: those of the turns of conversations, called ``ITEM/turn-N``; None: where no item has
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
    facts["instruction_id"] = list(questions)
    return score_table(source, ids, raters, score=np.array(values, float), **facts)


def facts_of(items: Sequence[Single]) -> dict[str, list[Any]]:
    """Return facts of items, a column each; of items called by their row, the recording."""
    named = {}
    if all(item.id.isdecimal() for item in items):
        named = {"recording": [item.answer.source_id or None for item in items]}
    return named | {
        "instruction_id": [item.question_id for item in items],
        "system": [item.system for item in items],
        "split": [item.split for item in items],
        "candidate": [item.answer.text for item in items],
        "reference": [item.reference for item in items],
    }


def shared(values: Sequence[Any]) -> list[Any]:
    """Share one object among equal values: a million items name fewer questions."""
    same: dict[Any, Any] = {}
    return [same.setdefault(value, value) for value in values]
