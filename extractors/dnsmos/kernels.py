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
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from extractors.dnsmos.windows import GROUP, ROWS

_NUMBA: Any = numba  # and what is in it has types in part only
_CGUTILS: Any = cgutils
carray = _NUMBA.carray

#: Sums may be regrouped; what is not a number stays so. A division tests for no zero.
_OPTIONS: dict[str, Any] = {
    "fastmath": {"contract", "reassoc", "nsz"},
    "error_model": "numpy",
}
_ZERO = np.float32(0)

#: Sums that are held in registers while all channels of a pixel are added: 6 vectors of
#: AVX-512, 12 of AVX.
LANES, VECTORS = 16, 6
BLOCK = LANES * VECTORS

_NUMBER, _VECTOR = ir.IntType(64), ir.VectorType(ir.FloatType(), LANES)
_FUSED = ("contract",)  # a product and a sum are rounded once where the processor can

#: Numbers without a sign: an index that might be negative costs a test in every loop.
_UINT = np.uint64
_2 = _UINT(2)

#: Gathers the lowest bit of each of eight bytes in the highest byte of a product; adds
#: eight to each byte.
_GATHER, _EIGHTS = _UINT(0x0102040810204080), _UINT(0x0808080808080808)

#: Bits of a byte -> the places of those that are set, a byte each, lowest first; and how
#: many they are.
_PLACES, _COUNTS = np.zeros(256, np.uint64), np.zeros(256, np.uint64)
for _bits in range(256):
    _set = bytes(_place for _place in range(8) if _bits >> _place & 1)
    _PLACES[_bits], _COUNTS[_bits] = int.from_bytes(_set, "little"), len(_set)


# Addresses of arrays become arrays of numba, which have no types here.
Address = Any


@intrinsic
def _add_block(
    _: Any,
    sums: Any,
    at: Any,
    weights: Any,
    row: Any,
    size: Any,
    image: Any,
    pixel: Any,
    index: Any,
    first: Any,
    stop: Any,
) -> Any:
    """Add positive channels, times their weights, to a block of sums.

    The sums stay in registers meanwhile, as they do not in loops of numba: it cannot
    know that sums and weights lie in different memory.

    Args:
        sums, at: the sums, and the number of the block's first.
        weights, row, size: the weights, the number of the first channel's first for the
            block, and how many a channel has.
        image, pixel: the values of channels, and the number of the first.
        index, first, stop: the numbers of the positive channels, from where, and to
            where but without it.
    """

    def code(context: Any, builder: Any, _: Any, values: Any) -> Any:
        parts = _Parts(builder)
        sums, at, weights, row, size, image, pixel, index, first, stop = values
        totals = [_CGUTILS.alloca_once(builder, _VECTOR) for _ in range(VECTORS)]
        places = parts.of(sums, at)
        channels = first, stop, _NUMBER(1), _NUMBER
        for place, total in zip(places, totals, strict=True):
            builder.store(builder.load(place, align=4), total)
        with _CGUTILS.for_range_slice(builder, *channels) as (number, _):
            byte = builder.load(parts.byte(index, number))
            channel = builder.zext(byte, _NUMBER)
            factor = parts.everywhere(image, pixel, channel)
            used = parts.of(weights, builder.add(builder.mul(channel, size), row))
            for place, total in zip(used, totals, strict=True):
                weight = builder.load(place, align=4)
                product = builder.fmul(weight, factor, flags=_FUSED)
                added = builder.fadd(builder.load(total), product, flags=_FUSED)
                builder.store(added, total)
        for place, total in zip(places, totals, strict=True):
            builder.store(builder.load(total), place, align=4)
        return context.get_dummy_value()

    kinds = sums, at, weights, row, size, image, pixel, index, first, stop
    return types.void(*kinds), code


class _Parts:
    """Places in arrays, as a builder of machine code names them."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def byte(self, array: Any, number: Any) -> Any:
        """Return the place of a byte."""
        start = self._builder.bitcast(array, ir.IntType(8).as_pointer())
        return self._builder.gep(start, [number])

    def of(self, array: Any, first: Any) -> list[Any]:
        """Return the places of the vectors of a block from a first value on."""
        places = []
        start = self._value(array, first)
        for number in range(VECTORS):
            place = self._builder.gep(start, [_NUMBER(number * LANES)])
            places.append(self._builder.bitcast(place, _VECTOR.as_pointer()))
        return places

    def everywhere(self, array: Any, first: Any, number: Any) -> Any:
        """Return a vector of one value alone."""
        builder, small = self._builder, ir.IntType(32)
        place = self._value(array, builder.add(first, number))
        value = builder.load(place, align=4)
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        begun = builder.insert_element(nothing, value, small(0))
        zeros = ir.Constant(ir.VectorType(small, LANES), [0] * LANES)
        return builder.shuffle_vector(begun, nothing, zeros)

    def _value(self, array: Any, number: Any) -> Any:
        start = self._builder.bitcast(array, ir.FloatType().as_pointer())
        return self._builder.gep(start, [number])


@intrinsic
def _store_eight(_: Any, array: Any, at: Any, eight: Any) -> Any:
    """Store a number of eight bytes in an array of bytes, from any place on."""

    def code(context: Any, builder: Any, _: Any, values: Any) -> Any:
        array, at, eight = values
        place = _Parts(builder).byte(array, at)
        builder.store(eight, builder.bitcast(place, eight.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(array, at, eight), code


# The same, as kernels call them: what they are given first, numba gives.
add_block: Any = _add_block
store_eight: Any = _store_eight


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
            inputs + 8,)].
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
    index, ends = carray(index_at, count + GROUP), carray(ends_at, (ROWS, columns))
    positive = carray(positive_at, count, np.uint8)
    for number in range(count):
        positive[number] = values[number] > _ZERO
    eights = carray(positive_at, count // GROUP, np.uint64)
    _list_positive(eights, index_at, ends)
    size, length = _UINT(9 * outputs), _UINT(3 * outputs)  # three pixels are neighbours
    whole = length - length % _UINT(BLOCK)
    for y in range(3):
        row = _UINT(y) * length
        for block in range(_UINT(0), whole, _UINT(BLOCK)):
            # The weights of a block stay in the nearest cache for all pixels.
            for i in range(ROWS):
                for q in range(1, columns - 1):
                    left = _UINT((i + y) * columns + q - 1)
                    add_block(
                        sums=sums_at,
                        at=left * _UINT(outputs) + block,
                        weights=weights_at,
                        row=row + block,
                        size=size,
                        image=image_at,
                        pixel=_UINT((i * columns + q) * inputs),
                        index=index_at,
                        first=_UINT(ends[i, q - 1]),
                        stop=_UINT(ends[i, q]),
                    )
        for i in range(ROWS):
            for q in range(1, columns - 1):
                at = _UINT(((i + y) * columns + q - 1) * outputs)
                pixel = _UINT((i * columns + q) * inputs)
                for k in range(whole, length):
                    for m in range(_UINT(ends[i, q - 1]), _UINT(ends[i, q])):
                        a = _UINT(index[m])
                        totals[at + k] += values[pixel + a] * flat[a * size + row + k]


@numba.njit(**_OPTIONS)  # type: ignore[untyped-decorator]
def _list_positive(eights: Any, index_at: Address, ends: Any) -> None:
    """List which channels are positive, pixel by pixel.

    Args:
        eights: a byte for each value, 1 if it is positive, eight of them a number
            [shape=(rows * columns * inputs / 8,)].
        index_at: result, those of a pixel from the end of the one before; room for 8
            more.
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
                # One bit for each byte; what is stored too much is overwritten.
                bits = (eights[at + group] * _GATHER) >> _UINT(56)
                store_eight(index_at, count, _PLACES[bits] + group * _EIGHTS)
                count += _COUNTS[bits]
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
