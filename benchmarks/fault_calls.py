"""Calls rendered of clips, and the worlds in which the simulated faults are heard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr
from scipy.ndimage import uniform_filter1d

from extractors.formats import AUDIO_SUFFIXES
from trace_eval.data.conversation import (
    ROLES,
    Channel,
    Clock,
    Conversation,
    ConversationItem,
    Speaker,
    Turn,
)

Change = Callable[[Any, int, np.random.Generator], Any]
CLIPS = Path(__file__).resolve().parents[1] / "examples" / "clips"

#: Example clips that are plain speech.
VOICES = tuple(
    CLIPS / f"{name}.ogg"
    for name in (
        *(
            "noise-a",
            "loud-a",
            "loud-b",
            "slow-a",
            "refusal-instruction",
            "rising-pitch-a",
        ),
        *(
            "slow-instruction",
            "three-times-a",
            "off-topic-b",
            "pauses-b",
            "two-refusals-b",
        ),
    )
)

#: Length and rate of a rendered call.
SECONDS, RATE = 48.0, 16_000


def rendered(clips: Sequence[Path], folder: Path, number: int, seed: int) -> None:
    """Write calls by turns, in room tone 40 to 75 dB below them.

    Args:
        clips: folders, searched with all below them; each call is of half of one's
            clips and of the other half. None: the example clips.
        folder: where the calls go.
        number: of calls.
        seed: of the clips, gaps and room tones that are drawn; replies may overlap by
            0.3 s.
    """
    banks: list[list[Path]] = []
    for bank_folder in clips:
        files = bank_folder.rglob("*")
        banks.append(sorted(file for file in files if file.suffix in AUDIO_SUFFIXES))
    if not banks:
        banks = [list(VOICES)]
    for one in range(number):
        rng = np.random.default_rng((seed, one))
        bank = banks[rng.integers(len(banks))]
        drawn = [
            bank[n] for n in rng.choice(len(bank), min(len(bank), 16), replace=False)
        ]
        sound = _call((drawn[::2], drawn[1::2]), rng)
        soundfile.write(folder / f"rendered_{seed}_{one:02}.wav", sound, RATE)


def _call(voices: Sequence[Sequence[Path]], rng: np.random.Generator) -> Any:
    tone = 0.5 * 10 ** (-rng.uniform(40, 75, 2) / 20)
    sound = tone * rng.standard_normal((int(SECONDS * RATE), 2))
    at, channel = rng.uniform(0.5, 1.5), 1
    while at < SECONDS - 7:
        clip = voices[channel][rng.integers(len(voices[channel]))]
        part, own = soundfile.read(clip, always_2d=True)
        part = soxr.resample(part.mean(axis=1), own, RATE)
        loud = np.flatnonzero(np.abs(part) > 0.03 * np.abs(part).max())
        part = part[loud[0] : min(loud[-1], loud[0] + int(rng.uniform(1.5, 5) * RATE))]
        fade = np.minimum(1, np.arange(len(part))[::-1] / 160)
        first = int(at * RATE)
        sound[first : first + len(part), channel] += (
            0.4 * fade * part / np.abs(part).max()
        )
        at += len(part) / RATE + rng.uniform(-0.3, 2.5)
        channel = channel if rng.random() < 0.2 else 1 - channel
    return sound.clip(-1, 1)


def leaking(sound: Any, late: int, voice: int = 1, gain_db: float = -25.0) -> Any:
    """Leak the voice of a channel into the other one, so many samples late."""
    sound = sound.copy()
    sound[late:, 1 - voice] += 10 ** (gain_db / 20) * sound[: len(sound) - late, voice]
    return sound


def loud_frames(channel: Any, rate: int) -> Any:
    """Return the first samples of loud frames of 20 ms.

    A frame is loud within 30 dB of the loudest, and over the room tone.
    """
    size = rate // 50
    frames = (
        np.square(channel[: len(channel) // size * size]).reshape(-1, size).mean(axis=1)
    )
    return (
        np.flatnonzero(frames > max(frames.max() / 1_000, 4 * np.quantile(frames, 0.1)))
        * size
    )


def pauses_of(channel: Any, rate: int) -> list[tuple[int, int]]:
    """Pauses of 0.4 s or more after something loud and before it, in samples."""
    size, loud = rate // 50, loud_frames(channel, rate)
    return [
        (int(a) + size, int(b)) for a, b in pairwise(loud) if b - a >= 0.4 * rate + size
    ]


def log_of(
    sound: Any, rate: int, rng: np.random.Generator, audio: Path
) -> ConversationItem:
    """Write what a log says of a call: its utterances, up to 0.2 s late."""
    turns = []
    for channel, role in enumerate(ROLES):
        pauses, loud = (
            pauses_of(sound[:, channel], rate),
            loud_frames(sound[:, channel], rate),
        )
        edges = [
            int(loud[0]),
            *(edge for pause in pauses for edge in pause),
            int(loud[-1]),
        ]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            late = rng.uniform(0, 0.2)
            turns.append((start / rate + late, end / rate + late, role))
    turns = [one for one in sorted(turns) if one[1] > one[0]]
    return ConversationItem(
        id=audio.stem,
        conversation=Conversation(
            channels=tuple(
                Channel(name=role, audio=audio, channel=n)
                for n, role in enumerate(ROLES)
            ),
            speakers=tuple(
                Speaker(name=role, role=role, channel=role) for role in ROLES
            ),
            clock=Clock(kind="log"),
            turns=tuple(Turn(speaker=role, start_s=a, end_s=b) for a, b, role in turns),
        ),
    )


def _telephone(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Mu-law of 8 bits, as a telephone has it."""
    sign, size = np.sign(sound), np.log1p(255 * np.abs(sound).clip(0, 1)) / np.log(256)
    return sign * (256 ** (np.round(size * 127) / 127) - 1) / 255


def _noise(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Noise 20 dB below the speech of each channel."""
    power = np.square(sound)
    speech = [one[one > np.quantile(one, 0.9) / 100].mean() for one in power.T]
    return sound + 0.1 * np.sqrt(speech) * rng.standard_normal(sound.shape)


def _gain(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Apply automatic gain.

    Half of each second's distance from the loudest, in dB, is made up.
    """
    power = uniform_filter1d(np.square(sound), rate, axis=0, mode="constant")
    level = np.sqrt(power.clip(0)) + 1e-4
    return sound * np.minimum(8, np.sqrt(level.max(axis=0) / level))


def _gate(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Gate noise: digital silence from 0.2 s after what is 40 dB below the loudest."""
    out = sound.copy()
    for channel in out.T:
        near = np.convolve(
            np.abs(channel) > 0.01 * np.abs(channel).max(), np.ones(rate // 5)
        )
        channel[near[: len(channel)] < 0.5] = 0
    return out


def _leaky_gate(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Leak each side into the other, within 60 ms at -20 to -35 dB, and gate both."""
    out = sound.copy()
    for voice in (0, 1):
        late, gain_db = int(rng.uniform(0, 0.06) * rate), rng.uniform(-35, -20)
        out[:, 1 - voice] = leaking(sound, late, voice, gain_db)[:, 1 - voice]
    return _gate(out, rate, rng)


WORLDS: dict[str, Change] = {
    "clean": lambda sound, rate, rng: sound,
    "noise": _noise,
    "telephone": _telephone,
    "gain": _gain,
    "gate": _gate,
    "leaky gate": _leaky_gate,
}


def heard_in(
    world: str, sound: Any, rate: int, rng: np.random.Generator
) -> tuple[Any, int]:
    """Return (samples, rate) of a call in a world; a telephone has 8 kHz."""
    if world == "telephone" and rate != 8_000:
        sound, rate = soxr.resample(sound, rate, 8_000), 8_000
    return WORLDS[world](sound.clip(-1, 1), rate, rng).clip(-1, 1), rate
