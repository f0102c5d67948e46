"""Many rendered calls through judge, agree and report, killed on the way and continued.

    python -m benchmarks.conversations --calls 50 --out FOLDER [--kills 2] [--seed 1]

Renders two-channel calls of telephone quality from the example clips (every second system answers
late; no two calls are alike), rates them by the judge ``turns`` from their sound, kills the process
so often, continues, and checks that every call has one score, that agreement is of all of them,
and that the report can be written. Calls that FOLDER holds already are not rendered again.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import soxr

from extractors.audio import SPEECH_RATE, Samples, decode
from trace_eval.data import jsonl

CLIPS = Path(__file__).resolve().parents[1] / "examples" / "clips"

#: Turns are told from the channels' energy and voices; nothing else of their sound is needed.
_LEFT_OUT = ("transcript", "rate", "quality", "pitch", "loudness", "emotion", "accent")

#: Samples per second: telephones. Turns are found at 16 kHz whatever a file has.
_RATE = 8_000

#: Seconds between a user's end and the answer, of systems 0 and 1.
_REPLY_S = (1.0, 4.0)


@cache
def _spoken(name: str) -> Samples:
    """Up to 3 s of a clip, from its first loud moment."""
    speech = soxr.resample(decode(CLIPS / name).speech, SPEECH_RATE, _RATE)
    loud = np.flatnonzero(np.abs(speech) > 0.05 * np.abs(speech).max())
    part = speech[loud[0] : loud[0] + 3 * _RATE]
    return np.asarray(0.5 * part / np.abs(part).max(), np.float32)


def render(path: Path, number: int, seed: int) -> None:
    """One call of six turns with noise 40 dB under the speech."""
    rng = np.random.default_rng((seed, number))
    user, agent = _spoken("noise-a.ogg"), _spoken("loud-a.ogg")
    lanes: list[list[Samples]] = [[], []]
    for _ in range(3):
        length = int(_RATE * rng.uniform(1.0, 3.0))
        wait = np.zeros(int(_RATE * (_REPLY_S[number % 2] + rng.uniform(0, 0.2))), np.float32)
        said = user[:length]
        for lane, part in ((0, said), (1, np.zeros_like(said)), (0, wait), (1, wait)):
            lanes[lane].append(part)
        for lane, part in ((0, np.zeros_like(agent)), (1, agent)):
            lanes[lane].append(part)
        pause = np.zeros(int(_RATE * rng.uniform(0.6, 1.2)), np.float32)
        lanes[0].append(pause)
        lanes[1].append(pause)
    sound = np.stack([np.concatenate(lane) for lane in lanes], axis=1)
    sound += 0.0005 * rng.standard_normal(sound.shape).astype(np.float32)
    soundfile.write(path, sound, _RATE)


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "trace_eval", *map(str, arguments)]


def main() -> None:
    """Render, rate, kill, continue, agree and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    items = chosen.out / "items.jsonl"
    with items.open("w") as file:
        for number in range(chosen.calls):
            path = chosen.out / f"c{number}.flac"
            if not path.exists():
                render(path, number, chosen.seed)
            record = {
                "id": f"c{number}",
                "question_id": f"scenario-{number // 2}",
                "system": ("quick", "slow")[number % 2],
                "conversation": f"c{number}.flac",
                "labels": {"scores": {"planted": (3, 1)[number % 2]}},
            }
            file.write(json.dumps(record) + "\n")
    run = chosen.out / "run"
    rate = _command("rate", items, "--rubric", "handling", "--judge", "turns", "--out", run)
    rate += ["--cache", str(chosen.out / "cache"), *(f"-x{group}=none" for group in _LEFT_OUT)]
    scores = run / "scores.jsonl"
    started = time.monotonic()
    for kill in range(chosen.kills):
        wanted = (kill + 1) * chosen.calls // (chosen.kills + 1)
        _killed_at(rate, scores, wanted)
    subprocess.run(rate, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - started
    rows = [json.loads(line) for line in jsonl.read(scores)]
    assert len({row["item"] for row in rows}) == len(rows) == chosen.calls, "a call twice or not"
    right = sum(row["value"] == (3, 1)[int(row["item"][1:]) % 2] for row in rows)
    agreed = subprocess.run(_command("agree", run), check=True, capture_output=True, text=True)
    page = chosen.out / "report.html"
    subprocess.run(_command("report", run, "--out", page), check=True, stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{chosen.calls} calls, {chosen.kills} kills, {seconds:.0f} s: {len(rows)} scores")
    print(f"as planted: {right} of {len(rows)}; report {page.stat().st_size / 1e6:.1f} MB")
    sizes = {name: _megabytes(chosen.out / name) for name in ("run", "cache")}
    print(", ".join(f"{name} {mb:.1f} MB" for name, mb in sizes.items()))
    print(f"CPU {used.ru_utime + used.ru_stime:.0f} s; peak {used.ru_maxrss / 1024:.0f} MB")
    print(next(line for line in agreed.stdout.splitlines() if "Spearman" in line).strip())


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _killed_at(command: list[str], scores: Path, wanted: int) -> None:
    """Run, and kill it once so many scores are there; it may end before that."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    while process.poll() is None:
        if scores.exists() and scores.read_bytes().count(b"\n") >= wanted:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return
        time.sleep(0.05)


if __name__ == "__main__":
    main()
