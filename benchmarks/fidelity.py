"""How far loudness is from ffmpeg's, on the shared recordings of pairs and prompts.

    TRACE_EVAL_DATA=... python -m benchmarks.fidelity

Needs ffmpeg (``apt-get install ffmpeg``). Words are compared by
:mod:`benchmarks.hearing`; DNSMOS was compared with the ``speechmos`` package, and the
faster of two speakers told, at d0787022.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.report import data_folder, save, stored, table
from blueprints import Blueprint, Loudness
from extractors.audio import decode
from extractors.registry import create
from trace_eval.data.recordings import find_recordings


def loudness_difference(paths: list[Path]) -> float:
    """Largest difference from ffmpeg's ebur128, LU."""
    extractor, worst = create("bs1770"), 0.0
    for path in paths:
        command = ["ffmpeg", "-nostats", "-hide_banner", "-i", str(path)]
        command += ["-af", "ebur128", "-f", "null", "-"]
        details = subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stderr
        theirs = float(re.findall(r"I:\s+(-?[\d.]+) LUFS", details)[-1])
        ours = extractor.extract(decode(path), Blueprint(clip="x"))
        if isinstance(ours, Loudness):
            worst = max(worst, abs(ours.integrated_lufs - theirs))
    return worst


def main() -> None:
    """Measure and print."""
    data = data_folder()
    if shutil.which("ffmpeg") is None:
        sys.exit("ffmpeg is missing: apt-get install ffmpeg")
    folders = (*data.glob("*_pairs"), data / "prompts")
    every = (path for folder in folders for path in find_recordings(folder))
    paths = list({decode(path).sha256: path for path in every}.values())
    what = f"loudness, largest difference from ffmpeg on {len(paths)} clips, LU"
    results = {what: loudness_difference(paths)}
    table("Fidelity", ["what", "value"], list(results.items()))
    save("fidelity", {**stored("fidelity"), **results})


if __name__ == "__main__":
    main()
