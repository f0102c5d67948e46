"""The pairs that readers get: rated codecs, planted delivery, and copies.

What should be said of a pair is known from its listeners, from what was planted in it,
or because both answers are one recording.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

from benchmarks.people.asked import Asked, planted_pairs
from benchmarks.people.figures import pairs_of
from benchmarks.people.measured import blueprints_of
from benchmarks.people.sets import Folder, read_sets
from blueprints import Blueprint
from extractors import decode
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract
from trace_eval.judges.base import Case

#: What is asked where nothing of the delivery is.
PLAIN = "Read a sentence aloud."

#: Mean ratings so far apart are a clear difference, points of MUSHRA.
FAR = 20.0


@dataclass(frozen=True)
class Shown:
    """One pair of a reading, and what is known of it.

    Attributes:
        kind: codec, planted or copy.
        a, b: blueprints of answer 1 and 2.
        instruction: the request.
        dimension: of which something is known.
        verdict: ``1``, ``2`` or ``tie``.
        far: listeners' means are ``FAR`` points apart.
    """

    kind: str
    a: Blueprint
    b: Blueprint
    instruction: str
    dimension: str
    verdict: str
    far: bool = False

    def case(self, name: str) -> Case:
        """Return the pair as a judge gets it."""
        pair = Pair(
            id=name,
            instruction=Instruction(text=self.instruction),
            a=Answer(audio="a.wav"),
            b=Answer(audio="b.wav"),
        )
        return Case.of(pair, self.a, self.b)


def readings_of(data: Path, seed: int, folder: Path) -> dict[str, list[Shown]]:
    """Name of a reading -> its pairs in order; the singles are one reading here.

    ``folder`` is where copies of recordings are made.
    """
    chance = random.Random(seed)
    sets = {one.name: one for one in read_sets(data)}
    codecs, delivery = sets["codecs"], sets["delivery"]
    rated = _codecs(codecs, chance)
    decided = [one for one in rated if one.verdict != "tie"]
    equal = [one for one in rated if one.verdict == "tie"]
    far = [one for one in decided if one.far]
    own = blueprints_of(delivery)
    one_step, two_steps = (_planted(delivery, own, steps, chance) for steps in (1, 2))
    copies = list(_copies(codecs, delivery, folder, chance))
    readings = {
        "codecs": [*decided[:24], *equal[:16]],
        "planted": one_step[:18],
        "copies": copies[:16],
        "mixed": [
            *(*far[-12:], *equal[16:22], *one_step[18:26], *two_steps[:8]),
            *copies[16:24],
        ],
        "single": equal[-20:],
    }
    for name, pairs in readings.items():
        if name != "single":
            chance.shuffle(pairs)
    return readings


def _codecs(folder: Folder, chance: random.Random) -> list[Shown]:
    blueprints = blueprints_of(folder)
    pairs = pairs_of(folder.clips, "quality")
    assert pairs.verdict is not None
    results = []
    for i, j, gap, verdict in zip(
        pairs.a, pairs.b, pairs.gap, pairs.verdict, strict=True
    ):
        a, b = (blueprints[folder.clips[n].item] for n in (i, j))
        sign = int(verdict)
        if chance.random() < 0.5:
            a, b, sign = b, a, -sign
        word = {1: "1", -1: "2"}.get(sign, "tie")
        shown = Shown(
            "codec", a, b, PLAIN, "voice_quality", word, bool(abs(gap) >= FAR)
        )
        results.append(shown)
    chance.shuffle(results)
    return results


def _planted(
    folder: Folder,
    blueprints: Mapping[str, Blueprint],
    steps: int,
    chance: random.Random,
) -> list[Shown]:
    asked: Sequence[Asked] = [
        one for one in planted_pairs(folder.clips, steps) if one.verdict
    ]
    results = []
    for one in asked:
        a, b, sign = blueprints[one.a.item], blueprints[one.b.item], one.verdict
        if chance.random() < 0.5:
            a, b, sign = b, a, -sign
        word = "1" if sign > 0 else "2"
        results.append(Shown("planted", a, b, one.instruction, "paralinguistics", word))
    chance.shuffle(results)
    # As many of each kind.
    kinds: dict[str, list[Shown]] = {}
    for shown in results:
        kinds.setdefault(shown.instruction, []).append(shown)
    rows = zip(*kinds.values(), strict=False)
    return [shown for row in rows for shown in row]


#: What is done to a copy: level in dB, seconds of silence before it, sampling rate (0:
#: its own).
COPIES = (
    (-2.0, 0.0, 0),
    (1.5, 0.0, 0),
    (0.0, 0.3, 0),
    (0.0, 0.0, 48_000),
    (-1.0, 0.3, 48_000),
)


def _copies(
    codecs: Folder, delivery: Folder, folder: Path, chance: random.Random
) -> Iterator[Shown]:
    """Yield recordings beside copies of themselves, with delivery requests."""
    clips = [*chance.sample(codecs.clips, 20), *chance.sample(delivery.clips, 20)]
    asks = (PLAIN, "Say the next sentence slowly.", "Say the next sentence loudly.")
    files = []
    for number, clip in enumerate(clips):
        level, before, rate = COPIES[number % len(COPIES)]
        sound = decode(clip.audio)
        samples = sound.samples * 10 ** (level / 20)
        samples = np.pad(samples, ((round(before * sound.rate), 0), (0, 0)))
        if rate and rate != sound.rate:
            samples = soxr.resample(samples, sound.rate, rate)
        path = folder / f"{number}.wav"
        soundfile.write(
            path, np.clip(samples, -1, 1), rate or sound.rate, subtype="PCM_24"
        )
        files += [clip.audio, path]
    found = [one.blueprint for one in extract(files, ExtractOptions())]
    for number in range(len(clips)):
        a, b = found[2 * number], found[2 * number + 1]
        assert a is not None
        assert b is not None
        if chance.random() < 0.5:
            a, b = b, a
        yield Shown("copy", a, b, asks[number % len(asks)], "all", "tie")
