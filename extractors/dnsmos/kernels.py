"""The inner loops of :mod:`extractors.dnsmos.convolution`, compiled by numba.

Images are channels-last and lie in buffers that have one column more on either side.
Whoever calls a kernel hands over all memory that it works in, so machine code needs
nothing of numba once it is there. :mod:`extractors.dnsmos.machine_code` keeps it: this
module, with numba, is imported only where there is none yet.

Raises:
    ImportError: numba is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import binding
from numba import types

from extractors.dnsmos.windows import GROUP, ROWS

_NUMBA: Any = numba  # and what is in it has types in part only
carray = _NUMBA.carray

#: Sums may be regrouped; what is not a number stays so. A division tests for no zero.
_OPTIONS: dict[str, Any] = {
    "fastmath": {"contract", "reassoc", "nsz"},
    "error_model": "numpy",
}
_ZERO = np.float32(0)

#: Numbers without a sign: an index that might be negative costs a test in every loop.
_UINT = np.uint64
_1, _2, _3, _4, _8 = map(_UINT, (1, 2, 3, 4, 8))

# Addresses of arrays become arrays of numba, which have no types here.
Address = Any


def convolve_one(
    image_at: Address,
    weights_at: Address,
    bias_at: Address,
    to_at: Address,
    columns: int,
    outputs: int,
) -> None:
    """Compute rows of a convolution of one input channel.

    Args:
        image_at: input [shape=(ROWS + 2, columns)].
        weights_at: [shape=(9, outputs)].
        bias_at: [shape=(outputs,)].
        to_at: result [shape=(ROWS, columns, outputs)].
        columns, outputs: sizes of these arrays.
    """
    image = carray(image_at, (ROWS + 2, columns))
    weights, bias = carray(weights_at, (9, outputs)), carray(bias_at, outputs)
    to = carray(to_at, (ROWS, columns, outputs))
    for i in range(ROWS):
        for q in range(1, columns - 1):
            a, b, c = image[i, q - 1], image[i, q], image[i, q + 1]
            d, e, f = image[i + 1, q - 1], image[i + 1, q], image[i + 1, q + 1]
            g, h, k = image[i + 2, q - 1], image[i + 2, q], image[i + 2, q + 1]
            for o in range(outputs):
                total = (
                    bias[o] + a * weights[0, o] + b * weights[1, o] + c * weights[2, o]
                )
                total += d * weights[3, o] + e * weights[4, o] + f * weights[5, o]
                to[i, q, o] = (
                    total + g * weights[6, o] + h * weights[7, o] + k * weights[8, o]
                )


def convolve(
    image_at: Address,
    weights_at: Address,
    bias_at: Address,
    sums_at: Address,
    index_at: Address,
    positive_at: Address,
    ends_at: Address,
    columns: int,
    inputs: int,
    outputs: int,
) -> None:
    """Compute rows of a convolution of the positive part of an image.

    Args:
        image_at: input [shape=(ROWS, columns, inputs)]; what is not positive counts as
            zero.
        weights_at: [shape=(inputs, 9 * outputs)], with both directions turned around.
        bias_at: [shape=(outputs,)].
        sums_at: what the image before left in the last two rows is completed, with
            ``ROWS - 2`` more, as its first [shape=(ROWS + 2, columns, outputs)].
        index_at: room for the numbers of positive channels [shape=(ROWS * columns *
            inputs + 1,)].
        positive_at: room for which values are positive [shape=(ROWS * columns *
            inputs,)].
        ends_at: room for the ends of pixels in the index [shape=(ROWS, columns)].
        columns, inputs, outputs: sizes of these arrays.
    """
    count = ROWS * columns * inputs
    values = carray(image_at, count)
    flat = carray(weights_at, inputs * 9 * outputs)
    totals = carray(sums_at, (ROWS + 2) * columns * outputs)
    bias, width = carray(bias_at, outputs), _UINT(columns * outputs)
    for k in range(_2 * width):
        totals[k] = totals[_UINT(ROWS) * width + k]
    for cell in range(_UINT(2 * columns), _UINT((ROWS + 2) * columns)):
        at = cell * _UINT(outputs)
        for k in range(_UINT(outputs)):
            totals[at + k] = bias[k]
    index, ends = carray(index_at, count + 1), carray(ends_at, (ROWS, columns))
    positive = carray(positive_at, count, np.uint8)
    for number in range(count):
        positive[number] = values[number] > _ZERO
    eights = carray(positive_at, count // GROUP, np.uint64)
    _list_positive(eights, index, ends)
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


@numba.njit(**_OPTIONS)  # type: ignore[untyped-decorator]
def _list_positive(eights: Any, index: Any, ends: Any) -> None:
    """List which channels are positive, pixel by pixel.

    Args:
        eights: a byte for each value, 1 if it is positive, eight of them a number
            [shape=(rows * columns * inputs / 8,)].
        index: result, those of a pixel from the end of the one before; room for 1 more.
        ends: result [shape=(rows, columns)]; the first and the last column have none.
    """
    rows, columns = ends.shape
    per_pixel = _UINT(len(eights) // (rows * columns))
    count, at = _UINT(0), _UINT(0)
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


def pool(
    image_at: Address, to_at: Address, columns: int, bins: int, channels: int, step: int
) -> None:
    """Take the maximum of 2x2 cells of the positive part of an image.

    Args:
        image_at: [shape=(ROWS, columns, channels)].
        to_at: results of all steps [shape=(steps, ROWS / 2, bins, channels)].
        columns, bins, channels: sizes of these arrays.
        step: which result this one is.
    """
    image = carray(image_at, (ROWS, columns, channels))
    steps = carray(to_at, (step + 1, ROWS // 2, bins, channels))
    to = steps[_UINT(step)]
    for i in range(ROWS // 2):
        for q in range(bins):
            for c in range(channels):
                upper = max(image[2 * i, 2 * q + 1, c], image[2 * i, 2 * q + 2, c])
                lower = max(
                    image[2 * i + 1, 2 * q + 1, c], image[2 * i + 1, 2 * q + 2, c]
                )
                to[i, q, c] = max(_ZERO, upper, lower)


_TYPES: Any = types
_FLOATS, _ROOM = _TYPES.CPointer(types.float32), types.voidptr
_BYTES, _ENDS = _TYPES.CPointer(types.uint8), _TYPES.CPointer(types.int64)
_SIZE = types.int64

#: Each kernel with the types of what it takes.
_SIGNATURES: dict[Callable[..., None], tuple[Any, ...]] = {
    convolve_one: (_FLOATS,) * 4 + (_SIZE,) * 2,
    convolve: (*(_FLOATS,) * 4, _BYTES, _ROOM, _ENDS, *(_SIZE,) * 3),
    pool: (_FLOATS,) * 2 + (_SIZE,) * 4,
}


def machine_code(target: Any) -> bytes:
    """Compile all kernels into one object file, each under its own name.

    numba's code calls functions of its own where a kernel raises. Ours do not, so these
    are replaced by traps: the object needs nothing of numba.

    Args:
        target: machine of llvmlite to compile for.
    """
    module = binding.parse_assembly("")
    for kernel, signature in _SIGNATURES.items():
        native = numba.cfunc(types.void(*signature), **_OPTIONS)(kernel)
        part = binding.parse_assembly(native.inspect_llvm())
        part.get_function(native.native_name).name = kernel.__name__
        module.link_in(part)
    traps = ["declare void @llvm.trap()"]
    for function in module.functions:
        if function.is_declaration and not function.name.startswith("llvm."):
            head = str(function).strip().removeprefix("declare ")
            head = head[: head.rindex(")") + 1]
            traps.append(f"define {head} {{ call void @llvm.trap() unreachable }}")
    module.link_in(binding.parse_assembly("\n".join(traps)))
    module.verify()
    return bytes(target.emit_object(module))
