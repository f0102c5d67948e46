"""Layers of networks in numpy, written out plainly, to compare graphs with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def convolve(
    values: Array,
    kernel: Array,
    stride: int | tuple[int, int] = 1,
    pad: int = 0,
    dilation: int = 1,
    bias: Array | None = None,
) -> Array:
    """Convolve channels over their one or two last axes, as torch does."""
    if kernel.ndim == 3:
        flat = convolve(
            values[:, np.newaxis],
            kernel[:, :, np.newaxis],
            (1, int(stride)),
            -pad,
            dilation,
            bias,
        )
        return flat[:, 0]
    rows, columns = (stride, stride) if isinstance(stride, int) else stride
    across = 0 if pad < 0 else pad  # under zero: along the last axis only
    values = np.pad(values, ((0, 0), (across, across), (abs(pad), abs(pad))))
    high, wide = kernel.shape[2], (kernel.shape[3] - 1) * dilation + 1
    windows = np.lib.stride_tricks.sliding_window_view(
        values, (high, wide), axis=(1, 2)
    )
    windows = windows[:, ::rows, ::columns, :, ::dilation]
    result = np.einsum("irchw,oihw->orc", windows, kernel)
    return result if bias is None else result + bias[:, np.newaxis, np.newaxis]


def batch_norm(values: Array, weights: Mapping[str, Array], name: str) -> Array:
    """Subtract the trained mean and divide by the trained deviation of each channel."""
    shape = (-1, *[1] * (values.ndim - 1))
    mean, variance = (
        weights[f"{name}.running_{x}"].reshape(shape) for x in ("mean", "var")
    )
    normed = (values - mean) / np.sqrt(variance + 1e-5)
    if f"{name}.weight" not in weights:
        return np.asarray(normed)
    factor, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    return np.asarray(normed * factor.reshape(shape) + bias.reshape(shape))


def relu(values: Array) -> Array:
    """Cut off what is under zero."""
    return np.maximum(values, 0)


def sigmoid(values: Array) -> Array:
    """Return the logistic function."""
    return np.asarray(1 / (1 + np.exp(-values)))


def lstm(values: Array, weights: Mapping[str, Array], side: str) -> Array:
    """Run torch's LSTM over frames [shape=(frames, inputs)] in one direction."""
    if side.endswith("_reverse"):
        forward = {
            key.replace("_reverse", ""): value
            for key, value in weights.items()
            if side in key
        }
        return lstm(values[::-1], forward, side.removesuffix("_reverse"))[::-1]
    size = weights[f"lstm.weight_hh_{side}"].shape[1]
    output, cell = np.zeros(size), np.zeros(size)
    outputs = []
    for value in values:
        gates = (
            weights[f"lstm.weight_ih_{side}"] @ value
            + weights[f"lstm.bias_ih_{side}"]
            + weights[f"lstm.weight_hh_{side}"] @ output
            + weights[f"lstm.bias_hh_{side}"]
        )
        entry, forget, candidate, out = np.split(gates, 4)
        cell = sigmoid(forget) * cell + sigmoid(entry) * np.tanh(candidate)
        output = sigmoid(out) * np.tanh(cell)
        outputs.append(output)
    return np.array(outputs)
