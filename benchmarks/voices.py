"""How well changes of voice, odd voices and sounds are heard in speech.

The speech is real and made.

    python -m benchmarks.voices [--each 50]     # TRACE_EVAL_DATA names the data

Voices of synthesisers and of people are joined at a random moment; the other clips have
one voice. Nothing here was used to train the networks; limits were chosen on the same
half.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from benchmarks import defects_voices, neural_voice
from extractors import find_spans
from extractors.audio import SPEECH_RATE
from extractors.networks import campplus, speaker
from extractors.networks.sounds import YamnetExtractor
from extractors.vad import speech_probability

Floats = npt.NDArray[np.float32]

MEN = ("rms", "awb", "kal16", "joe")
WOMEN = ("slt", "en-gb+f2", "en-us+f4")
#: Speakers of the set who are men.
ACTORS = {"03", "10", "11", "12", "15"}


def at_16k(sound: npt.NDArray[np.float64], rate: int) -> Floats:
    """Resample the sound to the networks' rate."""
    return np.asarray(soxr.resample(sound, rate, SPEECH_RATE), np.float32)


def without_pauses(sound: Floats) -> Floats:
    """Join the stretches of speech."""
    spans = find_spans(speech_probability(sound), len(sound) / SPEECH_RATE)
    edges = [
        (round(s.start_s * SPEECH_RATE), round(s.end_s * SPEECH_RATE)) for s in spans
    ]
    return np.concatenate([sound[start:end] for start, end in edges] or [sound[:0]])


def made_voices() -> dict[str, list[Floats]]:
    """Voice -> sentences; without the neural voice where its package is missing."""
    sentences: dict[str, list[Floats]] = {}
    for voice in (*MEN, *WOMEN):
        if voice == "joe" and neural_voice.model() is None:
            continue
        sentences[voice] = []
        for text in defects_voices.TEXTS:
            engine = "espeak-ng" if voice.startswith("en-") else "flite"
            spoken = (
                neural_voice.spoken(text)
                if voice == "joe"
                else defects_voices.spoken(engine, voice, text)
            )
            sentences[voice].append(without_pauses(at_16k(*spoken)))
    return sentences


def people(data: Path) -> dict[str, list[Floats]]:
    """Speaker and emotion -> utterances."""
    utterances = defaultdict(list)
    for path in sorted((data / "people" / "emotion" / "audio").iterdir()):
        sound, rate = soundfile.read(path)
        clip = without_pauses(at_16k(sound, rate))
        utterances[f"{path.name[:2]} {path.name[5]}"].append(clip)
    return utterances


def stretch(
    clips: Sequence[Floats], seconds: float, random: np.random.Generator
) -> Floats | None:
    """So many seconds of one voice; None where there is less."""
    order = random.permutation(len(clips))
    joined = np.concatenate([clips[number] for number in order])
    size = round(seconds * SPEECH_RATE)
    return joined[:size] if len(joined) >= size else None


def figures(
    voices: dict[str, list[Floats]],
    pairs: Sequence[tuple[str, str]],
    each: int,
    seed: int,
) -> str:
    """Count changes that are found, their error in time, and false ones."""
    random = np.random.default_rng(seed)
    errors, lost, false, ones = [], 0, 0, 0
    while len(errors) + lost < each:
        first, second = pairs[random.integers(len(pairs))]
        before = stretch(voices[first], random.uniform(3, 5), random)
        after = stretch(voices[second], random.uniform(3, 5), random)
        if before is None or after is None:
            continue
        least = speaker.measured(np.concatenate([before, after])).least
        if least is not None and least.cosine < speaker.ONE_VOICE:
            errors.append(abs(least.at_s - len(before) / SPEECH_RATE))
        else:
            lost += 1
    names = sorted({name for pair in pairs for name in pair})
    while ones < each:
        clip = stretch(
            voices[names[random.integers(len(names))]], random.uniform(6, 9), random
        )
        if clip is not None:
            ones += 1
            least = speaker.measured(clip).least
            false += least is not None and least.cosine < speaker.ONE_VOICE
    middle, far = np.quantile(errors, [0.5, 0.95])
    return (
        f"found {len(errors)} of {each}, {middle:.2f} s off in the median (p95"
        f" {far:.2f}); false {false} of {each}"
    )


def at_once(voices: dict[str, list[Floats]], each: int, seed: int) -> str:
    """Count clips of one and of two voices, equally loud, that are heard as two."""
    random = np.random.default_rng(seed)
    names = list(voices)
    two = one = clips = 0
    while clips < each:
        first, second = random.choice(len(names), 2, replace=False)
        seconds = random.uniform(4, 7)
        above = stretch(voices[names[first]], seconds, random)
        below = stretch(voices[names[second]], seconds, random)
        if above is None or below is None:
            continue
        clips += 1
        both = above / np.std(above) + below / np.std(below)
        two += speaker.talking_at_once(np.asarray(both / 20, np.float32)) is not None
        one += speaker.talking_at_once(above) is not None
    return f"two at once found {two} of {each}; one taken for two {one} of {each}"


def false_sounds(clips: Sequence[Floats]) -> str:
    """Clips of speech in which any sound is named."""
    named = defaultdict(int)
    for clip in clips:
        for kind in {
            event.kind for event in YamnetExtractor().events(clip, narrow=False)
        }:
            named[kind] += 1
    return f"{dict(named) or 'none'} in {len(clips)} clips"


def equal_error(utterances: dict[str, list[Floats]], seconds: float) -> str:
    """Equal-error rate of pairs of stretches of one emotion each."""
    random, vectors, owners = np.random.default_rng(0), [], []
    for name, clips in utterances.items():
        for _ in range(4):
            clip = stretch(clips, seconds, random)
            if clip is not None:
                vectors.append(campplus.direction(clip))
                owners.append(name)
    cosines = np.array(vectors) @ np.array(vectors).T
    first, second = np.triu_indices(len(vectors), 1)
    speakers = np.array([name[:2] for name in owners])
    emotions = np.array([name[3:] for name in owners])
    same = speakers[first] == speakers[second]
    alike = emotions[first] == emotions[second]
    lines = []
    for label, chosen in (("one emotion", alike), ("any emotion", alike | ~alike)):
        yes = np.sort(cosines[first, second][same & chosen])
        no = np.sort(cosines[first, second][~same & chosen])
        limits = np.unique(np.concatenate([yes, no]))
        missed = np.searchsorted(yes, limits) / len(yes)
        taken = 1 - np.searchsorted(no, limits) / len(no)
        place = int(np.argmin(abs(missed - taken)))
        rate = (missed[place] + taken[place]) / 2
        lines.append(f"{label} {rate:.3f} ({len(yes)} and {len(no)} pairs)")
    return ", ".join(lines)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    voices = made_voices()
    pairs: list[tuple[str, str]] = []
    for sex in (MEN, WOMEN):
        pairs += permutations([name for name in sex if name in voices], 2)
    print("made voices:", figures(voices, pairs, options.each, options.seed))
    print("made voices:", at_once(voices, options.each, options.seed))
    print(
        "sounds, made voices:",
        false_sounds([c for clips in voices.values() for c in clips]),
    )
    data = os.environ.get("TRACE_EVAL_DATA")
    if not data:
        print("people: TRACE_EVAL_DATA is not set")
        return
    utterances = people(Path(data))
    alike = [
        (a, b)
        for a in utterances
        for b in utterances
        if a[:2] != b[:2] and a[3:] == b[3:] and (a[:2] in ACTORS) == (b[:2] in ACTORS)
    ]
    print(
        "people, one emotion:", figures(utterances, alike, options.each, options.seed)
    )
    print("people:", at_once(utterances, options.each, options.seed))
    print("equal-error rate at 3 s:", equal_error(utterances, 3))
    print("sounds, people:", false_sounds([c for v in utterances.values() for c in v]))


if __name__ == "__main__":
    main()
