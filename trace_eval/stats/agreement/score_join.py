"""Scores of judges joined to people's ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blueprints import UserError, counted
from trace_eval.opinions.opinions import Missing
from trace_eval.stats.agreement.ratings import Ratings
from trace_eval.stats.agreement.score_columns import ScoreColumn, judges_of, study_of
from trace_eval.stats.agreement.score_files import (
    ScoreFile,
    merged_sources,
    own_labels,
)
from trace_eval.stats.agreement.study import JudgeScores, Study


@dataclass(frozen=True)
class JoinedScores:
    """Judges' scores beside people's ratings, as arrays.

    Attributes:
        labels: where the ratings are from.
        rubric: that was scored; None: unknown.
        notes: what every score of a judge says of itself.
    """

    study: Study
    judges: list[JudgeScores]
    labels: str
    rubric: str | None
    notes: tuple[str, ...]


def join_scores(
    files: Sequence[ScoreFile],
    ratings: Ratings | None = None,
    rubric: str | None = None,
    missing: Missing = "error",
) -> JoinedScores:
    """Scores joined to ratings by item; the texts they are made of are freed at the end.

    Args:
        files: scores as they were read.
        ratings: None: those in the run.
        rubric: name or file; None: the only one that the sources have.
        missing: ``error`` refuses ratings of items that the sources do not have, ``drop``
            leaves them out.

    Raises:
        UserError: there is nothing to compare.
    """
    found, facts, texts, scale = merged_sources(files, rubric)
    ratings = ratings or own_labels(files)
    stray = list({id_: None for id_ in ratings.ids if id_ not in facts})
    if stray and missing == "error":
        raise UserError(
            f"{ratings.source}: {counted(len(stray), 'rated item is', 'rated items are')} not in"
            f" {files[0].source}, first {stray[0]!r}; score them, correct the ids, or pass"
            " --missing drop"
        )
    study = study_of(facts, texts, ratings, scale)
    judges = [judge for column in found.columns for judge in judges_of(column, study, scale)]
    notes = tuple(_caveats(found.columns))
    if study.people.opinions and not ratings.opinions:
        notes += (f"{ratings.source}: numbers between labels are taken as mean opinions",)
    return JoinedScores(study, judges, ratings.source, found.rubric, notes)


def _caveats(columns: Sequence[ScoreColumn]) -> list[str]:
    """What every score of a judge says of itself."""
    every = [
        caveat
        for column in columns
        for caveat, count in column.caveats.items()
        if count == len(column.value)
    ]
    return list(dict.fromkeys(every))
