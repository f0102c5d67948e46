"""Predicted speech quality: DNSMOS P.835 (personalised) and P.808, by onnxruntime.

The models are those inside the ``speechmos`` package (Reddy, Gopal & Cutler 2021 and
2022). The scores of ``dnsmos:reference`` equal ``speechmos.dnsmos.run(...,
model_type="dnsmos_personalized")`` within 1e-3; by default other stretches are scored,
so that two answers can be compared (:mod:`extractors.dnsmos.stretches`). The package's
own module is not imported: it pulls in librosa and requests, which costs seconds in
every worker, and runs both networks anew on each 9.01 s window, although neighbours
have 8 s in common. Here each second goes once through the expensive layers
(:mod:`extractors.dnsmos.graph`, :mod:`~extractors.dnsmos.windows`), which multiply only
what is not zero (:mod:`~extractors.dnsmos.convolution`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from blueprints import Absent, Blueprint, Present, Quality, Signal, Status, UserError
from blueprints.decimals import written_apart
from extractors import packaged
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import speech_gate
from extractors.contours import rms_dbfs
from extractors.dnsmos.scores import P808, P835, P835Model, load_p808, load_p835
from extractors.dnsmos.stretches import WINDOW_S, WINDOW_SAMPLES, score_speech
from extractors.dnsmos.windows import FRAME_SAMPLES, HOP_SAMPLES, SplitNetwork
from extractors.models import joint_sha256
from extractors.sessions import NetworkExtractor

#: Shorter clips are refused, seconds: repeated to 9 s, a syllable is a buzz, not
#: speech.
MIN_SECONDS = 0.1

#: Windows that are scored together; the cells of their hops are in memory at once.
WINDOWS_AT_ONCE = 16

#: Model files inside the ``speechmos`` package.
_P835_FILE = Path("pdnsmos_models", "sig_bak_ovr.onnx")
_P808_FILE = Path("dnsmos_models", "model_v8.onnx")

Windows = Literal["speech", "reference", "all"]


@dataclass(frozen=True)
class DnsmosExtractor(NetworkExtractor):
    """DNSMOS P.835 SIG, BAK, OVRL and P.808 MOS (1 to 5), means over 9.01 s windows."""

    name: ClassVar[str] = "dnsmos"
    group: ClassVar[str] = "quality"
    version: ClassVar[str] = "10"
    limits: ClassVar[str] = (
        "trained on noise suppression; P.808 does not see clipping and grows with the"
        " length of what is scored; BAK differs by more than a point between two"
        " stretches of one clean recording; no score says how natural a voice sounds."
        " Of 96 pairs of codecs P.808 orders .75 as listeners do, of one length .83; of"
        " enhanced speech too few were rated to tell."
    )
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    packages: ClassVar[dict[str, str]] = {
        "numba": "numba",
        "onnx": "onnx",
        "onnxruntime": "onnxruntime",
        "speechmos": "speechmos",
    }
    argument: ClassVar[str] = "windows"
    loads_beside: ClassVar[bool] = True

    #: What is scored: ``speech`` from the first to the last speech, in stretches of
    #: equal lengths; ``reference`` the windows of ``speechmos`` over the whole clip,
    #: which skips some (:func:`reference_windows`) and is what published scores are;
    #: ``all`` one per second (:func:`all_windows`).
    windows: Windows = "speech"

    def __post_init__(self) -> None:
        super().__post_init__()
        choices = get_args(Windows)
        if self.windows not in choices:
            offered = ", ".join(map(repr, choices))
            raise UserError(
                f"{self.name}: windows {self.windows!r} is unknown; use {offered}"
            )

    def unavailable(self) -> str | None:
        """Say why it cannot run here: a package or a model file in it is missing."""
        if missing := super().unavailable():
            return missing
        reason = packaged.problem(packaged.DNSMOS)
        return reason and f"{self.name}: {reason}"

    def revision(self) -> str | None:
        """Return the SHA-256 over both model files; None where one is missing."""
        return _revision()

    def parameters(self) -> dict[str, JsonValue]:
        """Return which windows are scored."""
        return {"windows": self.windows}

    def load(self) -> None:
        """Load both models."""
        _models(self.placed)

    def close(self) -> None:
        """Release both models."""
        _models.cache_clear()

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Score the 16 kHz mono mix; absent without speech or under 0.1 s."""
        audio = clip.speech
        if len(audio) < MIN_SECONDS * SPEECH_RATE:
            reason = (
                f"{written_apart(clip.seconds, [MIN_SECONDS], digits=3)} s, at least"
                f" {MIN_SECONDS:g} s are needed for quality"
            )
            return Absent(status=Status.TOO_SHORT, reason=reason)
        if absent := speech_gate(blueprint):
            return absent
        if self.windows == "speech":
            assert isinstance(blueprint.signal, Signal)
            return score_speech(clip, blueprint.signal, *_models(self.placed))
        scores = score(*_windows(audio, self.windows), models=_models(self.placed))
        sig, bak, ovrl, mos = (float(column) for column in scores.mean(axis=0))
        return Quality(
            sig=sig,
            bak=bak,
            ovrl=ovrl,
            p808=mos,
            windows=len(scores),
            level_dbfs=rms_dbfs(audio),
        )


def _windows(audio: Samples, kind: Windows) -> tuple[Samples, list[int], int]:
    """Return :func:`score`'s arguments: audio that fills a window, windows, period."""
    period = 0
    if len(audio) < WINDOW_SAMPLES:
        period = math.lcm(len(audio), FRAME_SAMPLES) // FRAME_SAMPLES
        audio = fill_window(audio)
    windows = all_windows if kind == "all" else reference_windows
    return audio, windows(len(audio)), period


def fill_window(audio: Samples) -> Samples:
    """Double the audio until it fills a window, as the reference does.

    Raises:
        ValueError: the audio is empty.
    """
    if len(audio) == 0:
        raise ValueError(
            "dnsmos: 0 samples cannot fill a window; refuse the clip before"
        )
    while len(audio) < WINDOW_SAMPLES:
        audio = np.concatenate((audio, audio))
    return audio


def reference_windows(samples: int) -> list[int]:
    """Return the starts (s) of the windows that the reference averages, at least one.

    Nominally one per second. The reference computes each window's end in floating point
    and truncates, which for some seconds gives 144,159 samples, and skips windows that
    are short. So the windows that start at 7 to 23 s and at 119 to 122 s never count:
    of a 30 s clip only the first 16 s are heard. Published scores are computed like
    that, so it is kept.
    """
    hops = int(samples // SPEECH_RATE - WINDOW_S) + 1
    starts_s: list[int] = []
    for start_s in range(hops):
        end = min(samples, int((start_s + WINDOW_S) * SPEECH_RATE))
        if end - start_s * HOP_SAMPLES >= WINDOW_SAMPLES:
            starts_s.append(start_s)
    return starts_s


def all_windows(samples: int) -> list[int]:
    """Return the numbers of the windows inside some samples: one for each second."""
    return list(range((samples - WINDOW_SAMPLES) // HOP_SAMPLES + 1))


def score(
    audio: Samples,
    windows: Sequence[int],
    period: int = 0,
    models: tuple[P835Model, SplitNetwork] | None = None,
) -> npt.NDArray[np.float64]:
    """Compute SIG, BAK, OVRL and P.808 MOS of windows [shape=(n, 4)].

    Args:
        audio: 16 kHz mono, float32 [shape=(samples,)].
        windows: n ascending numbers of windows inside the audio.
        period: frames after which the audio repeats itself, as a short clip does that
            was doubled; 0: never.
        models: those of a device; None: the CPU's.
    """
    p835_model, p808_model = models or _models("cpu")
    quality, overall = P835(p835_model, audio, period), P808(p808_model, audio, period)
    results = []
    for first in range(0, len(windows), WINDOWS_AT_ONCE):
        block = windows[first : first + WINDOWS_AT_ONCE]
        results.append(np.column_stack([quality.scores(block), overall.scores(block)]))
    return np.concatenate(results)


def model_files() -> tuple[Path, ...]:
    """Return the paths of both models; empty where ``speechmos`` has others."""
    folder = packaged.folder_of(packaged.DNSMOS)
    return (folder / _P835_FILE, folder / _P808_FILE) if folder else ()


@cache
def _revision() -> str | None:
    files = model_files()
    return joint_sha256(files) if files else None


@cache
def _models(device: str) -> tuple[P835Model, SplitNetwork]:
    """Read and cut both models, once per process and device."""
    p835_file, p808_file = model_files()
    return load_p835(p835_file, device), load_p808(p808_file, device)
