"""3x3 convolutions that skip zeros, a few rows at a time.

After a ReLU most of an image is zero: of the layers here nine of ten values, for
speech, music and noise alike. So for each pixel only its positive channels are
multiplied, each by its nine kernels' weights at once, and added to the sums of the nine
pixels around: the sums of the plain convolution but for their order.

A stack of layers runs over the image a few rows at a time, and each layer hands as many
on to the next as it takes in, so that what is in flight stays in a core's cache.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractors.dnsmos.machine_code import KernelCall, convolve, convolve_one, pool
from extractors.dnsmos.windows import GROUP, ROWS, Float32s

CellMask = npt.NDArray[np.bool_]

#: Numbers of input channels that the kernels have code for: they number them in a byte.
SUPPORTED = (1, *range(GROUP, 257, GROUP))

#: A vector that lies across two lines of the cache costs twice as much, bytes.
_CACHE_LINE = 64


@dataclass(frozen=True)
class Convolution:
    """A 3x3 convolution with ReLU that pads frequency with zeros, but not time."""

    #: Of one input channel [shape=(9, outputs)]; of more with both directions of the
    #: kernel turned around, as an input sees its outputs [shape=(inputs, 9 * outputs)].
    weights: Float32s
    bias: Float32s  # [shape=(outputs,)]
    inputs: int

    @classmethod
    def of(cls, weights: npt.NDArray[np.floating], bias: Float32s) -> Convolution:
        """Build it from weights as ONNX has them [shape=(outputs, inputs, 3, 3)].

        Raises:
            ValueError: the kernels have no code for so many input channels.
        """
        outputs, inputs = weights.shape[:2]
        if inputs not in SUPPORTED:
            raise ValueError(
                f"convolution of {inputs} channels: only 1 and multiples of {GROUP} up"
                f" to {SUPPORTED[-1]} are supported"
            )
        if inputs == 1:
            used = weights.reshape(outputs, 9).T
        else:
            used = weights[:, :, ::-1, ::-1].transpose(1, 2, 3, 0).reshape(inputs, -1)
        return cls(_aligned(used), _aligned(bias), inputs)

    def between(self, image: Float32s, sums: Float32s) -> KernelCall:
        """Return what takes in the next ``ROWS`` rows, and completes as many.

        Args:
            image: of one channel after the last two rows taken in
                [shape=(ROWS + 2, columns, 1)]; of more they come first
                [shape=(rows, columns, inputs)].
            sums: results, of which the first ``ROWS`` rows are complete
                [shape=(ROWS + 2, columns, outputs)]; only the positive part counts.
        """
        if self.inputs == 1:
            return convolve_one(image[..., 0], self.weights, self.bias, sums)
        return convolve(image, self.weights, self.bias, sums)


class ConvStack:
    """Convolutions one after the other, then perhaps a 2x2 pooling.

    Args:
        layers: at least one; only the first may have a single input channel.
        pooled: end with the maximum of 2x2 cells.

    Attributes:
        scale: rows of an image per row of the result, 1 or 2.
    """

    def __init__(self, layers: Sequence[Convolution], pooled: bool) -> None:
        self._layers = tuple(layers)
        self.scale = 2 if pooled else 1

    def __call__(self, image: Float32s) -> Float32s:
        """Run over an image, without padding in time.

        Args:
            image: [shape=(channels, rows, bins)]; but for a single channel, what is not
                positive counts as zero.

        Returns:
            Two rows less per layer; pooled, half of them and of the bins
            [shape=(channels', rows', bins')], a view of channels-last values.
        """
        return self._run(image, None)

    def among_zeros(self, image: Float32s, zeros: CellMask) -> Float32s:
        """Run over an image with rows of zeros around and inside, as layers see them.

        Args:
            image: [shape=(channels, rows, bins)].
            zeros: which of its rows are zero for every layer [shape=(rows,)].

        Returns:
            [shape=(channels', rows / scale, bins')].
        """
        reach = len(self._layers)
        channels, rows, bins = image.shape
        padded = np.zeros((channels, rows + 2 * reach, bins), np.float32)
        padded[:, reach : reach + rows] = image
        return self._run(padded, _among_true(zeros, reach, reach))

    def _run(self, image: Float32s, zeros: CellMask | None) -> Float32s:
        channels, rows, bins = image.shape
        inputs = np.zeros((ROWS + 2, bins + 2, channels), np.float32)
        sums: list[Float32s] = []
        layers: list[KernelCall] = []
        source = inputs
        for layer in self._layers:
            to = _aligned_zeros(ROWS + 2, bins + 2, len(layer.bias))
            layers.append(layer.between(source, to))
            sums.append(to)
            source = to
        # A layer of one channel reads rows again, others keep sums.
        carried = 2 if channels == 1 else 0
        steps = math.ceil(rows / ROWS)
        height = ROWS // self.scale
        shape = (steps * height, bins // self.scale, sums[-1].shape[2])
        result = np.empty(shape, np.float32)
        pool_rows = pool(sums[-1], result)
        reach = len(self._layers)
        blank = None if zeros is None else _among_true(zeros, reach, ROWS)
        for step in range(steps):
            fresh = image[:, ROWS * step : ROWS * (step + 1)].transpose(1, 2, 0)
            inputs[:carried] = inputs[ROWS : ROWS + carried]
            inputs[carried : carried + len(fresh), 1:-1] = fresh
            for number, (add_rows, to) in enumerate(
                zip(layers, sums, strict=True), start=1
            ):
                add_rows()
                # A layer's results lie one row behind what it takes in.
                if blank is not None:
                    first = ROWS * step - number + reach
                    to[:ROWS][blank[first : first + ROWS]] = 0
            if self.scale == 2:
                pool_rows(step)
            else:
                rows_out = result[height * step : height * (step + 1)]
                np.maximum(sums[-1][:ROWS, 1:-1], 0, out=rows_out)
        # The first rows of the result have no input.
        return result[2 * reach // self.scale : rows // self.scale].transpose(2, 0, 1)


def _among_true(mask: CellMask, before: int, after: int) -> CellMask:
    """Pad a mask with True, often and in a tenth of the time of numpy's own padding."""
    padded = np.ones(before + len(mask) + after, bool)
    padded[before : before + len(mask)] = mask
    return padded


def _aligned(values: npt.NDArray[np.floating]) -> Float32s:
    """Return a copy that begins with a line of the cache."""
    copy = _aligned_zeros(*values.shape)
    copy[...] = values
    return copy


def _aligned_zeros(*shape: int) -> Float32s:
    """Make zeros that begin with a line of the cache."""
    size = 4 * math.prod(shape)
    buffer = np.zeros(size + _CACHE_LINE, np.uint8)
    start = -buffer.ctypes.data % _CACHE_LINE
    return buffer[start : start + size].view(np.float32).reshape(shape)
