"""Whether a recording is the answer: all of it, and nothing but it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blueprints import Blueprint, Pitch, Signal, Transcript, Word
from extractors import guessed, tokens
from trace_eval.data.items import Item

#: Words of the shortest request whose repetition is no chance.
LEAST_WORDS = 6

#: Share of the request's words that are heard in their order, for recognisers mishear;
#: and where the channels say already that two people speak.
LEAST_SHARE, LEAST_SHARE_OF_TWO = 0.85, 0.5

#: Pause between the request and the answer, seconds; words follow each other without
#: one.
LEAST_PAUSE_S = 0.2

#: How far the median pitch of two voices is apart, semitones: that of one voice moves
#: by up to 2.5 from one sentence to the next.
_OTHER_VOICE_ST = 4.0

#: Voiced sound of which a median is a voice's, seconds.
_VOICED_S = 0.5

#: Share of the voiced frames of a recording whose pitch another one has at the same
#: place, and how near, semitones: that it is the same sound.
_SAME_SHARE, _SAME_ST = 0.7, 0.5


class Stretch(NamedTuple):
    """The times at which the words of a request end and those of the rest begin."""

    end_s: float
    next_s: float


def not_the_answer(item: Item, blueprints: Mapping[str, Blueprint]) -> str | None:
    """Return why a recording is not an item's answer, and the remedy; else None.

    A file whose end is missing is not all of it; one in which the request is spoken
    before, by another voice or in another channel, is the recording of a whole session.
    An answer that repeats the request in its own voice is an answer.
    """
    if item.has_conversations:
        return None
    request = blueprints.get("instruction")
    reasons = []
    roles = list(item.answer_roles)
    if not item.instruction.text:
        roles.append("instruction")
    for role in roles:
        name = "the instruction" if role == "instruction" else _name(role)
        signal = blueprints[role].signal if role in blueprints else None
        if isinstance(signal, Signal) and signal.cut is not None:
            reasons.append(
                f"{name} lacks the end of its file: {signal.cut}; copy it again, or, if"
                " that is all there is, write it anew, e.g. ffmpeg -i IN OUT.wav"
            )
    text = item.instruction.text or _words_of(request)
    for role in item.answer_roles:
        if role in blueprints and (why := _session(blueprints[role], text, request)):
            reasons.append(f"{_name(role)} {why}")
    return "; ".join(reasons) or None


def request_in(
    blueprint: Blueprint, request: str, least_share: float = LEAST_SHARE
) -> Stretch | None:
    """Return where a request ends that a recording begins with; None: it does not."""
    transcript, asked = blueprint.transcript, tokens(request)
    if (
        not isinstance(transcript, Transcript)
        or len(asked) < LEAST_WORDS
        or guessed(blueprint)
    ):
        return None
    heard: list[str] = []
    places: list[int] = []
    for place, word in enumerate(transcript.words):
        parts = tokens(word.text)
        heard += parts
        places += [place] * len(parts)
    matcher = SequenceMatcher(None, asked, heard[: len(asked) + 2], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if (
        sum(block.size for block in blocks) < least_share * len(asked)
        or blocks[0].b > 1
    ):
        return None
    last = blocks[-1].b + blocks[-1].size - 1
    if last + 1 >= len(heard):
        return None  # nothing but the request
    return _between(
        blueprint, transcript.words[places[last]], transcript.words[places[last + 1]]
    )


def _between(blueprint: Blueprint, one: Word, other: Word) -> Stretch | None:
    """Return what lies between two words: where nobody speaks, else what the words say.

    Recognisers stretch a word into the pause behind it.
    """
    if (
        one.start_s is None
        or one.end_s is None
        or other.start_s is None
        or other.end_s is None
    ):
        return None
    pauses = blueprint.signal.pauses if isinstance(blueprint.signal, Signal) else []
    inside = [
        pause
        for pause in pauses
        if pause.start_s > one.start_s and pause.end_s < other.end_s
    ]
    longest = max(inside, key=lambda pause: pause.seconds, default=None)
    if longest is None:
        return Stretch(one.end_s, other.start_s)
    return Stretch(longest.start_s, longest.end_s)


def _session(
    blueprint: Blueprint, text: str | None, request: Blueprint | None
) -> str | None:
    """Return why a recording is one of a whole session; None: it may be an answer."""
    signal = blueprint.signal
    if not text or not isinstance(signal, Signal):
        return None
    after = signal.handover
    if after is not None and request_in(blueprint, text, LEAST_SHARE_OF_TWO):
        return (
            "is a recording of the whole session: one channel begins with the request,"
            f" and the other one follows at {after.start_s:.2f} s; give that channel"
            " alone, e.g. ffmpeg"
            f' -ss {after.start_s:.2f} -i IN -af "pan=mono|c0=c{after.channel}" OUT.wav'
        )
    stretch = request_in(blueprint, text)
    if stretch is None or stretch.next_s - stretch.end_s < LEAST_PAUSE_S:
        return None
    middle_s = (stretch.end_s + stretch.next_s) / 2
    why = _other_voice(blueprint, middle_s)
    if why is None and request and _is_in(request, blueprint, stretch.end_s):
        why = "it is the recording of the request"
    if why is None:
        return None
    return (
        f"is a recording of the whole session: it begins with the request, and {why};"
        f" give the answer alone, e.g. ffmpeg -ss {middle_s:.2f} -i IN OUT.wav"
    )


def _other_voice(blueprint: Blueprint, middle_s: float) -> str | None:
    """Return how the pitch differs before and after a time, as two voices' does."""
    pitch = blueprint.pitch
    if not isinstance(pitch, Pitch):
        return None
    contour = pitch.contour
    values = _semitones(pitch)
    middle = max(0, round((middle_s - contour.start_s) / contour.step_s))
    is_voiced = np.isfinite(values)
    before = values[:middle][is_voiced[:middle]]
    behind = values[middle:][is_voiced[middle:]]
    if min(len(before), len(behind)) * contour.step_s < _VOICED_S:
        return None
    gap = float(np.median(behind) - np.median(before))
    if abs(gap) < _OTHER_VOICE_ST:
        return None
    where = "higher" if gap > 0 else "lower"
    return f"the voice behind it is another one ({abs(gap):.1f} semitones {where})"


def _is_in(request: Blueprint, answer: Blueprint, end_s: float) -> bool:
    """Return whether the sound of a request is heard in a recording before a moment."""
    if not (isinstance(request.pitch, Pitch) and isinstance(answer.pitch, Pitch)):
        return False
    step = max(answer.pitch.contour.step_s, request.pitch.contour.step_s)
    asked = _at_steps(request.pitch, step)
    heard = _at_steps(answer.pitch, step)
    voiced = np.flatnonzero(np.isfinite(asked))
    if len(voiced) * step < _VOICED_S:
        return False
    asked = asked[voiced[0] : voiced[-1] + 1]
    is_voiced = np.isfinite(asked)
    last = round(end_s / step)
    for lag in range(max(0, last - len(asked) // 2)):
        part = heard[lag : lag + len(asked)]
        if len(part) < len(asked):
            break
        apart = np.abs(part[is_voiced] - asked[is_voiced])  # NaN is not near
        if (apart < _SAME_ST).mean() >= _SAME_SHARE:
            return True
    return False


def _semitones(pitch: Pitch) -> NDArray[np.float64]:
    hz = np.array(pitch.contour.values, float)  # None becomes NaN
    return np.asarray(12 * np.log2(hz), np.float64)


def _at_steps(pitch: Pitch, step_s: float) -> NDArray[np.float64]:
    """Return a contour in steps of a given length; long recordings have longer."""
    values = _semitones(pitch)
    own_step_s = pitch.contour.step_s
    count = int((len(values) - 1) * own_step_s / step_s) + 1
    places = np.rint(np.arange(count) * step_s / own_step_s).astype(int)
    return np.asarray(values[places], np.float64)


def _words_of(request: Blueprint | None) -> str | None:
    transcript = request.transcript if request else None
    return transcript.text if isinstance(transcript, Transcript) else None


def _name(role: str) -> str:
    return role.upper() if role in ("a", "b") else "the answer"
