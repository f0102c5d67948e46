"""The inner loops of :mod:`extractors.dnsmos.convolution`, compiled by numba.

Images are channels-last and lie in buffers that have one column more on either side.
Machine code is compiled once per machine and kept in our cache folder; where that
cannot be, importing this module fails, and :mod:`extractors.dnsmos.graph` uses
onnxruntime instead.

Raises:
    ImportError: numba is missing, or there is no folder for its cache: to compile takes
        seconds, which every process would spend again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from extractors.dnsmos.windows import Float32s
from extractors.models import cache_folder

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

#: Rows that a layer takes in, and hands on, at once.
ROWS = 8

#: Input channels come in multiples of this: so many are tested at once for being zero.
GROUP = 8

#: Sums may be regrouped; what is not a number stays so.
_FAST = {"contract", "reassoc", "nsz"}
_ZERO = np.float32(0)

#: Numbers without a sign: an index that might be negative costs a test in every loop.
_UINT = np.uint64
_1, _2, _3, _4, _8 = map(_UINT, (1, 2, 3, 4, 8))


#: What numba looks for when it first compiles or loads a function.
_BLAS = "scipy.linalg.cython_blas"


def _load_numba_alone() -> None:
    """Load the part of numba that would import scipy's linear algebra, without it.

    That takes 0.15 s in every worker, and only the products inside numba's ``cov`` and
    ``corrcoef`` are faster by it; where they are called without it, numba has a loop of
    its own.
    """
    hidden: dict[str, Any] = sys.modules
    if _BLAS in hidden:
        return
    hidden[_BLAS] = None  # an import of it fails, and does not try
    try:
        with suppress(
            ImportError
        ):  # a version that has this part elsewhere loads it as it likes
            import numba.np.arraymath  # noqa: F401
    finally:
        del hidden[_BLAS]


_load_numba_alone()


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function, kept in ``$NUMBA_CACHE_DIR`` or our cache.

    Raises:
        ImportError: it cannot be compiled here.
    """
    config: Any = numba.config
    before = config.CACHE_DIR
    folder = before or str(cache_folder() / "numba")
    config.CACHE_DIR = folder
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - numba's setting is a string
        if not os.access(folder, os.W_OK | os.X_OK):
            raise OSError("no permission to write")
        return cast(Kernel, numba.njit(cache=True, fastmath=_FAST)(kernel))
    except (OSError, RuntimeError) as error:  # numba: "no locator available"
        raise ImportError(f"numba's cache {folder} cannot be used ({error})") from error
    finally:
        config.CACHE_DIR = before


@compiled
def convolve_one(
    image: Float32s, weights: Float32s, bias: Float32s, to: Float32s
) -> None:
    """Compute rows of a convolution of one input channel.

    Args:
        image: input [shape=(ROWS + 2, columns)].
        weights: [shape=(9, channels)].
        bias: [shape=(channels,)].
        to: its first ``ROWS`` rows are the result [shape=(rows, columns, channels)].
    """
    for i in range(ROWS):
        for q in range(1, image.shape[1] - 1):
            a, b, c = image[i, q - 1], image[i, q], image[i, q + 1]
            d, e, f = image[i + 1, q - 1], image[i + 1, q], image[i + 1, q + 1]
            g, h, k = image[i + 2, q - 1], image[i + 2, q], image[i + 2, q + 1]
            for o in range(len(bias)):
                total = (
                    bias[o] + a * weights[0, o] + b * weights[1, o] + c * weights[2, o]
                )
                total += d * weights[3, o] + e * weights[4, o] + f * weights[5, o]
                to[i, q, o] = (
                    total + g * weights[6, o] + h * weights[7, o] + k * weights[8, o]
                )


@compiled
def convolve(image: Float32s, weights: Float32s, sums: Float32s) -> None:
    """Compute rows of a convolution of the positive part of an image.

    Args:
        image: its first ``ROWS`` rows are the input [shape=(rows, columns, inputs)];
            what is not positive counts as zero.
        weights: [shape=(inputs, 9 * outputs)], with both directions turned around.
        sums: what the rows before gave is added to; then the first ``ROWS`` are
            complete [shape=(ROWS + 2, columns, outputs)].
    """
    _, columns, inputs = image.shape
    outputs = sums.shape[2]
    index = np.empty(ROWS * columns * inputs + 1, np.uint8)
    ends = np.zeros((ROWS, columns), np.int64)
    _list_positive(image, index, ends)
    values, totals, flat = image.reshape(-1), sums.reshape(-1), weights.reshape(-1)
    size, length = _UINT(9 * outputs), _UINT(3 * outputs)  # three pixels are neighbours
    for y in range(3):  # the weights of one kernel row then stay in the cache
        row = _UINT(y) * length
        for i in range(ROWS):
            for q in range(1, columns - 1):
                at = _UINT(((i + y) * columns + q - 1) * outputs)
                pixel = _UINT((i * columns + q) * inputs)
                n, stop = _UINT(ends[i, q - 1]), _UINT(ends[i, q])
                # Four channels at once load and store each sum once instead of four
                # times.
                while n + _4 <= stop:
                    a, b = _UINT(index[n]), _UINT(index[n + _1])
                    c, d = _UINT(index[n + _2]), _UINT(index[n + _3])
                    value_a, value_b = values[pixel + a], values[pixel + b]
                    value_c, value_d = values[pixel + c], values[pixel + d]
                    a, b, c, d = (
                        a * size + row,
                        b * size + row,
                        c * size + row,
                        d * size + row,
                    )
                    for k in range(length):
                        left = value_a * flat[a + k] + value_b * flat[b + k]
                        right = value_c * flat[c + k] + value_d * flat[d + k]
                        totals[at + k] += left + right
                    n += _4
                if n + _2 <= stop:
                    a, b = _UINT(index[n]), _UINT(index[n + _1])
                    value_a, value_b = values[pixel + a], values[pixel + b]
                    a, b = a * size + row, b * size + row
                    for k in range(length):
                        totals[at + k] += value_a * flat[a + k] + value_b * flat[b + k]
                    n += _2
                if n < stop:
                    a = _UINT(index[n])
                    value_a = values[pixel + a]
                    a = a * size + row
                    for k in range(length):
                        totals[at + k] += value_a * flat[a + k]


@compiled
def _list_positive(
    image: Float32s, index: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]
) -> None:
    """List which channels are positive, pixel by pixel.

    Args:
        image: [shape=(rows', columns, inputs)], of at least as many rows as ``ends``
            has.
        index: result, those of a pixel from the end of the one before; room for 1 more.
        ends: result [shape=(rows, columns)]; the first and the last column have none.
    """
    values = image.reshape(-1)
    positive = np.empty(len(values), np.uint8)
    for n in range(len(values)):
        positive[n] = values[n] > _ZERO
    eights = positive.view(np.uint64)
    per_pixel = _UINT(image.shape[2] // GROUP)
    count, at = _UINT(0), _UINT(0)
    rows, columns = ends.shape
    for i in range(rows):
        ends[i, 0] = count
        at += per_pixel
        for q in range(1, columns - 1):
            for group in range(per_pixel):
                eight = eights[at + group]
                if eight:
                    for place in range(_8):
                        index[count] = (
                            group * _8 + place
                        )  # overwritten unless it counts
                        count += (eight >> (_8 * place)) & _1
            ends[i, q] = count
            at += per_pixel
        at += per_pixel


@compiled
def pool(image: Float32s, to: Float32s) -> None:
    """Take the maximum of 2x2 cells of the positive part of an image.

    Args:
        image: [shape=(rows, columns, channels)].
        to: result [shape=(rows', bins', channels)]; rows' and bins' say how much is
            read.
    """
    rows, bins, channels = to.shape
    for i in range(rows):
        for q in range(bins):
            for c in range(channels):
                upper = max(image[2 * i, 2 * q + 1, c], image[2 * i, 2 * q + 2, c])
                lower = max(
                    image[2 * i + 1, 2 * q + 1, c], image[2 * i + 1, 2 * q + 2, c]
                )
                to[i, q, c] = max(_ZERO, upper, lower)
