"""Cutting a DNSMOS network where its windows stop sharing work.

Both networks are a chain over an image of time x frequency: 3x3 convolutions with zero
padding and 2x2 poolings, then a maximum over everything and three dense layers. Windows
start one hop (100 frames) apart, so a cell after a pooling of stride 2 is the same cell of
the next window as long as the strides so far divide the hop: after two poolings a hop is 25
cells, and a third pooling would pair other cells in every second window. Everything
before that third pooling is common to all windows, except the cells near a window's
edges that the zero padding reaches. This module finds that place in the graph and makes the
pieces that :mod:`extractors.dnsmos_shared` puts together:

- the front: features of a stretch of audio -> shared cells, without padding in time; up to
  the first pooling, which is nine tenths of all work, by :mod:`extractors.winograd`;
- the edges: the same layers, padded on one side only, for the few cells at either edge;
- the tail: shared cells of a window -> raw scores, as published.

The edges go in two stages, cut after the first pooling: the second then starts from shared
cells, which halves the full-resolution frames that have to be computed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from extractors.dnsmos_shared import Floats, Network, Piece, Stage
from extractors.winograd import Chain, Convolution


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
    stages, changed = [], own_frames
    for part, (source, target) in zip(parts, pairwise(cuts), strict=True):
        changed = _changed(part, changed)
        before = piece(model, source, [target], padding=(1, 0))
        after = piece(model, source, [target], padding=(0, 1))
        stages.append(Stage(before, after, _needed(part, changed), changed))
    strides = [math.prod(layer.stride for layer in part) for part in parts]
    first, then = loom(model, *cuts[:2]), piece(model, cuts[1], cuts[2:], padding=(0, 0))

    def front(image: Floats) -> list[Floats]:
        cells = first(image)
        return [cells, *then(cells)]

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


def piece(
    model: onnx.ModelProto,
    source: str,
    targets: Sequence[str],
    padding: tuple[int, int] | None = None,
) -> Piece:
    """The part of a network between tensors, in one thread: clips are parallel, not layers.

    Args:
        model: the whole network.
        source: the tensor that becomes the input.
        targets: the tensors that become the outputs.
        padding: cells of zeros in time before and after, for every 3x3 convolution;
            None leaves them as published.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # strips and stretches differ in size
    options.enable_cpu_mem_arena = False
    part = _cut(model, source, targets, padding).SerializeToString()
    session = onnxruntime.InferenceSession(part, options, providers=["CPUExecutionProvider"])

    def run(array: Floats) -> list[Floats]:
        outputs: list[Floats] = session.run(None, {source: array})
        return outputs

    return run


def loom(model: onnx.ModelProto, source: str, target: str) -> Callable[[Floats], Floats]:
    """Convolutions and a last pooling, without padding in time, by Winograd's algorithm.

    Raises:
        ValueError: there is something else between the tensors.
    """
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    layers, wanted, kinds = [], target, []
    for node in reversed(model.graph.node):
        if wanted == source:
            break
        if wanted not in node.output:
            continue
        wanted = node.input[0]
        kinds.append(node.op_type)
        if node.op_type == "Conv":
            layers.append(Convolution.of(weights[node.input[1]], weights[node.input[2]]))
    if kinds != ["MaxPool", *["Relu", "Conv"] * len(layers)]:
        raise ValueError(f"DNSMOS: {kinds[::-1]} are not convolutions and a pooling at the end")
    chain = Chain(layers[::-1], pooled=True)

    def run(image: Floats) -> Floats:
        cells = chain(np.ascontiguousarray(image[0].transpose(1, 2, 0)))
        return np.ascontiguousarray(cells.transpose(2, 0, 1)[np.newaxis])

    return run


def _cut(
    model: onnx.ModelProto, source: str, targets: Sequence[str], padding: tuple[int, int] | None
) -> onnx.ModelProto:
    wanted, nodes = set(targets), []
    for original in reversed(model.graph.node):
        if wanted.isdisjoint(original.output):
            continue
        node = onnx.NodeProto()
        node.CopyFrom(original)
        if padding is not None:
            _pad(node, padding)
        nodes.append(node)
        wanted.update(name for name in node.input if name != source)
    graph = helper.make_graph(
        nodes[::-1],
        model.graph.name,
        [_float_tensor(source)],
        [_float_tensor(name) for name in targets],
        [weights for weights in model.graph.initializer if weights.name in wanted],
    )
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def _float_tensor(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)


def _pad(node: onnx.NodeProto, padding: tuple[int, int]) -> None:
    """Replace the padding in time of a convolution that has one."""
    pads = _attribute(node, "pads", [])
    if not any(pads):
        return
    before, after = padding
    _, low, _, high = pads
    kept = [a for a in node.attribute if a.name != "pads"]
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute("pads", [before, low, after, high])])


def _attribute(node: onnx.NodeProto, name: str, default: list[int]) -> list[int]:
    for attribute in node.attribute:
        if attribute.name == name:
            return list(attribute.ints)
    return default
