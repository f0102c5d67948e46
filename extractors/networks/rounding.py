"""Steps of eight bits in the networks that packages carry: left out, or computed with.

onnx takes 0.1 s to import: only who makes a graph imports this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from extractors.networks.nodes import Tensor


def without_rounding(model: onnx.ModelProto, numbers: bytes) -> onnx.ModelProto:
    """Return an export without its steps of 8 bits, for any number of windows at once.

    Args:
        model: the export, whose large tensors lie elsewhere.
        numbers: the content of the file in which they lie.
    """
    graph = model.graph
    output = graph.output[0]
    nodes, same = _without_steps(graph)
    used: set[str] = set()
    for node in nodes:
        used.update(node.input)
    constants = []
    for tensor in graph.initializer:
        if tensor.name in used:
            values = _for_many(_values(tensor, numbers))
            constants.append(numpy_helper.from_array(values, tensor.name))
    sizes = [size.dim_value for size in graph.input[0].type.tensor_type.shape.dim]
    count = output.type.tensor_type.shape.dim[1].dim_value
    windows = helper.make_tensor_value_info(
        graph.input[0].name, TensorProto.FLOAT, ["windows", *sizes[1:]]
    )
    scores = helper.make_tensor_value_info(
        same.get(output.name, output.name), TensorProto.FLOAT, ["windows", count]
    )
    whole = helper.make_graph(
        nodes, "yamnet", inputs=[windows], outputs=[scores], initializer=constants
    )
    result = helper.make_model(
        whole,
        opset_imports=model.opset_import,
        ir_version=model.ir_version,
    )
    onnx.checker.check_model(result)
    return result


def _without_steps(
    graph: onnx.GraphProto,
) -> tuple[list[onnx.NodeProto], dict[str, str]]:
    """Return a graph's nodes but those that round, and the values that they rounded.

    The values are names, by the name of what a step made of them.
    """
    nodes: list[onnx.NodeProto] = []
    same: dict[str, str] = {}
    for node in graph.node:
        inputs = [same.get(name, name) for name in node.input]
        if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
            same[node.output[0]] = inputs[0]
            continue
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = inputs
        nodes.append(copy)
    return nodes, same


def _values(tensor: onnx.TensorProto, numbers: bytes) -> Tensor:
    """Return the numbers of a tensor, which may lie in another file."""
    if tensor.data_location != TensorProto.EXTERNAL:
        return numpy_helper.to_array(tensor)
    place = {entry.key: entry.value for entry in tensor.external_data}
    start = int(place.get("offset", 0))
    inside = onnx.TensorProto()
    inside.CopyFrom(tensor)
    inside.ClearField("external_data")
    inside.data_location = TensorProto.DEFAULT
    inside.raw_data = numbers[start : start + int(place["length"])]
    return numpy_helper.to_array(inside)


def _for_many(values: Tensor) -> Tensor:
    """Return a target shape of one window as that of any number of them."""
    if values.dtype == np.int64 and values.shape == (2,):
        return np.array([0, -1], np.int64)
    return values


def in_eight_bits(model: onnx.ModelProto) -> onnx.ModelProto:
    """Let a graph multiply by its 8-bit weights as they are; changes and returns it.

    The package's graph makes floats of them first, which takes twice as long and five
    times the memory. What is multiplied is rounded to eight bits, too.
    """
    weights = _scaled_weights(model)
    rounded: set[str] = set()
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            if node.input[0] not in rounded:
                rounded.add(node.input[0])
                nodes.append(_rounding(node.input[0]))
            nodes += _product(node, weights[node.input[1]])
        elif node.op_type == "Gather" and node.input[0] in weights:
            nodes += _rows(node, weights[node.input[0]])
        else:
            nodes.append(node)
    wanted = {name for node in nodes for name in node.input}
    wanted |= {value.name for value in model.graph.output}
    # Floats of weights are made by a cast and a product, which now end nowhere.
    left = [node for node in nodes if wanted.intersection(node.output)]
    wanted = {name for node in left for name in node.input}
    wanted |= {value.name for value in model.graph.output}
    del model.graph.node[:]
    model.graph.node.extend(node for node in left if wanted.intersection(node.output))
    return model


class _Weights(NamedTuple):
    """Names of whole numbers of eight bits, and of what they are multiplied by."""

    numbers: str
    scale: str


def _scaled_weights(model: onnx.ModelProto) -> dict[str, _Weights]:
    """Return the weights that a graph computes from 8-bit numbers, by their names."""
    kinds = {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    floats: dict[str, str] = {}
    weights: dict[str, _Weights] = {}
    for node in model.graph.node:
        first = node.input[0] if node.input else ""
        if node.op_type == "Cast" and kinds.get(first) == TensorProto.INT8:
            floats[node.output[0]] = first
        if node.op_type == "Mul" and first in floats:
            weights[node.output[0]] = _Weights(floats[first], node.input[1])
    return weights


def _rounding(name: str) -> onnx.NodeProto:
    """Return the node that rounds a tensor to eight bits, with its scale and zero."""
    outputs = [f"{name}_rounded", f"{name}_step", f"{name}_zero"]
    return helper.make_node("DynamicQuantizeLinear", [name], outputs)


def _product(node: onnx.NodeProto, weights: _Weights) -> list[onnx.NodeProto]:
    """Return nodes that multiply a rounded tensor by weights with a scale a column."""
    name, out = node.input[0], node.output[0]
    factors = [f"{name}_rounded", weights.numbers, f"{name}_zero"]
    return [
        helper.make_node("MatMulInteger", factors, [f"{out}_whole"]),
        _float(f"{out}_whole", f"{out}_float"),
        helper.make_node("Mul", [f"{name}_step", weights.scale], [f"{out}_scale"]),
        helper.make_node("Mul", [f"{out}_float", f"{out}_scale"], [out]),
    ]


def _rows(node: onnx.NodeProto, weights: _Weights) -> list[onnx.NodeProto]:
    """Return nodes that take rows of weights with a scale a row."""
    places, out = node.input[1], node.output[0]
    return [
        helper.make_node("Gather", [weights.numbers, places], [f"{out}_whole"]),
        _float(f"{out}_whole", f"{out}_float"),
        helper.make_node("Gather", [weights.scale, places], [f"{out}_scale"]),
        helper.make_node("Mul", [f"{out}_float", f"{out}_scale"], [out]),
    ]


def _float(source: str, target: str) -> onnx.NodeProto:
    return helper.make_node("Cast", [source], [target], to=TensorProto.FLOAT)
