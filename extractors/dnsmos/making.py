"""Making the file of :mod:`extractors.dnsmos.parts` from a network's own file."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx

from extractors.dnsmos.cutting import cut, ends_of, layer_weights, layers_of
from extractors.dnsmos.graph import CutNetwork, Layer
from extractors.dnsmos.parts import between, opened, stacks_of
from extractors.dnsmos.sections import Section
from extractors.dnsmos.windows import Piece


def parts_of(path: Path, use: Callable[[CutNetwork], object]) -> bytes:
    """Return the file of the parts that ``use`` asks a network for."""
    network = _Noted(onnx.load(path))
    use(network)
    return network.content()


class _Noted:
    """A network that notes what it is asked for; see :class:`CutNetwork`."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.layers: Sequence[Layer] = layers_of(model)
        self.framed, self.output = ends_of(model)
        self._model = model
        self._sections: dict[str, list[tuple[int, bool]]] = {}
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def section(self, source: str, target: str) -> Section:
        """Note the weights between two tensors."""
        name = between(source, target)
        stacks = layer_weights(self._model, source, target)
        self._sections[name] = [(len(one.arrays), one.pooled) for one in stacks]
        arrays = [array for stack in stacks for array in stack.arrays]
        for number, array in enumerate(arrays):
            self._arrays[f"{name} {number}"] = array
        return stacks_of(stacks)

    def piece(self, source: str, target: str) -> Piece:
        """Note all between two tensors."""
        part = cut(self._model, source, [target])
        self._arrays[between(source, target)] = np.frombuffer(part, np.uint8)
        return opened(part)

    def content(self) -> bytes:
        """Return the file of what was noted."""
        about = {
            "layers": self.layers,
            "framed": self.framed,
            "output": self.output,
            "sections": self._sections,
        }
        arrays: dict[str, Any] = dict(self._arrays)
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        file = io.BytesIO()
        np.savez(file, **arrays)
        return file.getvalue()
