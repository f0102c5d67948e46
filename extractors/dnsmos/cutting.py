"""Cutting an ONNX graph between tensors, apart, as onnx imports slowly."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from extractors.dnsmos.graph import Layer
from extractors.dnsmos.parts import StackWeights, opened
from extractors.dnsmos.sections import Section
from extractors.dnsmos.windows import Float32s, Piece


def layers_of(model: onnx.ModelProto) -> list[Layer]:
    """List the layers over time and frequency, first to last."""
    layers = []
    for node in model.graph.node:
        kernel = attribute(node, "kernel_shape", [])
        if len(kernel) == 2:
            stride = attribute(node, "strides", [1])[0]
            # A pooling as long as its stride reads its own cells only.
            layers.append(Layer((kernel[0] - 1) // 2, stride, node.input[0]))
    return layers


class OnnxNetwork:
    """A network whose parts are all run by onnxruntime; see :class:`CutNetwork`."""

    def __init__(self, model: onnx.ModelProto, device: str) -> None:
        self.layers: Sequence[Layer] = layers_of(model)
        self.framed, self.output = ends_of(model)
        self._model = model
        self._device = device

    def section(self, source: str, target: str) -> Section:
        """Return the layers between two tensors; see :class:`CutNetwork`."""
        return OnnxSection(self._model, source, target, self._device)

    def piece(self, source: str, target: str) -> Piece:
        """Return all between two tensors; see :class:`CutNetwork`."""
        return opened(cut(self._model, source, [target]), self._device)


class OnnxSection:
    """Layers of a network by onnxruntime; see :class:`Section`."""

    def __init__(
        self, model: onnx.ModelProto, source: str, target: str, device: str
    ) -> None:
        self._inside, self._before, self._after = (
            opened(cut(model, source, [target], padding), device)
            for padding in ((0, 0), (1, 0), (0, 1))
        )

    def inside(self, image: Float32s) -> Float32s:
        """Compute the cells of a stretch."""
        return self._inside(image)[0]

    def edge(self, cells: int, at_end: bool) -> Piece:
        """Compute the cells of strips at an edge."""
        return self._after if at_end else self._before


def ends_of(model: onnx.ModelProto) -> tuple[str, str]:
    """Return the tensors of framed samples (empty: none) and of scores."""
    joined = (node.output[0] for node in model.graph.node if node.op_type == "Concat")
    return next(joined, ""), model.graph.output[0].name


def layer_weights(
    model: onnx.ModelProto, source: str, target: str
) -> list[StackWeights]:
    """Return the weights of the convolutions and poolings between two tensors.

    Raises:
        ValueError: there is more between them.
    """
    weights = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer
    }
    nodes = nodes_between(model, source, [target])
    kinds = " ".join(node.op_type for node in nodes)
    if not re.fullmatch(r"((Conv Relu )+MaxPool ?)*(Conv Relu ?)*", kinds):
        raise ValueError(f"DNSMOS: {kinds} are not convolutions and poolings")
    stacks: list[StackWeights] = []
    layers: list[npt.NDArray[np.floating]] = []
    for node in nodes:
        if node.op_type == "Conv":
            layers += weights[node.input[1]], weights[node.input[2]]
        if node.op_type == "MaxPool":
            stacks.append(StackWeights(layers, pooled=True))
            layers = []
    if layers:
        stacks.append(StackWeights(layers, pooled=False))
    return stacks


def cut(
    model: onnx.ModelProto,
    source: str,
    targets: Sequence[str],
    padding: tuple[int, int] | None = None,
) -> bytes:
    """Cut a network between tensors; return the file of the part.

    Args:
        source, targets: the tensors that become the input and the outputs.
        padding: cells of zeros in time before and after, for every 3x3 convolution;
            None leaves them as published.
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
    content: bytes = part.SerializeToString()
    return content


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
