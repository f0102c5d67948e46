"""Tones that no voice makes: hum and buzz under the speech."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from blueprints import Event
from extractors.audio import SPEECH_RATE
from extractors.contours import Floats
from extractors.defects_frames import Frames, decibels_of, joined, runs

Complexes = npt.NDArray[np.complex128]
Bins = npt.NDArray[np.int_]

#: Hum is looked for in frames of 4,096 samples at 16 kHz, half overlapping, in lines
#: from 45 to 1,000 Hz: their bins are 4 Hz wide.
LONG, LONG_STEP = 4096, 1024
HUM_HZ = (45.0, 1000.0)

#: Frames in which a line must stand all the time (1 s), and by how much over what lies
#: 12 to 32 Hz beside it, dB: a multiple of 50 or 60 Hz, and another one, which may be a
#: voice's that drones; and at most so far under the speech, dB.
HUM_FRAMES, MAINS_DB, HUM_DB, HUM_UNDER_DB = 16, 10.0, 15.0, 50.0

#: A line is one of the mains that lies so near a multiple, Hz.
MAINS_HZ = 3.0

#: And it stands so still, dB from its lowest to its 80th percentile.
HUM_MOVES_DB = 5.0

#: Its ends are those of so many lines, each with more than this share of the strongest
#: one's lead.
HUM_LINES, LINE_SHARE = 6, 0.4

#: They are looked for so many times, with ever longer stretches to tell the lines'
#: frequencies, up to 30 s from where it stands out, in frames: else many hums would
#: cost a square of time.
HUM_ROUNDS, HUM_REACH = 6, 470

#: A line's phase and level differ by this share of it anyway; one frame of one line is
#: evidence of at most so much, in nepers: a voice that hits or cancels the line once
#: says little.
LINE_NOISE, MOST_EVIDENCE = 0.1, 3.0

#: Windows of ``HUM_FRAMES`` begin every so many frames.
HUM_STEP = 4


def hums(frames: Frames) -> list[Event]:
    """Find lines that stand still for a second and more, as mains hum and buzzes do."""
    level = _line_levels(frames)
    if len(level) < HUM_FRAMES:
        return []
    bins, lead = _leads(level, frames.speech_db)
    strongest = lead.max(axis=1)
    events: list[Event] = []
    for start, end in runs(strongest >= 1):
        events.append(_hum(frames, bins, lead[start:end], HUM_STEP * start))
    return joined(events, gap_s=1.0)


def _leads(level: Floats, speech_db: float) -> tuple[Bins, Floats]:
    """Measure how far lines stand out, as a multiple of what is asked of each.

    Args:
        level: levels of lines in long frames, dB [shape=(frames, bins)].
        speech_db: the level of speech.

    Returns:
        The bins of ``HUM_HZ``, and their leads in windows of ``HUM_FRAMES``
        [shape=(windows, bins)]: 0 where a line moves or is too loud for a hum.
    """
    lowest_hz, highest_hz = HUM_HZ
    first = round(lowest_hz * LONG / SPEECH_RATE)
    last = round(highest_hz * LONG / SPEECH_RATE)
    bins = np.arange(first, last)
    frames_of_window = np.lib.stride_tricks.sliding_window_view(
        level, HUM_FRAMES, axis=0
    )
    windows = frames_of_window[::HUM_STEP]
    low, high = np.percentile(windows, (20, 80), axis=2)
    sides = np.concatenate([np.arange(-8, -2), np.arange(3, 9)])
    beside = low[:, bins[:, None] + sides]
    lead = low[:, bins] - np.median(beside, axis=2)
    spread = high - windows.min(axis=2)
    is_still = spread[:, bins] < HUM_MOVES_DB
    is_faint = low[:, bins] < speech_db - HUM_UNDER_DB
    lead[~is_still | is_faint] = 0
    is_mains = _from_mains(bins * SPEECH_RATE / LONG) < MAINS_HZ
    lead /= np.where(is_mains, MAINS_DB, HUM_DB)
    return bins, lead


def _from_mains(hz: Floats) -> Floats:
    """Return the distance from the nearest multiple of 50 or 60 Hz, Hz."""
    distances: list[Floats] = []
    for mains_hz in (50, 60):
        nearest_multiple = mains_hz * np.round(hz / mains_hz)
        distances.append(np.abs(hz - nearest_multiple))
    return np.asarray(np.min(distances, axis=0))


def _hum(frames: Frames, bins: Bins, lead: Floats, first: int) -> Event:
    """Make the event of windows from this frame on, by its strongest lines.

    ``lead`` is by how many times what is asked for each bin stands out [shape=(windows,
    bins)].
    """
    window = int(lead.max(axis=1).argmax())
    lines_hz = bins[_strongest_lines(lead[window])] * SPEECH_RATE / LONG
    low = max(0, first - HUM_REACH)
    behind = first + HUM_STEP * len(lead) + HUM_FRAMES + HUM_REACH
    parts = _parts(frames, lines_hz, low, behind)
    begin, stop = _extent(parts, first + HUM_STEP * window - low)
    begin += low
    stop += low
    # A frame whose middle lies on the edge of a tone holds half of its amplitude.
    step_s = LONG_STEP / SPEECH_RATE
    edge_s = (LONG - LONG_STEP) / 2 / SPEECH_RATE
    start_s, end_s = 0.0, frames.seconds
    if begin:
        start_s = begin * step_s + edge_s
    if stop * LONG_STEP + LONG <= len(frames.wave):
        end_s = stop * step_s + edge_s
    return Event(kind="hum", start_s=start_s, end_s=end_s, strength=float(lead.max()))


def _strongest_lines(lead: Floats) -> Bins:
    """Return the peaks of leads, at most ``HUM_LINES`` bins, weakest first."""
    padded = np.pad(lead, 1)
    is_peak = lead >= np.maximum(padded[:-2], padded[2:])
    is_strong = lead > LINE_SHARE * lead.max()
    lines = np.flatnonzero(is_peak & is_strong)
    by_lead = np.argsort(lead[lines])
    return lines[by_lead[-HUM_LINES:]]


def _parts(frames: Frames, hz: Floats, low: int, behind: int) -> Complexes:
    """Return amplitude and phase of tones in long frames.

    They are at rest at exactly these frequencies.
    """
    long_frames = np.lib.stride_tricks.sliding_window_view(frames.wave, LONG)
    rows = long_frames[::LONG_STEP][low:behind]
    window = np.hanning(LONG + 1)[:-1]
    samples = np.arange(LONG)[:, None]
    turns = np.exp(-2j * np.pi / SPEECH_RATE * samples * hz)
    turns = 2 / window.sum() * window[:, None] * turns
    turns = np.asarray(turns, np.complex64)
    # Frames overlap, and a product copies them.
    blocks = np.array_split(rows, len(rows) // 200 + 1)
    parts = np.concatenate([block @ turns for block in blocks])
    begins_s = np.arange(low, low + len(rows))[:, None] * LONG_STEP / SPEECH_RATE
    return np.asarray(parts * np.exp(-2j * np.pi * begins_s * hz), np.complex128)


def _extent(parts: Complexes, top: int) -> tuple[int, int]:
    """Find the frames in which tones last that stand still for ``HUM_FRAMES``.

    ``top`` is the frame at which these begin.
    """
    begin, stop = top, top + HUM_FRAMES
    parts = _at_rest(parts, begin, stop, 1)
    for _ in range(HUM_ROUNDS):
        parts = _at_rest(parts, begin, stop, (stop - begin) // 4)
        evidence = _evidence(parts, begin, stop)
        middle = (begin + stop) // 2
        backwards = np.cumsum(evidence[: middle + 1][::-1])
        forwards = np.cumsum(evidence[middle:])
        first = middle - int(backwards.argmax())
        behind = middle + int(forwards.argmax()) + 1
        is_settled = (first, behind) == (begin, stop)
        if is_settled or behind - first < HUM_FRAMES // 2:
            break
        begin, stop = first, behind
    return begin, stop


def _evidence(parts: Complexes, begin: int, stop: int) -> Floats:
    """Return how much each frame speaks for the tones of a span of frames, in nepers.

    A frame speaks for a tone where it is nearer to the tone than to silence, by the
    logarithm of the ratio of both distances; what is loud beside it is far from both.
    """
    inside = parts[begin:stop]
    tone = np.median(inside.real, axis=0) + 1j * np.median(inside.imag, axis=0)
    noise = np.square(LINE_NOISE * np.abs(tone)) + 1e-20
    from_silence = np.square(np.abs(parts)) + noise
    from_tone = np.square(np.abs(parts - tone)) + noise
    of_lines = np.log(from_silence / from_tone)
    bounded = of_lines.clip(-MOST_EVIDENCE, MOST_EVIDENCE)
    return np.asarray(bounded.sum(axis=1))


def _at_rest(parts: Complexes, begin: int, stop: int, size: int) -> Complexes:
    """Undo how far tones turn from one group of frames to the next, between two frames.

    ``size`` is the frames of a group.
    """
    used = (stop - begin) // size * size
    groups = parts[begin : begin + used].reshape(-1, size, parts.shape[1])
    means = groups.mean(axis=1)
    product = means[1:] * means[:-1].conj()
    # Weighted by amplitude, not by power: a loud frame does not decide alone.
    weighted = product / np.sqrt(np.abs(product) + 1e-20)
    turn = np.angle(weighted.sum(axis=0)) / size
    frames = np.arange(len(parts))[:, None]
    return np.asarray(parts * np.exp(-1j * frames * turn))


def _line_levels(frames: Frames) -> Floats:
    """Return levels up to ``HUM_HZ`` in long frames, dB [shape=(frames, bins)]."""
    last = round(HUM_HZ[1] * LONG / SPEECH_RATE) + 10
    if len(frames.wave) < LONG:
        return np.zeros((0, last), np.float32)
    rows = np.lib.stride_tricks.sliding_window_view(frames.wave, LONG)[::LONG_STEP]
    window = np.hanning(LONG + 1)[:-1].astype(np.float32)
    window *= 2 / window.sum()
    powers = []
    for part in np.array_split(rows, len(rows) // 200 + 1):
        spectrum = np.fft.rfft(part * window, axis=1)[:, :last]
        powers.append(np.square(np.abs(spectrum)))
    return decibels_of(np.concatenate(powers))
