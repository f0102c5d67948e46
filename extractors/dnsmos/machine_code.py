"""Machine code of :mod:`extractors.dnsmos.kernels`, kept in our cache folder.

numba takes seconds to compile the kernels, and .4 s to start where it would only load
them. So its object file is kept, and loaded by llvmlite alone. Where that cannot be,
importing this module fails, and :mod:`extractors.dnsmos.graph` uses onnxruntime.

Raises:
    ImportError: numba is missing, or there is no folder for its code: to compile takes
        seconds, which every process would spend again.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import binding

from extractors.base import package_version
from extractors.dnsmos.windows import GROUP, ROWS, Float32s
from extractors.kept import DIGITS, kept
from extractors.models import cache_folder

#: The source of the kernels: where it changes, they are compiled again.
_SOURCE = Path(__file__).with_name("kernels.py")


def _place() -> Path:
    """Return ``$NUMBA_CACHE_DIR`` or a folder in our cache, which can be written.

    Raises:
        ImportError: it cannot.
    """
    folder = os.environ.get("NUMBA_CACHE_DIR") or str(cache_folder() / "numba")
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - its error names the folder
        if not os.access(folder, os.W_OK | os.X_OK):
            raise OSError("no permission to write")
    except OSError as error:
        raise ImportError(f"numba's cache {folder} cannot be used ({error})") from error
    return Path(folder)


def _load() -> Any:
    """Load the object file into this process, compiled if need be."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    processor = binding.get_host_cpu_name()
    features = binding.get_host_cpu_features().flatten()
    target = binding.Target.from_default_triple().create_target_machine(
        processor, features, opt=3, jit=True
    )

    def compile_kernels() -> bytes:
        from extractors.dnsmos.kernels import machine_code

        return machine_code(target)

    versions = package_version("numba"), package_version("llvmlite")
    origin = hashlib.sha256(_SOURCE.read_bytes())
    origin.update(repr((versions, processor, features, ROWS, GROUP)).encode())
    prefix = f"kernels-{origin.hexdigest()[:DIGITS]}-"
    content = kept(_place(), prefix, ".o", compile_kernels)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target)
    engine.add_object_file(binding.ObjectFileRef.from_data(content))
    engine.finalize_object()
    return engine


try:
    _ENGINE = _load()  # the code lives as long as it does
except Exception as error:  # of LLVM, or of a numba that came after this was written
    raise ImportError(f"the kernels do not compile ({error})") from error


def _function(name: str, arrays: int, sizes: int) -> Any:
    """Return a kernel as a function of addresses and sizes."""
    kinds = (*(ctypes.c_void_p,) * arrays, *(ctypes.c_int64,) * sizes)
    return ctypes.CFUNCTYPE(None, *kinds)(_ENGINE.get_function_address(name))


_CONVOLVE_ONE, _CONVOLVE = _function("convolve_one", 4, 2), _function("convolve", 7, 3)
_POOL = _function("pool", 2, 4)


class KernelCall:
    """A kernel with the C-contiguous arrays that it works on whenever it is called."""

    def __init__(
        self, kernel: Any, arrays: Sequence[npt.NDArray[Any]], sizes: Sequence[int]
    ):
        self._kernel = kernel
        self._arrays = arrays  # live as long as their addresses are used
        self._arguments = (*(array.ctypes.data for array in arrays), *sizes)

    def __call__(self, *last: int) -> None:
        """Run the kernel on what the arrays hold now; ``last``: further arguments."""
        self._kernel(*self._arguments, *last)


def convolve_one(
    image: Float32s, weights: Float32s, bias: Float32s, to: Float32s
) -> KernelCall:
    """Return a call that computes rows of a convolution of one input channel.

    Args:
        image: input [shape=(ROWS + 2, columns)].
        weights: [shape=(9, outputs)].
        bias: [shape=(outputs,)].
        to: its first ``ROWS`` rows are the result [shape=(rows, columns, outputs)].
    """
    return KernelCall(_CONVOLVE_ONE, (image, weights, bias, to), to.shape[1:])


def convolve(
    image: Float32s, weights: Float32s, bias: Float32s, sums: Float32s
) -> KernelCall:
    """Return a call that computes rows of a convolution of an image's positive part.

    Args:
        image: its first ``ROWS`` rows are the input [shape=(rows, columns, inputs)];
            what is not positive counts as zero.
        weights: [shape=(inputs, 9 * outputs)], with both directions turned around.
        bias: [shape=(outputs,)].
        sums: results, of which the first ``ROWS`` rows are complete after a call
            [shape=(ROWS + 2, columns, outputs)].
    """
    _, columns, inputs = image.shape
    cells = ROWS * columns
    index, ends = np.empty(cells * inputs + GROUP, np.uint8), np.empty(cells, np.int64)
    positive = np.empty(cells * inputs // GROUP, np.uint64)
    arrays = image, weights, bias, sums, index, positive, ends
    return KernelCall(_CONVOLVE, arrays, (columns, inputs, len(bias)))


def pool(image: Float32s, to: Float32s) -> KernelCall:
    """Return a call that takes the maximum of 2x2 cells of an image's positive part.

    Its argument is the number of the step whose result it is.

    Args:
        image: its first ``ROWS`` rows are pooled [shape=(rows, columns, channels)].
        to: results of all steps [shape=(steps * ROWS / 2, bins, channels)].
    """
    return KernelCall(_POOL, (image, to), (image.shape[1], *to.shape[1:]))
