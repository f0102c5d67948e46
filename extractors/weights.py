"""Checkpoint files: read without running code from them, and checked against the model.

Libraries load what fits and keep random numbers where nothing does (funasr), or only
warn (speechbrain). A model with random parts gives plausible nonsense, so here it is an
error.
"""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from blueprints import UserError

_NO_TENSORS = (
    "it is damaged or holds more than tensors and plain values, which could run code;"
    " safetensors, or a torch file of tensors only, is allowed"
)
#: torch's messages about files that it would have to run; its advice is to run them.
_ADVICE = re.compile(r"weights[ _-]?only|torch\.load|pickle", re.IGNORECASE)


# torch has no types here (see pyproject.toml), hence Any for tensors.
def read_state(path: Path, remedy: str) -> dict[str, Any]:
    """Read a torch file, on the CPU; only tensors and plain values are unpickled.

    Raises:
        UserError: it is missing, cut short, no file of tensors, or holds anything that
            would run code.
    """
    import torch

    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            state = load_file(path)
        else:
            with warnings.catch_warnings():  # torch's advice again
                warnings.simplefilter("ignore")
                state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file; {remedy}") from error
    except Exception as error:  # zip, pickle, EOF and runtime errors, by kind of damage
        details = _NO_TENSORS if isinstance(error, LookupError) else one_line(error)
        raise UserError(
            f"{path}: cannot be read as a checkpoint ({details}); {remedy}"
        ) from error
    if not isinstance(state, dict):
        raise UserError(
            f"{path}: holds a {type(state).__name__}, not named tensors; {remedy}"
        )
    return state


def check_state(
    path: Path,
    state: Mapping[str, Any],
    model: Mapping[str, Any],
    remedy: str,
    optional: Callable[[str], bool] = lambda _: False,
) -> None:
    """Check that the file has every tensor of the model, in shape, and nothing else.

    Args:
        state: tensors of the file.
        model: ``state_dict()`` of the model that was built for it.
        optional: names that may be missing or superfluous (parts used in training
            only).

    Raises:
        UserError: names one tensor of each kind of mismatch.
    """
    missing = [name for name in model if name not in state and not optional(name)]
    extra = [name for name in state if name not in model and not optional(name)]
    other: list[str] = []
    for name in model:
        if name in state and _shape(state[name]) != _shape(model[name]):
            other.append(
                f"{name} is {_shape(state[name])}, the model has {_shape(model[name])}"
            )
    named = {
        "are missing": missing,
        "are not part of the model": extra,
        "have another shape": other,
    }
    mismatches: list[str] = []
    for what, names in named.items():
        if names:
            mismatches.append(f"{len(names)} tensors {what} ({names[0]})")
    if mismatches:
        raise UserError(
            f"{path}: does not fit the model: {', '.join(mismatches)}; {remedy}"
        )


def check_loaded(
    path: Path,
    state: Mapping[str, Any],
    model: Mapping[str, Any],
    remedy: str,
    optional: Callable[[str], bool] = lambda _: False,
) -> None:
    """Check as :func:`check_state`, and that the library took every value.

    Raises:
        UserError: they do not fit, or a tensor of the model is not that of the file.
    """
    import torch

    check_state(path, state, model=model, remedy=remedy, optional=optional)
    for name, value in model.items():
        if name in state and not optional(name):
            want = state[name].to(device=value.device, dtype=value.dtype)
            if not torch.equal(want, value):
                raise UserError(f"{path}: {name} did not arrive in the model; {remedy}")


def one_line(error: Exception, limit: int = 200) -> str:
    """Shorten a library's error to a line of ``limit`` characters, without advice.

    Torch appends advice to its errors.
    """
    message = " ".join(str(error).split())
    unreadable = not message or isinstance(error, pickle.UnpicklingError | EOFError)
    return _NO_TENSORS if unreadable or _ADVICE.search(message) else message[:limit]


def _shape(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None:
        return f"a {type(value).__name__}"
    return "x".join(str(size) for size in shape) or "a number"
