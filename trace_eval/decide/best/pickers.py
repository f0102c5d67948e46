"""Pickers and checkers of the best: judges of pairs or of scores, or a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from trace_eval.data.manifests import Manifest
from trace_eval.data.measures.numbers import place_of
from trace_eval.decide.best.candidates import TextGroup, numbers_of
from trace_eval.decide.best.options import Scheme
from trace_eval.decide.best.ranking import (
    Match,
    Ranking,
    bracket,
    by_comparisons,
    by_scores,
)
from trace_eval.decide.best.summary import Gain, gain_by_scores, random_other
from trace_eval.decide.best.verdicts import Comparing, listed, play, scheduled
from trace_eval.runs.events import Listener
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions
from trace_eval.runs.run import Run

#: (id -> number, id -> why there is none).
Scores = tuple[dict[str, float | None], dict[str, str]]


@dataclass(frozen=True)
class ScorePicker:
    """Gives every candidate a number and orders by it."""

    name: str  # of the judge or number
    scores: Callable[[Sequence[TextGroup]], Scores]
    # group and field in the blueprint; None: a judge gives it
    place: tuple[str, str] | None = None
    lower: bool = False  # less is better

    @property
    def groups(self) -> tuple[str, ...]:
        """Blueprint groups that must be extracted for it beforehand."""
        return (self.place[0],) if self.place else ()

    def rank(self, groups: Sequence[TextGroup]) -> list[Ranking]:
        """Rank each group by the number."""
        values, why = self.scores(groups)
        return [by_scores(group, values, why, self.lower) for group in groups]

    def check(
        self, groups: Sequence[TextGroup], rankings: Sequence[Ranking], seed: int
    ) -> Gain:
        """Return the gain of another picker's winners in that number."""
        values, _ = self.scores(groups)
        return gain_by_scores(
            self.name,
            rankings,
            scores=values,
            seed=seed,
            lower=self.lower,
            instructions={group.name: group.instruction for group in groups},
        )


@dataclass(frozen=True)
class PairPicker:
    """A judge that compares two answers."""

    name: str
    how: Comparing
    scheme: Scheme = "auto"

    groups: ClassVar[tuple[str, ...]] = ()  # its runs extract what they need

    def rank(self, groups: Sequence[TextGroup]) -> list[Ranking]:
        """Rank each group by the comparisons of the scheme."""
        verdicts = play(self.how, scheduled(groups, self.scheme))
        rankings: list[Ranking] = []
        for group in groups:
            names = [candidate.id for candidate in group.candidates]
            rounds = bracket(self.scheme, names, verdicts)
            rankings.append(by_comparisons(group, rounds, verdicts))
        return rankings

    def check(
        self, groups: Sequence[TextGroup], rankings: Sequence[Ranking], seed: int
    ) -> Gain:
        """Compare each winner of another picker with one candidate of its group."""
        drawn: list[tuple[TextGroup, Match]] = []
        for group, ranking in zip(groups, rankings, strict=True):
            other = random_other(ranking, seed)
            if other:
                drawn.append((group, (str(ranking.winner), other)))
        verdicts = play(self.how, listed(drawn))
        labels = [verdicts[match].label for _, match in drawn]
        return Gain(
            by=self.name,
            groups=len(drawn),
            wins=labels.count("1"),
            ties=labels.count("tie"),
            losses=labels.count("2"),
            unscored=labels.count(None),
        )


Picker = ScorePicker | PairPicker


def number_picker(spec: str) -> ScorePicker | None:
    """Parse ``GROUP.FIELD`` or a short name, with ``:lower`` or ``:higher``.

    The suffix says which end is better.

    None: it is no number.
    """
    place = place_of(spec.removesuffix(":lower").removesuffix(":higher"))
    if place is None:
        return None
    return ScorePicker(
        spec, partial(numbers_of, place=place), place, spec.endswith(":lower")
    )


def rating_picker(
    spec: str,
    manifest: Manifest,
    options: RateOptions,
    folder: Path,
    listener: Listener | None,
) -> ScorePicker:
    """Return a judge that scores answers on a rubric, in a run of ``trace-eval rate``.

    What the run in ``folder`` has already is not asked again.
    """

    def scores(_: Sequence[TextGroup]) -> Scores:
        rate_manifest(manifest, folder, options, listener)
        stored = {score.item: score for score in Run.open(folder).scores()}
        values: dict[str, float | None] = {}
        why: dict[str, str] = {}
        for name, score in stored.items():
            if score.status == "scored":
                values[name] = score.value
            else:
                values[name] = None
                why[name] = str(score.detail or score.reason)
        return values, why

    return ScorePicker(spec, scores)
