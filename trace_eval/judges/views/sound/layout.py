"""What is joined into a waveform: recordings within limits, signals, and silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import JsonValue

from blueprints.decimals import written_above, written_apart
from extractors import SILENCE_DBFS, AudioError, Clip, Samples, decibels

#: Highest rate that is sent where nobody chooses one, Hz.
MAX_RATE = 24_000

#: Gap after every item of a comparison, seconds (AudioJudge's released code).
GAP_S = 0.5

#: Gaps of single recordings that are joined as examples: after a label, after a
#: recording.
LABEL_GAP_S, CLIP_GAP_S = 0.3, 0.7


@dataclass(frozen=True)
class Sound:
    """Something audible with its identity; its samples are read on demand.

    Attributes:
        sha256: of rate, channels and decoded samples, as ``extractors.audio.Clip``
            defines it.
        frames: samples per channel at ``rate``.
        rate: its own sampling rate, Hz.
        read: decodes it; raises ``extractors.audio.AudioError``.
        signal: name of one of our own signals, e.g. ``test``; empty: a recording.
    """

    sha256: str
    frames: int
    rate: int
    read: Callable[[], Clip]
    signal: str = ""

    @property
    def seconds(self) -> float:
        """Duration, seconds."""
        return self.frames / self.rate

    def frames_at(self, rate: int) -> int:
        """Count the samples after resampling, halves rounded up as soxr does."""
        return (2 * self.frames * rate + self.rate) // (2 * self.rate)

    @property
    def recipe(self) -> JsonValue:
        """Its part of a recipe."""
        return f"signal {self.signal} {self.sha256}" if self.signal else self.sha256


@dataclass(frozen=True)
class Gap:
    """Digital silence of a given length in seconds."""

    seconds: float

    def frames_at(self, rate: int) -> int:
        """Count the samples at ``rate``."""
        return round(self.seconds * rate)

    @property
    def recipe(self) -> JsonValue:
        """Its part of a recipe."""
        return self.seconds


Item = Sound | Gap


@dataclass(frozen=True)
class Unit:
    """One or two answers in the order in which they are shown, with what was asked."""

    answers: tuple[Sound, ...]
    instruction: Sound | None = None  # spoken, where the task wants it heard

    @property
    def sounds(self) -> tuple[Sound, ...]:
        """All its recordings, in the order in which they are heard."""
        if self.instruction:
            return (self.instruction,) + self.answers
        return self.answers

    @property
    def named(self) -> list[tuple[str, Sound]]:
        """All its recordings by their labels' names: ``audio``, or ``audio_1`` ..."""
        names = ["audio_1", "audio_2"] if len(self.answers) == 2 else ["audio"]
        if self.instruction:
            names = ["instruction"] + names
        return list(zip(names, self.sounds, strict=True))

    @property
    def swapped(self) -> Unit:
        """The layout with the answers in the other order."""
        return Unit(self.answers[::-1], self.instruction)


Signals = Mapping[str, Sound]


def common_rate(sounds: Iterable[Sound], wanted: int | None = None) -> int:
    """Choose the rate of a waveform: the wanted, else the commonest to a maximum.

    The maximum is :data:`MAX_RATE`. Of equally common rates the higher counts, so the
    order of the recordings does not matter.
    """
    if wanted is not None:
        return wanted
    counts = Counter(sound.rate for sound in sounds)
    if not counts:
        raise ValueError("common_rate: there is no recording to take a rate from")
    commonest = max(counts, key=lambda rate: (counts[rate], rate))
    return min(commonest, MAX_RATE)


def unit_items(unit: Unit, head: str, signals: Signals) -> list[Item]:
    """Lay out one comparison: head label, recordings behind theirs, a gap after each.

    ``head`` is ``example_1`` ... ``example_8`` or ``test``; without signals no label is
    heard.
    """
    items: list[Item] = []
    if signals:
        items += [signals[head], Gap(GAP_S)]
    for name, sound in unit.named:
        if signals:
            items += [signals[name], Gap(GAP_S)]
        items += [sound, Gap(GAP_S)]
    return items


def single_items(
    unit: Unit, head: str, signals: Signals, gap_s: float = 0.0
) -> list[Item]:
    """Lay out one answer as an example: 0.3 s after a label, 0.7 s after a recording.

    Without an instruction the head label is the only one; with one, each part has its
    own. An answer may be the turns of a dialogue, ``gap_s`` seconds apart.
    """
    items: list[Item] = []
    if signals:
        items += [signals[head], Gap(LABEL_GAP_S)]
    if unit.instruction:
        if signals:
            items += [signals["instruction"], Gap(LABEL_GAP_S)]
        items += [unit.instruction, Gap(CLIP_GAP_S)]
        if signals:
            items += [signals["audio"], Gap(LABEL_GAP_S)]
    return [*items, *dialogue_items(unit.answers, gap_s), Gap(CLIP_GAP_S)]


def dialogue_items(turns: Sequence[Sound], gap_s: float) -> list[Item]:
    """Put a gap between the turns of a dialogue, and none at the end."""
    items: list[Item] = []
    for turn in turns:
        if items:
            items.append(Gap(gap_s))
        items.append(turn)
    return items


# --- limits: a recording that a model would not hear whole, or not at all, is not sent

#: Shorter recordings are refused, seconds: audio encoders make no token of 10 ms.
MIN_CLIP_S = 0.1


class ClipRefused(AudioError):
    """A recording that is silent, too short or too long; ``silent`` says which."""

    def __init__(self, message: str, silent: bool = False) -> None:
        super().__init__(message)
        self.silent = silent


def is_silent(samples: Samples) -> bool:
    """Tell whether no sample is louder than what the extractors call silence."""
    peak = decibels(float(np.abs(samples).max(initial=0.0)))
    return peak is None or peak < SILENCE_DBFS


def check_length(seconds: float, max_seconds: float, name: str = "the clip") -> None:
    """Refuse a recording that is too long to be heard whole, or too short.

    Raises:
        ClipRefused: it is.
    """
    if not seconds:
        raise ClipRefused(f"{name}: there are no samples; write the recording again")
    if seconds > max_seconds:
        long = written_above(seconds, max_seconds, digits=2)
        raise ClipRefused(
            f"{name} has {long} s, the limit is {max_seconds:g} s; it is never cut"
            " (-J max_clip_seconds)"
        )
    if seconds < MIN_CLIP_S:
        raise ClipRefused(
            f"{name} has {written_apart(seconds, [MIN_CLIP_S], digits=3)} s, at least"
            f" {MIN_CLIP_S:g} s are needed"
        )


def check_clip(clip: Clip, max_seconds: float, name: str = "the clip") -> None:
    """Refuse a recording that a judge would not hear whole, or hear nothing in.

    What is sent is the mix of its channels.

    Raises:
        ClipRefused: it is too long, too short or silent.
    """
    check_length(clip.seconds, max_seconds, name)
    if is_silent(clip.mono):
        message = f"{name} is silent: no sample is over {SILENCE_DBFS:g} dBFS"
        raise ClipRefused(message, silent=True)
