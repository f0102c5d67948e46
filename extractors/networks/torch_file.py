"""Tensors of a torch file, read without torch.

A torch file is a zip archive: raw numbers, and a pickle that says which of them are
which tensor. A pickle is a program. This one is not given to Python's unpickler: its
instructions are followed here, those alone that build containers, numbers, strings and
tensors. Nothing else can be named, so nothing else can run.
"""

from __future__ import annotations

import math
import pickletools
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blueprints import UserError

#: The names that a file may refer to: kinds of numbers, and what makes tensors of them.
_NUMBERS: Mapping[str, type[np.generic]] = {
    "torch HalfStorage": np.float16,
    "torch FloatStorage": np.float32,
    "torch DoubleStorage": np.float64,
    "torch IntStorage": np.int32,
    "torch LongStorage": np.int64,
}
_TENSOR, _MAPPING = "torch._utils _rebuild_tensor_v2", "collections OrderedDict"

_CODE = ", which could run code"

#: Opcodes whose argument is the value itself.
_VALUES = {
    "BININT",
    "BININT1",
    "BININT2",
    "BINFLOAT",
    "BINUNICODE",
    "SHORT_BINUNICODE",
    "LONG1",
    "SHORT_BINSTRING",
    "BINSTRING",
}
_CONSTANTS: Mapping[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class _Name(NamedTuple):
    """A name that the file refers to; it is never looked up."""

    name: str


class _Mark:
    """The place on the stack where the parts of a container begin."""


def read_tensors(path: Path) -> dict[str, Any]:
    """Return the content of a torch file, with its tensors as arrays.

    Raises:
        UserError: it is damaged, or holds more than tensors and plain values.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            [program] = [n for n in archive.namelist() if n.endswith("/data.pkl")]
            folder = program.removesuffix("data.pkl") + "data/"
            interpreter = _Program(lambda key: archive.read(folder + key))
            content = interpreter.run(archive.read(program))
    except (OSError, zipfile.BadZipFile, LookupError, TypeError, ValueError) as error:
        raise UserError(
            f"{path}: cannot be read as a torch file of tensors ({error}); install its"
            " package again"
        ) from error
    if not isinstance(content, dict):
        kind = type(content).__name__
        raise UserError(f"{path}: holds a {kind}, not named tensors")
    return content


class _Program:
    """The pickle of a torch file, followed one instruction at a time."""

    def __init__(self, storage: Callable[[str], bytes]) -> None:
        self._storage = storage
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def run(self, program: bytes) -> Any:
        """Return what the program builds; ValueError where it does anything else."""
        for opcode, argument, _ in pickletools.genops(program):
            if opcode.name == "STOP":
                return self._stack.pop()
            self._step(opcode.name, argument)
        raise ValueError("its index has no end")

    def _step(self, name: str, argument: Any) -> None:
        stack = self._stack
        if name in _VALUES:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name]())
        elif name == "MARK":
            stack.append(_Mark())
        elif name in ("BINPUT", "LONG_BINPUT"):
            self._memo[argument] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(self._memo[argument])
        elif name in _TUPLES:
            parts = [stack.pop() for _ in range(_TUPLES[name])]
            stack.append(tuple(reversed(parts)))
        elif name == "TUPLE":
            stack.append(tuple(self._since_mark()))
        elif name == "GLOBAL":
            stack.append(_named(argument))
        elif name == "BINPERSID":
            stack.append(self._numbers(stack.pop()))
        elif name == "REDUCE":
            arguments = stack.pop()
            stack.append(_called(stack.pop(), arguments))
        else:
            self._fill(name)

    def _fill(self, name: str) -> None:
        """Put values into the list or the mapping below them."""
        stack = self._stack
        if name == "APPEND":
            stack[-2].append(stack.pop())
        elif name == "APPENDS":
            values = self._since_mark()
            stack[-1].extend(values)
        elif name == "SETITEM":
            value, key = stack.pop(), stack.pop()
            stack[-1][key] = value
        elif name == "SETITEMS":
            parts = self._since_mark()
            stack[-1].update(zip(parts[::2], parts[1::2], strict=True))
        elif name == "BUILD" and isinstance(stack[-2], OrderedDict):
            stack.pop()  # versions of the layers, which nobody needs
        elif name not in ("PROTO", "FRAME"):
            raise ValueError(f"its index has the instruction {name}{_CODE}")

    def _since_mark(self) -> list[Any]:
        parts: list[Any] = []
        while not isinstance(self._stack[-1], _Mark):
            parts.append(self._stack.pop())
        self._stack.pop()
        return parts[::-1]

    def _numbers(self, reference: Any) -> npt.NDArray[Any]:
        """Return the numbers that a storage holds."""
        kind, name, key, *_ = reference
        if kind != "storage":
            raise ValueError(f"its index refers to a {kind}, not to a storage")
        return np.frombuffer(self._storage(key), _NUMBERS[name.name])


def _named(name: str) -> _Name:
    if name not in (*_NUMBERS, _TENSOR, _MAPPING):
        raise ValueError(f"its index names {name.replace(' ', '.')}{_CODE}")
    return _Name(name)


def _called(function: Any, arguments: Any) -> Any:
    """Return what one of the two names makes that make something."""
    if function == _Name(_MAPPING) and not arguments:
        return OrderedDict()
    if function != _Name(_TENSOR):
        raise ValueError(f"its index calls {function}{_CODE}")
    numbers, offset, shape, strides, *_ = arguments
    count = int(np.prod(shape))
    if tuple(strides) != _strides(shape) or not 0 <= offset <= len(numbers) - count:
        raise ValueError(f"a tensor of shape {shape} does not lie in its storage")
    return numbers[offset : offset + count].reshape(shape)


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the steps from one value to the next along each axis, rows together."""
    strides: list[int] = []
    for axis in range(len(shape)):
        inner_sizes = shape[axis + 1 :]
        strides.append(math.prod(inner_sizes))
    return tuple(strides)
