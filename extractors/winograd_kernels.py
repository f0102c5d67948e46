"""The inner loops of :mod:`extractors.winograd`, compiled by numba.

Images are channels-last, so every innermost loop is over channels and fills vector registers.
A strip buffer holds the six rows that four output rows depend on, with a column of zeros before
the image and zeros after it; results go to rows 2 to 5 of the next layer's buffer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Kernel = TypeVar("Kernel", bound=Callable[..., None])

#: Outputs of a tile along each axis, and inputs that they depend on.
TILE, PATCH = 4, 6

#: Rows of transformed patches in the order in which they are made, two at a time.
ROWS = (0, 5, 1, 2, 3, 4)

#: Sums may be regrouped; what is not a number stays so.
_FAST = {"contract", "reassoc", "nsz"}
_ZERO, _TWO, _FOUR, _FIVE, _EIGHT = (np.float32(value) for value in (0, 2, 4, 5, 8))


def compiled(kernel: Kernel) -> Kernel:
    """Machine code of a function, kept on disk where numba finds a folder to write to."""
    try:
        return cast(Kernel, numba.njit(cache=True, fastmath=_FAST)(kernel))
    except RuntimeError:  # no such folder: every process compiles anew, 5 s
        return cast(Kernel, numba.njit(fastmath=_FAST)(kernel))


@compiled
def convolve_one(strip: Floats, weights: Floats, bias: Floats, to: Floats, bins: int) -> None:
    """A convolution of one input channel, the plain sum, with ReLU.

    Args:
        strip: input [shape=(6, columns, 1)].
        weights: [shape=(9, channels)].
        bias: [shape=(channels,)].
        to: strip of the next layer [shape=(6, columns, channels)].
        bins: columns of the image.
    """
    for i in range(TILE):
        for q in range(bins):
            a, b, c = strip[i, q, 0], strip[i, q + 1, 0], strip[i, q + 2, 0]
            d, e, f = strip[i + 1, q, 0], strip[i + 1, q + 1, 0], strip[i + 1, q + 2, 0]
            g, h, k = strip[i + 2, q, 0], strip[i + 2, q + 1, 0], strip[i + 2, q + 2, 0]
            for o in range(len(bias)):
                total = bias[o] + a * weights[0, o] + b * weights[1, o] + c * weights[2, o]
                total += d * weights[3, o] + e * weights[4, o] + f * weights[5, o]
                total += g * weights[6, o] + h * weights[7, o] + k * weights[8, o]
                to[i + 2, q + 1, o] = max(_ZERO, total)


@compiled
def to_products(strip: Floats, first: int, group: int, tiles: Floats) -> None:
    """Transform 6x6 patches, four columns apart: two rows of the paper's B^T d B.

    Args:
        strip: input [shape=(6, columns, channels)].
        first: number of the first patch.
        group: which rows: 0, 1, 2 are rows 0 and 5, 1 and 2, 3 and 4.
        tiles: result [shape=(12, patches, channels)].
    """
    channels = strip.shape[2]
    half = np.empty((2, PATCH, channels), np.float32)
    for p in range(tiles.shape[1]):
        left = TILE * (first + p)
        for j in range(PATCH):
            q = left + j
            if group == 0:
                for c in range(channels):
                    half[0, j, c] = _FOUR * strip[0, q, c] - _FIVE * strip[2, q, c] + strip[4, q, c]
                    half[1, j, c] = _FOUR * strip[1, q, c] - _FIVE * strip[3, q, c] + strip[5, q, c]
            elif group == 1:
                for c in range(channels):
                    a = strip[4, q, c] - _FOUR * strip[2, q, c]
                    b = strip[3, q, c] - _FOUR * strip[1, q, c]
                    half[0, j, c] = a + b
                    half[1, j, c] = a - b
            else:
                for c in range(channels):
                    a = strip[4, q, c] - strip[2, q, c]
                    b = _TWO * (strip[3, q, c] - strip[1, q, c])
                    half[0, j, c] = a + b
                    half[1, j, c] = a - b
        for i in range(2):
            for c in range(channels):
                d0, d1, d2 = half[i, 0, c], half[i, 1, c], half[i, 2, c]
                d3, d4, d5 = half[i, 3, c], half[i, 4, c], half[i, 5, c]
                a, b, e, g = d4 - _FOUR * d2, d3 - _FOUR * d1, d4 - d2, _TWO * (d3 - d1)
                tiles[PATCH * i, p, c] = _FOUR * d0 - _FIVE * d2 + d4
                tiles[PATCH * i + 1, p, c] = a + b
                tiles[PATCH * i + 2, p, c] = a - b
                tiles[PATCH * i + 3, p, c] = e + g
                tiles[PATCH * i + 4, p, c] = e - g
                tiles[PATCH * i + 5, p, c] = _FOUR * d1 - _FIVE * d3 + d5


@compiled
def from_products(products: Floats, bias: Floats, first: int, to: Floats, bins: int) -> None:
    """Transform products into 4x4 outputs, A^T m A of the paper, with bias and ReLU.

    Args:
        products: rows as in ``ROWS`` [shape=(6, 6, patches, channels)].
        bias: [shape=(channels,)].
        first: number of the first patch.
        to: strip of the next layer [shape=(6, columns, channels)].
        bins: columns of the image; what a patch has beyond them is left out.
    """
    channels = len(bias)
    half = np.empty((TILE, PATCH, channels), np.float32)
    for p in range(products.shape[2]):
        for j in range(PATCH):
            for c in range(channels):
                m0, m5 = products[0, j, p, c], products[1, j, p, c]
                m1, m2 = products[2, j, p, c], products[3, j, p, c]
                m3, m4 = products[4, j, p, c], products[5, j, p, c]
                a, b, d, e = m1 + m2, m1 - m2, m3 + m4, m3 - m4
                half[0, j, c] = m0 + a + d
                half[1, j, c] = b + _TWO * e
                half[2, j, c] = a + _FOUR * d
                half[3, j, c] = b + _EIGHT * e + m5
        left = TILE * (first + p)
        width = min(TILE, bins - left)
        for i in range(TILE):
            for c in range(channels):
                m0, m1, m2 = half[i, 0, c], half[i, 1, c], half[i, 2, c]
                m3, m4, m5 = half[i, 3, c], half[i, 4, c], half[i, 5, c]
                a, b, d, e = m1 + m2, m1 - m2, m3 + m4, m3 - m4
                to[i + 2, left + 1, c] = max(_ZERO, m0 + a + d + bias[c])
                if width > 1:
                    to[i + 2, left + 2, c] = max(_ZERO, b + _TWO * e + bias[c])
                if width > 2:
                    to[i + 2, left + 3, c] = max(_ZERO, a + _FOUR * d + bias[c])
                if width > 3:
                    to[i + 2, left + 4, c] = max(_ZERO, b + _EIGHT * e + m5 + bias[c])


@compiled
def pool(strip: Floats, to: Floats) -> None:
    """Maximum of 2x2 cells of a strip's rows 2 to 5.

    Args:
        strip: [shape=(6, columns, channels)].
        to: result [shape=(2, bins // 2, channels)].
    """
    for i in range(to.shape[0]):
        for q in range(to.shape[1]):
            for c in range(to.shape[2]):
                upper = max(strip[2 * i + 2, 2 * q + 1, c], strip[2 * i + 2, 2 * q + 2, c])
                lower = max(strip[2 * i + 3, 2 * q + 1, c], strip[2 * i + 3, 2 * q + 2, c])
                to[i, q, c] = max(upper, lower)
