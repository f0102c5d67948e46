"""`trace-eval judge` beside a plain loop over the same libraries: pairs per minute.

    TRACE_EVAL_DATA=... python -m benchmarks.naive [PAIRS]
    TRACE_EVAL_DATA=... python -m benchmarks.naive short

The loop is what a script for one evaluation looks like: for each pair, each of its two
answers afresh: soundfile, librosa's resampling, faster-whisper with the same weights and all of
its defaults, ``speechmos`` (P.835 personalised and P.808), librosa's pYIN, pyloudnorm and words
per second. It is not handicapped: every library has its own default number of threads, models are
loaded once, and imports, loading and one warm clip are not counted. For the command everything is
counted, from the start of the process with an empty cache to the judged run.

PAIRS (default 20) are drawn from SpeakBench as TRACE's annotators got it, whole instructions
at a time, so that an answer is shared as often as there. Of its 994 answers of pairs (two of each)
641 are different (instruction, system); whether the same recording was played each time is
not known, so the command is also timed with no answer shared. An answer is a cut of 6 to
14 s of the shared real recordings, each at a place and a gain of its own. Neither side listens
to instructions: SpeakBench has their words, and then the rules judge does not ask for more.

``short`` measures what benchmarks are mostly made of instead: 24 clips of 8 s, cut from the spoken
prompts, and 64 of at most 2.25 s, cut from the clips of neural codecs (``people/codecs``), by one
worker; also without what the rules of voice quality do not read (``-x GROUP=none``).

The sides take turns, block of pairs by block of pairs, so that other work on the machine
meets all of them; CPU seconds of all processes tell what does not depend on it.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile

from benchmarks.report import save, table
from extractors import packaged
from extractors.audio import SPEECH_RATE, Samples, decode

BLOCKS = 2

#: Lengths of answers, seconds, in turn.
LENGTHS = (6, 8, 10, 12, 14)

#: Name of a side -> arguments of the command, and whether answers are shared.
SIDES = {
    "trace-eval, 2 workers": (2, True),
    "trace-eval, 2 workers, no answer shared": (2, False),
    "trace-eval, 1 worker": (1, True),
}

LOOP = "plain loop"

#: Short clips: folder of TRACE_EVAL_DATA -> how many are cut from it, and of how many seconds.
SHORT = {"prompts": (24, 8.0), "people/codecs/audio": (64, 2.25)}

#: What leaves only signal and quality.
QUALITY_ONLY = [
    word
    for group in ("transcript", "rate", "pitch", "loudness")
    for word in ("-x", f"{group}=none")
]


def sampled(labels: list[dict[str, Any]], pairs: int) -> list[dict[str, Any]]:
    """Pairs of whole instructions, as many as fit: of 100 draws the one most like them all."""
    by_instruction = defaultdict(list)
    for label in labels:
        by_instruction[label["instruction_id"]].append(label)
    draws = []
    for seed in range(100):
        groups = list(by_instruction.values())
        random.Random(seed).shuffle(groups)
        results: list[dict[str, Any]] = []
        for group in groups:
            if len(results) + len(group) <= pairs:
                results += group
        draws.append(results)
    return min(draws, key=lambda draw: abs(sharing(draw) - sharing(labels)))


def answer(label: dict[str, Any], side: str) -> str:
    """The name of an answer: who answered what."""
    return f"{label['instruction_id']}-{label[f'model_{side}']}"


def sharing(labels: list[dict[str, Any]]) -> float:
    """Answers of pairs per different answer."""
    names = [answer(label, side) for label in labels for side in "ab"]
    return len(names) / len(set(names))


class Cuts:
    """Writes answers: cuts of real recordings, no two alike."""

    def __init__(self, data: Path, folder: Path) -> None:
        files = sorted(data.glob("speakbench_pairs/*/audio_?.wav"))
        clips = {clip.sha256: clip for clip in map(decode, files)}
        self._speech: Samples = np.concatenate([clip.speech for clip in clips.values()])
        self._folder = folder
        self._random = np.random.default_rng(0)

    def write(self, name: str, seconds: int) -> str:
        """Write one answer; returns its path."""
        size = seconds * SPEECH_RATE
        start = int(self._random.integers(0, len(self._speech) - size))
        gain = float(self._random.uniform(0.5, 1))
        path = self._folder / f"{name.replace('/', '_')}.wav"
        soundfile.write(path, self._speech[start : start + size] * gain, SPEECH_RATE)
        return str(path)


def manifests(labels: list[dict[str, Any]], cuts: Cuts, folder: Path) -> dict[bool, Path]:
    """Manifest of the pairs with shared answers (True) and without (False)."""
    names = list(dict.fromkeys(answer(label, side) for label in labels for side in "ab"))
    lengths = {name: LENGTHS[number % len(LENGTHS)] for number, name in enumerate(names)}
    shared = {name: cuts.write(f"shared-{name}", lengths[name]) for name in names}
    written = {}
    for together in (True, False):
        lines = []
        for number, label in enumerate(labels):
            record: dict[str, Any] = {"id": str(number)}
            record["instruction"] = {"text": label["instruction_text"]}
            for side in "ab":
                name = answer(label, side)
                own = f"own-{label['index']}-{side}"
                path = shared[name] if together else cuts.write(own, lengths[name])
                record[side] = {"audio": path, "system": label[f"model_{side}"]}
            lines.append(json.dumps(record))
        written[together] = folder / f"pairs-{together}.jsonl"
        written[together].write_text("\n".join(lines) + "\n")
    return written


class Spent(NamedTuple):
    """Seconds on the clock, and of all processors and processes."""

    wall: float
    cpu: float


def clock(who: int) -> Spent:
    """Now."""
    used = resource.getrusage(who)
    return Spent(time.monotonic(), used.ru_utime + used.ru_stime)


def since(start: Spent, who: int) -> Spent:
    """Spent since then."""
    now = clock(who)
    return Spent(now.wall - start.wall, now.cpu - start.cpu)


def command(manifest: Path, workers: int, options: Sequence[str] = ()) -> Spent:
    """What the judge command takes with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["judge", str(manifest), "--out", f"{folder}/run", "--cache", f"{folder}/cache"]
        words += ["--profile", "screen", "--judge", "rules", "--workers", str(workers), *options]
        started = clock(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "trace_eval", *words, "--min-coverage", "0"],
            check=True,
            capture_output=True,
        )
        return since(started, resource.RUSAGE_CHILDREN)


def loop(manifest: Path) -> Spent:
    """What the plain loop takes, in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.naive", "--loop", str(manifest)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return Spent(*json.loads(done.stdout))


def run_loop(manifest: Path) -> Spent:
    """The plain loop, without imports, loading and one warm clip."""
    import librosa
    import pyloudnorm
    from faster_whisper import WhisperModel
    from speechmos import dnsmos

    english = packaged.ENGLISH
    folder = packaged.folder_of(english) or sys.exit(str(packaged.problem(english)))
    model = WhisperModel(str(folder), local_files_only=True)

    def measure(path: str) -> dict[str, Any]:
        samples, rate = soundfile.read(path, dtype="float32")
        mono = samples if samples.ndim == 1 else samples.mean(axis=1)
        speech = librosa.resample(mono, orig_sr=rate, target_sr=SPEECH_RATE)
        segments, _ = model.transcribe(speech, word_timestamps=True)
        words = [word.word for segment in segments for word in segment.words or ()]
        f0, _, _ = librosa.pyin(
            speech,
            fmin=float(librosa.note_to_hz("C2")),
            fmax=float(librosa.note_to_hz("C7")),
            sr=SPEECH_RATE,
        )
        return {
            "text": " ".join(words),
            "quality": dnsmos.run(speech, SPEECH_RATE, model_type="dnsmos_personalized"),
            "pitch": float(np.nanmean(f0)),
            "loudness": pyloudnorm.Meter(rate).integrated_loudness(samples),
            "rate": len(words) / (len(speech) / SPEECH_RATE),
        }

    pairs = [json.loads(line) for line in manifest.read_text().splitlines()]
    measure(pairs[0]["a"]["audio"])
    started = clock(resource.RUSAGE_SELF)
    for pair in pairs:
        for side in "ab":
            measure(pair[side]["audio"])
    return since(started, resource.RUSAGE_SELF)


def measured(blocks: list[dict[bool, Path]]) -> dict[str, list[Spent]]:
    """Name of a side -> what each block took."""
    spent = defaultdict(list)
    for block in blocks:
        spent[LOOP].append(loop(block[True]))
        for name, (workers, together) in SIDES.items():
            spent[name].append(command(block[together], workers))
    return spent


def rows(pairs: int, spent: dict[str, list[Spent]]) -> dict[str, dict[str, Any]]:
    """Name of a side -> its line of the table."""
    base = [sum(column) for column in zip(*spent[LOOP], strict=True)]
    results: dict[str, dict[str, Any]] = {}
    for name, blocks in spent.items():
        wall, cpu = (sum(column) for column in zip(*blocks, strict=True))
        results[name] = {
            "pairs per minute": pairs / wall * 60,
            "times the loop": base[0] / wall,
            "CPU s per pair": cpu / pairs,
            "times less CPU": base[1] / cpu,
            "times the loop in each block": [
                round(a.wall / b.wall, 2) for a, b in zip(spent[LOOP], blocks, strict=True)
            ],
        }
    return results


def short_clips(sources: Path, count: int, seconds: float, folder: Path) -> Path:
    """Manifest of pairs of cuts; where a file is cut again, it is later and softer."""
    files = sorted(path for path in sources.iterdir() if path.suffix in (".wav", ".flac"))
    paths = []
    for number in range(count):
        samples, rate = soundfile.read(files[number % len(files)], dtype="float32")
        later = len(samples) - int(seconds * rate)
        again = number // len(files)
        start = max(0, later * again // max(1, (count - 1) // len(files)))
        paths.append(folder / f"{number}.wav")
        cut = samples[start : start + int(seconds * rate)]
        soundfile.write(paths[-1], cut * 0.9**again, rate)
    written = folder / "pairs.jsonl"
    with written.open("w") as lines:
        for number, sides in enumerate(zip(paths[::2], paths[1::2], strict=True)):
            audio = {side: {"audio": str(path)} for side, path in zip("ab", sides, strict=True)}
            lines.write(json.dumps({"id": str(number), "instruction": {"text": "Say it."}} | audio))
            lines.write("\n")
    return written


def short(data: Path) -> None:
    """Measure short clips, print, save."""
    rows_of_table = []
    for sources, (count, seconds) in SHORT.items():
        with tempfile.TemporaryDirectory() as folder:
            clips = short_clips(data / sources, count, seconds, Path(folder))
            base = loop(clips).cpu
            for side, options in (("trace-eval", ()), ("signal and quality", QUALITY_ONLY)):
                cpu = min(command(clips, 1, options).cpu for _ in range(BLOCKS))
                rows_of_table.append([sources, side, count, seconds, cpu, base, base / cpu])
    header = ["clips", "side", "number", "seconds", "CPU s", "CPU s of the loop", "times less CPU"]
    table("short clips, one worker, start-up included", header, rows_of_table)
    save("naive_short", {"rows": [dict(zip(header, row, strict=True)) for row in rows_of_table]})


def main() -> None:
    """Measure, print, save."""
    if sys.argv[1:2] == ["--loop"]:
        print(json.dumps(run_loop(Path(sys.argv[2]))))
        return
    data = Path(os.environ.get("TRACE_EVAL_DATA") or sys.exit("set TRACE_EVAL_DATA"))
    if sys.argv[1:2] == ["short"]:
        short(data)
        return
    everything = json.loads((data / "hcot" / "speakbench.json").read_text())
    labels = sampled(everything, int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    with tempfile.TemporaryDirectory() as root:
        cuts = Cuts(data, Path(root))
        blocks = []
        for number in range(BLOCKS):
            folder = Path(root, str(number))
            folder.mkdir()
            start, stop = (len(labels) * k // BLOCKS for k in (number, number + 1))
            blocks.append(manifests(labels[start:stop], cuts, folder))
        audio = sum(
            soundfile.info(json.loads(line)[side]["audio"]).duration
            for block in blocks
            for line in block[True].read_text().splitlines()
            for side in "ab"
        )
        lines = rows(len(labels), measured(blocks))
    table(
        f"{len(labels)} pairs, {audio:.0f} s of answers, each answer in {sharing(labels):.2f}"
        f" places (all of SpeakBench: {sharing(everything):.2f})",
        ["side", *lines[LOOP]],
        [[name, *row.values()] for name, row in lines.items()],
    )
    facts = {
        "pairs": len(labels),
        "seconds of answers": audio,
        "places per answer": sharing(labels),
        "places per answer in SpeakBench": sharing(everything),
    }
    save("naive", {**facts, "sides": lines})


if __name__ == "__main__":
    main()
