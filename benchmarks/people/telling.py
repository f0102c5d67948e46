"""Which other measure tells what the steps of voice quality miss.

    python -m benchmarks.people.telling [--data DIR] [--rival NAME=FILE.csv]...

The pairs are those of codecs that listeners place ``FAR`` points of MUSHRA apart and
whose lead by P.808 and bandwidth is under one step. Each measure is tried beside these
two: how many of the pairs it orders, and, with a step chosen on the other conditions,
what all pairs of the condition that is left out then come to. Pairs of two conditions
are counted twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import parselmouth
import soxr
from numpy.typing import NDArray
from parselmouth.praat import call

from benchmarks.people.figures import Pairs, pairs_of, parts_of
from benchmarks.people.measured import (
    bench_arguments,
    blueprints_of,
    numbers_of,
    read_rival,
    rival_numbers,
)
from benchmarks.people.sets import Rated, read_sets
from benchmarks.report import table
from blueprints import Blueprint, Quality, Signal
from extractors import decode
from extractors.audio import SPEECH_RATE
from trace_eval.judges.beside.steps import PROMINENCE
from trace_eval.judges.beside.voice import voice_lead

Array = NDArray[np.float64]

#: Points of MUSHRA that are a clear difference, and the largest share of pairs that
#: listeners leave open which a step may decide.
FAR, MOST_AGAINST = 20.0, 0.2

#: Steps that are tried, in the median difference of pairs that are far apart.
FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, math.inf)

#: Blueprint columns that are tried.
COLUMNS = ("quality.sig", "quality.bak", "quality.ovrl", "pitch.voiced_ratio")


@dataclass(frozen=True)
class Outcome:
    """The effect of leads on some pairs.

    Attributes:
        human, decided, right: pairs that listeners decide, those decided, and rightly.
        ties, against: pairs that they leave open, and those decided.
        missed, told: far pairs that two measures miss, and those decided rightly.
    """

    human: int
    decided: int
    right: int
    ties: int
    against: int
    missed: int
    told: int

    @property
    def rank(self) -> tuple[bool, float]:
        """Sort within the limit first, then by right less wrong less against."""
        against = self.against / max(1, self.ties)
        utility = (2 * self.right - self.decided) / max(1, self.human) - against
        return against <= MOST_AGAINST, utility

    def __add__(self, other: Outcome) -> Outcome:
        """Return the counts of both."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Outcome(*(x + y for x, y in pairs))


def outcome(
    lead: Array, pairs: Pairs, missed: NDArray[np.bool_], rows: Array
) -> Outcome:
    """Count the decisions of leads on some rows."""
    said = np.where(np.abs(lead) >= 1, np.sign(lead), 0)[rows]
    assert pairs.verdict is not None
    parts = parts_of(said, pairs.verdict[rows])
    (decided, human), (right, _), (against, ties) = (
        (int(top.sum()), int(of.sum())) for top, of in parts.values()
    )
    told = (said == np.sign(pairs.gap[rows])) & missed[rows]
    return Outcome(
        human=human,
        decided=decided,
        right=right,
        ties=ties,
        against=against,
        missed=int(missed[rows].sum()),
        told=int(told.sum()),
    )


def voicing(clip: Rated, blueprint: Blueprint) -> dict[str, float]:
    """Measure the voice between first and last speech by Praat, more being better."""
    sound = decode(clip.audio)
    samples = sound.samples.mean(axis=1) if sound.samples.ndim > 1 else sound.samples
    if isinstance(blueprint.signal, Signal) and blueprint.signal.speech:
        spans = blueprint.signal.speech
        edges = [round(t * sound.rate) for t in (spans[0].start_s, spans[-1].end_s)]
        samples = samples[slice(*edges)]
    voice = parselmouth.Sound(
        soxr.resample(samples, sound.rate, SPEECH_RATE), SPEECH_RATE
    )
    harmonics = voice.to_harmonicity_cc(0.01, 75).values
    points = call(voice, "To PointProcess (periodic, cc)", 75, 500)
    whole, periods = (0, 0), (1e-4, 0.02, 1.3)
    return {
        "harmonics to noise": float(harmonics[harmonics > -200].mean()),
        "jitter": -call(points, "Get jitter (local)", *whole, *periods),
        "shimmer": -call([voice, points], "Get shimmer (local)", *whole, *periods, 1.6),
        "spectral tilt": _tilt(np.asarray(voice.values[0])),
    }


def _tilt(samples: Array) -> float:
    """Return the slope of the mean spectrum from 200 Hz, dB an octave."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, 512)[::128] * np.hanning(
        512
    )
    power = (np.abs(np.fft.rfft(frames, axis=1)) ** 2).mean(axis=0)[7:240] + 1e-14
    octaves = np.log2(np.arange(7, 240))
    return float(np.polyfit(octaves, 10 * np.log10(power), 1)[0])


def candidates(
    clips: Sequence[Rated], blueprints: Mapping[str, Blueprint], rivals: Sequence[str]
) -> dict[str, Array]:
    """Return measure -> its value of each clip."""
    own = [blueprints[clip.item] for clip in clips]
    voices = [voicing(clip, one) for clip, one in zip(clips, own, strict=True)]
    numbers = numbers_of(clips, blueprints)
    columns: dict[str, Array] = {}
    for name in voices[0]:
        columns[name] = np.array([voice[name] for voice in voices])
    columns |= {name: numbers[name] for name in COLUMNS if name in numbers}
    clear = []
    for one in own:
        parts = one.quality.parts if isinstance(one.quality, Quality) else None
        value = parts[-1].prominence_db if parts else None
        clear.append(math.nan if value is None else value)
    items = {clip.item for clip in clips}
    scores = dict(read_rival(text, items) for text in rivals)
    return {
        PROMINENCE.label: np.array(clear),
        **columns,
        **rival_numbers(clips, scores),
    }


def lead_without(a: Blueprint, b: Blueprint) -> float:
    """Return the lead without periodicity; 0 if the answers cannot be compared."""
    parts = [x for x in voice_lead(a, b).differences if x.step is not PROMINENCE]
    return math.fsum(one.steps for one in parts if one.steps is not None)


def measure(data: Path, rivals: Sequence[str]) -> list[list[str]]:
    """Return a row per measure, the best first."""
    [folder] = [one for one in read_sets(data) if one.name == "codecs"]
    blueprints = blueprints_of(folder)
    clips = folder.clips
    pairs = pairs_of(clips, "quality")
    voices = [blueprints[clip.item] for clip in clips]
    sides = zip(pairs.a, pairs.b, strict=True)
    lead = np.array([lead_without(voices[a], voices[b]) for a, b in sides])
    far = np.abs(pairs.gap) >= FAR
    missed = far & (np.abs(lead) < 1)
    condition = np.array([clip.condition for clip in clips])
    rows = []
    for name, values in candidates(clips, blueprints, rivals).items():
        gap = np.nan_to_num(values[pairs.a] - values[pairs.b])
        size = float(np.median(np.abs(gap[far])))
        total = Outcome(0, 0, 0, 0, 0, 0, 0)
        for left in sorted(set(condition)):
            out = (condition[pairs.a] == left) | (condition[pairs.b] == left)
            results = {
                f: outcome(lead + gap / (f * size), pairs, missed, ~out)
                for f in FACTORS
            }
            factor = max(FACTORS, key=lambda one: results[one].rank)
            total += outcome(lead + gap / (factor * size), pairs, missed, out)
        ordered = int((np.sign(gap[missed]) == np.sign(pairs.gap[missed])).sum())
        rows.append((total.rank, _row(name, ordered, int(missed.sum()), total)))
    return [row for _, row in sorted(rows, reverse=True)]


def _row(name: str, ordered: int, missed: int, one: Outcome) -> list[str]:
    return [
        name,
        f"{ordered} of {missed}",
        f"{one.decided} of {one.human}",
        f"{one.right} of {one.decided}",
        f"{one.against} of {one.ties}",
        f"{one.told} of {one.missed}",
    ]


def main() -> None:
    """Measure and print."""
    args = bench_arguments(__doc__)
    header = [
        "measure",
        "orders what is missed",
        "decided",
        "right",
        "against",
        "missed: told",
    ]
    title = "measures beside P.808 and bandwidth, one condition left out at a time"
    table(title, header, measure(args.data, args.rival))


if __name__ == "__main__":
    main()
