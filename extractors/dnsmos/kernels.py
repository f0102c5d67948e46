"""The inner loops of :mod:`extractors.dnsmos.convolution`, compiled by numba.

Images are channels-last and lie in buffers that have one column more on either side. Two steps
are emitted as vector instructions, since compilers make slower code of the loops that they
stand for: which channels of a pixel are positive, and sums that stay in registers meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import binding, ir
from numba.core import types
from numba.extending import intrinsic

Floats = npt.NDArray[np.float32]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

#: Rows that a layer takes in, and hands on, at once.
ROWS = 8

#: Channels come in multiples of this: so many are tested at once.
CHANNELS = 32

#: Sums that are in registers at once: ``CHANNELS`` outputs of three pixels.
BLOCK = 3 * CHANNELS

#: Numbers in a vector register. More than there are is slow, but right.
LANES = 16 if binding.get_host_cpu_features().get("avx512f") else 8

#: Sums may be regrouped; what is not a number stays so.
_FAST = {"contract", "reassoc", "nsz"}
_ZERO = np.float32(0)

#: Of each byte: how many of its bits are set, and where, as eight bytes in one number.
_BITS = (np.arange(256)[:, np.newaxis] >> np.arange(8)) & 1
_COUNTS = _BITS.sum(axis=1).astype(np.uint64)
_PLACES = np.argsort(1 - _BITS, axis=1, kind="stable").astype(np.uint8).view(np.uint64)[:, 0]
_EIGHT_ONES = np.ones(8, np.uint8).view(np.uint64)[0]

_NUMBER, _SIZE = ir.FloatType(), ir.IntType(64)


def compiled(kernel: Kernel) -> Kernel:
    """Machine code of a function, kept on disk where numba finds a folder to write to."""
    try:
        return cast(Kernel, numba.njit(cache=True, fastmath=_FAST)(kernel))
    except RuntimeError:  # no such folder: every process compiles anew, 5 s
        return cast(Kernel, numba.njit(fastmath=_FAST)(kernel))


def _emit_positive(_: Any, values: Any, at: Any) -> Any:
    def emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        start = builder.gep(array.data, [arguments[1]])
        [place] = _vectors(builder, start, 1, CHANNELS)
        found = builder.load(place, align=4)
        above = builder.fcmp_ordered(">", found, ir.Constant(found.type, None))
        return builder.bitcast(above, ir.IntType(CHANNELS))

    return types.uint32(values, at), emit


def _emit_put(_: Any, index: Any, at: Any, eight: Any) -> Any:
    def emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        builder.store(arguments[2], builder.bitcast(place, _SIZE.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(index, at, types.uint64), emit


def _emit_add_products(
    _: Any, sums: Any, at: Any, values: Any, pixel: Any, index: Any, first: Any, stop: Any,
    weights: Any, column: Any,
) -> Any:  # fmt: skip
    def emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        sums, values, index, weights = (
            context.make_array(signature.args[n])(context, builder, arguments[n])
            for n in (0, 2, 4, 7)
        )
        at, pixel, first, stop, column = (arguments[n] for n in (1, 3, 5, 6, 8))
        length = builder.extract_value(weights.shape, 1)

        def add(number: Any, totals: Sequence[Any]) -> list[Any]:
            channel = builder.zext(builder.load(builder.gep(index.data, [number])), _SIZE)
            value = builder.load(builder.gep(values.data, [builder.add(pixel, channel)]))
            value = _repeated(builder, value)
            begin = builder.add(builder.mul(channel, length), column)
            found = []
            row = _vectors(builder, builder.gep(weights.data, [begin]), len(totals), LANES)
            for total, place in zip(totals, row, strict=True):
                product = builder.fmul(value, builder.load(place, align=4), flags=["contract"])
                found.append(builder.fadd(total, product, flags=["contract"]))
            return found

        places = _vectors(builder, builder.gep(sums.data, [at]), BLOCK // LANES, LANES)
        start = [builder.load(place, align=4) for place in places]
        for total, place in zip(_loop(builder, first, stop, start, add), places, strict=True):
            builder.store(total, place, align=4)
        return context.get_dummy_value()

    return types.void(sums, at, values, pixel, index, first, stop, weights, column), emit


def _vectors(builder: ir.IRBuilder, start: Any, count: int, lanes: int) -> list[Any]:
    """Pointers to consecutive vectors of numbers."""
    pointer = ir.VectorType(_NUMBER, lanes).as_pointer()
    places = [builder.gep(start, [ir.Constant(_SIZE, lanes * k)]) for k in range(count)]
    return [builder.bitcast(place, pointer) for place in places]


def _repeated(builder: ir.IRBuilder, number: Any) -> Any:
    """A vector of one number."""
    nothing = ir.Constant(ir.VectorType(_NUMBER, LANES), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    places = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
    return builder.shuffle_vector(first, nothing, places)


def _loop(
    builder: ir.IRBuilder,
    first: Any,
    stop: Any,
    start: Sequence[Any],
    body: Callable[[Any, Sequence[Any]], Sequence[Any]],
) -> list[Any]:
    """``for number in range(first, stop): values = body(number, values)``, from ``start`` on."""
    before, head = builder.block, builder.append_basic_block()
    inside, after = builder.append_basic_block(), builder.append_basic_block()
    builder.branch(head)
    builder.position_at_end(head)
    number, *values = (builder.phi(value.type) for value in (first, *start))
    builder.cbranch(builder.icmp_signed("<", number, stop), inside, after)
    builder.position_at_end(inside)
    following = [builder.add(number, ir.Constant(_SIZE, 1)), *body(number, values)]
    for phi, once, then in zip((number, *values), (first, *start), following, strict=True):
        phi.add_incoming(once, before)
        phi.add_incoming(then, inside)
    builder.branch(head)
    builder.position_at_end(after)
    return values


#: ``positive(values, at)``: bit k is ``values[at + k] > 0``, for k under ``CHANNELS``.
positive: Callable[..., int] = intrinsic(_emit_positive)

#: ``put(index, at, eight)``: eight bytes to ``index[at:]``.
put: Callable[..., None] = intrinsic(_emit_put)

#: ``add_products(sums, at, values, pixel, index, first, stop, weights, column)``: for all n
#: from ``first`` to ``stop - 1``, with c = ``index[n]`` and k under ``BLOCK``:
#: ``sums[at + k] += values[pixel + c] * weights[c, column + k]``.
add_products: Callable[..., None] = intrinsic(_emit_add_products)


@compiled
def convolve_one(image: Floats, weights: Floats, bias: Floats, to: Floats) -> None:
    """Rows of a convolution of one input channel.

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
                total = bias[o] + a * weights[0, o] + b * weights[1, o] + c * weights[2, o]
                total += d * weights[3, o] + e * weights[4, o] + f * weights[5, o]
                to[i, q, o] = total + g * weights[6, o] + h * weights[7, o] + k * weights[8, o]


@compiled
def convolve(image: Floats, weights: Floats, bias: Floats, sums: Floats) -> None:
    """Rows of a convolution of the positive part of an image.

    Args:
        image: its first ``ROWS`` rows are the input [shape=(rows, columns, inputs)]; what is
            not positive counts as zero.
        weights: [shape=(inputs, 9 * outputs)], with both directions turned around.
        bias: [shape=(outputs,)].
        sums: the last two rows, which are not complete, become the first two, the others
            start anew; then the first ``ROWS`` are complete
            [shape=(ROWS + 2, columns, outputs)].
    """
    _, columns, inputs = image.shape
    outputs = len(bias)
    values, totals = image.reshape(-1), sums.reshape(-1)
    index = np.empty(ROWS * columns * inputs + 8, np.uint8)
    ends = np.zeros((ROWS, columns), np.intp)
    _list_positive(values, inputs, index, ends)
    sums[:2] = sums[ROWS:]
    sums[2:] = bias
    for column in range(0, 9 * outputs, BLOCK):  # whose weights then stay in the cache
        y, part = divmod(column, 3 * outputs)
        for i in range(ROWS):
            for q in range(1, columns - 1):
                if ends[i, q] > ends[i, q - 1]:
                    at = ((i + y) * columns + q - 1) * outputs + part
                    pixel = (i * columns + q) * inputs
                    first, stop = ends[i, q - 1], ends[i, q]
                    add_products(totals, at, values, pixel, index, first, stop, weights, column)


@compiled
def _list_positive(
    values: Floats, inputs: int, index: npt.NDArray[np.uint8], ends: npt.NDArray[np.intp]
) -> None:
    """List which channels are positive, pixel by pixel, without a branch.

    Args:
        values: the image, flat.
        inputs: channels.
        index: result, those of a pixel from the end of the one before; room for 8 more.
        ends: result [shape=(rows, columns)]; the first and the last column have none.
    """
    count = np.uint64(0)
    rows, columns = ends.shape
    for i in range(rows):
        ends[i, 0] = count
        for q in range(1, columns - 1):
            for c in range(0, inputs, CHANNELS):
                word = positive(values, (i * columns + q) * inputs + c)
                for byte in range(CHANNELS // 8):
                    bits = (word >> np.uint32(8 * byte)) & np.uint32(255)
                    first = np.uint64(c + 8 * byte)
                    # What is too much of eight is overwritten by the next byte's.
                    put(index, count, _PLACES[bits] + first * _EIGHT_ONES)
                    count += _COUNTS[bits]
            ends[i, q] = count


@compiled
def pool(image: Floats, to: Floats) -> None:
    """Maximum of 2x2 cells of the positive part of an image.

    Args:
        image: [shape=(rows, columns, channels)].
        to: result [shape=(rows', bins', channels)]; rows' and bins' say how much is read.
    """
    rows, bins, channels = to.shape
    for i in range(rows):
        for q in range(bins):
            for c in range(channels):
                upper = max(image[2 * i, 2 * q + 1, c], image[2 * i, 2 * q + 2, c])
                lower = max(image[2 * i + 1, 2 * q + 1, c], image[2 * i + 1, 2 * q + 2, c])
                to[i, q, c] = max(_ZERO, upper, lower)
