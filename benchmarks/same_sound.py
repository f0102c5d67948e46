"""The same sound must tie in voice quality: cut, padded, shifted, louder, re-coded.

    python -m benchmarks.same_sound [RECORDING ...]     # default: the ten spoken prompts

Each recording is compared with what was done to it, by ``rules``. Whatever is decided
is printed.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
import soxr

from benchmarks.report import data_folder, save, table
from blueprints import Blueprint
from extractors import Clip, Samples, decode
from extractors.dnsmos.extractor import DnsmosExtractor
from extractors.signal import SignalExtractor
from trace_eval.judges.beside.voice import voice_lead
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.voice_quality import judge_voice_quality

#: What is done to mono sound [shape=(n,)] at a rate, Hz -> sound and its rate.
Change = Callable[[Samples, int], tuple[Samples, int]]

#: Peak of a fade at a cut, seconds.
FADE_S = 0.02


def cut(start_s: float, end_s: float | None) -> Change:
    """Keep one stretch of the speech, with short fades."""

    def change(sound: Samples, rate: int) -> tuple[Samples, int]:
        loud = np.flatnonzero(np.abs(sound) > 0.01)
        first = int(loud[0]) + round(start_s * rate)
        end = int(loud[-1]) if end_s is None else int(loud[0]) + round(end_s * rate)
        part = sound[first:end].copy()
        ramp = np.linspace(0, 1, round(FADE_S * rate), dtype=np.float32)
        part[: len(ramp)] *= ramp
        part[-len(ramp) :] *= ramp[::-1]
        return np.pad(part, round(0.15 * rate)), rate

    return change


def padded(before_s: float, behind_s: float) -> Change:
    """Put digital silence before and behind."""
    return lambda sound, rate: (
        np.pad(sound, (round(before_s * rate), round(behind_s * rate))),
        rate,
    )


def level(decibels: float) -> Change:
    """Change the level; what would clip is left alone."""

    def change(sound: Samples, rate: int) -> tuple[Samples, int]:
        louder = sound * np.float32(10 ** (decibels / 20))
        return (louder if np.abs(louder).max() <= 1 else sound), rate

    return change


def offset(dbfs: float) -> Change:
    """Add a constant."""
    return lambda sound, rate: (sound + np.float32(10 ** (dbfs / 20)), rate)


def repeated(times: int) -> Change:
    """Say it several times, half a second apart."""
    return lambda sound, rate: (np.tile(np.pad(sound, (0, rate // 2)), times), rate)


def recoded(form: str, subtype: str) -> Change:
    """Write and read another container."""

    def change(sound: Samples, rate: int) -> tuple[Samples, int]:
        file = io.BytesIO()
        soundfile.write(file, sound, rate, format=form, subtype=subtype)
        clip = decode(file.getvalue())
        return clip.mono, clip.rate

    return change


def resampled(to: int) -> Change:
    """Change the sampling rate upwards."""
    return lambda sound, rate: (soxr.resample(sound, rate, to), to)


CHANGES: dict[str, Change] = {
    "first 1 s": cut(0, 1.0),
    "first 1.5 s": cut(0, 1.5),
    "first 2 s": cut(0, 2.0),
    "first 3 s": cut(0, 3.0),
    "without the first 1 s": cut(1.0, None),
    "without the first 2 s": cut(2.0, None),
    "20 s of silence behind": padded(0, 20),
    "5 s of silence before": padded(5, 0),
    "shifted by 7 ms": padded(0.007, 0),
    "three times": repeated(3),
    "12 dB softer": level(-12),
    "6 dB louder": level(6),
    "offset of -20 dBFS": offset(-20),
    "FLAC, 24 bit": recoded("FLAC", "PCM_24"),
    "WAV, 16 bit": recoded("WAV", "PCM_16"),
    "48 kHz": resampled(48_000),
}


def measured(sound: Samples, rate: int) -> Blueprint:
    """Measure signal and quality of mono sound."""
    clip = Clip(np.asarray(sound, np.float32)[:, None], rate)
    blueprint = Blueprint(clip=clip.sha256)
    signal = SignalExtractor().extract(clip, blueprint)
    blueprint = blueprint.model_copy(update={"signal": signal})
    quality = DnsmosExtractor().extract(clip, blueprint)
    return blueprint.model_copy(update={"quality": quality})


def verdict(a: Blueprint, b: Blueprint) -> tuple[str, float | None]:
    """Return what ``rules`` says of two voices, and their lead in steps."""
    rating = judge_voice_quality(a, b, RuleThresholds()).rating
    return str(rating), voice_lead(a, b).steps


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("recordings", type=Path, nargs="*")
    files = parser.parse_args().recordings or sorted(
        (data_folder() / "prompts").glob("*.wav")
    )
    clips = [decode(file) for file in files]
    own = [measured(clip.mono, clip.rate) for clip in clips]
    rows = []
    for name, change in CHANGES.items():
        results = [
            verdict(measured(*change(clip.mono, clip.rate)), blueprint)
            for clip, blueprint in zip(clips, own, strict=True)
        ]
        leads = [abs(steps) for _, steps in results if steps is not None]
        decided = sum(rating in ("1", "2") for rating, _ in results)
        most = f"{max(leads):.2f}" if leads else "-"
        rows.append(
            [name, f"{decided} of {len(results)}", most, len(results) - len(leads)]
        )
    header = ["what was done", "decided", "largest lead, steps", "not comparable"]
    table("the same sound, by rules", header, rows)
    save("same_sound", {"header": header, "rows": rows})


if __name__ == "__main__":
    main()
