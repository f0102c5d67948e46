"""Predicted speech quality: DNSMOS P.835 (personalised) and P.808, by onnxruntime.

The models are those inside the ``speechmos`` package (Reddy, Gopal & Cutler 2021 and 2022),
and the scores equal ``speechmos.dnsmos.run(..., model_type="dnsmos_personalized")`` within
1e-3. The package's own module is not imported: it pulls in librosa, numba and requests,
which costs seconds in every worker.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from blueprints import Absent, Blueprint, Present, Quality, Status, UserError
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import Extractor, speech_gate
from extractors.contours import rms_dbfs

#: What the models listen to at once, seconds and samples.
WINDOW_S = 9.01
WINDOW_SAMPLES = int(WINDOW_S * SPEECH_RATE)

#: Windows start this far apart, samples.
HOP_SAMPLES = SPEECH_RATE

#: Shorter clips are refused, seconds: repeated to 9 s, a syllable is a buzz, not speech.
MIN_SECONDS = 0.1

#: P.808 sees a log-mel spectrogram of the window without its last 10 ms.
MELS = 120
FFT_SAMPLES = 321
MEL_HOP_SAMPLES = 160
_MEL_CUT_SAMPLES = 160
_POWER_FLOOR = 1e-10
_DYNAMIC_RANGE_DB = 80.0

#: Calibration of the raw outputs of the personalised P.835 model (published with it):
#: cubic polynomials, highest power first.
_CALIBRATION = {
    "sig": (-0.01019296, 0.02751166, 1.19576786, -0.24348726),
    "bak": (-0.04976499, 0.44276479, -0.1644611, 0.96883132),
    "ovrl": (-0.00533021, 0.005101, 1.18058466, -0.11236046),
}

#: Model files inside the ``speechmos`` package.
_P835_FILE = Path("pdnsmos_models", "sig_bak_ovr.onnx")
_P808_FILE = Path("dnsmos_models", "model_v8.onnx")


@dataclass(frozen=True)
class DnsmosExtractor(Extractor):
    """DNSMOS P.835 SIG, BAK, OVRL and P.808 MOS, means over 9.01 s windows.

    Attributes:
        windows: which windows are averaged; ``reference`` are those of ``speechmos``, see
            :func:`reference_starts`.
    """

    name: ClassVar[str] = "dnsmos"
    group: ClassVar[str] = "quality"
    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    packages: ClassVar[dict[str, str]] = {"onnxruntime": "onnxruntime", "speechmos": "speechmos"}

    windows: Literal["reference"] = "reference"

    def __post_init__(self) -> None:
        if self.windows != "reference":
            raise UserError(f"{self.name}: windows {self.windows!r} is unknown; use 'reference'")

    def unavailable(self) -> str | None:
        """Why it cannot run here: a package or a model file inside it is missing."""
        missing = super().unavailable()
        if missing:
            return missing
        absent = [str(path) for path in model_files() if not path.is_file()]
        if absent:
            return (
                f"{self.name}: {absent[0]} is missing; run: pip install --force-reinstall speechmos"
            )
        return None

    def revision(self) -> str | None:
        """SHA-256 over the P.835 and the P.808 model file; None where they are missing."""
        return _revision()

    def load(self) -> None:
        """Load both models."""
        _sessions()

    def close(self) -> None:
        """Release both models."""
        _sessions.cache_clear()

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        """Score the 16 kHz mono mix; absent without speech or under 0.1 s."""
        audio = clip.speech
        if len(audio) < MIN_SECONDS * SPEECH_RATE:
            reason = f"{clip.seconds:.3f} s, at least {MIN_SECONDS:g} s are needed for quality"
            return Absent(status=Status.TOO_SHORT, reason=reason)
        absent = speech_gate(known)
        if absent:
            return absent
        scores = np.array([score_window(window) for window in windows_of(audio)])
        sig, bak, ovrl, p808 = (float(score) for score in scores.mean(axis=0))
        return Quality(
            sig=sig, bak=bak, ovrl=ovrl, p808=p808, windows=len(scores), level_dbfs=rms_dbfs(audio)
        )


def windows_of(audio: Samples) -> Iterator[Samples]:
    """The reference windows [shape=(144160,)] of audio at 16 kHz [shape=(n,)], n > 0."""
    audio = fill_window(audio)
    for start in reference_starts(len(audio)):
        yield audio[start : start + WINDOW_SAMPLES]


def fill_window(audio: Samples) -> Samples:
    """Double the audio until it fills a window, as the reference does.

    Raises:
        ValueError: there are no samples, so doubling would never end.
    """
    if len(audio) == 0:
        raise ValueError("dnsmos: 0 samples cannot fill a window; refuse the clip before")
    while len(audio) < WINDOW_SAMPLES:
        audio = np.concatenate((audio, audio))
    return audio


def reference_starts(samples: int) -> list[int]:
    """Starts of the windows that the reference averages, in samples at 16 kHz.

    Nominally one window per second. The reference computes each window's end in floating
    point and truncates, which for some seconds gives 144,159 samples, and skips windows
    that are short. So the windows that start at 7 to 23 s and at 119 to 122 s never
    count: of a 30 s clip only the first 16 s are heard. Published scores are computed
    like that, so it is kept.
    """
    hops = int(samples // SPEECH_RATE - WINDOW_S) + 1
    ends = [min(samples, int((hop + WINDOW_S) * SPEECH_RATE)) for hop in range(hops)]
    return [
        hop * HOP_SAMPLES
        for hop, end in enumerate(ends)
        if end - hop * HOP_SAMPLES >= WINDOW_SAMPLES
    ]


def score_window(window: Samples) -> tuple[float, float, float, float]:
    """SIG, BAK, OVRL and P.808 MOS of one window [shape=(144160,)].

    One window per run: a batch is no faster on a CPU (0.23 s a window alone, 0.30 s in
    fours) and takes 250 MB for each window in it.
    """
    p835, p808 = _sessions()
    raw = p835.run(None, {"input_1": window[np.newaxis]})[0][0]
    sig, bak, ovrl = (
        float(np.polyval(coefficients, float(value)))
        for coefficients, value in zip(_CALIBRATION.values(), raw, strict=True)
    )
    features = log_mel(window[:-_MEL_CUT_SAMPLES])
    mos = p808.run(None, {"input_1": features[np.newaxis]})[0][0][0]
    return sig, bak, ovrl, float(mos)


def log_mel(audio: Samples) -> Samples:
    """P.808's input: log-mel power re its own maximum, scaled by (dB + 40) / 40.

    Frames of 321 samples every 160, centred with zero padding, under a periodic Hann
    window. librosa computes the same, but its import takes seconds.

    Args:
        audio: float32 [shape=(n,)] at 16 kHz.

    Returns:
        float32 [shape=(1 + n // 160, 120)], -1 to 1.
    """
    padded = np.pad(audio, FFT_SAMPLES // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, FFT_SAMPLES)[::MEL_HOP_SAMPLES]
    spectrum = np.abs(np.fft.rfft(frames * _hann())) ** 2
    decibels = 10 * np.log10(np.maximum(spectrum @ mel_filters().T, _POWER_FLOOR))
    relative = np.maximum(decibels - decibels.max(), -_DYNAMIC_RANGE_DB)
    return np.asarray((relative + 40) / 40, dtype=np.float32)


def _hann() -> npt.NDArray[np.float64]:
    phase = 2 * np.pi * np.arange(FFT_SAMPLES) / FFT_SAMPLES
    return np.asarray(0.5 - 0.5 * np.cos(phase))


@cache
def mel_filters() -> npt.NDArray[np.float64]:
    """Triangular mel filters of equal area [shape=(120, 161)], 0 to 8 kHz.

    Slaney's scale (Auditory Toolbox, 1998): 3 mel per 200 Hz up to 1 kHz, then 27 mel per
    factor of 6.4.
    """
    knee_hz, hz_per_mel, log_step = 1000.0, 200 / 3, np.log(6.4) / 27
    knee_mel = knee_hz / hz_per_mel
    top_mel = knee_mel + np.log(SPEECH_RATE / 2 / knee_hz) / log_step
    mel = np.linspace(0, top_mel, MELS + 2)
    edges = np.where(
        mel < knee_mel, hz_per_mel * mel, knee_hz * np.exp(log_step * (mel - knee_mel))
    )
    bins = np.fft.rfftfreq(FFT_SAMPLES, 1 / SPEECH_RATE)
    low, centre, high = (edges[i : i + MELS, np.newaxis] for i in range(3))
    rising, falling = (bins - low) / (centre - low), (high - bins) / (high - centre)
    triangles = np.maximum(0, np.minimum(rising, falling))
    return np.asarray(triangles * 2 / (high - low))


def model_files() -> tuple[Path, ...]:
    """Paths of the P.835 and the P.808 model; empty where ``speechmos`` is not installed."""
    spec = find_spec("speechmos")
    if spec is None or not spec.submodule_search_locations:
        return ()
    folder = Path(spec.submodule_search_locations[0])
    return folder / _P835_FILE, folder / _P808_FILE


@cache
def _revision() -> str | None:
    files = model_files()
    if not files or not all(path.is_file() for path in files):
        return None
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _sessions() -> tuple[Any, Any]:
    """The P.835 and the P.808 session, one thread each: clips are parallel, not layers."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # as fast, 40 MB smaller
    p835, p808 = (
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        for path in model_files()
    )
    return p835, p808
