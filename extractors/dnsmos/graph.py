"""Cutting a DNSMOS network where its windows stop sharing work.

Both networks are a chain over an image of time x frequency: 3x3 convolutions with zero
padding and 2x2 poolings, then a maximum over everything and three dense layers. Windows
start one hop (100 frames) apart, so a cell after a pooling is the same cell of the next
window as long as the strides so far divide the hop: after two poolings a hop is 25
cells, and a third pooling would pair other cells in every second window. Everything
before that one is common to all windows, except the cells near a window's edges that
the zero padding reaches. The pieces, which :mod:`extractors.dnsmos.windows` puts
together, are:

- the front: features of a stretch of audio -> shared cells, without padding in time;
  this is nine tenths of all work, done by :mod:`extractors.dnsmos.sections`;
- the edges: the same layers, padded on one side only, for the few cells at either edge;
- the tail: shared cells of a window -> raw scores, as published, by onnxruntime.

The edges go in two stages, cut after the first pooling: the second then starts from
shared cells, which halves the full-resolution frames that have to be computed again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from extractors.dnsmos.sections import Section
from extractors.dnsmos.windows import Float32s, Piece, SharedStage, SplitNetwork


class Layer(NamedTuple):
    """A convolution or a pooling, as it looks along time."""

    reach: int  # input cells that it reads to either side
    stride: int  # input cells per output cell
    source: str  # the tensor that it reads


class CutNetwork(Protocol):
    """A network whose parts are cut between two tensors.

    Attributes:
        layers: over time and frequency, first to last.
        framed: the tensor of samples in frames; empty: it is given spectra.
        output: the tensor of its raw scores.
    """

    layers: Sequence[Layer]
    framed: str
    output: str

    def section(self, source: str, target: str) -> Section:
        """Build the layers between two tensors."""

    def piece(self, source: str, target: str) -> Piece:
        """Return all between two tensors, as published, by onnxruntime."""


def split(network: CutNetwork, hop: int, own_frames: int = 0) -> SplitNetwork:
    """Cut a network into what windows share and what they do not.

    Args:
        hop: frames between the starts of two windows.
        own_frames: frames at each edge of a window whose features already are its own.
    """
    layers = network.layers
    shared = _shared(layers, hop)
    end = layers[len(shared)].source
    first_pooling = next(
        number for number, layer in enumerate(shared) if layer.stride > 1
    )
    middle = first_pooling + 1
    parts = shared[:middle], shared[middle:]
    cuts = shared[0].source, layers[middle].source, end
    stages: list[SharedStage] = []
    sections: list[Section] = []
    changed = own_frames
    for part, (source, target) in zip(parts, pairwise(cuts), strict=True):
        layers_between = network.section(source, target)
        changed = _changed(part, changed)
        before = layers_between.edge(changed, False)
        after = layers_between.edge(changed, True)
        stages.append(SharedStage(before, after, _needed(part, changed), changed))
        sections.append(layers_between)
    strides = list(map(_total_stride, parts))
    reaches = [_needed(part, 0) for part in parts]
    margins = (_needed(shared, 0), reaches[1], 0)

    def front(image: Float32s, period: int) -> list[Float32s]:
        levels: list[Float32s] = []
        for number, layers_between in enumerate(sections):
            stride = strides[number]
            image = _inside(
                layers_between,
                image,
                period=period,
                stride=stride,
                margin=margins[number],
                reach=reaches[number],
            )
            levels.append(image)
            period = math.lcm(period, stride) // stride
        return levels

    return SplitNetwork(
        front=front,
        margins=margins,
        strides=(1, strides[0], strides[0] * strides[1]),
        stages=tuple(stages),
        tail=network.piece(end, network.output),
    )


def _inside(
    part: Section, image: Float32s, period: int, stride: int, margin: int, reach: int
) -> Float32s:
    """Compute a stretch's cells without padding in time, and repeated rows only once.

    Args:
        image: the layers' input [shape=(1, channels, rows, bins)].
        period: rows after which it repeats itself; 0: never.
        stride: rows per cell.
        margin: rows at either end that are context only.
        reach: rows to either side of its own that a cell depends on.
    """
    rows = image.shape[2]
    cycle = math.lcm(period, stride)
    # The very first frame may reach over the audio's start.
    start = stride * (margin // stride + 1)
    stop = start + cycle + 2 * reach
    if not cycle or stop > rows - margin:
        return part.inside(image)
    cells = part.inside(image[:, :, start:stop])
    # In the context at both ends others stand than without repetition: windows replace
    # what they reach.
    numbers = np.arange((rows - 2 * reach) // stride) - start // stride
    return np.asarray(cells[:, :, numbers % (cycle // stride)])


def _shared(layers: Sequence[Layer], hop: int) -> list[Layer]:
    """Return the first layers whose cells do not depend on a window's first hop."""
    shared: list[Layer] = []
    stride = 1
    for layer in layers:
        stride *= layer.stride
        if hop % stride:
            break
        shared.append(layer)
    return shared


def _total_stride(layers: Iterable[Layer]) -> int:
    """Return how many input cells lie between two output cells of several layers."""
    return math.prod(layer.stride for layer in layers)


def _changed(layers: Iterable[Layer], cells: int) -> int:
    """Count the output cells at a padded edge that differ when n inputs do."""
    for layer in layers:
        cells = math.ceil((cells + layer.reach) / layer.stride)
    return cells


def _needed(layers: Sequence[Layer], cells: int) -> int:
    """Count the input cells that some output cells at an edge depend on."""
    for layer in reversed(layers):
        cells = cells * layer.stride + layer.reach
    return cells
