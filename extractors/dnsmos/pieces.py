"""Parts of an ONNX network between two of its tensors, as models of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx
import onnxruntime
from onnx import helper

from extractors.dnsmos.windows import Floats, Piece


def read(path: Path) -> onnx.ModelProto:
    """Read a model file."""
    return onnx.load(path)


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
    options.enable_mem_pattern = False  # stretches differ in size
    options.enable_cpu_mem_arena = False
    nodes = nodes_between(model, source, targets)
    names = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes if padding is None else [_padded(node, padding) for node in nodes],
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


def nodes_between(
    model: onnx.ModelProto, source: str, targets: Sequence[str]
) -> list[onnx.NodeProto]:
    """The nodes that make some tensors of another one, in order."""
    wanted, nodes = set(targets), []
    for node in reversed(model.graph.node):
        if not wanted.isdisjoint(node.output):
            nodes.append(node)
            wanted.update(name for name in node.input if name != source)
    return nodes[::-1]


def attribute(node: onnx.NodeProto, name: str, default: list[int]) -> list[int]:
    """A list of integers among a node's attributes."""
    for result in node.attribute:
        if result.name == name:
            return list(result.ints)
    return default


def _padded(node: onnx.NodeProto, padding: tuple[int, int]) -> onnx.NodeProto:
    """The node; a convolution that pads, with other padding in time."""
    pads = attribute(node, "pads", [])
    if not any(pads):
        return node
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    kept = [other for other in node.attribute if other.name != "pads"]
    before, after = padding
    _, low, _, high = pads
    del copy.attribute[:]
    copy.attribute.extend([*kept, helper.make_attribute("pads", [before, low, after, high])])
    return copy


def _float_tensor(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
