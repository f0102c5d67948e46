"""Checks of one delivery request against the blueprints of both answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import trace_eval.judges.rules.relative as relative
import trace_eval.judges.rules.text as text
from blueprints import (
    Accent,
    Blueprint,
    Emotion,
    Loudness,
    Pitch,
    Rate,
    Signal,
    Status,
    Transcript,
)
from extractors import guessed, weak
from trace_eval.judges.beside.rate import words_per_minute
from trace_eval.judges.rules.findings import (
    Read,
    RuleFinding,
    absence,
    cannot_tell,
    length_s,
    read_longest_pause,
    read_rate,
    reader,
    variation,
    within,
)
from trace_eval.judges.rules.requests import DeliveryRequest, RuleInstruction
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.vocabulary import (
    ACCENT_LABELS,
    EMOTION_LABELS,
    JARRING,
    RequestKind,
)


def check(
    request: DeliveryRequest,
    a: Blueprint,
    b: Blueprint,
    instruction: RuleInstruction,
    cuts: RuleThresholds,
) -> tuple[RuleFinding, RuleFinding]:
    """Check one request of both answers; absent groups give "cannot tell", and why.

    What is to be avoided is avoided by the norm: of two who do not shout, the louder
    one may.
    """
    way = relative.way_of(request.kind, cuts)
    if way and not request.negated:
        return relative.compare(way, a, b, cuts)
    if way:
        first, second = (relative.by_norm(way, side, cuts) for side in (a, b))
    else:
        first, second = (
            _Check(request, side, instruction, cuts).finding() for side in (a, b)
        )
    return (first.negated(), second.negated()) if request.negated else (first, second)


Bound = float | None


def _swell(loudness: Loudness) -> Read:
    rise = loudness.slope_lu_per_s * length_s(loudness.contour)
    return rise, f"loudness changes by {rise:+.1f} LU"


def _glide(pitch: Pitch) -> Read:
    change = pitch.slope_semitones_per_s * length_s(pitch.contour)
    return change, f"pitch changes by {change:+.1f} semitones"


def _voicing(b: Blueprint) -> Read:
    """Return the share of the speech that is voiced."""
    if not isinstance(b.signal, Signal):
        return absence(b, "signal")
    if isinstance(b.pitch, Pitch):
        voiced = b.pitch.voiced_ratio
    elif b.pitch.status is Status.NO_SPEECH and b.signal.speech_s > 0:
        voiced = 0.0  # speech in which nothing is voiced
    else:
        return absence(b, "pitch")
    spoken = b.signal.speech_s / b.signal.duration_s if b.signal.duration_s else 0.0
    if spoken <= 0:
        return cannot_tell("no stretch of speech")
    share = min(1.0, voiced / spoken)
    return share, f"{share:.0%} of the speech is voiced"


@dataclass(frozen=True)
class _Check:
    """One request of an instruction, and an answer that meets it or does not."""

    request: DeliveryRequest
    b: Blueprint
    instruction: RuleInstruction
    cuts: RuleThresholds

    def finding(self) -> RuleFinding:
        """Return the finding; no extractor measures kinds in neither table."""
        kind = self.request.kind
        if kind in (bounds := self._bounds()):
            read, noise, low, high = bounds[kind]
            return within(read(self.b), noise, cuts=self.cuts, low=low, high=high)
        others = {
            RequestKind.ACCELERATING: self._trend,
            RequestKind.DECELERATING: self._trend,
            RequestKind.EMOTION: self._emotion,
            RequestKind.RESPOND: self._respond,
            RequestKind.ACCENT: self._accent,
            RequestKind.REPEAT: self._repeat,
        }
        if kind in others:
            return others[kind]()
        return cannot_tell(f"no extractor measures {self.request.value or kind}")

    def _bounds(
        self,
    ) -> dict[RequestKind, tuple[Callable[[Blueprint], Read], float, Bound, Bound]]:
        """Map requests that one number decides to its reading, noise, low and high."""
        c, pause = self.cuts, self.request.value
        swell, glide = reader("loudness", _swell), reader("pitch", _glide)
        semitones, level = c.pitch_noise_semitones, c.loudness_noise_lu

        def rate(b: Blueprint) -> Read:
            return read_rate(words_per_minute(b))

        is_pause = pause and self.request.kind is RequestKind.PAUSES
        least = float(pause) * c.pause_share if is_pause else c.pause_s
        return {
            RequestKind.STEADY_RATE: (rate, c.rate_noise_wpm, c.slow_wpm, c.fast_wpm),
            RequestKind.WHISPER: (_voicing, c.voiced_noise, None, c.whisper_voiced),
            RequestKind.CRESCENDO: (swell, level, c.crescendo_lu, None),
            RequestKind.DIMINUENDO: (swell, level, None, -c.diminuendo_lu),
            RequestKind.RISING: (glide, semitones, c.rise_semitones, None),
            RequestKind.FALLING: (glide, semitones, None, -c.fall_semitones),
            RequestKind.MONOTONE: (variation, semitones, None, c.monotone_semitones),
            RequestKind.EXPRESSIVE: (
                variation,
                semitones,
                c.expressive_semitones,
                None,
            ),
            RequestKind.PAUSES: (read_longest_pause, c.pause_noise_s, least, None),
        }

    def _trend(self) -> RuleFinding:
        b, cuts = self.b, self.cuts
        if not isinstance(b.rate, Rate):
            return absence(b, "rate")
        trend = b.rate.trend
        if trend is None:
            return absence(b, "rate", "trend (too little speech)")
        faster = self.request.kind is RequestKind.ACCELERATING
        cut = cuts.accelerating_ratio if faster else cuts.decelerating_ratio
        units = math.log(max(trend, 1e-3) / cut) / math.log(cuts.trend_noise)
        word = "at least" if faster else "at most"
        why = f"second half at {trend:.2f} times the rate of the first ({word} {cut:g})"
        met = trend >= cut if faster else trend <= cut
        return RuleFinding(met, cuts.limited(units if faster else -units), why)

    def _repeat(self) -> RuleFinding:
        b, cuts = self.b, self.cuts
        if not isinstance(b.transcript, Transcript):
            return absence(b, "transcript")
        if doubt := (guess := guessed(b)) or weak(b):
            return cannot_tell(
                f"the recogniser guessed the words: {doubt}" if guess else doubt
            )
        wanted, words = int(self.request.value), b.transcript.text
        if literal := self.instruction.reading.literal:
            count = max(
                text.count_literal(one, words, cuts.repeat_similarity)
                for one in literal
            )
            if count == 0:
                return cannot_tell("the recogniser did not hear the text once")
            why = f"heard {count} of {wanted}"
            short = all(
                len(text.words(one)) < cuts.min_literal_words for one in literal
            )
            if count < wanted and short:
                return cannot_tell(f"{why}, but so short a text is easily misheard")
            return RuleFinding(count >= wanted, float(min(0, count - wanted)), why)
        alike = text.equal_parts(words, wanted)
        if alike >= cuts.repeat_similarity:
            return RuleFinding(
                True, 0.0, f"{wanted} parts of the text are alike ({alike:.2f})"
            )
        return cannot_tell("repetitions of unknown text")

    def _emotion(self) -> RuleFinding:
        b, cuts = self.b, self.cuts
        if not isinstance(b.emotion, Emotion):
            # A raised pitch goes with anger, joy and fear of one speaker alike; but two
            # neutral voices differ by as much, and a pair does not say whose they are:
            # it decides nothing.
            return absence(b, "emotion")
        scores = b.emotion.scores
        labels = EMOTION_LABELS.get(self.request.value, frozenset()) & set(scores)
        if not labels:
            return cannot_tell(f"the classifier has no label for {self.request.value}")
        if not self.instruction.several(RequestKind.EMOTION):
            of_requested = max(scores[label] for label in labels)
            of_others = max(
                (v for k, v in scores.items() if k not in labels), default=0.0
            )
            why = (
                f"{'/'.join(sorted(labels))} scores {of_requested:.2f}, the best other"
                f" {of_others:.2f}"
            )
            strength = cuts.limited((of_requested - of_others) / cuts.emotion_noise)
            return RuleFinding(of_requested >= of_others, strength, why)
        if not b.emotion.trajectory:
            return cannot_tell("several emotions are requested, the clip has one score")
        tops: list[str] = []
        for window in b.emotion.trajectory:
            if window.scores:
                _, top = max((score, name) for name, score in window.scores.items())
                tops.append(top)
        matches = any(top in labels for top in tops)
        return RuleFinding(
            matches, 0.0, f"windows sound {', '.join(sorted(set(tops)))}"
        )

    def _respond(self) -> RuleFinding:
        b = self.b
        if not isinstance(b.emotion, Emotion):
            return absence(b, "emotion")
        jarring = JARRING.get(self.request.value)
        if jarring is None:
            return cannot_tell(f"no rule for users who are {self.request.value}")
        why = f"the answer sounds {b.emotion.top} to a user who is {self.request.value}"
        return RuleFinding(b.emotion.top not in jarring, 0.0, why)

    def _accent(self) -> RuleFinding:
        b, cuts = self.b, self.cuts
        if not isinstance(b.accent, Accent):
            return absence(b, "accent")
        if self.instruction.several(RequestKind.ACCENT):
            return cannot_tell(
                "several accents are requested, the clip has one score each"
            )
        similarities = b.accent.similarities
        labels = ACCENT_LABELS.get(self.request.value, frozenset()) & set(similarities)
        if not labels:
            return cannot_tell(f"the classifier does not know {self.request.value}")
        lead = max(similarities[label] for label in labels) - max(similarities.values())
        strength = cuts.limited((lead + cuts.accent_within) / cuts.accent_within)
        why = (
            f"{self.request.value} is {-lead:.2f} behind the closest accent,"
            f" {b.accent.top}"
        )
        return RuleFinding(lead >= -cuts.accent_within, strength, why)
