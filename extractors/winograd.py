"""3x3 convolutions by Winograd's algorithm F(4x4, 3x3), a strip of rows at a time.

Four by four outputs of a 3x3 convolution cost 36 products instead of 144 when 6x6 inputs and
the kernel are first taken to where convolution is a product (Lavin & Gray 2016, "Fast
Algorithms for Convolutional Neural Networks", CVPR). What is left is 36 matrix products per
strip, for numpy's linear algebra library. The sums are the same but for rounding.

A chain of layers runs over the image like a loom: every step takes in four rows, and each layer
hands four rows on to the next, so that what is in flight stays in a core's cache. The same
layers in onnxruntime take four times the products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.winograd_kernels import (
    PATCH,
    ROWS,
    TILE,
    Floats,
    convolve_one,
    from_products,
    pool,
    to_products,
)

#: Patches per matrix product, at most: a strip of 161 bins has 41.
PATCHES_AT_ONCE = 48

#: Transform of a kernel along one axis [shape=(6, 3)]: F(4, 3) with the points 0, 1, -1, 2, -2.
_KERNEL = np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24


@dataclass(frozen=True)
class Convolution:
    """A 3x3 convolution with ReLU that pads frequency with zeros, and time not at all.

    Attributes:
        weights: of one input channel [shape=(9, outputs)], of more those transformed
            [shape=(3, 12, inputs, outputs)], rows as in ``ROWS``.
        bias: [shape=(outputs,)].
        inputs: input channels.
    """

    weights: Floats
    bias: Floats
    inputs: int

    @classmethod
    def of(cls, weights: npt.NDArray[np.floating], bias: Floats) -> Convolution:
        """From weights as ONNX has them [shape=(outputs, inputs, 3, 3)]."""
        outputs, inputs = weights.shape[:2]
        if inputs == 1:
            used = weights.reshape(outputs, 9).T
        else:
            exact = weights.astype(np.float64)
            used = np.einsum("iy,jx,ocyx->ijco", _KERNEL[list(ROWS)], _KERNEL, exact)
            used = used.reshape(-1, 2 * PATCH, inputs, outputs)
        return cls(np.ascontiguousarray(used, np.float32), np.ascontiguousarray(bias), inputs)


class Chain:
    """Convolutions one after the other, then perhaps a 2x2 pooling; rows without padding.

    Args:
        layers: at least one; only the first may have a single input channel.
        pooled: end with the maximum of 2x2 cells.
    """

    def __init__(self, layers: Sequence[Convolution], pooled: bool) -> None:
        self._layers = tuple(layers)
        self._pooled = pooled

    def __call__(self, image: Floats) -> Floats:
        """Run over an image.

        Args:
            image: [shape=(rows, bins, channels)]; with pooling, an even number of rows.

        Returns:
            Two rows less per layer; pooled, half of them and of the bins
            [shape=(rows', bins', channels')].
        """
        rows, bins, _ = image.shape
        steps = math.ceil(rows / TILE)
        lag = 2 * len(self._layers)  # what the first steps give is made of nothing
        strips = self._strips(bins)
        buffers = [_parts(layer, bins) for layer in self._layers]
        scale = 2 if self._pooled else 1
        found = np.empty((TILE // scale * steps, bins // scale, strips[-1].shape[2]), np.float32)
        for step in range(steps):
            fresh = image[TILE * step : TILE * (step + 1)]
            strips[0][2 : 2 + len(fresh), 1 : bins + 1] = fresh
            for number, layer in enumerate(self._layers):
                _apply(layer, strips[number], buffers[number], strips[number + 1], bins)
            to = found[TILE // scale * step : TILE // scale * (step + 1)]
            if self._pooled:
                pool(strips[-1], to)
            else:
                to[:] = strips[-1][2:, 1 : bins + 1]
            for strip in strips[:-1]:
                strip[:2] = strip[TILE:]
        return found[lag // scale : rows // scale]

    def _strips(self, bins: int) -> list[Floats]:
        """What each layer reads, and what the last one writes: zeros."""
        columns = TILE * math.ceil(bins / TILE) + 2
        channels = [*(layer.inputs for layer in self._layers), len(self._layers[-1].bias)]
        return [np.zeros((PATCH, columns, count), np.float32) for count in channels]


class _Part(NamedTuple):
    """Room for the matrix products of some patches of a strip.

    Attributes:
        first: number of the first patch.
        factors: two rows of transformed patches [shape=(12, patches, inputs)].
        results: all products [shape=(3, 12, patches, outputs)].
    """

    first: int
    factors: Floats
    results: Floats


def _parts(layer: Convolution, bins: int) -> list[_Part]:
    if layer.inputs == 1:
        return []
    patches = math.ceil(bins / TILE)
    parts = np.array_split(np.arange(patches), math.ceil(patches / PATCHES_AT_ONCE))
    groups, rows, _, outputs = layer.weights.shape
    return [
        _Part(
            int(part[0]),
            np.empty((rows, len(part), layer.inputs), np.float32),
            np.empty((groups, rows, len(part), outputs), np.float32),
        )
        for part in parts
    ]


def _apply(layer: Convolution, strip: Floats, parts: list[_Part], to: Floats, bins: int) -> None:
    """Four rows of one layer."""
    if layer.inputs == 1:
        convolve_one(strip, layer.weights, layer.bias, to, bins)
    for group, weights in enumerate(layer.weights):  # which stay in the cache for all parts
        for first, factors, results in parts:
            to_products(strip, first, group, factors)
            np.matmul(factors, weights, out=results[group])
    for first, _, results in parts:
        products = results.reshape(PATCH, PATCH, *results.shape[2:])
        from_products(products, layer.bias, first, to, bins)
