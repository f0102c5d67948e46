"""eSpeak, the synthesiser inside Praat, as it is before it has said anything.

It goes on from where it stopped: a sentence differs by some milliseconds with what the
process said before, enough for a recogniser to hear "tomorrow" for "to March". So each
sentence is said by a fork of one process that says nothing itself.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]


def spoken(text: str, language: str, voice: str) -> tuple[NDArray[np.float64], float]:
    """Speak a text: samples [shape=(n,)] and their rate, Hz."""
    process = _process()
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{json.dumps([text, language, voice])}\n".encode())
    process.stdin.flush()
    size, rate = process.stdout.readline().split()
    return np.frombuffer(process.stdout.read(8 * int(size))), float(rate)


@cache
def _process() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.support.espeak"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=ROOT)
    atexit.register(process.kill)
    return process


def serve() -> None:
    """Say what the lines of standard input ask for, each in a process of its own."""
    from parselmouth.praat import call

    for line in sys.stdin:
        pid = os.fork()
        if pid:
            if os.waitpid(pid, 0)[1]:
                sys.exit(f"cannot say {line}")
            continue
        text, language, voice = json.loads(line)
        synthesiser = call("Create SpeechSynthesizer", language, voice)
        (sound,) = call(synthesiser, "To Sound", text, "no")
        sys.stdout.buffer.write(
            f"{sound.values.size} {sound.sampling_frequency}\n".encode()
        )
        sys.stdout.buffer.write(sound.values.tobytes())
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    serve()
