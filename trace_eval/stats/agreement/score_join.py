"""Human ratings and scored items as one study: the one join of scores by item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from fusion import Numbers
from trace_eval.opinions.missing import Missing
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.ratings import as_means, positions, rated
from trace_eval.stats.agreement.score_columns import Facts, Texts
from trace_eval.stats.agreement.score_files import ScoreFile, merged_sources
from trace_eval.stats.agreement.study import People, Study


def join_scores(
    files: Sequence[ScoreFile], ratings: Opinions, rubric: str | None, missing: Missing
) -> tuple[Study, ScoreFile]:
    """Ratings beside the items that were scored, and the scores of all judges.

    Args:
        files: scores as they were read.
        ratings: of the same items.
        rubric: name or file; None: the only one that the files have.
        missing: ``error`` refuses ratings of items that the files do not have, ``drop``
            leaves them out.

    Raises:
        UserError: there is nothing to compare.
    """
    scores, scale = merged_sources(files, rubric)
    stray = list(
        dict.fromkeys(id_ for id_ in rated(ratings).ids.tolist() if id_ not in scores.facts)
    )
    if stray and missing == "error":
        raise UserError(
            f"{ratings.source}: {counted(len(stray), 'rated item is', 'rated items are')} not in"
            f" {files[0].source}, first {stray[0]!r}; score them, correct the ids, or pass"
            " --missing drop"
        )
    return study_of(scores.facts, scores.texts, ratings, scale), scores


def study_of(
    facts: Facts,
    texts: Texts,
    ratings: Opinions,
    scale: Numbers,
) -> Study:
    """A study of the items in ``facts``; ratings of other items are left out.

    Args:
        facts: id -> (question, system, split), in the order of the items.
        texts: id -> (candidate, references).
        ratings: human ratings.
        scale: the rubric's.
    """
    ids = tuple(facts)
    index = {id_: row for row, id_ in enumerate(ids)}
    own, theirs = _of_items(ratings)
    ratings = as_means(rated(ratings), scale)
    value, means = positions(ratings, scale), "mos" in ratings.facts
    row = np.array([index.get(id_, -1) for id_ in ratings.ids.tolist()], np.int64)
    present = row >= 0
    raters = [""] * len(ratings) if ratings.rater is None else ratings.rater.tolist()
    names = sorted({rater for rater in raters if rater})
    code = {rater: number for number, rater in enumerate(names)}
    rater = np.array([code.get(name, -1) for name in raters], np.int64)
    merged = [_merged(facts[id_], own.get(id_)) for id_ in ids] if own else list(facts.values())
    question, _ = _codes([facts_[0] for facts_ in merged], own=True)
    system, systems = _codes([facts_[1] for facts_ in merged])
    splits = [facts_[2] for facts_ in merged]
    every = [texts.get(id_) or theirs.get(id_) for id_ in ids]
    return Study(
        ids,
        np.array([scale.position(label) for label in scale.labels]),
        float(scale.low),
        float(scale.high),
        People(len(ids), row[present], value[present], rater[present], tuple(names), means),
        question,
        system if systems else None,
        systems,
        np.array([split or "" for split in splits]) if any(splits) else None,
        None if not ids or any(text is None for text in every) else every,  # type: ignore[arg-type]
    )


def _of_items(ratings: Opinions) -> tuple[Facts, Texts]:
    """What ratings know of their items, by id."""
    ids, size = ratings.ids.tolist(), len(ratings)
    names = ("question_id", "system", "split", "candidate", "reference")
    available = [ratings.facts.get(name) for name in names]
    columns = [[None] * size if column is None else column.tolist() for column in available]
    facts: Facts = {}
    texts: Texts = {}
    if any(column is not None for column in available[:3]):
        facts = dict(zip(ids, zip(*columns[:3], strict=True), strict=True))
    for id_, text, reference in (
        zip(ids, *columns[3:], strict=True) if available[3] is not None else ()
    ):
        if text is not None:
            texts[id_] = (text, reference or ())
    return facts, texts


def _merged(
    own: tuple[str | None, str | None, str | None],
    other: tuple[str | None, str | None, str | None] | None,
) -> tuple[str | None, str | None, str | None]:
    if other is None:
        return own
    return own[0] or other[0], own[1] or other[1], own[2] or other[2]


def _codes(
    names: Sequence[str | None], own: bool = False
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    """Codes by name; without one -1, or with ``own`` a code that nobody else has."""
    available = sorted({name for name in names if name})
    if not available:
        return None, ()
    code = {name: number for number, name in enumerate(available)}
    result = np.array([code.get(name or "", -1) for name in names], np.int64)
    if own:
        alone = result < 0
        result[alone] = len(available) + np.arange(int(alone.sum()))
    return result, tuple(available)
