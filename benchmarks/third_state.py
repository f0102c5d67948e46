"""Sounds other than speech in calls: counted as silence, as a turn, or by kind.

    TRACE_EVAL_DATA=... python -m benchmarks.third_state [--seeds 2] [--real FOLDER]

Each call has a greeting, a question, then five seconds of a sound on either channel, an
answer, three seconds in which both are quiet, a second question and its answer. Sounds
are made here; real ones are the files of Debian's packages sound-theme-freedesktop,
asterisk-moh-opsound-wav and scratch, unpacked into a folder. Calls are timed with a
channel for each speaker, and with both summed to one.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

from benchmarks.mono_calls import clips
from benchmarks.report import arguments, save, table
from benchmarks.wordless import music
from blueprints import UserError
from extractors import SPEECH_RATE, decode
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.spans import Spans, joined, overlaps, runs, total, without
from trace_eval.data.conversation import ROLES
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns
from trace_eval.turns.timed import Timed

Floats = NDArray[np.floating[Any]]
Rng = np.random.Generator
Maker = Callable[[Rng], Floats]

#: How long a sound lasts, and the silence of both sides after it, seconds.
SOUND_S, SILENCE_S = 5.0, 3.0

#: Seconds around speech and sounds that are not judged, and what counts as a mistake.
_EDGE_S, _LEAST_S = 0.3, 0.3

#: Level of speech, of a sound, and of room tone, dB.
_SPEECH_DB, _SOUND_DB, _TONE_DB = -20.0, -30.0, -80.0

#: Events that say that both are quiet.
_SILENCES = ("dead_air", "pause", "first_silence", "last_silence")

#: Voices of user and agent: a person, and a synthetic voice.
_VOICES = ("emotion 10", "live agent")

#: Where real sounds lie in the folder of packages, and what they are.
REAL = {
    "hold music": "usr/share/asterisk/moh/*.wav",
    "music": "usr/share/scratch/Media/Sounds/Music Loops/[DEGJMTX]*.mp3",
    "phone tones": "usr/share/sounds/freedesktop/stereo/phone-*.oga",
    "beeps, bells": "usr/share/sounds/freedesktop/stereo/[bcdms]*.oga",
    "computer beeps": "usr/share/scratch/Media/Sounds/Electronic/Comp*.wav",
    "typing": "usr/share/scratch/Media/Sounds/Effects/Typing.mp3",
    "running machine": "usr/share/scratch/Media/Sounds/Effects/[SW]*[gen].mp3",
    "footsteps, claps": "usr/share/scratch/Media/Sounds/Human/F*",
}


def main() -> None:
    """Render, time, print and store."""
    args = arguments(
        __doc__,
        seeds=(2, "calls of each made sound, channel and layout"),
        first=(1, "first seed"),
        real=("", "folder of unpacked packages with real sounds"),
        verbose=False,
    )
    rows: list[list[Any]] = []
    voices = [clips(name) for name in _VOICES]
    for layout in ("stereo", "mono"):
        for name, makers in _sounds(args.real, args.seeds).items():
            tally = Tally()
            for (number, make), channel in product(enumerate(makers), (0, 1)):
                rng = np.random.default_rng([args.first, number, channel])
                call = rendered(voices, make(rng), channel, rng)
                verdict = judged(call, layout)
                if args.verbose and verdict and verdict.mistakes:
                    print(
                        layout, name, number, ROLES[channel], verdict, file=sys.stderr
                    )
                tally.add(verdict)
            rows.append([layout, name, *tally.row()])
            print(*rows[-1], file=sys.stderr, flush=True)
    table("sound that is no speech, in calls", COLUMNS, rows)
    save(
        "third_state",
        {"columns": COLUMNS, "seeds": [args.first, args.seeds], "calls": rows},
    )


COLUMNS = (
    *("channels", "sound", "calls", "refused", "called silence", "made a turn"),
    *("silence not found", "second reply not found", "nothing said"),
)


@dataclass(frozen=True)
class Found:
    """What is wrong with the times of one call."""

    silence: bool  # the sound is called silence
    turn: bool  # or a turn
    dead_air: bool  # the silence of both is not found
    reply: bool  # the answer to the second question is not found
    unsaid: bool  # no caveat says that there is a sound

    @property
    def mistakes(self) -> int:
        """How many of them there are."""
        return sum(getattr(self, field.name) for field in fields(self))


class Tally:
    """What came of the calls with one kind of sound."""

    def __init__(self) -> None:
        self.found: list[Found | None] = []

    def add(self, found: Found | None) -> None:
        """Add a call; None: it was refused."""
        self.found.append(found)

    def row(self) -> list[int]:
        """Return the number of calls, of refusals, and of each mistake."""
        timed = [one for one in self.found if one]
        mistakes: list[int] = []
        for field in fields(Found):
            mistakes.append(sum(getattr(one, field.name) for one in timed))
        return [len(self.found), len(self.found) - len(timed), *mistakes]


@dataclass(frozen=True)
class Call:
    """A rendered call and its truth, seconds."""

    sound: Floats  # [shape=(samples, 2)]
    speech: Spans
    noises: Spans  # where the sound is, without its own pauses
    silence: tuple[float, float]
    last_answer_s: float


def _sounds(real: str, seeds: int) -> dict[str, list[Maker]]:
    """Return what makes each kind of sound: made ones by seed, real ones by file."""
    sounds: dict[str, list[Maker]] = {
        f"{name} (made)": [make] * seeds for name, make in MADE.items()
    }
    if real:
        for name, pattern in REAL.items():
            files = sorted(Path(real).glob(pattern))
            sounds[f"{name} (real)"] = [_reader(file) for file in files]
    return sounds


def _reader(file: Path) -> Maker:
    def read(rng: Rng) -> Floats:
        sound = decode(file).speech
        size = round(SOUND_S * SPEECH_RATE)
        first = int(rng.integers(max(1, len(sound) - size)))
        return np.asarray(sound[first : first + size])

    return read


def tones(hz: Sequence[float], on_s: float, off_s: float) -> Maker:
    """Return what makes a signal of a telephone."""

    def make(rng: Rng) -> Floats:
        at = np.arange(round(SOUND_S * SPEECH_RATE)) / SPEECH_RATE
        sound = np.sum([np.sin(2 * np.pi * one * at) for one in hz], axis=0)
        return np.asarray(sound * (at % (on_s + off_s) < on_s))

    return make


def dialled(rng: Rng) -> Floats:
    """Make digits of a keypad, .12 s each with pauses of .1 s."""
    low, high = (697, 770, 852, 941), (1209, 1336, 1477)
    at = np.arange(round(0.12 * SPEECH_RATE)) / SPEECH_RATE
    parts = []
    for _ in range(round(SOUND_S / 0.22)):
        pair = rng.choice(low), rng.choice(high)
        parts += [np.sum([np.sin(2 * np.pi * hz * at) for hz in pair], axis=0)]
        parts += [np.zeros(round(0.1 * SPEECH_RATE))]
    return np.concatenate(parts)


def typing(rng: Rng) -> Floats:
    """Make keys: knocks of 5 to 15 ms, five to nine a second."""
    sound = np.zeros(round(SOUND_S * SPEECH_RATE))
    at = 0.0
    while at < SOUND_S - 0.1:
        size = int(SPEECH_RATE * rng.uniform(0.005, 0.015))
        first = int(at * SPEECH_RATE)
        knock = rng.standard_normal(size) * np.exp(-np.arange(size) / (size / 4))
        sound[first : first + size] += rng.uniform(0.3, 1.0) * knock
        at += rng.uniform(0.07, 0.25)
    return sound


def fan(rng: Rng) -> Floats:
    """Make a fan that starts: noise falling with frequency, and a blades' hum."""
    size = round(SOUND_S * SPEECH_RATE)
    spectrum = np.fft.rfft(rng.standard_normal(size))
    hz = np.fft.rfftfreq(size, 1 / SPEECH_RATE)
    noise = np.fft.irfft(spectrum / np.maximum(hz, 60.0) ** 0.7, size)
    at = np.arange(size) / SPEECH_RATE
    hum = np.sin(2 * np.pi * rng.uniform(90, 150) * at) + 0.5 * np.sin(
        2 * np.pi * 240 * at
    )
    starts = np.minimum(1.0, at / 0.5)
    return np.asarray(starts * (noise / noise.std() + 0.5 * hum))


#: Name -> what makes five seconds of it.
MADE: dict[str, Maker] = {
    "hold music": music,
    "typing": typing,
    "digits of a keypad": dialled,
    "ringing": tones((440, 480), on_s=2.0, off_s=4.0),
    "busy": tones((480, 620), on_s=0.5, off_s=0.5),
    "dial tone": tones((350, 440), on_s=9.0, off_s=0.0),
    "beeps": tones((1000,), on_s=0.2, off_s=0.8),
    "fan": fan,
    "none": lambda _: 1e-9 * np.ones(SPEECH_RATE),
}


def rendered(
    voices: Sequence[Sequence[Floats]], noise: Floats, channel: int, rng: Rng
) -> Call:
    """Render a call with a sound on a channel between a question and its answer."""
    gap = float(rng.uniform(0.4, 0.8))
    speech: Spans = []
    placed: list[tuple[float, int, Floats]] = []

    def say(at_s: float, side: int) -> float:
        part = voices[side][int(rng.integers(len(voices[side])))]
        placed.append((at_s, side, _at_level(part, _SPEECH_DB)))
        speech.append((at_s, at_s + len(part) / SPEECH_RATE))
        return speech[-1][1]

    greeted = say(1.0, 1) + gap
    begins = say(greeted, 0) + gap
    noise = _at_level(
        np.tile(noise, 1 + round(SOUND_S * SPEECH_RATE) // len(noise)), _SOUND_DB
    )
    noise = noise[: round(SOUND_S * SPEECH_RATE)]
    placed.append((begins, channel, noise))
    quiet = say(begins + SOUND_S + gap, 1)
    ends = say(quiet + SILENCE_S, 0)
    last = ends + gap
    end_s = say(last, 1) + 1.0
    sound = 10 ** (_TONE_DB / 20) * rng.standard_normal((round(end_s * SPEECH_RATE), 2))
    for at_s, side, part in placed:
        first = round(at_s * SPEECH_RATE)
        sound[first : first + len(part), side] += part[: len(sound) - first]
    return Call(
        sound=sound,
        speech=speech,
        noises=_loud(noise, begins),
        silence=(quiet, quiet + SILENCE_S),
        last_answer_s=last,
    )


def _at_level(sound: Floats, level_db: float) -> Floats:
    loud = np.quantile(_levels(sound), 0.9)
    return np.asarray(sound * 10 ** ((level_db - loud) / 20))


def _levels(sound: Floats) -> Floats:
    hop = SPEECH_RATE // 100
    frames = np.square(sound[: len(sound) // hop * hop], dtype=np.float64).reshape(
        -1, hop
    )
    return np.asarray(10 * np.log10(frames.mean(axis=1) + 1e-12))


def _loud(noise: Floats, at_s: float) -> Spans:
    """Return where a sound is within 20 dB of its level, short pauses included."""
    parts = runs(_levels(noise) > _SOUND_DB - 20)
    return [(at_s + a / 100, at_s + b / 100) for a, b in joined(parts, 50)]


def judged(call: Call, layout: str) -> Found | None:
    """Time a call through the product; return its mistakes, None if refused."""
    sound = call.sound if layout == "stereo" else call.sound.sum(axis=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "call.wav"
        soundfile.write(path, sound.clip(-1, 1), SPEECH_RATE)
        greets: Any = "greets"
        options = TurnsOptions(layout=layout, read=ReadOptions(agent_channel=greets))
        try:
            (timed,) = time_turns(path, options).conversations
        except UserError as error:
            print(error, file=sys.stderr)
            return None
    return _mistakes(call, timed)


def _mistakes(call: Call, timed: Timed) -> Found:
    events = timed.measured.events
    quiet = [(e.start_s, e.end_s) for e in events if e.kind in _SILENCES]
    heard = joined(
        span
        for role in ROLES
        for _, t in timed.item.conversation.turns_of(role)
        for span in t.stretches
    )
    near = [(start - _EDGE_S, end + _EDGE_S) for start, end in call.speech]
    inner = without(
        [(a + _EDGE_S, b - _EDGE_S) for a, b in call.noises if b - a > 1.0], near
    )
    replies = [e for e in events if e.kind == "response"]
    middle = sum(call.silence) / 2
    said = ("sound that is no speech", "music")
    return Found(
        silence=total(overlaps(inner, joined(quiet))) > _LEAST_S,
        turn=total(without(heard, near)) > _LEAST_S,
        dead_air=not any(a <= middle <= b for a, b in quiet),
        reply=not any(abs(e.end_s - call.last_answer_s) < _EDGE_S for e in replies),
        unsaid=not any(word in caveat for word in said for caveat in timed.caveats),
    )


if __name__ == "__main__":
    main()
