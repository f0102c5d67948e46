"""How close the extractors are to their references, on the shared recordings of pairs and prompts.

    TRACE_EVAL_DATA=... python -m benchmarks.fidelity

Needs ffmpeg (``apt-get install ffmpeg``) for loudness. DNSMOS is compared with the
``speechmos`` package on the clips up to 30 s, because the reference is slow. How well words are
recognised is measured by :mod:`benchmarks.hearing`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.extract import filled
from benchmarks.report import data_folder, save, table
from blueprints import Blueprint, Loudness, Quality, Rate
from extractors.audio import SPEECH_RATE, decode
from extractors.registry import create, plan_extractors
from trace_eval.data.recordings import find_recordings


def blueprint(path: Path, groups: set[str]) -> Blueprint:
    """The blueprint of a recording with these groups and what they need."""
    planned = plan_extractors("screen", {})
    return filled(decode(path), [one for one in planned if one.group in groups])


def rate_pairs(data: Path) -> tuple[int, int]:
    """(pairs in which the faster speaker has the higher WPM, pairs)."""
    right, records = 0, (data / "rate_pairs" / "pairs.jsonl").read_text().splitlines()
    for record in map(json.loads, records):
        wpm = {}
        for side in "ab":
            path = data / "rate_pairs" / record[side]["audio"]
            rate = blueprint(path, {"signal", "transcript", "rate"}).rate
            wpm[side] = rate.wpm or 0.0 if isinstance(rate, Rate) else 0.0
        right += max(wpm, key=lambda side: wpm[side]) == record["faster"]
    return right, len(records)


def loudness_difference(paths: list[Path]) -> float:
    """Largest difference from ffmpeg's ebur128, LU."""
    extractor, worst = create("bs1770"), 0.0
    for path in paths:
        command = ["ffmpeg", "-nostats", "-hide_banner", "-i", str(path)]
        command += ["-af", "ebur128", "-f", "null", "-"]
        details = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        theirs = float(re.findall(r"I:\s+(-?[\d.]+) LUFS", details)[-1])
        ours = extractor.extract(decode(path), Blueprint(clip="x"))
        if isinstance(ours, Loudness):
            worst = max(worst, abs(ours.integrated_lufs - theirs))
    return worst


def dnsmos_difference(paths: list[Path]) -> float:
    """Largest difference from the speechmos package over all four scores."""
    from speechmos import dnsmos

    worst = 0.0
    for path in paths:
        ours = blueprint(path, {"signal", "quality"}).quality
        theirs = dnsmos.run(decode(path).speech, SPEECH_RATE, model_type="dnsmos_personalized")
        if isinstance(ours, Quality):
            scores = (getattr(ours, name) - theirs[f"{name}_mos"] for name in _SCORES)
            worst = max(worst, *map(abs, scores))
    return float(worst)


_SCORES = ("sig", "bak", "ovrl", "p808")


def main() -> None:
    """Measure and print."""
    data = data_folder()
    if shutil.which("ffmpeg") is None:
        sys.exit("ffmpeg is missing: apt-get install ffmpeg")
    folders = (*data.glob("*_pairs"), data / "prompts")
    every = (path for folder in folders for path in find_recordings(folder))
    paths = list({decode(path).sha256: path for path in every}.values())
    short = [path for path in paths if decode(path).seconds <= 30]
    right, pairs = rate_pairs(data)
    loudness = f"loudness, largest difference from ffmpeg on {len(paths)} clips, LU"
    quality = f"DNSMOS, largest difference from speechmos on {len(short)} clips"
    results = {
        "rate pairs in which the faster one has the higher WPM": f"{right} of {pairs}",
        loudness: loudness_difference(paths),
        quality: dnsmos_difference(short),
    }
    table("Fidelity", ["what", "value"], list(results.items()))
    save("fidelity", results)


if __name__ == "__main__":
    main()
