"""Clicks: impulses that neither the vocal tract nor a stop's burst explains.

The error of linear prediction shows them, as in the restoration of old recordings (S.
V. Vaseghi, Advanced Digital Signal Processing and Noise Reduction, chapter 13): what
the tract rings on is predicted, and an impulse is not. A click then stands over the
pulses of the voice beside it, is over at once, and is followed by nothing: a stop's
burst is followed by its noise.
"""

from __future__ import annotations

import numpy as np

from blueprints import Event
from extractors.audio import SPEECH_RATE, Samples
from extractors.contours import Floats
from extractors.defects_frames import Frames, joined

#: Order of the prediction, and its frames, half overlapping, samples at 16 kHz.
ORDER, SIZE = 12, 512

#: Blocks of 1.5 ms. Those two to thirteen away (3 to 20 ms) lie beside a click; those
#: two to five away are what comes before it and behind it.
BLOCK, NEAR, FAR, CLOSE = 24, 2, 13, 5

#: A click holds most of its energy within so many samples on both sides, .4 ms.
CORE = 6

#: Its error is so many times the largest beside it, and its height such a share of the
#: clip's peak.
TIMES, SHARE = 2.0, 0.2

#: The product of how far it stands out is at least so much, see :func:`clicks`.
CLICK = 100.0

#: Clicks that are closer are a crackle, seconds.
CRACKLE_S = 0.5


def clicks(frames: Frames) -> list[Event]:
    """Find impulses by error, by height over others, by width, and by what follows."""
    count = len(frames.wave) // BLOCK
    if count < 4 * FAR:
        return []
    wave = frames.wave[: count * BLOCK]
    error = np.abs(_prediction_error(frames.wave))[: count * BLOCK]
    errors = error.reshape(count, BLOCK).max(axis=1)
    heights = np.abs(wave).reshape(count, BLOCK).max(axis=1)
    usual_error = max(float(np.percentile(errors, 98)), 1e-6)
    least_error = 0.05 * usual_error
    error_over_sides = errors / np.maximum(_beside(errors), least_error)
    # The click may lie across the edge of two blocks.
    neighbours = np.lib.stride_tricks.sliding_window_view(np.pad(heights, 1), 3)
    highest = neighbours.max(axis=1)
    height_over_sides = highest / np.maximum(_beside(heights), 1e-9)
    # Of the wave as well: the puff of air behind a burst is predicted, for it moves
    # slowly.
    least = 0.01 * usual_error
    louder_behind = np.maximum(
        _louder_behind(error, least), _louder_behind(wave, least)
    )
    is_high = highest >= SHARE * heights.max()
    is_candidate = (error_over_sides >= TIMES) & is_high
    events = []
    for block in np.flatnonzero(is_candidate).tolist():
        errors_inside = error[block * BLOCK : (block + 1) * BLOCK]
        sample = block * BLOCK + int(errors_inside.argmax())
        stands_out = _narrowness(error, sample) * float(errors[block]) / usual_error
        stands_out /= float(louder_behind[block])
        over_sides = float(error_over_sides[block] * height_over_sides[block])
        strength = over_sides * stands_out ** (2 / 3) / CLICK
        if strength >= 1:
            moment_s = min(frames.seconds, sample / SPEECH_RATE)
            event = Event(
                kind="click", start_s=moment_s, end_s=moment_s, strength=strength
            )
            events.append(event)
    return joined(events, CRACKLE_S)


def _narrowness(error: Floats, sample: int) -> float:
    """Divide the energy within ``CORE`` of a sample by the rest in ``BLOCK``."""
    core = _energy_around(error, sample, CORE)
    around = _energy_around(error, sample, BLOCK)
    return core / max(around - core, 1e-3 * core)


def _energy_around(error: Floats, sample: int, reach: int) -> float:
    part = error[max(0, sample - reach) : sample + reach + 1]
    return float(np.square(part).sum())


def _beside(blocks: Floats) -> Floats:
    """Return the largest of the blocks beside each one."""
    padded = np.pad(blocks, FAR)
    rows = np.lib.stride_tricks.sliding_window_view(padded, 2 * FAR + 1)
    left = rows[:, : FAR - NEAR + 1].max(axis=1)
    right = rows[:, FAR + NEAR :].max(axis=1)
    return np.asarray(np.maximum(left, right))


def _louder_behind(wave: Floats, least: float) -> Floats:
    """Divide the amplitude behind each block by that of as many samples before it."""
    power = np.square(wave, dtype=np.float64)
    power_of_block = power.reshape(-1, BLOCK).mean(axis=1)
    padded = np.pad(power_of_block, CLOSE)
    rows = np.lib.stride_tricks.sliding_window_view(padded, 2 * CLOSE + 1)
    before = rows[:, : CLOSE - NEAR + 1].mean(axis=1)
    behind = rows[:, CLOSE + NEAR :].mean(axis=1)
    ratio = (behind + least**2) / (before + least**2)
    return np.asarray(np.sqrt(ratio))


def _prediction_error(wave: Samples) -> Floats:
    """Return the error of linear prediction of each sample [shape=(samples,)].

    Half a frame is predicted at a time, with the weights of the frame around it.
    """
    hop = SIZE // 2
    count = -(-len(wave) // hop)
    weights = _prediction_weights(wave, hop, count)
    padded = np.pad(wave, (ORDER, hop))
    rows = np.lib.stride_tricks.sliding_window_view(padded, ORDER + hop)
    rows = rows[::hop][:count]
    error = rows[:, ORDER:].astype(np.float64)
    for lag in range(1, ORDER + 1):
        earlier = rows[:, ORDER - lag : -lag]
        error -= weights[:, lag - 1 : lag] * earlier
    return error.ravel()[: len(wave)]


def _prediction_weights(wave: Samples, hop: int, count: int) -> Floats:
    """Return the weights of earlier samples in each frame [shape=(count, ORDER)].

    They solve the normal equations of the autocorrelation method.
    """
    padded = np.pad(wave, (hop // 2, SIZE))
    rows = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::hop][:count]
    window = np.hanning(SIZE + 2)[1:-1].astype(np.float32)
    spectrum = np.fft.rfft(rows * window, 2 * SIZE)
    power = np.square(np.abs(spectrum))
    autocorrelation = np.fft.irfft(power)[:, : ORDER + 1]
    # A little white noise keeps the equations solvable.
    autocorrelation[:, 0] = 1.0001 * autocorrelation[:, 0] + 1e-9
    order = np.arange(ORDER)
    lags = np.abs(order[:, None] - order)
    matrices = autocorrelation[:, lags]
    targets = autocorrelation[:, 1:, None]
    solution = np.linalg.solve(matrices, targets)
    return np.asarray(solution[..., 0])
