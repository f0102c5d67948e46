"""Two voices in one channel: who of them speaks when, or why they cannot be told apart.

Local speakers are heard in windows of 10 s (pyannote's segmentation). Speech is cut
where one pauses and where most windows hear another speaker; each piece has the
direction of its voice (CAM++). Two groups of pieces are most alike within, by direction
and by what windows say of two pieces. Voices that differ too little are refused: see
:data:`LEAST_CONTRAST`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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

#: Likeness within the two groups less that between them, under which voices are too
#: alike, in wide band and on a telephone. One person on both sides has more in 1 of 18
#: calls, a synthetic voice in none; see ``python -m benchmarks.mono_calls``.
LEAST_CONTRAST = 0.28

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
    """What windows hear, by frame of the whole recording."""

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
    frames_s = segmentation.FIRST_S + segmentation.FRAME_S * np.arange(
        len(heard.speech), dtype=np.float64
    )
    spoken = ~inside(joined(ignore), frames_s)
    heard = heard._replace(speech=heard.speech & spoken, overlap=heard.overlap & spoken)
    pieces = _pieces(heard)
    measured = [
        n for n, piece in enumerate(pieces) if _alone(heard, piece) >= RULES.measured_s
    ]
    if len(measured) < 2:
        spans = joined(_span(piece) for piece in pieces)
        return Voices((spans, []), [], None, None, doubtful=spans)
    vectors = _directions([_sound(samples, heard, pieces[n]) for n in measured])
    ties = _ties(heard, pieces)
    lengths = np.array([_seconds(pieces[n]) for n in measured]).clip(max=RULES.weight_s)
    likeness = vectors @ vectors.T
    told = ties[np.ix_(measured, measured)]
    apart = centred(vectors, lengths)
    groups = two_groups(
        apart @ apart.T + np.where(told > 0, RULES.same, RULES.other) * told, lengths
    )
    short = [
        n
        for n, piece in enumerate(pieces)
        if n not in measured and _seconds(piece) >= RULES.leans_s
    ]
    sounds = [_as_float(samples[_part(pieces[n])]) for n in short]
    lean = leans(_directions(sounds), vectors, lengths=lengths, groups=groups)
    leaning = dict(zip(short, lean.tolist(), strict=True))
    of_measured = dict(zip(measured, groups.tolist(), strict=True))
    of_piece = _of_all(pieces, ties, of_measured, leaning)
    if of_piece[0] == 1:  # the first voice is the one that speaks first
        of_piece, groups = [1 - one for one in of_piece], 1 - groups
    both = [
        _span(run) for run in runs(heard.overlap) if _has_both(run, pieces, of_piece)
    ]
    by_voice: tuple[Spans, Spans] = [*both], [*both]
    for piece, voice in zip(pieces, of_piece, strict=True):
        by_voice[voice].append(_span(piece))
    speech = [
        joined(spoken, RULES.pause_s + segmentation.FRAME_S) for spoken in by_voice
    ]
    centres = tuple(
        unit(lengths[groups == voice] @ vectors[groups == voice]) for voice in (0, 1)
    )
    margins = nearer(likeness, groups, lengths)
    unsure = [
        n for n, margin in zip(measured, margins, strict=True) if margin < RULES.nearer
    ]
    unsure += [n for n, lean in leaning.items() if abs(lean) < RULES.leaning]
    return Voices(
        speech=(speech[0], speech[1]),
        overlaps=both,
        directions=(centres[0], centres[1]),
        contrast=contrast_of(likeness, groups, lengths),
        doubtful=joined(_span(pieces[n]) for n in unsure),
    )


def hear_windows(samples: NDArray[np.int16]) -> Heard:
    """Listen in windows, some minutes at a time, so that memory stays bounded."""
    size = round(segmentation.WINDOW_S * SPEECH_RATE)
    number = 1 + max(0, -(-(len(samples) - size) // _STEP))
    starts, parts = [], []
    for first in range(0, number, _WINDOWS):
        last = min(number, first + _WINDOWS)
        part = samples[first * _STEP : (last - 1) * _STEP + size]
        local = segmentation.local_speakers(_as_float(part), _STEP / SPEECH_RATE)
        begins = np.rint(local.starts_s * SPEECH_RATE).astype(np.int64) + first * _STEP
        starts.append(begins // segmentation.FRAME_STEP)
        parts.append(local.active)
    first_frames, active = np.concatenate(starts), np.concatenate(parts)
    return _on_one_grid(
        first_frames, active, len(samples) // segmentation.FRAME_STEP + 1
    )


def _on_one_grid(first: NDArray[np.int64], active: VoiceVectors, whole: int) -> Heard:
    frames = active.shape[1]
    number = max(whole, int(first.max()) + frames)
    window = np.hamming(frames) + 1e-3  # a window knows least at its ends
    weight, speech, overlap, change = np.zeros((4, number))
    on = active > RULES.active
    for begin, here, likely in zip(first, on, active, strict=True):
        part = slice(int(begin), int(begin) + frames)
        weight[part] += window
        speech[part] += window * here.any(axis=1)
        overlap[part] += window * (here.sum(axis=1) > 1)
        change[part] += window * _changes(here, likely)
    weight = np.maximum(weight, 1e-9)
    return Heard(
        speech=speech / weight > 0.5,
        overlap=overlap / weight > 0.5,
        change=change / weight > 0.5,
        active=on,
        first=first,
    )


def _changes(here: NDArray[np.bool_], likely: VoiceVectors) -> NDArray[np.float64]:
    """Find frames near which a window hears another speaker than before."""
    spoken = np.flatnonzero(here.any(axis=1))
    loudest = likely[spoken].argmax(axis=1)
    near = np.zeros(len(here))
    for frame in spoken[1:][loudest[1:] != loudest[:-1]]:
        near[max(0, frame - 2) : frame + 3] = 1.0
    return near


def _pieces(heard: Heard) -> list[tuple[int, int]]:
    """Cut speech in frames at pauses, at changes of the speaker, and to be short enough."""
    pause = round(RULES.pause_s / segmentation.FRAME_S)
    shortest = round(RULES.shortest_s / segmentation.FRAME_S)
    pieces = []
    for first, last in joined(runs(heard.speech), pause + 1):
        first, last = int(first), int(last)
        if last - first < shortest:
            continue
        cuts = [
            first + (a + b) // 2
            for a, b in runs(heard.change[first:last])
            if 3 <= (a + b) // 2 < last - first - 3
        ]
        for start, end in zip([first, *cuts], [*cuts, last], strict=True):
            parts = max(
                1, math.ceil((end - start) * segmentation.FRAME_S / RULES.longest_s)
            )
            edges = np.linspace(start, end, parts + 1).round().astype(int).tolist()
            pieces += [(a, b) for a, b in pairwise(edges) if b > a]
    return pieces


def _span(piece: tuple[int, int]) -> tuple[float, float]:
    """Return the seconds of a run of frames."""
    first, last = (
        segmentation.FIRST_S + frame * segmentation.FRAME_S for frame in piece
    )
    half = segmentation.FRAME_S / 2
    return max(0.0, first - half), last - half


def _seconds(piece: tuple[int, int]) -> float:
    return (piece[1] - piece[0]) * segmentation.FRAME_S


def _alone(heard: Heard, piece: tuple[int, int]) -> float:
    """Return the seconds of a piece in which one voice speaks."""
    return float((~heard.overlap[slice(*piece)]).sum() * segmentation.FRAME_S)


def _sound(
    samples: NDArray[np.int16], heard: Heard, piece: tuple[int, int]
) -> VoiceVectors:
    """Return the samples of a piece in which one voice speaks."""
    kept = np.repeat(~heard.overlap[slice(*piece)], segmentation.FRAME_STEP)
    part = samples[_part(piece)]
    return _as_float(part[kept[: len(part)]])


def _part(piece: tuple[int, int]) -> slice:
    """Return where the samples of a piece are."""
    first = round(_span(piece)[0] * SPEECH_RATE)
    return slice(first, first + (piece[1] - piece[0]) * segmentation.FRAME_STEP)


def _directions(sounds: Sequence[VoiceVectors]) -> VoiceVectors:
    """Compute the directions of pieces; those of one length together, which is faster."""
    steps = [max(1, int(len(one) / SPEECH_RATE / _EQUAL_S)) for one in sounds]
    vectors = np.zeros((len(sounds), campplus.SIZE), np.float32)
    for step in sorted(set(steps)):
        size = round(step * _EQUAL_S * SPEECH_RATE)
        mine = [n for n, own in enumerate(steps) if own == step]
        for first in range(0, len(mine), _TOGETHER):
            part = mine[first : first + _TOGETHER]
            middles = [_middle(sounds[n], size) for n in part]
            vectors[part] = campplus.directions(middles)
    return vectors


def _middle(sound: VoiceVectors, size: int) -> VoiceVectors:
    """Cut so many samples around the middle; a shorter sound is filled up with zeros."""
    if len(sound) < size:
        return np.pad(sound, (0, size - len(sound)))
    first = (len(sound) - size) // 2
    return sound[first : first + size]


def _as_float(samples: NDArray[np.int16]) -> VoiceVectors:
    return samples.astype(np.float32) / 32_768


def _ties(heard: Heard, pieces: Sequence[tuple[int, int]]) -> VoiceVectors:
    """Vote on pairs of pieces: 1 one local speaker, -1 two; 0 where no window has both."""
    votes, asked = np.zeros((2, len(pieces), len(pieces)), np.float32)
    frames = heard.active.shape[1]
    starts = np.array([piece[0] for piece in pieces])
    ends = np.array([piece[1] for piece in pieces])
    for begin, here in zip(heard.first, heard.active, strict=True):
        near = np.flatnonzero((ends > begin) & (starts < begin + frames))
        who = np.array(
            [_local(here, pieces[n], int(begin)) for n in near.tolist()], np.int64
        )
        known = near[who >= 0]
        same = np.where(who[who >= 0][:, None] == who[who >= 0][None], 1.0, -1.0)
        votes[np.ix_(known, known)] += same.astype(np.float32)
        asked[np.ix_(known, known)] += 1.0
    return np.asarray(votes / np.maximum(asked, 1.0))


def _local(here: NDArray[np.bool_], piece: tuple[int, int], begin: int) -> int:
    """Return the local speaker of a piece in a window; -1: none is active for a third of it."""
    share = here[max(0, piece[0] - begin) : piece[1] - begin].mean(axis=0)
    return int(share.argmax()) if share.max() > 0.3 else -1


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
    for number, (start, end) in enumerate(pieces):
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
        nearest = min(
            of_measured, key=lambda n: max(pieces[n][0] - end, start - pieces[n][1])
        )
        groups.append(
            of_measured[nearest] if votes[0] == votes[1] else int(votes[1] > votes[0])
        )
    return groups


def _has_both(
    run: tuple[int, int], pieces: Sequence[tuple[int, int]], of_piece: Sequence[int]
) -> bool:
    near = round(RULES.near_s / segmentation.FRAME_S)
    voices = {
        voice
        for (start, end), voice in zip(pieces, of_piece, strict=True)
        if start < run[1] + near and end > run[0] - near
    }
    return len(voices) == 2
