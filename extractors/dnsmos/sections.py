"""The shared layers of a network, computed by kernels of our own or by onnxruntime.

Both give the same cells but for the order in which single-precision sums are made. The kernels
take a tenth of the time (docs/explanation/decisions.md); onnxruntime serves where they cannot
be compiled and kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
import onnx
from onnx import numpy_helper

from extractors.dnsmos.pieces import nodes_between, piece
from extractors.dnsmos.windows import Floats, Piece

if TYPE_CHECKING:
    from extractors.dnsmos.convolution import ConvStack


class Section(Protocol):
    """Consecutive layers of a network."""

    def inside(self, image: Floats) -> Floats:
        """Cells of a stretch [shape=(1, channels, rows, bins)], without padding in time."""

    def edge(self, cells: int, at_end: bool) -> Piece:
        """Strips at one edge of windows -> the cells there, with zeros beyond that edge.

        Args:
            cells: how many output cells are wanted, from the edge inwards; strips are as long
                as these need.
            at_end: whether it is the windows' last edge.
        """


def section(model: onnx.ModelProto, source: str, target: str) -> Section:
    """The layers between two tensors of a network."""
    if kernels_problem() is None:
        return CompiledSection(conv_stacks(model, source, target))
    return OnnxSection(model, source, target)


@cache
def kernels_problem() -> str | None:
    """Why kernels of our own cannot be used here, or None; compiles nothing yet."""
    try:
        import extractors.dnsmos.kernels  # noqa: F401
    except ImportError as error:
        return str(error)
    return None


class OnnxSection:
    """Layers of a network by onnxruntime."""

    def __init__(self, model: onnx.ModelProto, source: str, target: str) -> None:
        self._inside = piece(model, source, [target], padding=(0, 0))
        self._before = piece(model, source, [target], padding=(1, 0))
        self._after = piece(model, source, [target], padding=(0, 1))

    def inside(self, image: Floats) -> Floats:
        """Cells of a stretch; see :class:`Section`."""
        return self._inside(image)[0]

    def edge(self, cells: int, at_end: bool) -> Piece:
        """Strips at an edge -> cells; see :class:`Section`."""
        return self._after if at_end else self._before


class CompiledSection:
    """Layers of a network by :mod:`extractors.dnsmos.convolution`."""

    def __init__(self, stacks: Sequence[ConvStack]) -> None:
        self._stacks = tuple(stacks)

    def inside(self, image: Floats) -> Floats:
        """Cells of a stretch; see :class:`Section`."""
        cells: Floats = image[0]
        for stack in self._stacks:
            cells = stack(cells)
        return cells[np.newaxis]

    def edge(self, cells: int, at_end: bool) -> Piece:
        """Strips at an edge -> cells; see :class:`Section`.

        All strips of a run make one image, one below the other, with rows between that are
        zero for every layer; what strips see of their neighbours on the other side is not used.
        """
        scale = math.prod(stack.scale for stack in self._stacks)

        def run(strips: Floats) -> list[Floats]:
            n, channels, rows, bins = strips.shape
            length = scale * (math.ceil(rows / scale) + 1)
            start = length - scale - rows if at_end else scale
            blocks = np.zeros((channels, n, length, bins), np.float32)
            blocks[:, :, start : start + rows] = strips.swapaxes(0, 1)
            blank = np.zeros((n, length), bool)
            blank[:, length - scale if at_end else 0 :][:, :scale] = True
            image, zeros = blocks.reshape(channels, n * length, bins), blank.reshape(-1)
            for stack in self._stacks:
                image, zeros = stack.among_zeros(image, zeros), zeros[:: stack.scale]
            output = image.reshape(len(image), n, length // scale, -1).swapaxes(0, 1)
            return [output[:, :, -1 - cells : -1] if at_end else output[:, :, 1 : 1 + cells]]

        return run


def conv_stacks(model: onnx.ModelProto, source: str, target: str) -> list[ConvStack]:
    """The convolutions and poolings between two tensors, with the kernels of our own.

    Raises:
        ValueError: there is something else between them.
    """
    from extractors.dnsmos.convolution import Convolution, ConvStack  # needs the kernels

    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    nodes = nodes_between(model, source, [target])
    kinds = " ".join(node.op_type for node in nodes)
    if not re.fullmatch(r"((Conv Relu )+MaxPool ?)*(Conv Relu ?)*", kinds):
        raise ValueError(f"DNSMOS: {kinds} are not convolutions and poolings")
    stacks, layers = [], []
    for node in nodes:
        if node.op_type == "Conv":
            layers.append(Convolution.of(weights[node.input[1]], weights[node.input[2]]))
        if node.op_type == "MaxPool":
            stacks.append(ConvStack(layers, pooled=True))
            layers = []
    if layers:
        stacks.append(ConvStack(layers, pooled=False))
    return stacks
