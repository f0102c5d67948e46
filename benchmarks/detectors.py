"""Two speech detectors on turns marked by hand: their edges, and their cost.

    TRACE_EVAL_DATA=... python -m benchmarks.detectors

Silero VAD, which we use, hears 32 ms at a time; FireRedVAD's event detector hears a
recording at once, in steps of 10 ms. Both go through the same two thresholds and
shortest lengths. Printed: how far the beginning and the end of each channel's speech
are from the marks, in the median and at the 95th percentile; the share of time at which
noisy recordings have other decisions than clean ones of the same words; and CPU
milliseconds for a second of sound, once the network is loaded.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import soxr

from benchmarks.report import lines_of, people_folder, save, timed
from extractors.audio import SPEECH_RATE, Samples, decode
from extractors.networks import fireredvad
from extractors.vad import (
    CHUNK,
    MIN_SILENCE_S,
    MIN_SPEECH_S,
    _hysteresis,
    speech_probability,
)

Spans = list[tuple[float, float]]
Probability = Callable[[Samples], npt.NDArray[Any]]

#: Detector -> probability of speech, and seconds from one to the next.
DETECTORS: dict[str, tuple[Probability, float]] = {
    "Silero": (speech_probability, CHUNK / SPEECH_RATE),
    "FireRedVAD": (lambda sound: fireredvad.events(sound)[:, 0], fireredvad.STEP_S),
}


def spans_of(name: str, sound: Samples) -> Spans:
    """Return the stretches of speech that a detector finds, seconds."""
    probability, step = DETECTORS[name]
    ranges = _hysteresis(probability(sound).astype(float), MIN_SILENCE_S / step)
    spans = [(first * step, last * step) for first, last in ranges]
    return [(start, end) for start, end in spans if end - start > MIN_SPEECH_S]


def others_in_noise(name: str) -> float:
    """Return the share of time at which noise changes the decision."""
    folder = people_folder() / "enhanced" / "audio"
    changed = total = 0
    for clean in sorted(folder.glob("*-clean.flac")):
        truth = marks(name, decode(clean).speech)
        words = clean.name.removesuffix("clean.flac")
        for path in sorted(set(folder.glob(f"{words}*")) - {clean}):
            noisy = marks(name, decode(path).speech)
            size = min(len(truth), len(noisy))
            changed += int((truth[:size] != noisy[:size]).sum())
            total += size
    return changed / total


def marks(name: str, sound: Samples) -> npt.NDArray[np.bool_]:
    """Mark each 10 ms in which a detector finds speech."""
    result = np.zeros(len(sound) * 100 // SPEECH_RATE, bool)
    for start, end in spans_of(name, sound):
        result[round(100 * start) : round(100 * end)] = True
    return result


def edges(name: str) -> dict[str, Any]:
    """Compare the outer edges of each channel's speech with the marks."""
    begins, ends, sounds = [], [], []
    folder = people_folder() / "turns"
    for row in csv.DictReader((folder / "edges.csv").open()):
        clip = decode(folder / row["audio"])
        channel = clip.samples[:, int(row["channel"])]
        sounds.append(soxr.resample(channel, clip.rate, SPEECH_RATE))
        spans = spans_of(name, sounds[-1])
        if spans:
            begins.append(abs(spans[0][0] - float(row["start_s"])))
            ends.append(abs(spans[-1][1] - float(row["end_s"])))
    _, cpu_s = timed(lambda: [spans_of(name, sound) for sound in sounds])
    seconds = sum(map(len, sounds)) / SPEECH_RATE
    return {
        "detector": name,
        "channels": len(sounds),
        "with speech": len(begins),
        "begin, s": float(np.median(begins)),
        "begin p95": float(np.quantile(begins, 0.95)),
        "end, s": float(np.median(ends)),
        "end p95": float(np.quantile(ends, 0.95)),
        "other in noise": others_in_noise(name),
        "CPU ms a second": 1000 * cpu_s / seconds,
    }


def main() -> None:
    """Measure, print, save."""
    lines = [edges(name) for name in DETECTORS]
    lines_of("edges of turns against marks by hand", lines)
    save("detectors", {"edges": lines})


if __name__ == "__main__":
    main()
