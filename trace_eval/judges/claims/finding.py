"""What became of a claim, and what it was checked against."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from blueprints import Blueprint, render_brief, render_compact
from trace_eval.judges.beside.delivery import Difference, delivery
from trace_eval.judges.beside.rate import rates
from trace_eval.judges.beside.voice import VoiceLead, voice_lead
from trace_eval.judges.beside.words import shared_words
from trace_eval.judges.claims.measures import WORDS_IN_COMMON, Measure, Readings

#: The reading of a rate that is counted by syllables.
BY_SYLLABLES = "by syllables"


_DIGITS = re.compile(r"\d+(?:\.\d+)?")

#: A number is close to a printed one within this share of it.
PRINTED_SLACK = 0.02


@dataclass(frozen=True)
class Finding:
    """The outcome of checking a claim: ``holds`` is None where it cannot be checked."""

    holds: bool | None
    why: str


@dataclass(frozen=True)
class ShownAnswers:
    """The blueprints of both answers by the place of showing, and the request.

    ``request``: its words; None: there are none.
    """

    places: Mapping[str, Blueprint]
    request: str | None = None

    def readings(self, measure: Measure, place: str) -> Readings:
        """Return the readings of a measure in one answer, as prompts print them.

        Beside each other, rates are counted by syllables where words are doubtful.
        """
        if measure.title == WORDS_IN_COMMON:
            return self._words_in_common
        readings = measure.fields(self.places[place])
        by_syllables = self._rates_by_syllables.get(place)
        if not readings or measure.title != "rate" or by_syllables is None:
            return readings
        return {**readings, BY_SYLLABLES: (by_syllables, 0)}

    @cached_property
    def _words_in_common(self) -> Readings:
        share = shared_words(self.places["1"], self.places["2"]).share
        return {} if share is None else {"share": (100 * share, 0)}

    @cached_property
    def _rates_by_syllables(self) -> Mapping[str, float]:
        """Words per minute by place; empty where words were counted."""
        first, second = rates(self.places["1"], self.places["2"])
        if not (first.by_syllables and second.by_syllables):
            return {}
        if first.wpm is None or second.wpm is None:
            return {}
        return {"1": first.wpm, "2": second.wpm}

    def prints(self, number: float) -> bool:
        """Tell whether a prompt has this number of an answer, or one close to it."""
        for printed in self._numbers:
            for scale in (1.0, 100.0, 1000.0):
                if abs(printed - abs(number) * scale) <= PRINTED_SLACK * printed:
                    return True
        return False

    @cached_property
    def _numbers(self) -> frozenset[float]:
        """All numbers that prompts print of both answers, without their signs."""
        numbers: set[float] = set()
        for blueprint in self.places.values():
            text = f"{render_compact(blueprint)}\n{render_brief(blueprint)}"
            numbers.update(float(digits) for digits in _DIGITS.findall(text))
        return frozenset(numbers)

    @cached_property
    def voice_lead(self) -> VoiceLead:
        """How far answer 1 leads in voice quality, in steps."""
        return voice_lead(self.places["1"], self.places["2"])

    @cached_property
    def delivery(self) -> tuple[Difference, ...]:
        """The differences in delivery of answer 1 from answer 2, in steps."""
        return delivery(self.places["1"], self.places["2"])
