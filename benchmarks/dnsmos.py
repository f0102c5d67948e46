"""DNSMOS beside its reference implementation: seconds, ratio, difference, memory.

    TRACE_EVAL_DATA=... python -m benchmarks.dnsmos [HOURS]

Every recording under $TRACE_EVAL_DATA/*_pairs and /prompts is scored by ``speechmos`` and by
the extractor in turn, one thread each, so that other work on the machine meets both; the
fastest of the repeats counts. Clips are also cut and joined to the lengths that the table
names. Memory is that of a process that decodes and scores a file of HOURS (default 2).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
from speechmos.dnsmos import DNSMOS

from benchmarks.report import restart_with, save, table
from extractors.audio import SPEECH_RATE, Samples, decode
from extractors.dnsmos import extractor as dnsmos
from trace_eval.extracting.workers import THREAD_VARIABLES

REPEATS = 3
NAMES = ("sig_mos", "bak_mos", "ovrl_mos", "p808_mos")

#: Row of the table -> from how many seconds to how many.
LENGTHS = {"under 10 s": (0, 10), "10-15 s": (10, 15), "15-30 s": (15, 30), "30-60 s": (30, 60)}
LENGTHS["60 s and more"] = (60, 1e9)

#: Lengths, seconds, that are cut from the recordings joined.
CUTS = (15, 20, 25, 29, 60, 75)


class Timing(NamedTuple):
    """CPU and wall seconds of the fastest repeat, and what it returned."""

    cpu: float
    wall: float
    scores: Any


class Row(NamedTuple):
    """One recording: its length, s, the windows, both timings and the largest difference."""

    seconds: float
    windows: int
    reference: Timing
    ours: Timing
    difference: float


def reference_model() -> DNSMOS:
    """``speechmos`` on one thread; its own default is one per core."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    files = [str(path) for path in dnsmos.model_files()]
    model = DNSMOS(*files)
    model.onnx_sess, model.p808_onnx_sess = (
        onnxruntime.InferenceSession(file, options) for file in files
    )
    return model


def fastest(*functions: Callable[[], Any]) -> list[Timing]:
    """Each function's fastest repeat, the functions taking turns."""
    timings: list[list[Timing]] = [[] for _ in functions]
    for _ in range(REPEATS):
        for function, found in zip(functions, timings, strict=True):
            cpu, wall = time.process_time(), time.perf_counter()
            scores = function()
            found.append(Timing(time.process_time() - cpu, time.perf_counter() - wall, scores))
    return [min(found, key=lambda timing: timing.cpu) for found in timings]


def score(audio: Samples, windows: str = "reference") -> np.ndarray:
    """Scores of each window, as the extractor takes them."""
    audio = dnsmos.fill_window(audio)
    chosen = dnsmos.all_windows if windows == "all" else dnsmos.reference_windows
    return dnsmos.score(audio, chosen(len(audio)))


def compare(model: DNSMOS, audio: Samples) -> Row:
    """Score one recording both ways."""
    reference, ours = fastest(lambda: model(audio, SPEECH_RATE, True), lambda: score(audio))
    want = np.array([reference.scores[name] for name in NAMES])
    difference = float(np.abs(ours.scores.mean(axis=0) - want).max())
    return Row(len(audio) / SPEECH_RATE, len(ours.scores), reference, ours, difference)


def recordings(data: Path) -> list[Samples]:
    """Every different shared recording, and cuts of all of them joined."""
    files = sorted(data.glob("*_pairs/*/*.wav")) + sorted(data.glob("prompts/*.wav"))
    whole = list({clip.sha256: clip.speech for clip in map(decode, files)}.values())
    joined = np.concatenate(whole)
    return [*whole, *(joined[: seconds * SPEECH_RATE] for seconds in CUTS)]


def lengths(rows: list[Row]) -> list[dict[str, Any]]:
    """One record per line of the table: sums over its recordings."""
    records = []
    for name, (low, high) in LENGTHS.items():
        some = [row for row in rows if low <= row.seconds < high]
        ratios = [row.reference.cpu / row.ours.cpu for row in some]
        reference = sum(row.reference.cpu for row in some)
        ours = sum(row.ours.cpu for row in some)
        walls = [sum(getattr(row, side).wall for row in some) for side in ("reference", "ours")]
        records.append(
            {
                "length": name,
                "clips": len(some),
                "windows": sum(row.windows for row in some),
                "reference CPU s": reference,
                "ours CPU s": ours,
                "ratio": reference / ours,
                "worst ratio": min(ratios),
                "ratio of wall times": walls[0] / walls[1],
                "max |difference|": max(row.difference for row in some),
            }
        )
    return records


def all_windows_cost(audio: Samples) -> dict[str, float]:
    """What ``windows="all"`` adds on one recording."""
    usual, every = fastest(lambda: score(audio), lambda: score(audio, "all"))
    return {
        "seconds of audio": len(audio) / SPEECH_RATE,
        "reference windows": len(usual.scores),
        "their CPU s": usual.cpu,
        "all windows": len(every.scores),
        "CPU s of all": every.cpu,
    }


_WRITE = """
import sys
import numpy as np, soundfile
path, seconds, rate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
with soundfile.SoundFile(path, "w", rate, 1, "PCM_16") as file:
    for start in range(0, seconds, 60):
        file.write(rng.uniform(-0.1, 0.1, min(60, seconds - start) * rate))
"""

_SCORE = """
import json, sys, time
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1e3
started = time.process_time()
path, way = sys.argv[1:]
if way == "from the file":
    from extractors.dnsmos.extractor import score_file
    found, held = score_file(path), 0
else:
    from blueprints import Blueprint, Signal
    from extractors.audio import decode
    from extractors.dnsmos.extractor import DnsmosExtractor
    clip = decode(path, max_seconds=1e9)
    signal = Signal(duration_s=clip.seconds, rate_hz=clip.rate, channels=1, peak_dbfs=-20,
        rms_dbfs=None, clipping_ratio=0, bandwidth_hz=None, speech_s=clip.seconds, speech=[],
        pauses=[])
    found = DnsmosExtractor().extract(clip, Blueprint(clip="0", signal=signal))
    held = (clip.samples.nbytes + clip.speech.nbytes) / 1e6
print(json.dumps({"way": way, "windows": found.windows, "CPU s": time.process_time() - started,
    "MB of samples held": held, "peak MB of the process": peak()}))
"""


def memory(hours: float) -> list[dict[str, Any]]:
    """Peak resident memory of processes that decode and score a long file.

    ``from the file`` is :func:`extractors.dnsmos.extractor.score_file`: blocks are decoded,
    resampled and scored. ``decoded whole``, on a tenth of it, is the extractor in a plan: the
    clip is decoded once for all extractors, so its samples at its own rate and at 16 kHz are held
    however little the scoring needs.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for way, share in (("from the file", 1.0), ("decoded whole", 0.1)):
            path, seconds = f"{folder}/long.wav", round(hours * share * 3600)
            subprocess.run([sys.executable, "-c", _WRITE, path, str(seconds), "24000"], check=True)
            command = [sys.executable, "-c", _SCORE, path, way]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found.append({"hours": hours * share, **json.loads(done.stdout)})
    return found


def show(title: str, records: list[dict[str, Any]]) -> None:
    """Print records as a table."""
    table(title, list(records[0]), [list(record.values()) for record in records])


def main() -> None:
    """Measure, print, save."""
    data = os.environ.get("TRACE_EVAL_DATA")
    if not data:
        sys.exit("TRACE_EVAL_DATA is not set; it names the folder of recordings")
    restart_with(dict.fromkeys(THREAD_VARIABLES, "1"))
    model = reference_model()
    audios = recordings(Path(data))
    compare(model, audios[0])  # loads, and compiles librosa's parts
    rows = [compare(model, audio) for audio in audios]
    by_length = lengths(rows)
    show("DNSMOS P.835 and P.808, one thread, fastest of repeats", by_length)
    longer = next(audio for audio in audios if len(audio) > 20 * SPEECH_RATE)
    cost = all_windows_cost(longer[: 30 * SPEECH_RATE])
    show("Scoring every second", [cost])
    long = memory(float(sys.argv[1]) if len(sys.argv) > 1 else 2)
    show("Long recordings at 24 kHz, mono", long)
    save("dnsmos", {"lengths": by_length, "all windows": cost, "long": long})


if __name__ == "__main__":
    main()
