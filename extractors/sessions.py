"""Sessions of onnxruntime, on one thread of the CPU, or by CUDA where it works."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from blueprints import Advice
from extractors.base import Extractor, package_version
from extractors.device import check_device, is_gpu, resolve
from extractors.weights import one_line

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"

#: Brings the build for GPUs and CUDA's libraries. It is no extra of ours: it lies in
#: the folder of the build for CPUs, which pip would install over it.
INSTALL = "pip install 'onnxruntime-gpu[cuda,cudnn]'"


@dataclass(frozen=True)
class NetworkExtractor(Extractor):
    """An extractor with small networks, which run on the CPU unless a GPU is asked."""

    #: ``auto`` is the CPU, so that values are alike everywhere; ``cpu``, ``cuda`` or
    #: ``cuda:N``.
    device: str = "auto"

    def __post_init__(self) -> None:
        check_device(self.name, self.device)

    @property
    def runs_on(self) -> str:
        """``gpu`` where it is set to one."""
        return "gpu" if is_gpu(self.device) else "cpu"

    @property
    def placed(self) -> str:
        """Return ``cpu`` or ``cuda:N``; raise UserError for a GPU that is not there."""
        return "cpu" if self.device == "auto" else resolve(self.name, self.device)


#: Without it sums of two 8-bit products overflow on processors that have no instruction
#: for them; with it products take twice as long everywhere.
_WIDE_SUMS = ("session.x64quantprecision", "1")


@cache
def sums_are_exact() -> bool:
    """Return whether sums of 8-bit products are right on this processor as they are.

    The largest products that there are, of both signs, are summed up by onnxruntime.
    """
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    rows, terms, columns = 32, 64, 32
    factors = np.full((rows, terms), 255, np.uint8)
    weights = np.full((terms, columns), 127, np.int8)
    weights[:, ::2] = -128
    node = helper.make_node("MatMulInteger", ["factors", "weights"], ["sums"])
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node],
        "sums",
        inputs=[info("factors", TensorProto.UINT8, factors.shape)],
        outputs=[info("sums", TensorProto.INT32, [rows, columns])],
        initializer=[numpy_helper.from_array(weights, "weights")],
    )
    operators = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=operators, ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=[CPU]
    )
    [sums] = session.run(None, {"factors": factors})
    expected = factors.astype(np.int32) @ weights.astype(np.int32)
    return bool((sums == expected).all())


# onnxruntime has no types here, hence Any.
def open_session(
    content: bytes | str, device: str = "cpu", mem_pattern: bool = True
) -> Any:
    """Open a network on a resolved device; on the CPU, with advice, where CUDA fails.

    Args:
        content: the graph, or the path of its file.
        device: ``cpu`` or ``cuda:N``.
        mem_pattern: whether inputs are of few sizes, so that their memory is planned
            ahead.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Clips are parallel, not layers.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = mem_pattern
    # The arena keeps the memory of the longest clip so far.
    options.enable_cpu_mem_arena = False
    is_of_eight_bits = isinstance(content, bytes) and b"MatMulInteger" in content
    if not is_of_eight_bits or not sums_are_exact():
        options.add_session_config_entry(*_WIDE_SUMS)
    session = onnxruntime.InferenceSession(
        content, options, providers=providers(device)
    )
    if is_gpu(device) and CUDA not in session.get_providers():
        warnings.warn(
            f"onnxruntime: networks that should run on {device} run on the CPU"
            f" ({problem() or 'CUDA or cuDNN does not load'}); mend it, or use -X"
            " device=cpu",
            Advice,
            stacklevel=2,
        )
    return session


def providers(device: str) -> list[Any]:
    """Return what onnxruntime is to compute with on a device, best first."""
    if not is_gpu(device) or problem() is not None:
        return [CPU]
    import onnxruntime

    if hasattr(onnxruntime, "preload_dlls"):  # CUDA's libraries from wheels
        onnxruntime.preload_dlls()
    settings = {
        "device_id": int(device.partition(":")[2] or 0),
        # it has 10 bits: a score would be another one in its third digit
        "use_tf32": 0,
        # clips differ in length; a search takes longer
        "cudnn_conv_algo_search": "HEURISTIC",
    }
    return [(CUDA, settings), CPU]


def problem() -> str | None:
    """Say why onnxruntime has no CUDA here, with the remedy; None where it has."""
    try:
        import onnxruntime
    except ImportError as error:
        return f"onnxruntime does not load ({one_line(error)})"
    if CUDA in onnxruntime.get_available_providers():
        return None
    version = package_version("onnxruntime")
    return f"onnxruntime {version} is the build for CPUs; run: {INSTALL}"
