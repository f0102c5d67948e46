"""Steps of the pitch that no voice makes: by almost an octave within 30 ms.

Two estimates of f0 are not compared, because one may be an octave off. Instead every pitch has a
salience on both sides of a moment, and f0 steps where no pitch is salient on both.
"""

from __future__ import annotations

import numpy as np
import soxr

from blueprints import Event
from extractors.audio import SPEECH_RATE
from extractors.contours import Floats
from extractors.defects_frames import STEP_S, Bools, Frames, joined

#: Periods are looked for at this rate, Hz, in frames of 45 ms, and magnitudes are compressed by
#: this power, so that a formant on a harmonic does not pass for a pitch of its own.
RATE, COMPRESSED = 4000, 0.6
_SIZE, _FFT = 180, 512

#: Pitches go from 60 Hz to 550 Hz, this many to a semitone; their doubles and triples follow.
LOW_HZ, PER_SEMITONE, PITCHES = 60.0, 3, 115
_TWICE, _THRICE = 12 * PER_SEMITONE, 19 * PER_SEMITONE

#: Share of the similarity at its double or triple that is taken off a pitch.
OF_MULTIPLES = 0.7

#: Frames of each side, and frames between them, whose windows reach into both.
SIDE, BETWEEN = 3, 3

#: Least and largest step, semitones; what is larger is a formant that passes for a pitch.
JUMP_SEMITONES, MOST_SEMITONES = 9.0, 20.0

#: Within this distance a pitch is the same voice going on, semitones.
NEAR_SEMITONES = 6

#: Self-similarity of a clear voice, by semitones over 60 Hz: frames hold few long periods, and
#: few samples of short ones. The least share of it on both sides.
CLEAR = (0, 6, 12, 18, 24, 30, 33, 36), (0.1, 0.24, 0.35, 0.45, 0.52, 0.54, 0.38, 0.2)
LEAST_CLEAR = 0.41

#: Creak halves the pitch within so many semitones, and is less clear than this.
HALF_SEMITONES, HALVED_CLEAR = 0.8, 0.55

#: Each side still has its pitch this many frames further away, within this many semitones.
LASTS, LASTS_SEMITONES = 3, 5.0

#: Largest share of each side's salience that a common pitch may have; it is smaller for steps
#: down, with which creak begins.
SHARED_UP, SHARED_DOWN = 0.28, 0.15

#: Largest share of the lower side's similarity that it may have at the pitch of the higher one.
OTHER = 0.16

#: A step up starts from at most this far under the usual pitch, one down from at most this far
#: over it, semitones: a return from creak, or from a pitch an octave too high, is no jump. Creak is
#: irregular: what is as clear as this is none.
UNDER_USUAL, OVER_USUAL, REGULAR_CLEAR = 11.0, 5.7, 0.8

#: A step up starts over the first and ends under the second, Hz: beyond it is a formant. A step
#: down starts over the third: lower voices that step down creak.
UP_FROM_HZ, UP_TO_HZ, DOWN_FROM_HZ = 70.0, 430.0, 150.0

#: All of it sounds, dB under the level of speech, and what tells the usual pitch.
SOUND_DB, USUAL_DB, USUAL_SALIENCE = 24.0, 20.0, 0.25

#: Where the level moves by so much meanwhile, dB, a consonant opens or closes, and f0 moves fast.
MOVES_DB = 20.0


def jumps(frames: Frames) -> list[Event]:
    """Moments inside a voiced stretch at which no pitch goes on."""
    similar = _similarity(frames)
    apart = SIDE + BETWEEN
    if len(similar) < apart + SIDE:
        return []
    level = frames.level[: len(similar)] - frames.speech_db
    single = _salience(similar)
    usual = single.argmax(axis=1)[(level > -USUAL_DB) & (single.max(axis=1) > USUAL_SALIENCE)]
    if not len(usual):
        return []
    sides = _windows(similar, SIDE).mean(axis=-1)
    salience = _salience(sides)
    columns = salience.argmax(axis=1)
    pitch = columns / PER_SEMITONE
    clear = np.take_along_axis(sides, columns[:, None], axis=1)[:, 0] / np.interp(pitch, *CLEAR)
    good = _no_creak(pitch, clear, float(np.median(usual)) / PER_SEMITONE)
    around = _windows(level, apart + SIDE)
    lowest = around.min(axis=1)
    good &= (lowest > -SOUND_DB) & (around.max(axis=1) - lowest < MOVES_DB)
    starts = np.flatnonzero(good)
    before, after = pitch[starts], pitch[starts + apart]
    lower = sides[starts + np.where(after > before, 0, apart)]
    of_low, of_high = (_at(lower, side(before, after)) for side in (np.minimum, np.maximum))
    most = np.where(after > before, SHARED_UP, SHARED_DOWN)
    sure = (of_high < OTHER * of_low) & (_shared(salience[starts], salience[starts + apart]) < most)
    whens = (starts + (apart + SIDE - 1) / 2) * STEP_S
    strengths = np.abs(after - before) / JUMP_SEMITONES
    events = [
        Event(kind="pitch_jump", start_s=at, end_s=at, strength=strength)
        for at, strength in zip(whens[sure].tolist(), strengths[sure].tolist(), strict=True)
    ]
    return joined(events, gap_s=0.1)


def _no_creak(pitch: Floats, clear: Floats, usual: float) -> Bools:
    """Where two clear and lasting pitches lie far apart, and neither is creak or a formant.

    Args:
        pitch: of each side, semitones over ``LOW_HZ`` [shape=(sides,)].
        clear: how clear it is, 1 for a clear voice [shape=(sides,)].
        usual: pitch of the clip, semitones over ``LOW_HZ``.
    """
    apart = SIDE + BETWEEN
    padded = np.pad(pitch, LASTS, mode="edge")
    before, after = pitch[:-apart], pitch[apart:]
    steps, up = np.abs(after - before), after > before
    low, high = (LOW_HZ * 2 ** (side(before, after) / 12) for side in (np.minimum, np.maximum))
    least = np.minimum(clear[:-apart], clear[apart:])
    halved = ~up & (np.abs(steps - 12) <= HALF_SEMITONES)
    good = (steps >= JUMP_SEMITONES) & (steps <= MOST_SEMITONES)
    good &= least >= np.where(halved, HALVED_CLEAR, LEAST_CLEAR)
    good &= np.abs(padded[: len(before)] - before) <= LASTS_SEMITONES
    good &= np.abs(padded[-len(after) :] - after) <= LASTS_SEMITONES
    regular = (clear[:-apart] >= REGULAR_CLEAR) & (high <= UP_TO_HZ)
    good &= regular | np.where(up, before >= usual - UNDER_USUAL, before <= usual + OVER_USUAL)
    good &= np.where(up, (low >= UP_FROM_HZ) & (high <= UP_TO_HZ), high >= DOWN_FROM_HZ)
    return np.asarray(good)


def _at(similar: Floats, pitch: Floats) -> Floats:
    """How like itself the wave is near a pitch, semitones [shape=(moments,)]."""
    columns = np.rint(pitch * PER_SEMITONE).astype(int)[:, None] + np.arange(-2, 3)
    return np.asarray(np.take_along_axis(similar, np.maximum(0, columns), axis=1).max(axis=1))


def _shared(left: Floats, right: Floats) -> Floats:
    """Return the largest share of pitches near each other on both sides [shape=(moments,)]."""
    left, right = (
        side / np.maximum(side.max(axis=1, keepdims=True), 0.02) for side in (left, right)
    )
    near = NEAR_SEMITONES * PER_SEMITONE
    padded = np.pad(right, ((0, 0), (near, near)), constant_values=-1)
    return np.asarray(np.minimum(left, _windows(padded.T, 2 * near + 1).max(axis=-1).T).max(axis=1))


def _salience(similar: Floats) -> Floats:
    """How like itself the wave is at a pitch and not at its double [shape=(frames, PITCHES)]."""
    multiples = np.maximum(
        similar[:, _TWICE : _TWICE + PITCHES], similar[:, _THRICE : _THRICE + PITCHES]
    )
    return np.asarray(similar[:, :PITCHES] - OF_MULTIPLES * np.maximum(0, multiples))


def _windows(values: Floats, size: int) -> Floats:
    return np.lib.stride_tricks.sliding_window_view(values, size, axis=0)


def _similarity(frames: Frames) -> Floats:
    """How like itself the wave is one period later [shape=(frames, PITCHES + _THRICE)]."""
    wave = soxr.resample(frames.wave, SPEECH_RATE, RATE, quality="LQ")
    step, half = round(STEP_S * RATE), _SIZE // 2
    padded = np.concatenate((np.zeros(half, np.float32), wave, np.zeros(_SIZE, np.float32)))
    rows = _windows(padded, _SIZE)[::step][: len(frames.level)]
    sounds = frames.level[: len(rows)] > frames.speech_db - SOUND_DB
    window = np.hanning(_SIZE + 2)[1:-1].astype(np.float32)
    periods = RATE / LOW_HZ / 2 ** (np.arange(PITCHES + _THRICE) / PER_SEMITONE / 12)
    lags = periods.astype(int)
    part = (periods - lags).astype(np.float32)
    similar = np.zeros((len(rows), len(lags)), np.float32)
    for places in np.array_split(np.flatnonzero(sounds), len(rows) // 2000 + 1):
        magnitude = np.abs(np.fft.rfft(rows[places] * window, _FFT)).astype(np.float32)
        magnitude[:, :4] = 0  # under 30 Hz
        own = np.fft.irfft(magnitude**COMPRESSED, _FFT).astype(np.float32)
        own /= np.maximum(own[:, :1], 1e-12)
        similar[places] = own[:, lags] * (1 - part) + own[:, lags + 1] * part
    return similar
