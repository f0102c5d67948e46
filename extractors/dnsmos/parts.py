"""Parts of a cut network, as our kernels and onnxruntime take them, in a file."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.dnsmos.graph import Layer
from extractors.dnsmos.sections import CompiledSection, Section
from extractors.dnsmos.windows import Float32s, Piece
from extractors.sessions import open_session


class StackWeights(NamedTuple):
    """Weights and biases of convolutions by turns, and whether a pooling ends them."""

    arrays: Sequence[npt.NDArray[Any]]
    pooled: bool


def opened(content: bytes, device: str = "cpu") -> Piece:
    """Open a part of a network, whose one input differs in size between stretches."""
    session = open_session(content, device, mem_pattern=False)
    [source] = session.get_inputs()

    def run(array: Float32s) -> list[Float32s]:
        outputs: list[Float32s] = session.run(None, {source.name: array})
        return outputs

    return run


def stacks_of(weights: Sequence[StackWeights]) -> CompiledSection:
    """Build layers from their weights."""
    # needs the kernels
    from extractors.dnsmos.convolution import Convolution, ConvStack

    stacks = []
    for arrays, pooled in weights:
        pairs = zip(arrays[::2], arrays[1::2], strict=True)
        stacks.append(ConvStack([Convolution.of(*pair) for pair in pairs], pooled))
    return CompiledSection(stacks)


class KeptNetwork:
    """A network of the parts in a file; see :class:`CutNetwork`."""

    def __init__(self, content: bytes) -> None:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            self._arrays = dict(arrays)
        about = json.loads(self._arrays.pop("about").tobytes())
        self.layers: Sequence[Layer] = [Layer(*layer) for layer in about["layers"]]
        self.framed: str = about["framed"]
        self.output: str = about["output"]
        self._sections: dict[str, list[list[Any]]] = about["sections"]

    def section(self, source: str, target: str) -> Section:
        """Build the layers between two tensors; see :class:`CutNetwork`."""
        name = between(source, target)
        stacks: list[StackWeights] = []
        for count, pooled in self._sections[name]:
            first = sum(len(stack.arrays) for stack in stacks)
            numbers = range(first, first + count)
            arrays = [self._arrays[f"{name} {number}"] for number in numbers]
            stacks.append(StackWeights(arrays, pooled))
        return stacks_of(stacks)

    def piece(self, source: str, target: str) -> Piece:
        """Return all between two tensors; see :class:`CutNetwork`."""
        return opened(self._arrays[between(source, target)].tobytes())


def between(source: str, target: str) -> str:
    """Return the name of what lies between two tensors."""
    return f"{source} to {target}"
