"""The judge that picks, and the judge that checks: a number of the blueprint, a judge of pairs, one
that scores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from blueprints import UserError
from trace_eval.data.manifests import Manifest
from trace_eval.measures.numbers import place_of
from trace_eval.options import RateOptions
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.pipeline import Listener
from trace_eval.runs.run import Run
from trace_eval.select.candidates import TextGroup
from trace_eval.select.measured import MeasuredClip, numbers_of
from trace_eval.select.ranking import Ranking, by_comparisons, by_scores
from trace_eval.select.schemes import Scheme, bracket
from trace_eval.select.summary import Gain, gain_by_scores, random_other
from trace_eval.select.verdicts import Comparing, listed, play, scheduled

#: Ending of a number's name where less is better.
LOWER = ":lower"
HIGHER = ":higher"


class Picker(ABC):
    """Orders the candidates of every group, or says what another one's order is worth.

    Attributes:
        name: of the judge or number.
    """

    name: str

    @property
    def groups(self) -> tuple[str, ...]:
        """Blueprint groups that must be extracted for it beforehand."""
        return ()

    @abstractmethod
    def rank(
        self, groups: Sequence[TextGroup], measured: Mapping[str, MeasuredClip]
    ) -> list[Ranking]:
        """The order of each group."""

    @abstractmethod
    def check(
        self,
        groups: Sequence[TextGroup],
        measured: Mapping[str, MeasuredClip],
        rankings: Sequence[Ranking],
        seed: int,
    ) -> Gain:
        """What the winners of another picker gained."""


class ScoringPicker(Picker):
    """Gives every candidate a number and orders by it."""

    lower: bool = False  # less is better

    @abstractmethod
    def scores(
        self, measured: Mapping[str, MeasuredClip]
    ) -> tuple[dict[str, float | None], dict[str, str]]:
        """(id -> number, id -> why there is none)."""

    def rank(
        self, groups: Sequence[TextGroup], measured: Mapping[str, MeasuredClip]
    ) -> list[Ranking]:
        """Order by the number."""
        values, why = self.scores(measured)
        return [by_scores(group, values, why, self.lower) for group in groups]

    def check(
        self,
        groups: Sequence[TextGroup],
        measured: Mapping[str, MeasuredClip],
        rankings: Sequence[Ranking],
        seed: int,
    ) -> Gain:
        """The gain in that number."""
        values, _ = self.scores(measured)
        return gain_by_scores(self.name, rankings, values, seed, self.lower)


@dataclass(frozen=True)
class NumberPicker(ScoringPicker):
    """A number of the blueprint: DNSMOS, Distil-MOS, loudness, ..."""

    name: str
    place: tuple[str, str]
    lower: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """The group of the number."""
        return (self.place[0],)

    def scores(
        self, measured: Mapping[str, MeasuredClip]
    ) -> tuple[dict[str, float | None], dict[str, str]]:
        """The number in each blueprint."""
        return numbers_of(measured, self.place)


def number_picker(spec: str) -> NumberPicker | None:
    """``GROUP.FIELD`` or a short name, with ``:lower`` where less is better; None: no number."""
    name = spec.removesuffix(LOWER).removesuffix(HIGHER)
    place = place_of(name)
    return NumberPicker(spec, place, spec.endswith(LOWER)) if place else None


@dataclass(frozen=True)
class PairPicker(Picker):
    """A judge that compares two answers."""

    name: str
    how: Comparing
    scheme: Scheme = "auto"

    def rank(
        self, groups: Sequence[TextGroup], measured: Mapping[str, MeasuredClip]
    ) -> list[Ranking]:
        """Order by comparisons of the scheme."""
        verdicts = play(self.how, scheduled(groups, self.scheme))
        return [
            by_comparisons(
                group, bracket(self.scheme, [c.id for c in group.candidates], verdicts), verdicts
            )
            for group in groups
        ]

    def check(
        self,
        groups: Sequence[TextGroup],
        measured: Mapping[str, MeasuredClip],
        rankings: Sequence[Ranking],
        seed: int,
    ) -> Gain:
        """Each winner against one other candidate of its group."""
        drawn = [
            (group, (str(ranking.winner), other))
            for group, ranking in zip(groups, rankings, strict=True)
            if (other := random_other(ranking, seed))
        ]
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


@dataclass(frozen=True)
class ScorePicker(ScoringPicker):
    """A judge that scores single answers, on a rubric: a run of ``trace-eval rate``.

    Attributes:
        manifest: the candidates.
        options: the judge and its rubric.
        folder: of the run.
    """

    name: str
    manifest: Manifest
    options: RateOptions
    folder: Path
    listener: Listener | None = None

    def scores(
        self, measured: Mapping[str, MeasuredClip]
    ) -> tuple[dict[str, float | None], dict[str, str]]:
        """The judge's scores; what the run has already is not asked again."""
        rate_manifest(self.manifest, self.folder, self.options, self.listener)
        scores = {score.item: score for score in Run.open(self.folder).scores()}
        values = {name: s.value if s.status == "scored" else None for name, s in scores.items()}
        why = {n: str(s.detail or s.reason) for n, s in scores.items() if s.status != "scored"}
        return values, why


def people(groups: Sequence[TextGroup]) -> dict[str, float | None]:
    """Id -> mean human score, where the candidates came with some."""
    values: dict[str, float | None] = {}
    for group in groups:
        for candidate in group.candidates:
            provided = candidate.item.labels.given if candidate.item.labels else {}
            values[candidate.id] = sum(provided.values()) / len(provided) if provided else None
    return values


def refuse_own_check(picker: Picker, checks: Sequence[Picker]) -> None:
    """Refuse a judge that would vouch for its own pick.

    Raises:
        UserError: the same judge or number picks and checks.
    """

    def identity(one: Picker) -> object:
        return one.place if isinstance(one, NumberPicker) else one.name

    for check in checks:
        if identity(check) == identity(picker):
            raise UserError(
                f"check {check.name}: a judge cannot vouch for its own pick; name another one"
            )
