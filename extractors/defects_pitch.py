"""Steps of the pitch that no voice makes: by almost an octave within 30 ms.

Two estimates of f0 are not compared, because one may be an octave off. Instead every
pitch has a salience on both sides of a moment, and f0 steps where no pitch is salient
on both.
"""

from __future__ import annotations

import numpy as np
import soxr

from blueprints import Event
from extractors.audio import SPEECH_RATE
from extractors.contours import Floats
from extractors.defects_frames import STEP_S, Bools, Frames, joined

#: Periods are looked for at this rate, Hz, in frames of 45 ms, and magnitudes are
#: compressed by this power, so that a formant on a harmonic does not pass for a pitch
#: of its own.
RATE, COMPRESSED = 4000, 0.6
_SIZE, _FFT = 180, 512

#: Pitches go from 60 Hz to 550 Hz, this many to a semitone; their doubles and triples
#: follow.
LOW_HZ, PER_SEMITONE, PITCHES = 60.0, 3, 115
_TWICE, _THRICE = 12 * PER_SEMITONE, 19 * PER_SEMITONE

#: Share of the similarity at its double or triple that is taken off a pitch.
OF_MULTIPLES = 0.7

#: Frames of each side, and frames between them, whose windows reach into both.
SIDE, BETWEEN = 3, 3

#: Least and largest step, semitones; what is larger is a formant that passes for a
#: pitch.
JUMP_SEMITONES, MOST_SEMITONES = 9.0, 20.0

#: Within this distance a pitch is the same voice going on, semitones.
NEAR_SEMITONES = 6

#: Self-similarity of a clear voice, by semitones over 60 Hz: frames hold few long
#: periods, and few samples of short ones. The least share of it on both sides.
CLEAR = (0, 6, 12, 18, 24, 30, 33, 36), (0.1, 0.24, 0.35, 0.45, 0.52, 0.54, 0.38, 0.2)
LEAST_CLEAR = 0.41

#: Creak halves the pitch within so many semitones, and is less clear than this.
HALF_SEMITONES, HALVED_CLEAR = 0.8, 0.55

#: Each side still has its pitch this many frames further away, within this many
#: semitones.
LASTS, LASTS_SEMITONES = 3, 5.0

#: Largest share of each side's salience that a common pitch may have; it is smaller for
#: steps down, with which creak begins.
SHARED_UP, SHARED_DOWN = 0.28, 0.15

#: Largest share of the lower side's similarity that it may have at the pitch of the
#: higher one.
OTHER = 0.16

#: A step up starts from at most this far under the usual pitch, one down from at most
#: this far over it, semitones: a return from creak, or from a pitch an octave too high,
#: is no jump. Creak is irregular: what is as clear as this is none.
UNDER_USUAL, OVER_USUAL, REGULAR_CLEAR = 11.0, 5.7, 0.8

#: A step up starts over the first and ends under the second, Hz: beyond it is a
#: formant. A step down starts over the third: lower voices that step down creak.
UP_FROM_HZ, UP_TO_HZ, DOWN_FROM_HZ = 70.0, 430.0, 150.0

#: All of it sounds, dB under the level of speech, and what tells the usual pitch.
SOUND_DB, USUAL_DB, USUAL_SALIENCE = 24.0, 20.0, 0.25

#: Where the level moves by so much meanwhile, dB, a consonant opens or closes, and f0
#: moves fast.
MOVES_DB = 20.0


def jumps(frames: Frames) -> list[Event]:
    """Find moments inside a voiced stretch at which no pitch goes on."""
    similar = _similarity(frames)
    spacing = SIDE + BETWEEN
    if len(similar) < spacing + SIDE:
        return []
    level = frames.level[: len(similar)] - frames.speech_db
    usual = _usual_pitch(_salience(similar), level)
    if usual is None:
        return []
    sides = _windows(similar, SIDE).mean(axis=-1)
    salience = _salience(sides)
    pitch, clarity = _pitch_of(sides, salience)
    is_candidate = _no_creak(pitch, clarity, usual) & _all_sounds(level)
    starts = np.flatnonzero(is_candidate)
    before = pitch[starts]
    after = pitch[starts + spacing]
    is_up = after > before
    lower_side = sides[starts + np.where(is_up, 0, spacing)]
    at_low = _similarity_near(lower_side, np.minimum(before, after))
    at_high = _similarity_near(lower_side, np.maximum(before, after))
    is_other = at_high < OTHER * at_low
    shared = _shared(salience[starts], salience[starts + spacing])
    is_sure = is_other & (shared < np.where(is_up, SHARED_UP, SHARED_DOWN))
    moments_s = (starts + (spacing + SIDE - 1) / 2) * STEP_S
    strengths = np.abs(after - before) / JUMP_SEMITONES
    jumps_s = zip(moments_s[is_sure].tolist(), strengths[is_sure].tolist(), strict=True)
    events: list[Event] = []
    for moment_s, strength in jumps_s:
        event = Event(
            kind="pitch_jump", start_s=moment_s, end_s=moment_s, strength=strength
        )
        events.append(event)
    return joined(events, gap_s=0.1)


def _pitch_of(sides: Floats, salience: Floats) -> tuple[Floats, Floats]:
    """Return the most salient pitch of each side, semitones, and how clear it is."""
    columns = salience.argmax(axis=1)
    pitch = columns / PER_SEMITONE
    similarity = np.take_along_axis(sides, columns[:, None], axis=1)[:, 0]
    semitones, of_clear_voice = CLEAR
    return pitch, similarity / np.interp(pitch, semitones, of_clear_voice)


def _all_sounds(level: Floats) -> Bools:
    """Tell for each moment whether it sounds throughout and no consonant is near."""
    around = _windows(level, SIDE + BETWEEN + SIDE)
    lowest = around.min(axis=1)
    loudest = around.max(axis=1)
    return np.asarray((lowest > -SOUND_DB) & (loudest - lowest < MOVES_DB))


def _usual_pitch(salience: Floats, level: Floats) -> float | None:
    """Return the median pitch of clear frames, semitones over ``LOW_HZ``, or None."""
    is_loud = level > -USUAL_DB
    is_clear = is_loud & (salience.max(axis=1) > USUAL_SALIENCE)
    columns = salience.argmax(axis=1)[is_clear]
    if not len(columns):
        return None
    return float(np.median(columns)) / PER_SEMITONE


def _no_creak(pitch: Floats, clarity: Floats, usual: float) -> Bools:
    """Tell where two clear, lasting pitches lie far apart, neither creak nor formant.

    Args:
        pitch: of each side, semitones over ``LOW_HZ`` [shape=(sides,)].
        clarity: how clear it is, 1 for a clear voice [shape=(sides,)].
        usual: pitch of the clip, semitones over ``LOW_HZ``.
    """
    spacing = SIDE + BETWEEN
    before, after = pitch[:-spacing], pitch[spacing:]
    semitones = np.abs(after - before)
    is_up = after > before
    low_hz = LOW_HZ * 2 ** (np.minimum(before, after) / 12)
    high_hz = LOW_HZ * 2 ** (np.maximum(before, after) / 12)
    least_clarity = np.minimum(clarity[:-spacing], clarity[spacing:])
    is_far = (semitones >= JUMP_SEMITONES) & (semitones <= MOST_SEMITONES)
    is_halved = ~is_up & (np.abs(semitones - 12) <= HALF_SEMITONES)
    is_clear = least_clarity >= np.where(is_halved, HALVED_CLEAR, LEAST_CLEAR)
    padded = np.pad(pitch, LASTS, mode="edge")
    earlier = padded[: len(before)]
    later = padded[-len(after) :]
    has_lasted = np.abs(earlier - before) <= LASTS_SEMITONES
    goes_on = np.abs(later - after) <= LASTS_SEMITONES
    is_regular = (clarity[:-spacing] >= REGULAR_CLEAR) & (high_hz <= UP_TO_HZ)
    from_voice = np.where(
        is_up, before >= usual - UNDER_USUAL, before <= usual + OVER_USUAL
    )
    up_within_voice = (low_hz >= UP_FROM_HZ) & (high_hz <= UP_TO_HZ)
    in_range = np.where(is_up, up_within_voice, high_hz >= DOWN_FROM_HZ)
    is_clear_step = is_far & is_clear & has_lasted & goes_on
    return np.asarray(is_clear_step & (is_regular | from_voice) & in_range)


def _similarity_near(similar: Floats, pitch: Floats) -> Floats:
    """Return how like itself the wave is near a pitch, semitones [shape=(moments,)]."""
    column = np.rint(pitch * PER_SEMITONE).astype(int)
    nearby = np.maximum(0, column[:, None] + np.arange(-2, 3))
    return np.asarray(np.take_along_axis(similar, nearby, axis=1).max(axis=1))


def _shared(left: Floats, right: Floats) -> Floats:
    """Return the largest share of nearby pitches on both sides [shape=(moments,)]."""
    left = left / np.maximum(left.max(axis=1, keepdims=True), 0.02)
    right = right / np.maximum(right.max(axis=1, keepdims=True), 0.02)
    near = NEAR_SEMITONES * PER_SEMITONE
    padded = np.pad(right, ((0, 0), (near, near)), constant_values=-1)
    right_nearby = _windows(padded.T, 2 * near + 1).max(axis=-1).T
    common = np.minimum(left, right_nearby)
    return np.asarray(common.max(axis=1))


def _salience(similar: Floats) -> Floats:
    """Compute how like itself the wave is at a pitch and not at its double.

    Returns:
        [shape=(frames, PITCHES)]
    """
    doubles = similar[:, _TWICE : _TWICE + PITCHES]
    triples = similar[:, _THRICE : _THRICE + PITCHES]
    multiples = np.maximum(doubles, triples)
    return np.asarray(similar[:, :PITCHES] - OF_MULTIPLES * np.maximum(0, multiples))


def _windows(values: Floats, size: int) -> Floats:
    return np.lib.stride_tricks.sliding_window_view(values, size, axis=0)


def _similarity(frames: Frames) -> Floats:
    """Measure how alike periods are [shape=(frames, PITCHES + _THRICE)].

    One period of the wave is held against the next, by the autocorrelation of a frame
    whose magnitudes are compressed.
    """
    wave = soxr.resample(frames.wave, SPEECH_RATE, RATE, quality="LQ")
    step = round(STEP_S * RATE)
    before = np.zeros(_SIZE // 2, np.float32)
    behind = np.zeros(_SIZE, np.float32)
    padded = np.concatenate((before, wave, behind))
    rows = _windows(padded, _SIZE)[::step][: len(frames.level)]
    has_sound = frames.level[: len(rows)] > frames.speech_db - SOUND_DB
    window = np.hanning(_SIZE + 2)[1:-1].astype(np.float32)
    octaves = np.arange(PITCHES + _THRICE) / PER_SEMITONE / 12
    periods = RATE / LOW_HZ / 2**octaves  # samples
    lags = periods.astype(int)
    # A period lies between two lags, and so does its similarity.
    beyond_lag = (periods - lags).astype(np.float32)
    similar = np.zeros((len(rows), len(lags)), np.float32)
    for some in np.array_split(np.flatnonzero(has_sound), len(rows) // 2000 + 1):
        spectrum = np.fft.rfft(rows[some] * window, _FFT)
        magnitude = np.abs(spectrum).astype(np.float32)
        magnitude[:, :4] = 0  # under 30 Hz
        of_lag = np.fft.irfft(magnitude**COMPRESSED, _FFT).astype(np.float32)
        of_lag /= np.maximum(of_lag[:, :1], 1e-12)
        at_lag = of_lag[:, lags]
        at_next = of_lag[:, lags + 1]
        similar[some] = at_lag * (1 - beyond_lag) + at_next * beyond_lag
    return similar
