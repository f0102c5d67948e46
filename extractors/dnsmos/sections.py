"""Parts of an ONNX network: shared layers, by our kernels or onnxruntime, and the rest.

Both give the same cells but for the order in which single-precision sums are made. The
kernels take a tenth of the time (docs/contributors/decisions.md); onnxruntime serves
where they cannot be compiled and kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
import onnx
from onnx import helper, numpy_helper

from extractors.device import is_gpu
from extractors.dnsmos.windows import Float32s, Piece
from extractors.sessions import open_session

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


def section(
    model: onnx.ModelProto, source: str, target: str, device: str = "cpu"
) -> Section:
    """Build the layers between two tensors of a network, on the CPU by our kernels."""
    if not is_gpu(device) and kernels_problem() is None:
        return CompiledSection(conv_stacks(model, source, target))
    return OnnxSection(model, source, target, device)


@cache
def kernels_problem() -> str | None:
    """Say why kernels of our own cannot be used here, or None."""
    try:
        import extractors.dnsmos.machine_code  # noqa: F401
    except ImportError as error:
        return str(error)
    return None


class OnnxSection:
    """Layers of a network by onnxruntime."""

    def __init__(
        self, model: onnx.ModelProto, source: str, target: str, device: str
    ) -> None:
        self._inside = piece(model, source, [target], padding=(0, 0), device=device)
        self._before = piece(model, source, [target], padding=(1, 0), device=device)
        self._after = piece(model, source, [target], padding=(0, 1), device=device)

    def inside(self, image: Float32s) -> Float32s:
        """Compute the cells of a stretch; see :class:`Section`."""
        return self._inside(image)[0]

    def edge(self, cells: int, at_end: bool) -> Piece:
        """Compute the cells of strips at an edge; see :class:`Section`."""
        return self._after if at_end else self._before


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


def conv_stacks(model: onnx.ModelProto, source: str, target: str) -> list[ConvStack]:
    """Build the convolutions and poolings between two tensors.

    Raises:
        ValueError: there is more between them.
    """
    from extractors.dnsmos.convolution import (
        Convolution,
        ConvStack,
    )  # needs the kernels

    weights = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer
    }
    nodes = nodes_between(model, source, [target])
    kinds = " ".join(node.op_type for node in nodes)
    if not re.fullmatch(r"((Conv Relu )+MaxPool ?)*(Conv Relu ?)*", kinds):
        raise ValueError(f"DNSMOS: {kinds} are not convolutions and poolings")
    stacks, layers = [], []
    for node in nodes:
        if node.op_type == "Conv":
            layers.append(
                Convolution.of(weights[node.input[1]], weights[node.input[2]])
            )
        if node.op_type == "MaxPool":
            stacks.append(ConvStack(layers, pooled=True))
            layers = []
    if layers:
        stacks.append(ConvStack(layers, pooled=False))
    return stacks


def piece(
    model: onnx.ModelProto,
    source: str,
    targets: Sequence[str],
    padding: tuple[int, int] | None = None,
    device: str = "cpu",
) -> Piece:
    """Cut a network between tensors.

    Args:
        source, targets: the tensors that become the input and the outputs.
        padding: cells of zeros in time before and after, for every 3x3 convolution;
            None leaves them as published.
        device: where it runs, ``cpu`` or ``cuda:N``.
    """
    nodes = nodes_between(model, source, targets)
    names = {name for node in nodes for name in node.input}
    if padding is not None:
        nodes = [_padded(node, padding) for node in nodes]
    graph = helper.make_graph(
        nodes,
        model.graph.name,
        inputs=[_float_tensor(source)],
        outputs=[_float_tensor(name) for name in targets],
        initializer=[
            weights for weights in model.graph.initializer if weights.name in names
        ],
    )
    part = helper.make_model(
        graph, opset_imports=model.opset_import, ir_version=model.ir_version
    )
    # Stretches differ in size.
    session = open_session(part.SerializeToString(), device, mem_pattern=False)

    def run(array: Float32s) -> list[Float32s]:
        outputs: list[Float32s] = session.run(None, {source: array})
        return outputs

    return run


def nodes_between(
    model: onnx.ModelProto, source: str, targets: Sequence[str]
) -> list[onnx.NodeProto]:
    """Return the nodes that make some tensors of another one, in order."""
    wanted, nodes = set(targets), []
    for node in reversed(model.graph.node):
        if not wanted.isdisjoint(node.output):
            nodes.append(node)
            wanted.update(name for name in node.input if name != source)
    return nodes[::-1]


def attribute(node: onnx.NodeProto, name: str, default: list[int]) -> list[int]:
    """Return a list of integers among a node's attributes."""
    for result in node.attribute:
        if result.name == name:
            return list(result.ints)
    return default


def _padded(node: onnx.NodeProto, padding: tuple[int, int]) -> onnx.NodeProto:
    """Give a convolution that pads other padding in time; leave other nodes be."""
    pads = attribute(node, "pads", [])
    if not any(pads):
        return node
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    kept = [other for other in node.attribute if other.name != "pads"]
    before, after = padding
    _, low, _, high = pads
    del copy.attribute[:]
    copy.attribute.extend(
        [*kept, helper.make_attribute("pads", [before, low, after, high])]
    )
    return copy


def _float_tensor(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
