"""Scores of speech that depend neither on a recording's length nor its surroundings.

The networks take the largest value of each feature over a window, so that P.808 of one
clean recording grows from 3.2 of its first second to 4.0 of all its 8 s, and a quiet
start, digital silence behind the answer or a constant offset move it, too. So what is
scored is the speech from the first to the last, without its offset and at one level;
and scored are its first seconds in several lengths, and further windows behind them.
Two answers are compared by stretches of one length
(:func:`trace_eval.judges.beside.voice.voice_lead`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blueprints import Quality, QualityPart, Signal
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.contours import rms_dbfs
from extractors.dnsmos.scores import P808, P835, P835Model
from extractors.dnsmos.windows import (
    FRAME_SAMPLES,
    HOP_SAMPLES,
    WINDOW_HOPS,
    SplitNetwork,
)
from extractors.prominence import prominences
from extractors.signal import bandwidths, clipping_ratio

#: A window of the models, seconds and samples: 9 hops, and a last frame's reach.
WINDOW_S = 9.01
WINDOW_SAMPLES = int(WINDOW_S * SPEECH_RATE)

#: Lengths of the first stretch, seconds. Neighbours are a quarter apart and less, an
#: eighth where a sentence ends.
LENGTHS_S = (1.0, 1.24, 1.52, 1.8, 2.0, 2.24, 2.52, 2.8, 3.2, 4.0, 5.0, 6.52, 8.0)

#: Frames of a second, and of a window.
FRAMES_PER_S = SPEECH_RATE // FRAME_SAMPLES
WINDOW_FRAMES = WINDOW_HOPS * FRAMES_PER_S

#: Silence before short stretches, samples, besides none, and which are short, frames.
SHIFTS = (400, 800, 1200)
SHIFTED_FRAMES = 320

#: P.835 is scored of the first seconds of a window, frames: it settles, and costs three
#: quarters of a window.
P835_FRAMES = 500

#: Frames are counted in fours: the networks pool them by four before they look further.
STRIDE = 4

#: Level at which speech is scored, dBFS RMS: the nominal one of ITU-T P.56 material.
LEVEL_DBFS = -26.0


def score_speech(
    clip: Clip, signal: Signal, p835: P835Model, p808: SplitNetwork
) -> Quality:
    """Score a clip in which there is speech; repeat speech shorter than a second."""
    start_s = signal.speech[0].start_s
    first = round(start_s * SPEECH_RATE)
    last = round(signal.speech[-1].end_s * SPEECH_RATE)
    speech = clip.speech[first : max(last, first + FRAME_SAMPLES)]
    offset = float(speech.mean(dtype=np.float64))
    level = rms_dbfs(speech - offset) if offset else rms_dbfs(speech)
    gain = 10 ** ((LEVEL_DBFS - level) / 20) if level is not None else 1.0

    def at_level(part: Samples) -> Samples:
        return np.asarray((part - offset) * gain, dtype=np.float32)

    opening = at_level(speech[:WINDOW_SAMPLES])
    while len(opening) < HOP_SAMPLES:  # a syllable: scored, but never compared
        opening = np.concatenate((opening, opening))
    lengths = [x for x in LENGTHS_S if round(x * SPEECH_RATE) <= len(speech)]
    by_length, overall = _opening_scores(p808, opening, lengths)
    windows = [np.append(_p835(p835, opening), overall)]
    if len(speech) >= WINDOW_SAMPLES:
        lengths.append(WINDOW_S)
        by_length.append(overall)
    parts = _parts(clip, signal, start_s, opening, scores=by_length, lengths=lengths)
    step = WINDOW_HOPS * HOP_SAMPLES
    for begin in range(step, len(speech) - WINDOW_SAMPLES + 1, step):
        samples = at_level(speech[begin : begin + WINDOW_SAMPLES])
        mos = float(P808(p808, samples).first([WINDOW_FRAMES])[0])
        windows.append(np.append(_p835(p835, samples), mos))
        begin_s = start_s + begin / SPEECH_RATE
        parts += _parts(
            clip, signal, begin_s, samples, scores=[mos], lengths=[WINDOW_S]
        )
    sig, bak, ovrl, overall = (float(column) for column in np.mean(windows, axis=0))
    return Quality(
        sig=sig,
        bak=bak,
        ovrl=ovrl,
        p808=overall,
        windows=len(windows),
        level_dbfs=level,
        parts=parts,
    )


def _parts(
    clip: Clip,
    signal: Signal,
    start_s: float,
    samples: Samples,
    *,
    scores: list[float],
    lengths: list[float],
) -> list[QualityPart]:
    """Return the stretches of some lengths that begin at one time, with their scores.

    ``samples`` are the speech from there on, at its level.
    """
    sounds = _sounds(clip, signal, start_s, lengths)
    clear = prominences(samples, lengths)
    parts: list[QualityPart] = []
    for seconds, score, prominence, (band, clipped) in zip(
        lengths, scores, clear, sounds, strict=True
    ):
        part = QualityPart(
            start_s=round(start_s, 4),
            end_s=round(start_s + seconds, 4),
            p808=score,
            bandwidth_hz=band,
            clipping_ratio=clipped,
            prominence_db=None if prominence is None else round(prominence, 3),
        )
        parts.append(part)
    return parts


def _opening_scores(
    p808: SplitNetwork, opening: Samples, lengths: Sequence[float]
) -> tuple[list[float], float]:
    """Return the P.808 MOS of the first seconds, by length, and of all of them.

    Where its pools begin moves the score of a few seconds by 0.1 and more (standard
    deviation 0.08; between codecs 0.22): of short stretches it is the mean over several
    beginnings.
    """
    whole = min(len(opening) // FRAME_SAMPLES, WINDOW_FRAMES) // STRIDE * STRIDE
    counts = [round(length * FRAMES_PER_S) for length in lengths]
    network = P808(p808, opening)
    scores = network.first(counts + [whole])
    *by_length, overall = scores
    short = [count for count in counts if count <= SHIFTED_FRAMES]
    shifted = []
    shifts = SHIFTS if short else ()
    for shift in shifts:
        counts_later: list[int] = []
        for count in short:
            frames = (count * FRAME_SAMPLES + shift) // FRAME_SAMPLES
            counts_later.append(frames // STRIDE * STRIDE)
        shifted.append(network.first(counts_later, shift))
    means = np.mean([scores[: len(short)]] + shifted, axis=0)
    # All of it differs from the longest by what is behind it.
    if whole <= SHIFTED_FRAMES and short:
        overall += means[-1] - by_length[len(short) - 1]
    scores_of_lengths = means.tolist()
    scores_of_lengths += map(float, by_length[len(short) :])
    return scores_of_lengths, float(overall)


def _p835(model: P835Model, samples: Samples) -> npt.NDArray[np.float64]:
    """Return SIG, BAK and OVRL [shape=(3,)] of what a window begins with."""
    frames = min(len(samples) // FRAME_SAMPLES, P835_FRAMES)
    scores: npt.NDArray[np.float64] = P835(model, samples).first(
        [frames // STRIDE * STRIDE]
    )[0]
    return scores


def _sounds(
    clip: Clip, signal: Signal, start_s: float, lengths: list[float]
) -> list[tuple[float | None, float]]:
    """Return bandwidth and share of clipped samples of stretches from one time on."""
    if not lengths:
        return []
    first = round(start_s * clip.rate)
    longest = first + round(max(lengths) * clip.rate)
    bands = bandwidths(clip.mono[first:longest], clip.rate, lengths)
    sounds: list[tuple[float | None, float]] = []
    for seconds, band in zip(lengths, bands, strict=True):
        clipped = 0.0
        if signal.clipping_ratio:
            last = first + round(seconds * clip.rate)
            clipped = clipping_ratio(clip.samples[first:last])
        sounds.append((band, clipped))
    return sounds
