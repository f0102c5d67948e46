"""Recordings of one sound in files joined, unfinished, out of phase or empty.

Each is judged beside the whole sound. A file that holds all of it gives a tie and has
its length; of any other the pair is unscored, with a reason. Nothing may win.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile

from benchmarks.drill.commands import run
from benchmarks.drill.outcome import Outcome
from benchmarks.report import ROOT, command
from extractors.audio import decode
from tests.support.audio import RATE, container
from trace_eval.runs.run import Run

#: A recording of speech whose words are known.
SPEECH = ROOT / "examples" / "clips" / "noise-b.ogg"

#: Lengths differ by less where an encoder pads its frames, seconds.
PADDED_S = 0.3

#: Samples of a channel [shape=(n,)].
Sound = Any


class Written(NamedTuple):
    """A file, and whether all of the sound is in it; None: either will do.

    Attributes:
        longer_s: so much longer than the sound it is.
    """

    data: bytes
    whole: bool | None = True
    longer_s: float = 0.0


def wav(sound: Sound, subtype: str = "PCM_16", form: str = "WAV") -> bytes:
    """Write samples [shape=(n,) or (n, channels)] into a file."""
    file = io.BytesIO()
    soundfile.write(file, sound, RATE, subtype=subtype, format=form)
    return file.getvalue()


def _in_chunks(sound: Sound) -> bytes:
    """Write both halves of a sound as chunks of samples under one header."""
    first, second = (wav(half) for half in np.array_split(sound, 2))
    data = bytearray(first + second[second.index(b"data") :])
    data[4:8] = (len(data) - 8).to_bytes(4, "little")
    return bytes(data)


def _sized(data: bytes, size: int) -> bytes:
    """Write the size of the samples of a WAV anew."""
    return data[:40] + size.to_bytes(4, "little") + data[44:]


def _halves(sound: Sound, encode: Callable[[Sound], bytes]) -> bytes:
    middle = len(sound) // 2
    return encode(sound[:middle]) + encode(sound[middle:])


def _missing(sound: Sound) -> Written:
    """Return what stands for a file that is not there."""
    return Written(b"", False)


#: What is done to a sound -> the file.
FILES: dict[str, Callable[[Sound], Written]] = {
    "as it is": lambda x: Written(wav(x)),
    "joined WAV": lambda x: Written(_halves(x, wav)),
    "joined FLAC": lambda x: Written(
        _halves(x, lambda half: wav(half, "PCM_16", "FLAC"))
    ),
    "joined MP3": lambda x: Written(
        _halves(x, lambda half: container("mp3", "mp3", half)), None
    ),
    "joined Vorbis": lambda x: Written(
        _halves(x, lambda half: wav(half, "VORBIS", "OGG")), None
    ),
    "joined M4A": lambda x: Written(
        _halves(x, lambda half: container("aac", "ipod", half)), None
    ),
    "samples in two chunks": lambda x: Written(_in_chunks(x)),
    "a size of the last flush": lambda x: Written(_sized(wav(x), len(x))),
    "a size of nothing": lambda x: Written(_sized(wav(x), 0)),
    "a size of all ones": lambda x: Written(_sized(wav(x), 0xFFFFFFFF)),
    "opposite phase": lambda x: Written(wav(np.stack([x, -x], 1))),
    "nearly opposite phase": lambda x: Written(wav(np.stack([x, -0.97 * x], 1))),
    "one silent channel": lambda x: Written(wav(np.stack([x, 0 * x], 1)), None),
    "an offset": lambda x: Written(wav(0.7 * x + 0.1), None),
    "silence behind it": lambda x: Written(
        wav(np.r_[x, np.zeros(20 * RATE)]), True, 20.0
    ),
    "integers as floats": lambda x: Written(wav(32768 * x, "FLOAT"), False),
    "half of a file": lambda x: Written(wav(x)[: len(x)], False),
    "half of a FLAC": lambda x: Written(wav(x, "PCM_16", "FLAC")[: len(x) // 2], False),
    "no header": lambda x: Written(wav(x)[44:], False),
    "an empty file": lambda x: Written(b"", False),
    "an error body": lambda x: Written(b'{"error": {"message": "quota"}}', False),
    "a page": lambda x: Written(b"<!DOCTYPE html><html></html>", False),
    "a pointer": lambda x: Written(
        b"version https://git-lfs.github.com/spec/v1\n", False
    ),
    "missing": _missing,
    "zeros": lambda x: Written(bytes(200_000), False),
}


def drill() -> Outcome:
    """Judge every file beside the sound, in one run."""
    outcome = Outcome("files of one sound", len(FILES))
    clip = decode(SPEECH.read_bytes())
    assert clip.rate == RATE
    sound = clip.mono
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "whole.wav").write_bytes(wav(sound))
        files = {title: write(sound) for title, write in FILES.items()}
        lines = []
        for number, (title, file) in enumerate(files.items()):
            if title != "missing":
                (folder / f"{number}.wav").write_bytes(file.data)
            sides = ("whole.wav", f"{number}.wav")[:: 1 if number % 2 else -1]
            record = {"id": title, "instruction": {"text": "Say something."}}
            lines.append(json.dumps({**record, "a": sides[0], "b": sides[1]}))
            if file.whole is not False:
                off = decode(file.data).seconds - clip.seconds - file.longer_s
                outcome.check(
                    abs(off) < PADDED_S, f"{title}: {off:+.2f} s of the sound"
                )
        manifest = folder / "pairs.jsonl"
        manifest.write_text("\n".join(lines) + "\n")
        places = ("--out", folder / "run", "--cache", folder / "cache")
        done = run(command("judge", manifest, *places), folder)
        outcome.check(
            done.code in (0, 1), f"judge: code {done.code}: {done.err[-300:]}"
        )
        for judgement in Run(folder / "run").judgements().values():
            _look(outcome, judgement, files[judgement.pair])
    return outcome


def _look(outcome: Outcome, judgement: Any, file: Written) -> None:
    """Check what came of one file."""
    outcome.note(judgement.status, 1)
    title = judgement.pair
    ratings = {
        name: str(one.rating) for name, one in (judgement.dimensions or {}).items()
    }
    won = [name for name, rating in ratings.items() if rating in ("1", "2")]
    outcome.check(not won, f"{title}: {ratings}")
    if file.whole is not None:
        scored = judgement.status == "scored"
        outcome.check(
            scored == file.whole, f"{title}: {judgement.status}: {judgement.detail}"
        )
    if file.whole is False:
        outcome.check(bool(judgement.detail), f"{title}: unscored without a reason")
