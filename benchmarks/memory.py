"""Memory of every process while 1,000 synthetic pairs are judged.

    python -m benchmarks.memory [PAIRS]

Each answer is another cut of a real or example recording at another gain, so nothing
comes from the cache. The resident memory of the command and of its workers is sampled
twice a second; it must stay under 650 MB and must not grow with the run.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile

from benchmarks.extract import default_manifest
from benchmarks.report import save, table
from benchmarks.watch import fifths, long_lived, watch
from trace_eval.data.manifests import read_manifest

SECONDS = 1.5
#: Whisper tiny.en and DNSMOS in one process.
LIMIT_MB = 650


def make_pairs(folder: Path, count: int, seconds: float = SECONDS) -> Path:
    """Write ``count`` pairs of distinct clips, seconds long, and their manifest."""
    recordings = [pair.b.audio for pair in read_manifest(default_manifest()).pairs]
    sources = [soundfile.read(path, dtype="float32") for path in recordings if path]
    rng = np.random.default_rng(0)
    folder.mkdir(exist_ok=True)
    records = []
    for number in range(count):
        record: dict[str, object] = {"id": str(number), "instruction": {"text": "Say it."}}
        for side in "ab":
            samples, rate = sources[rng.integers(len(sources))]
            start = rng.integers(max(1, len(samples) - int(seconds * rate)))
            cut = samples[start : start + int(seconds * rate)] * rng.uniform(0.3, 1)
            path = folder / f"{number}{side}.wav"
            soundfile.write(path, cut, rate)
            record[side] = {"audio": path.name}
        records.append(record)
    manifest = folder / "pairs.jsonl"
    manifest.write_text("".join(json.dumps(record) + "\n" for record in records))
    return manifest


def main() -> None:
    """Measure and print; exit 1 when a process passes the limit."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "trace_eval", "judge", str(make_pairs(folder, count))]
        command += ["--out", f"{name}/run", "--cache", f"{name}/cache", "--min-coverage", "0"]
        started = time.monotonic()
        samples = watch(command)
        minutes = (time.monotonic() - started) / 60
    rows = []
    for number, series in enumerate(long_lived(samples)):
        first, last = fifths(series)
        rows.append([number, max(series), first, last, last / first])
    header = ["process", "peak MB", "second fifth MB", "last fifth MB", "ratio"]
    table(f"{count} synthetic pairs in {minutes:.1f} min ({count / minutes:.0f}/min)", header, rows)
    peak = max(row[1] for row in rows)
    save(
        "memory",
        {
            "pairs": count,
            "minutes": round(minutes, 2),
            "processes": [
                dict(zip(header[1:], (round(value, 3) for value in row[1:]), strict=True))
                for row in rows
            ],
        },
    )
    if peak > LIMIT_MB:
        sys.exit(f"a process took {peak:.0f} MB, the limit is {LIMIT_MB}")


if __name__ == "__main__":
    main()
