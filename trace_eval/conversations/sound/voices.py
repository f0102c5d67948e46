"""Two voices in one channel: who speaks when, or why they cannot be told apart.

Local speakers are heard in windows of 10 s (pyannote's segmentation). Speech is cut
where one pauses and where most windows hear another speaker; each piece has the
direction of its voice (CAM++). Two groups of pieces are most alike within, by direction
and by what windows say of two pieces. Voices that differ too little are refused: see
:data:`LEAST_CONTRAST`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from extractors import SPEECH_RATE
from extractors.networks import campplus, segmentation
from trace_eval.conversations.sound.lanes import inside
from trace_eval.conversations.sound.voice_groups import (
    VoiceVectors,
    centred,
    contrast_of,
    leans,
    nearer,
    two_groups,
    unit,
)
from trace_eval.conversations.spans import Spans, joined, runs

#: Least share of the likeness within the two voices that must be missing between them,
#: in wide band and on a telephone. One person on both sides has more in 3 of 48 calls of
#: both halves (``python -m benchmarks.mono_calls --first 3000 --seeds 6``, and with
#: ``--half choose``), a synthetic voice in none.
LEAST_CONTRAST = 0.47

#: Samples from a window to the next one: 6.25 s, in whole frames; windows that are
#: heard at once.
_STEP = round(6.25 / segmentation.FRAME_S) * segmentation.FRAME_STEP
_WINDOWS = 48


@dataclass(frozen=True)
class VoiceRules:
    """Constants of pieces and groups, seconds and likenesses."""

    active: float = 0.5  # probability from which a local speaker is active
    pause_s: float = 0.12  # speech with shorter pauses is one
    shortest_s: float = 0.06  # shorter speech is none
    # a piece is cut in equal parts to be no longer: changes are missed
    longest_s: float = 2.0
    measured_s: float = 0.5  # a shorter piece founds no group,
    leans_s: float = 0.15  # and from so long on goes to the voice that it is more like
    same: float = 0.05  # added to the likeness of two pieces of one local speaker,
    other: float = 0.15  # and taken off that of two
    weight_s: float = 3.0  # longer pieces weigh no more
    near_s: float = 0.5  # both speak in an overlap when each has a piece so near
    # a piece that is hardly more like its voice than the other is doubtful,
    nearer: float = 0.05
    # and a short one; its likeness is beside what all pieces share
    leaning: float = 0.1


RULES = VoiceRules()


#: Pieces are measured in their middle, in whole steps of so many seconds, so many at
#: once.
_EQUAL_S, _TOGETHER = 0.25, 2


class Voices(NamedTuple):
    """Speech of two voices, and how far they are apart."""

    speech: tuple[
        Spans, Spans
    ]  # seconds, in order of time; the first voice speaks first
    overlaps: Spans  # where both seem to speak
    directions: (
        tuple[VoiceVectors, VoiceVectors] | None
    )  # of the voices; None: nothing could be measured
    contrast: float | None
    doubtful: Spans  # speech of which nobody knows whose it is


class Heard(NamedTuple):
    """The output of the network's windows, by frame of the whole recording."""

    speech: NDArray[np.bool_]
    overlap: NDArray[np.bool_]
    change: NDArray[np.bool_]
    active: NDArray[np.bool_]  # of local speakers [shape=(windows, frames, 3)]
    first: NDArray[np.int64]  # frame at which each window begins


def two_voices(
    samples: NDArray[np.int16], heard: Heard, ignore: Sequence[tuple[float, float]] = ()
) -> Voices:
    """Find the speech of two voices in 16 kHz samples of one channel.

    Args:
        samples: the recording.
        heard: what windows of it hear, see :func:`hear_windows`.
        ignore: stretches that are no speech, seconds; no voice is made of them.

    Raises:
        UserError: the networks' package is missing.
    """
    heard = _without_ignored(heard, ignore)
    pieces = _pieces(heard)
    measured, short = _measured_and_short(heard, pieces)
    if len(measured) < 2:
        spans = joined(_span(piece) for piece in pieces)
        return Voices(
            speech=(spans, []),
            overlaps=[],
            directions=None,
            contrast=None,
            doubtful=spans,
        )
    vectors = _directions([_sound(samples, heard, pieces[n]) for n in measured])
    ties = _ties(heard, pieces)
    seconds = np.array([_seconds(pieces[n]) for n in measured])
    lengths = seconds.clip(max=RULES.weight_s)
    votes = ties[np.ix_(measured, measured)]
    groups = two_groups(_with_votes(centred(vectors, lengths), votes), lengths)
    sounds = [_as_float(samples[_part(pieces[n])]) for n in short]
    lean = leans(_directions(sounds), vectors, lengths=lengths, groups=groups)
    leaning = dict(zip(short, lean.tolist(), strict=True))
    of_measured = dict(zip(measured, groups.tolist(), strict=True))
    of_piece = _of_all(pieces, ties, of_measured, leaning)
    if of_piece[0] == 1:  # the first voice is the one that speaks first
        of_piece = [1 - group for group in of_piece]
        groups = 1 - groups
    both: Spans = []
    for run in runs(heard.overlap):
        if _has_both(run, pieces, of_piece):
            both.append(_span(run))
    first, second = _speech_by_voice(pieces, of_piece, both)
    is_first = groups == 0
    is_second = groups == 1
    likeness = vectors @ vectors.T
    margins = dict(zip(measured, nearer(likeness, groups, lengths), strict=True))
    return Voices(
        speech=(first, second),
        overlaps=both,
        directions=(
            unit(lengths[is_first] @ vectors[is_first]),
            unit(lengths[is_second] @ vectors[is_second]),
        ),
        contrast=contrast_of(likeness, groups, lengths),
        doubtful=joined(_span(pieces[n]) for n in _unsure(margins, leaning)),
    )


def _with_votes(apart: VoiceVectors, votes: VoiceVectors) -> VoiceVectors:
    """Return the likeness of pieces, with what windows say of two of them."""
    likeness = np.where(votes > 0, RULES.same, RULES.other)
    likeness *= votes
    likeness += apart @ apart.T
    return likeness


def _measured_and_short(
    heard: Heard, pieces: list[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    """Return the pieces whose direction is measured, and those that only lean to one.

    Pieces are named by their numbers; the shortest are in neither list.
    """
    measured: list[int] = []
    short: list[int] = []
    for number, piece in enumerate(pieces):
        if _alone(heard, piece) >= RULES.measured_s:
            measured.append(number)
        elif _seconds(piece) >= RULES.leans_s:
            short.append(number)
    return measured, short


def _unsure(margins: Mapping[int, float], leaning: Mapping[int, float]) -> list[int]:
    """Return the pieces that are hardly more like their own voice than like the other.

    Args:
        margins: by how much measured pieces are, by number.
        leaning: to which voice short ones lean, and how much.
    """
    unsure: list[int] = []
    for number, margin in margins.items():
        if margin < RULES.nearer:
            unsure.append(number)
    for number, lean in leaning.items():
        if abs(lean) < RULES.leaning:
            unsure.append(number)
    return unsure


def _without_ignored(heard: Heard, ignore: Sequence[tuple[float, float]]) -> Heard:
    """Return what windows hear, with no speech in ignored stretches."""
    frames = np.arange(len(heard.speech), dtype=np.float64)
    frames_s = segmentation.FIRST_S + segmentation.FRAME_S * frames
    counts = ~inside(joined(ignore), frames_s)
    return heard._replace(
        speech=heard.speech & counts,
        overlap=heard.overlap & counts,
    )


def _speech_by_voice(
    pieces: Sequence[tuple[int, int]], of_piece: Sequence[int], both: Spans
) -> tuple[Spans, Spans]:
    """Return the speech of each voice: its pieces, and where both speak."""
    first = list(both)
    second = list(both)
    for piece, voice in zip(pieces, of_piece, strict=True):
        speech = second if voice == 1 else first
        speech.append(_span(piece))
    gap_s = RULES.pause_s + segmentation.FRAME_S
    return joined(first, gap_s), joined(second, gap_s)


def hear_windows(samples: NDArray[np.int16]) -> Heard:
    """Listen in windows, some minutes at a time, so that memory stays bounded."""
    size = round(segmentation.WINDOW_S * SPEECH_RATE)
    steps = math.ceil((len(samples) - size) / _STEP)
    number = 1 + max(0, steps)
    first_frames = []
    active = []
    for first in range(0, number, _WINDOWS):
        last = min(number, first + _WINDOWS)
        part = samples[first * _STEP : (last - 1) * _STEP + size]
        local = segmentation.local_speakers(_as_float(part), _STEP / SPEECH_RATE)
        in_part = np.rint(local.starts_s * SPEECH_RATE).astype(np.int64)
        begins = in_part + first * _STEP
        first_frames.append(begins // segmentation.FRAME_STEP)
        active.append(local.active)
    frames = len(samples) // segmentation.FRAME_STEP + 1
    return _on_one_grid(np.concatenate(first_frames), np.concatenate(active), frames)


def _on_one_grid(first: NDArray[np.int64], active: VoiceVectors, whole: int) -> Heard:
    frames = active.shape[1]
    number = max(whole, int(first.max()) + frames)
    window = np.hamming(frames) + 1e-3  # a window knows least at its ends
    weight, speech, overlap, change = np.zeros((4, number))
    is_active = active > RULES.active
    for begin, speakers, probabilities in zip(first, is_active, active, strict=True):
        part = slice(int(begin), int(begin) + frames)
        weight[part] += window
        speech[part] += window * speakers.any(axis=1)
        overlap[part] += window * (speakers.sum(axis=1) > 1)
        change[part] += window * _changes(speakers, probabilities)
    weight = np.maximum(weight, 1e-9)
    return Heard(
        speech=speech / weight > 0.5,
        overlap=overlap / weight > 0.5,
        change=change / weight > 0.5,
        active=is_active,
        first=first,
    )


def _changes(here: NDArray[np.bool_], likely: VoiceVectors) -> NDArray[np.float64]:
    """Find frames near which a window hears another speaker than before."""
    spoken = np.flatnonzero(here.any(axis=1))
    loudest = likely[spoken].argmax(axis=1)
    is_change = loudest[1:] != loudest[:-1]
    near = np.zeros(len(here))
    for frame in spoken[1:][is_change]:
        near[max(0, frame - 2) : frame + 3] = 1.0
    return near


def _pieces(heard: Heard) -> list[tuple[int, int]]:
    """Cut speech in frames at pauses, at changes of the speaker, and to be short."""
    pause = round(RULES.pause_s / segmentation.FRAME_S)
    shortest = round(RULES.shortest_s / segmentation.FRAME_S)
    pieces: list[tuple[int, int]] = []
    for span in joined(runs(heard.speech), pause + 1):
        first, last = map(int, span)
        if last - first < shortest:
            continue
        edges = [first, *_changes_within(heard, first, last), last]
        for start, end in pairwise(edges):
            pieces += _equal_parts(start, end)
    return pieces


def _changes_within(heard: Heard, first: int, last: int) -> list[int]:
    """Return the frames at which the speaker changes, but for those near an end."""
    middles = [(a + b) // 2 for a, b in runs(heard.change[first:last])]
    length = last - first
    return [first + middle for middle in middles if 3 <= middle < length - 3]


def _equal_parts(start: int, end: int) -> list[tuple[int, int]]:
    """Cut a run of frames in equal parts that are short enough."""
    seconds = _seconds((start, end))
    number = max(1, math.ceil(seconds / RULES.longest_s))
    edges = np.linspace(start, end, number + 1).round().astype(int).tolist()
    return [(first, last) for first, last in pairwise(edges) if last > first]


def _span(piece: tuple[int, int]) -> tuple[float, float]:
    """Return the seconds of a run of frames."""
    first, last = piece
    first_s = segmentation.FIRST_S + first * segmentation.FRAME_S
    last_s = segmentation.FIRST_S + last * segmentation.FRAME_S
    half = segmentation.FRAME_S / 2
    return max(0.0, first_s - half), last_s - half


def _seconds(piece: tuple[int, int]) -> float:
    return (piece[1] - piece[0]) * segmentation.FRAME_S


def _alone(heard: Heard, piece: tuple[int, int]) -> float:
    """Return the seconds of a piece in which one voice speaks."""
    first, last = piece
    is_alone = ~heard.overlap[first:last]
    return float(is_alone.sum() * segmentation.FRAME_S)


def _sound(
    samples: NDArray[np.int16], heard: Heard, piece: tuple[int, int]
) -> VoiceVectors:
    """Return the samples of a piece in which one voice speaks."""
    first, last = piece
    is_alone = np.repeat(~heard.overlap[first:last], segmentation.FRAME_STEP)
    part = samples[_part(piece)]
    return _as_float(part[is_alone[: len(part)]])


def _part(piece: tuple[int, int]) -> slice:
    """Return where the samples of a piece are."""
    first, last = piece
    start_s, _ = _span(piece)
    start = round(start_s * SPEECH_RATE)
    return slice(start, start + (last - first) * segmentation.FRAME_STEP)


def _directions(sounds: Sequence[VoiceVectors]) -> VoiceVectors:
    """Compute the directions of pieces.

    Those of one length are computed together, which is faster.
    """
    steps: list[int] = []
    for sound in sounds:
        seconds = len(sound) / SPEECH_RATE
        steps.append(max(1, int(seconds / _EQUAL_S)))
    vectors = np.zeros((len(sounds), campplus.SIZE), np.float32)
    for step in sorted(set(steps)):
        size = round(step * _EQUAL_S * SPEECH_RATE)
        of_step = np.flatnonzero(np.equal(steps, step)).tolist()
        for first in range(0, len(of_step), _TOGETHER):
            part = of_step[first : first + _TOGETHER]
            middles = [_middle(sounds[n], size) for n in part]
            vectors[part] = campplus.directions(middles)
    return vectors


def _middle(sound: VoiceVectors, size: int) -> VoiceVectors:
    """Cut a number of samples around the middle; pad a shorter sound with zeros."""
    if len(sound) < size:
        return np.pad(sound, (0, size - len(sound)))
    first = (len(sound) - size) // 2
    return sound[first : first + size]


def _as_float(samples: NDArray[np.int16]) -> VoiceVectors:
    return samples.astype(np.float32) / 32_768


def _ties(heard: Heard, pieces: Sequence[tuple[int, int]]) -> VoiceVectors:
    """Vote on pairs of pieces: 1 for one local speaker, -1 for two.

    It is 0 where no window has both.
    """
    votes, windows = np.zeros((2, len(pieces), len(pieces)), np.float32)
    frames = heard.active.shape[1]
    starts, ends = np.array(pieces).T
    for begin, here in zip(heard.first, heard.active, strict=True):
        near = np.flatnonzero((ends > begin) & (starts < begin + frames))
        speakers = [_local(here, pieces[n], int(begin)) for n in near.tolist()]
        of_near = np.array(speakers, np.int64)
        has_speaker = of_near >= 0
        of_known = of_near[has_speaker]
        is_same = of_known[:, None] == of_known[None]
        known = near[has_speaker]
        pairs = np.ix_(known, known)
        votes[pairs] += np.where(is_same, 1.0, -1.0).astype(np.float32)
        windows[pairs] += 1.0
    votes /= np.maximum(windows, 1.0, out=windows)
    return votes


def _local(here: NDArray[np.bool_], piece: tuple[int, int], begin: int) -> int:
    """Return the local speaker of a piece in a window.

    -1: none is active for a third of the piece.
    """
    first, last = piece
    shares = here[max(0, first - begin) : last - begin].mean(axis=0)
    return int(shares.argmax()) if shares.max() > 0.3 else -1


def _of_all(
    pieces: Sequence[tuple[int, int]],
    ties: VoiceVectors,
    of_measured: dict[int, int],
    leaning: dict[int, float],
) -> list[int]:
    """Return the group of every piece.

    A short one goes to the voice that it leans to, else as windows say, else as the
    nearest.
    """
    groups = []
    for number, piece in enumerate(pieces):
        lean = leaning.get(number, 0.0)
        if number in of_measured:
            groups.append(of_measured[number])
            continue
        if abs(lean) >= RULES.leaning:
            groups.append(int(lean > 0))
            continue
        votes = [0.0, 0.0]
        for measured, group in of_measured.items():
            votes[group] += ties[number, measured]
        if votes[0] == votes[1]:
            groups.append(of_measured[_nearest(piece, pieces, of_measured)])
        else:
            groups.append(int(votes[1] > votes[0]))
    return groups


def _nearest(
    piece: tuple[int, int], pieces: Sequence[tuple[int, int]], numbers: Iterable[int]
) -> int:
    """Return which of some pieces has the shortest pause between itself and a piece."""
    start, end = piece

    def pause(number: int) -> int:
        other_start, other_end = pieces[number]
        return max(other_start - end, start - other_end)

    return min(numbers, key=pause)


def _has_both(
    run: tuple[int, int], pieces: Sequence[tuple[int, int]], of_piece: Sequence[int]
) -> bool:
    near = round(RULES.near_s / segmentation.FRAME_S)
    first, last = run
    voices = set()
    for (start, end), voice in zip(pieces, of_piece, strict=True):
        if start < last + near and end > first - near:
            voices.add(voice)
    return len(voices) == 2
