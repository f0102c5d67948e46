"""Reading a network: its parts from our cache folder where they can be used.

To cut it takes the package onnx, whose import is slow.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from extractors.device import is_gpu
from extractors.dnsmos.graph import CutNetwork
from extractors.dnsmos.parts import KeptNetwork
from extractors.dnsmos.sections import kernels_problem
from extractors.kept import DIGITS, kept
from extractors.models import cache_folder, file_sha256

#: Raised whenever other parts would be made of the same network.
_VERSION = 1


def network_of(
    path: Path, device: str, use: Callable[[CutNetwork], object]
) -> CutNetwork:
    """Return the network of a file: on the CPU its kept parts, by our kernels.

    Args:
        device: where it runs, ``cpu`` or ``cuda:N``.
        use: asks for every part that will be asked for.
    """
    if is_gpu(device) or kernels_problem() is not None:
        import onnx

        from extractors.dnsmos.cutting import OnnxNetwork  # needs onnx

        return OnnxNetwork(onnx.load(path), device)

    def make() -> bytes:
        from extractors.dnsmos.making import parts_of  # needs onnx

        return parts_of(path, use)

    prefix = f"dnsmos-{_VERSION}-{file_sha256(path)[:DIGITS]}-"
    return KeptNetwork(kept(cache_folder() / "graphs", prefix, ".npz", make))
