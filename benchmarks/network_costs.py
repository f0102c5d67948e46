"""What each network without torch costs, in CPU seconds per second of sound.

    TRACE_EVAL_DATA=... python -m benchmarks.network_costs

The clips are prompts, joined to stretches of a few lengths; loading is not counted. The
last lines are what ``-x speaker=campplus -x sounds=yamnet`` adds, and what the default
extractors of the same clips take.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.report import arguments, data_folder
from blueprints import Blueprint
from extractors import packaged, registry
from extractors.audio import SPEECH_RATE, Clip, Samples, decode
from extractors.base import Extractor
from extractors.networks import campplus, fireredvad, segmentation, yamnet

#: Lengths of the stretches, seconds.
LENGTHS = (4.0, 12.0, 30.0)

#: The extra extractors, and those that run without being asked for.
EXTRA = ("campplus", "yamnet")
DEFAULT = ("signal", "bs1770", "praat", "nuclei", "dnsmos")

#: What runs each network on a stretch, by the name of its weights.
NETWORKS: dict[str, Callable[[Samples], object]] = {
    packaged.CAMPPLUS: campplus.direction,
    packaged.SEGMENTATION: segmentation.local_speakers,
    packaged.FIREREDVAD: fireredvad.events,
    packaged.YAMNET: yamnet.classes,
}


def stretches(sound: Samples) -> list[Clip]:
    """Return a stretch of each length."""
    sizes = [round(seconds * SPEECH_RATE) for seconds in LENGTHS]
    return [Clip(sound[:size, np.newaxis], SPEECH_RATE, f"{size}") for size in sizes]


def cost(work: Callable[[Clip], object], clips: Sequence[Clip]) -> float:
    """Return the least processor time per second of sound of three rounds."""
    work(clips[0])  # what is loaded once
    rounds: list[float] = []
    for _ in range(3):
        started = time.process_time()
        for clip in clips:
            work(clip)
        rounds.append(time.process_time() - started)
    return min(rounds) / sum(clip.seconds for clip in clips)


def extractor_cost(
    extractor: Extractor, clips: Sequence[Clip], known: Sequence[Blueprint]
) -> float:
    """Return the cost of one extractor; ``known`` has the groups that it needs."""
    by_clip = {
        clip.sha256: blueprint for clip, blueprint in zip(clips, known, strict=True)
    }
    return cost(lambda clip: extractor.extract(clip, by_clip[clip.sha256]), clips)


def main() -> None:
    """Print a line for each network, and for the extractors."""
    arguments(__doc__)
    folder = data_folder() / "prompts"
    sounds = [decode(path).speech for path in sorted(folder.glob("*.wav"))]
    repeated = np.concatenate(sounds * 3)
    clips = stretches(repeated)
    for name, run in NETWORKS.items():
        if reason := packaged.problem(name):
            print(f"{name}: {reason}")
            continue
        print(f"{name}: {cost(lambda clip, run=run: run(clip.speech), clips):.4f}")
    known: list[Blueprint] = []
    for clip in clips:
        blueprint = Blueprint(clip=clip.sha256)
        for name in ("signal", "praat"):
            extractor = registry.create(name)
            value = extractor.extract(clip, blueprint)
            blueprint = blueprint.with_group(
                extractor.group, value, extractor.provenance()
            )
        known.append(blueprint)
    for title, names in (("extra", EXTRA), ("default", DEFAULT)):
        parts: dict[str, float] = {}
        for name in names:
            extractor = registry.create(name)
            if reason := extractor.unavailable():
                print(f"{name}: {reason}")
                continue
            parts[name] = extractor_cost(extractor, clips, known)
        each = ", ".join(f"{name} {value:.4f}" for name, value in parts.items())
        print(f"{title}: {sum(parts.values()):.4f} ({each})")


if __name__ == "__main__":
    main()
