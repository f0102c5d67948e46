"""Shared layers of a network, by our kernels.

They give the cells of onnxruntime but for the order in which single-precision sums are
made, in a tenth of the time (docs/contributors/decisions.md). Where they cannot be
compiled and kept, onnxruntime serves (:mod:`extractors.dnsmos.cutting`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from extractors.dnsmos.windows import Float32s, Piece

if TYPE_CHECKING:
    from extractors.dnsmos.convolution import ConvStack


class Section(Protocol):
    """Consecutive layers of a network."""

    def inside(self, image: Float32s) -> Float32s:
        """Compute a stretch's cells without padding in time.

        They have the shape (1, channels, rows, bins).
        """

    def edge(self, cells: int, at_end: bool) -> Piece:
        """Compute the cells of strips at one edge of windows, with zeros beyond it.

        Args:
            cells: how many output cells are wanted, from the edge inwards; strips are
                as long as these need.
            at_end: whether it is the windows' last edge.
        """


@cache
def kernels_problem() -> str | None:
    """Say why kernels of our own cannot be used here, or None."""
    try:
        import extractors.dnsmos.machine_code  # noqa: F401
    except ImportError as error:
        return str(error)
    return None


class CompiledSection:
    """Layers of a network by :mod:`extractors.dnsmos.convolution`."""

    def __init__(self, stacks: Sequence[ConvStack]) -> None:
        self._stacks = tuple(stacks)

    def inside(self, image: Float32s) -> Float32s:
        """Compute the cells of a stretch; see :class:`Section`."""
        cells: Float32s = image[0]
        for stack in self._stacks:
            cells = stack(cells)
        return cells[np.newaxis]

    def edge(self, cells: int, at_end: bool) -> Piece:
        """Compute the cells of strips at an edge; see :class:`Section`.

        All strips of a run make one image, one below the other, with rows between that
        are zero for every layer; what strips see of their neighbours on the other side
        is not used.
        """
        scale = math.prod(stack.scale for stack in self._stacks)

        def run(strips: Float32s) -> list[Float32s]:
            n, channels, rows, bins = strips.shape
            length = scale * (math.ceil(rows / scale) + 1)
            start = length - scale - rows if at_end else scale
            blocks = np.zeros((channels, n, length, bins), np.float32)
            blocks[:, :, start : start + rows] = strips.swapaxes(0, 1)
            blank = np.zeros((n, length), bool)
            if at_end:
                blank[:, length - scale :] = True
            else:
                blank[:, :scale] = True
            image = blocks.reshape(channels, n * length, bins)
            zeros = blank.reshape(-1)
            for stack in self._stacks:
                image = stack.among_zeros(image, zeros)
                zeros = zeros[:: stack.scale]
            by_strip = image.reshape(len(image), n, length // scale, -1)
            output = by_strip.swapaxes(0, 1)
            if at_end:
                return [output[:, :, -1 - cells : -1]]
            return [output[:, :, 1 : 1 + cells]]

        return run
