"""Scores of judges joined to human ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from blueprints import UserError, counted
from fusion import Numbers
from trace_eval.opinions.missing import Missing
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.ratings import rated
from trace_eval.stats.agreement.score_columns import study_of
from trace_eval.stats.agreement.score_files import ScoreFile, merged_sources
from trace_eval.stats.agreement.study import Study


class Joined(NamedTuple):
    """Ratings beside the items that were scored, the scores of all judges, and their scale."""

    study: Study
    scores: ScoreFile
    scale: Numbers


def join_scores(
    files: Sequence[ScoreFile], ratings: Opinions, rubric: str | None, missing: Missing
) -> Joined:
    """Scores joined to ratings by item.

    Args:
        files: scores as they were read.
        ratings: of the same items.
        rubric: name or file; None: the only one that the files have.
        missing: ``error`` refuses ratings of items that the files do not have, ``drop``
            leaves them out.

    Raises:
        UserError: there is nothing to compare.
    """
    scores, facts, texts, scale = merged_sources(files, rubric)
    stray = list({id_: None for id_ in rated(ratings).ids.tolist() if id_ not in facts})
    if stray and missing == "error":
        raise UserError(
            f"{ratings.source}: {counted(len(stray), 'rated item is', 'rated items are')} not in"
            f" {files[0].source}, first {stray[0]!r}; score them, correct the ids, or pass"
            " --missing drop"
        )
    return Joined(study_of(facts, texts, ratings, scale), scores, scale)
