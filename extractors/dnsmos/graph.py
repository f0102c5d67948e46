"""Cutting a DNSMOS network where its windows stop sharing work.

Both networks are a chain over an image of time x frequency: 3x3 convolutions with zero
padding and 2x2 poolings, then a maximum over everything and three dense layers. Windows
start one hop (100 frames) apart, so a cell after a pooling of stride 2 is the same cell of
the next window as long as the strides so far divide the hop: after two poolings a hop is 25
cells, and a third pooling would pair other cells in every second window. Everything
before that third pooling is common to all windows, except the cells near a window's
edges that the zero padding reaches. This module finds that place in the graph and makes the
pieces that :mod:`extractors.dnsmos.windows` puts together:

- the front: features of a stretch of audio -> shared cells, without padding in time: this
  is nine tenths of all work;
- the edges: the same layers, padded on one side only, for the few cells at either edge;
- the tail: shared cells of a window -> raw scores, as published.

The first two are computed by :mod:`extractors.dnsmos.convolution`, the tail by onnxruntime.

The edges go in two stages, cut after the first pooling: the second then starts from shared
cells, which halves the full-resolution frames that have to be computed again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from extractors.dnsmos.convolution import Chain, Convolution
from extractors.dnsmos.windows import Floats, Network, Piece, Stage


class Layer(NamedTuple):
    """A convolution or a pooling, as it looks along time.

    Attributes:
        reach: input cells that it reads to either side.
        stride: input cells per output cell.
        source: the tensor that it reads.
    """

    reach: int
    stride: int
    source: str


def read(path: Path) -> onnx.ModelProto:
    """Read a model file."""
    return onnx.load(path)


def split(model: onnx.ModelProto, hop: int, own_frames: int = 0) -> Network:
    """Cut a network into what windows share and what they do not.

    Args:
        model: a chain as described above.
        hop: frames between the starts of two windows.
        own_frames: frames at each edge of a window whose features already are its own.
    """
    layers = layers_of(model)
    shared = _shared(layers, hop)
    end = layers[len(shared)].source
    middle = 1 + next(i for i, layer in enumerate(shared) if layer.stride > 1)
    parts = shared[:middle], shared[middle:]
    cuts = shared[0].source, layers[middle].source, end
    stages, fronts, changed = [], [], own_frames
    for part, (source, target) in zip(parts, pairwise(cuts), strict=True):
        chains = loom(model, source, target)
        changed = _changed(part, changed)
        before, after = (edge(chains, changed, at_end) for at_end in (False, True))
        stages.append(Stage(before, after, _needed(part, changed), changed))
        fronts.append(chains)
    strides = [math.prod(layer.stride for layer in part) for part in parts]

    def front(image: Floats) -> list[Floats]:
        found = [image[0]]
        for chains in fronts:
            found.append(reduce(lambda cells, chain: chain(cells), chains, found[-1]))
        return [cells[np.newaxis] for cells in found[1:]]

    return Network(
        front=front,
        margins=(_needed(shared, 0), _needed(parts[1], 0), 0),
        strides=(1, strides[0], strides[0] * strides[1]),
        stages=tuple(stages),
        tail=piece(model, end, [model.graph.output[0].name]),
    )


def layers_of(model: onnx.ModelProto) -> list[Layer]:
    """The layers over time and frequency, first to last."""
    found = []
    for node in model.graph.node:
        kernel = _attribute(node, "kernel_shape", [])
        if len(kernel) == 2:
            stride = _attribute(node, "strides", [1])[0]
            # A pooling as long as its stride reads its own cells only.
            found.append(Layer((kernel[0] - 1) // 2, stride, node.input[0]))
    return found


def _shared(layers: Sequence[Layer], hop: int) -> list[Layer]:
    """The first layers whose cells do not depend on which hop a window starts at."""
    shared, stride = [], 1
    for layer in layers:
        stride *= layer.stride
        if hop % stride:
            break
        shared.append(layer)
    return shared


def _changed(layers: Iterable[Layer], cells: int) -> int:
    """Output cells at a padded edge that differ, when so many input cells do."""
    for layer in layers:
        cells = math.ceil((cells + layer.reach) / layer.stride)
    return cells


def _needed(layers: Sequence[Layer], cells: int) -> int:
    """Input cells from an edge inwards that so many output cells depend on."""
    for layer in reversed(layers):
        cells = cells * layer.stride + layer.reach
    return cells


def piece(model: onnx.ModelProto, source: str, targets: Sequence[str]) -> Piece:
    """The part of a network between tensors, in one thread: clips are parallel, not layers.

    Args:
        model: the whole network.
        source: the tensor that becomes the input.
        targets: the tensors that become the outputs.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # stretches differ in size
    options.enable_cpu_mem_arena = False
    nodes = _between(model, source, targets)
    names = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes,
        model.graph.name,
        [_float_tensor(source)],
        [_float_tensor(name) for name in targets],
        [weights for weights in model.graph.initializer if weights.name in names],
    )
    part = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    session = onnxruntime.InferenceSession(
        part.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )

    def run(array: Floats) -> list[Floats]:
        outputs: list[Floats] = session.run(None, {source: array})
        return outputs

    return run


def loom(model: onnx.ModelProto, source: str, target: str) -> list[Chain]:
    """The convolutions and poolings between two tensors, for :mod:`extractors.dnsmos.convolution`.

    Raises:
        ValueError: there is something else between them.
    """
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    nodes = _between(model, source, [target])
    kinds = " ".join(node.op_type for node in nodes)
    if not re.fullmatch(r"((Conv Relu )+MaxPool ?)*(Conv Relu ?)*", kinds):
        raise ValueError(f"DNSMOS: {kinds} are not convolutions and poolings")
    chains, layers = [], []
    for node in nodes:
        if node.op_type == "Conv":
            layers.append(Convolution.of(weights[node.input[1]], weights[node.input[2]]))
        if node.op_type == "MaxPool":
            chains.append(Chain(layers, pooled=True))
            layers = []
    if layers:
        chains.append(Chain(layers, pooled=False))
    return chains


def edge(chains: Sequence[Chain], cells: int, at_end: bool) -> Piece:
    """Layers that see zeros beyond one edge of a window.

    All strips of a run make one image, one below the other, with rows between that are zero
    for every layer; what strips see of their neighbours on the other side is not used.

    Args:
        chains: the layers.
        cells: how many output cells are wanted, from the edge inwards.
        at_end: whether it is the window's last edge.
    """
    scale = math.prod(chain.scale for chain in chains)

    def run(strips: Floats) -> list[Floats]:
        n, channels, rows, bins = strips.shape
        length = scale * (math.ceil(rows / scale) + 1)
        start = length - scale - rows if at_end else scale
        blocks = np.zeros((channels, n, length, bins), np.float32)
        blocks[:, :, start : start + rows] = strips.swapaxes(0, 1)
        blank = np.zeros((n, length), bool)
        blank[:, length - scale if at_end else 0 :][:, :scale] = True
        image, zeros = blocks.reshape(channels, n * length, bins), blank.reshape(-1)
        for chain in chains:
            image, zeros = chain.among_zeros(image, zeros), zeros[:: chain.scale]
        found = image.reshape(len(image), n, length // scale, -1).swapaxes(0, 1)
        return [found[:, :, -1 - cells : -1] if at_end else found[:, :, 1 : 1 + cells]]

    return run


def _between(model: onnx.ModelProto, source: str, targets: Sequence[str]) -> list[onnx.NodeProto]:
    """The nodes that make some tensors of another one, in order."""
    wanted, nodes = set(targets), []
    for node in reversed(model.graph.node):
        if not wanted.isdisjoint(node.output):
            nodes.append(node)
            wanted.update(name for name in node.input if name != source)
    return nodes[::-1]


def _float_tensor(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)


def _attribute(node: onnx.NodeProto, name: str, default: list[int]) -> list[int]:
    for attribute in node.attribute:
        if attribute.name == name:
            return list(attribute.ints)
    return default
