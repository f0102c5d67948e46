"""Clips with one defect planted, for ``defects``.

The defect is planted in a clip of ``defects_voices`` at a random place with a random
strength; half of the clips then go through a codec. A clip without a defect is made the
same way. A listener can hear what is planted: a drop-out takes speech away and not a
pause, an end is cut where the sound goes on, and the ends of formant synthesis, which
stops like a cut, are faded first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import parselmouth
from parselmouth.praat import call

from benchmarks.defects_voices import (
    CODECS,
    Floats,
    Rng,
    Voices,
    base,
    inside,
    joined,
    level,
    loud_frames,
    voices_beside,
)

Planted = tuple[Floats, float, float]


def loop(x: Floats, rate: int, rng: Rng) -> Planted:
    """.25 to 1.5 s said one to four times more, its copies joined by 5 ms."""
    length = int(rate * min(rng.uniform(0.25, 1.5), len(x) / rate / 3))
    start = inside(x, rate, rng, 0.15)
    start = min(start, len(x) - length - rate // 5)
    fade = rate // 200
    part = x[start : start + length]
    times = int(rng.integers(1, 5))
    copies = [x[: start + length], *[x[start - fade : start + length]] * times]
    whole = joined([*copies, x[start + length - fade :]], fade)
    return whole, start / rate, (start + (times + 1) * len(part)) / rate


def drop_out(x: Floats, rate: int, rng: Rng) -> Planted:
    """30 to 400 ms of nothing inside speech, cut within 1 ms."""
    length = int(rate * rng.uniform(0.03, 0.4))
    at = inside(x, rate, rng, 0.05) + rate // 40
    ends = (
        np.flatnonzero(np.convolve(loud_frames(x, rate), np.ones(3), "valid") == 3)
        * rate
        // 100
    )
    ends = ends[
        (ends >= at + length // 2)
        & (ends >= at + 0.03 * rate)
        & (ends <= at + 2 * length)
    ]
    if not len(ends):
        raise ValueError("no loud end")
    length = int(rng.choice(ends)) - at
    # What falls into a pause takes nothing away that is heard.
    lost = loud_frames(x, rate, 25)[at * 100 // rate : (at + length) * 100 // rate]
    if lost.mean() < 0.67:
        raise ValueError("most of it is a pause")
    y = x.copy()
    y[at : at + length] = 0
    return y, at / rate, (at + length) / rate


def click(x: Floats, rate: int, rng: Rng) -> Planted:
    """Add a click of one to four samples at 0.4 to 1 times the clip's peak.

    It is refused where what lies beside it is louder than a third of it.
    """
    at = int(rng.integers(rate // 10, len(x) - rate // 10))
    size = int(rng.integers(1, 5))
    high = np.abs(x).max() * rng.uniform(0.4, 1)
    if high < 3 * np.abs(x[at - rate // 50 : at + rate // 50]).max():
        raise ValueError("masked")
    y = x.copy()
    y[at : at + size] += high * rng.choice([-1, 1])
    return y, at / rate, (at + size) / rate


def clipped(x: Floats, rate: int, rng: Rng) -> Planted:
    """.3 to 1.2 s driven 12 to 24 dB into the limit."""
    length = int(rate * rng.uniform(0.3, 1.2))
    at = inside(x, rate, rng, 0.15)
    gain = np.ones(len(x))
    gain[at : at + length] = 10 ** (rng.uniform(12, 24) / 20)
    fade = rate // 100
    gain = np.convolve(gain, np.ones(fade) / fade, "same")
    top = np.abs(x).max()
    y = np.clip(x * gain, -top, top)
    over = np.flatnonzero(np.abs(x * gain) > top)
    over = over[(over >= at) & (over < at + length)]
    if len(over) < 50:
        raise ValueError("nothing reaches the limit")
    return y, over[0] / rate, (over[-1] + 1) / rate


def stretched(x: Floats, rate: int, rng: Rng) -> Planted:
    """40 to 80 ms of speech drawn out to .6 to 2 s by overlapping grains of it."""
    grain = int(rate * rng.uniform(0.04, 0.08))
    at = inside(x, rate, rng, 0.1)
    part = x[at : at + 2 * grain]
    period = _period(part, rate)
    count = int(rng.uniform(0.6, 2) * rate / period)
    width = max(1, grain // period) * period
    window = np.hanning(2 * width + 1)[:-1]
    held = np.zeros(count * period + 2 * width)
    source = np.resize(part, 2 * width)
    for i in range(count * period // width):
        held[i * width : i * width + 2 * width] += source * window
    end = count * period // width * width
    parts = [x[: at + width], held[width:end], x[at + width :]]
    return joined(parts, rate // 100), (at + width) / rate, (at + end) / rate


def _period(part: Floats, rate: int) -> int:
    full = np.correlate(part, part, "full")[len(part) - 1 :]
    low, high = rate // 400, min(rate // 70, len(part) // 2)
    return low + int(np.argmax(full[low:high]))


def abrupt_begin(x: Floats, rate: int, rng: Rng) -> Planted:
    """Cut away what lies before a loud place."""
    at = inside(x, rate, rng, 0.04)
    if len(x) - at < rate:
        raise ValueError("too little is left")
    return x[at:], 0.0, 0.0


def abrupt_end(x: Floats, rate: int, rng: Rng) -> Planted:
    """Cut everything away from the middle of a loud place on.

    In half of the cases silence takes its place.
    """
    # 40 ms behind the cut are loud as well: an end before a pause or a stop is not
    # abrupt.
    at = inside(x, rate, rng, 0.08) + rate // 25
    if at < rate:
        raise ValueError("too little is left")
    y = x[:at]
    if rng.random() < 0.5:
        y = np.concatenate([y, np.zeros(int(rate * rng.uniform(0.1, 0.8)))])
    return y, at / rate, at / rate


def pitch_jump(x: Floats, rate: int, rng: Rng) -> Planted:
    """Shift f0 by 10 to 16 semitones from mid-voice to the next quiet.

    Praat hears the step in the result, with voice on both sides, and no step back where
    it ends.
    """
    sound = parselmouth.Sound(x, rate)
    pitch = sound.to_pitch_ac(0.01, 60.0, voicing_threshold=0.6, pitch_ceiling=500.0)
    voiced = pitch.selected_array["frequency"]
    run = np.convolve(voiced > 0, np.ones(20), "valid")
    places = np.flatnonzero(run >= 20)
    if not len(places):
        raise ValueError("no voiced stretch")
    frame = int(rng.choice(places)) + 10
    at = float(pitch.xs()[frame])
    # Weakly voiced frames are voice as well, to the ear: 50 ms without any end the
    # stretch.
    weak = sound.to_pitch_ac(0.01, 60.0, voicing_threshold=0.2, pitch_ceiling=500.0)
    silent = np.convolve(
        weak.selected_array["frequency"][frame:] == 0, np.ones(5), "valid"
    )
    quiet = np.flatnonzero(silent == 5)
    end = float(pitch.xs()[frame + quiet[0]]) if len(quiet) else len(x) / rate
    sign = 1 if voiced[frame] < 170 else -1
    factor = 2 ** (sign * rng.uniform(10, 16) / 12)
    manipulation = call(sound, "To Manipulation", 0.01, 60, 500)
    tier = call(manipulation, "Extract pitch tier")
    call(tier, "Multiply frequencies", at, end, factor)
    call([tier, manipulation], "Replace pitch tier")
    y = np.asarray(
        call(manipulation, "Get resynthesis (overlap-add)").values[0], float
    )[: len(x)]
    before, behind = voices_beside(y, rate, at)
    if min(len(before), len(behind)) < 16:
        raise ValueError("less than 80 ms of voice beside it")
    if abs(12 * np.log2(np.median(behind[:6]) / np.median(before[:6]))) < 10:
        raise ValueError("a smaller step")
    before, behind = voices_beside(y, rate, end)
    if min(len(before), len(behind)) and abs(12 * np.log2(behind[0] / before[0])) > 6:
        raise ValueError("f0 steps back inside the voice")
    return y, at, at


def long_pause(x: Floats, rate: int, rng: Rng) -> Planted:
    """Insert 3.5 to 7 s of the clip's own quiet between two words.

    0.3 s of real quiet stay before and behind it.
    """
    loud = np.flatnonzero(loud_frames(x, rate, 25))
    gaps = np.flatnonzero(np.diff(loud) >= 6)
    gaps = gaps[(gaps >= 30) & (gaps < len(loud) - 30)]
    if not len(gaps):
        raise ValueError("no gap between words")
    one = rng.choice(gaps)
    first, last = (loud[one] + 2) * rate // 100, (loud[one + 1] - 1) * rate // 100
    quiet = x[first:last]
    if quiet.std() > level(x) * 10 ** (-25 / 20):
        raise ValueError("not quiet")
    length = int(rate * rng.uniform(3.5, 7))
    held = rng.standard_normal(length) * quiet.std()
    parts = [x[:first], held, x[last:]]
    return np.concatenate(parts), first / rate, (first + length) / rate


def hum(x: Floats, rate: int, rng: Rng) -> Planted:
    """1.5 s or more of mains hum and its harmonics, 12 to 32 dB under the speech."""
    length = min(len(x), int(rate * rng.uniform(1.5, 8)))
    at = int(rng.integers(0, len(x) - length + 1))
    t = np.arange(length) / rate
    f = rng.choice([50, 60, 100, 120]) * rng.uniform(0.995, 1.005)
    falling = rng.uniform(0.3, 1.5)
    tone = sum(
        np.sin(2 * np.pi * f * k * t + rng.uniform(0, 6)) / k**falling
        for k in range(1, 12)
    )
    y = x.copy()
    y[at : at + length] += (
        tone / tone.std() * level(x) * 10 ** (-rng.uniform(12, 32) / 20)
    )
    return y, at / rate, (at + length) / rate


def silence(x: Floats, rate: int, rng: Rng) -> Planted:
    """Silence the answer, or its later part: half or more of the clip is quiet."""
    quiet = 10 ** (-rng.uniform(65, 90) / 20) * rng.standard_normal(len(x))
    if rng.random() < 0.5:
        return quiet, 0.0, len(x) / rate
    half = len(x)
    loud = np.flatnonzero(loud_frames(x, rate, 25))
    y = np.concatenate([x[: (loud[-1] + 3) * rate // 100], quiet[:half]])
    if half < 2 * rate:
        y = np.concatenate([y, quiet[: 2 * rate]])
    return y, (loud[-1] + 1) / 100, len(y) / rate


#: Kind -> how it is planted.
KINDS: dict[str, Callable[[Floats, int, Rng], Planted]] = {
    one.__name__: one
    for one in (
        *(
            loop,
            drop_out,
            click,
            clipped,
            stretched,
            abrupt_begin,
            abrupt_end,
            pitch_jump,
        ),
        *(long_pause, hum, silence),
    )
}


class Made(NamedTuple):
    """A clip with a defect, and the same clip without it, before the codec.

    Places are in seconds.
    """

    voice: str
    clean: Floats
    samples: Floats
    rate: int
    start: float
    end: float
    codec: str | None


def planted(kind: str | None, own: Voices, count: int, seed: int) -> Iterator[Made]:
    """So many clips with a defect, or with none; the same ones for the same seed."""
    names = list(own)
    for number in range(count):
        rng = np.random.default_rng([seed, number, sum(map(ord, kind or ""))])
        voice = names[number % len(names)]
        while True:
            x, rate = base(own[voice], rng)
            try:
                y, start, end = KINDS[kind](x, rate, rng) if kind else (x, 0.0, 0.0)
                break
            except ValueError:
                continue
        # A codec bends flat tops, and whoever measures them says so.
        codec = None if kind == "clipped" else CODECS[rng.integers(len(CODECS))]
        yield Made(voice, x, y, rate, start, end, codec)
