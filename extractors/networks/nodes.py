"""Building an ONNX graph node by node, with the layers that networks share.

onnx takes 0.1 s to import: who only reads what networks said does without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import onnx

Tensor = npt.NDArray[Any]

#: The operators of our graphs are those of this version of ONNX; what runs them reads
#: files of this version of the format.
_OPERATORS, _FORMAT = 17, 9

#: Added to variances before they are divided by, as torch does.
_EPSILON = 1e-5


class Nodes:
    """A graph that grows, and the weights that its layers are made of.

    Args:
        weights: arrays by name.
    """

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        self.weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, values: Tensor | Sequence[int]) -> str:
        """Add an array, fractions as float32; return its name."""
        from onnx import numpy_helper

        array = np.asarray(values)
        if array.dtype.kind == "f":
            array = array.astype(np.float32)
        name = f"constant{len(self._constants)}"
        tensor = numpy_helper.from_array(np.ascontiguousarray(array), name)
        self._constants.append(tensor)
        return name

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output; return the output's name."""
        from onnx import helper

        output = f"value{len(self._nodes)}"
        node = helper.make_node(operator, list(inputs), [output], **attributes)
        self._nodes.append(node)
        return output

    def relu(self, value: str) -> str:
        """Add a rectifier."""
        return self.add("Relu", value)

    def convolve(
        self, value: str, kernel: Tensor, bias: Tensor | None = None, **attributes: Any
    ) -> str:
        """Add a convolution."""
        inputs = [value, self.constant(kernel)]
        if bias is not None:
            inputs.append(self.constant(bias))
        return self.add("Conv", *inputs, **attributes)

    def convolve_normed(
        self,
        value: str,
        kernel: str,
        norm: str,
        **attributes: Any,
    ) -> str:
        """Add a convolution without bias and the batch norm after it, as one node."""
        factor, bias = self.batch_norm(norm)
        weights = self.weights[f"{kernel}.weight"].astype(np.float64)
        per_kernel = [-1] + [1] * (weights.ndim - 1)
        factor = factor.reshape(per_kernel)
        return self.convolve(value, weights * factor, bias, **attributes)

    def normed(self, value: str, norm: str) -> str:
        """Add a batch norm of a value [shape=(clips, channels, ...)]."""
        factor, bias = self.batch_norm(norm)
        still = np.zeros(len(factor)), np.ones(len(factor))
        numbers = [self.constant(values) for values in (factor, bias, *still)]
        return self.add("BatchNormalization", value, *numbers, epsilon=0.0)

    def batch_norm(self, norm: str) -> tuple[Tensor, Tensor]:
        """Return the factor and the summand that a trained batch norm comes to."""
        variance = self.weights[f"{norm}.running_var"].astype(np.float64)
        factor = 1 / np.sqrt(variance + _EPSILON)
        factor = factor * self.weights.get(f"{norm}.weight", 1.0)
        bias = self.weights.get(f"{norm}.bias", 0.0)
        return factor, bias - self.weights[f"{norm}.running_mean"] * factor

    def model(
        self,
        inputs: Mapping[str, Sequence[str | int]],
        output: str,
        shape: Sequence[str | int],
    ) -> onnx.ModelProto:
        """Return the graph as a checked model.

        Args:
            inputs: shape by name; letters are lengths that may differ.
            output: name of the value that is the result.
            shape: its shape.
        """
        from onnx import TensorProto, checker, helper

        kind = TensorProto.FLOAT
        info = helper.make_tensor_value_info
        values = [info(name, kind, sizes) for name, sizes in inputs.items()]
        graph = helper.make_graph(
            self._nodes,
            "network",
            inputs=values,
            outputs=[info(output, kind, shape)],
            initializer=self._constants,
        )
        operators = [helper.make_opsetid("", _OPERATORS)]
        model = helper.make_model(graph, opset_imports=operators, ir_version=_FORMAT)
        checker.check_model(model)
        return model
