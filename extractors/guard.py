"""Restores global state that model libraries change, after every call.

funasr seeds the global random generators, sets torch's threads to four and configures
the root logger each time a model is built; Whisper draws from torch's generator when it
falls back to sampling; both print. None of that may reach the caller.
"""

from __future__ import annotations

import contextlib
import io
import logging
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from blueprints import is_installed

_LOG = logging.getLogger(__name__)


@contextmanager
def untouched(seed: int | None = None) -> Iterator[None]:
    """Run library code and restore the process's global state afterwards.

    Restored: the generators of ``random``, ``numpy.random`` and torch (CPU and CUDA),
    torch's thread count, gradient mode, default type and TF32 setting, handlers and
    level of the root logger, and warning filters. Meanwhile only errors are logged, and
    what the library prints on stdout goes to this module's debug log; stderr stays, for
    a progress bar may run there.

    Args:
        seed: given to torch's generators before, so that sampling gives equal clips
            equal text whatever ran before.
    """
    # Imported late and untyped here; faster-whisper does without.
    torch: Any = import_module("torch") if is_installed("torch") else None
    root = logging.getLogger()
    handlers, level, disabled = list(root.handlers), root.level, root.manager.disable
    python, numpy = random.getstate(), np.random.get_state()
    torch_state = _torch_state(torch) if torch else {}
    printed = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.simplefilter("ignore")
            logging.disable(max(disabled, logging.WARNING))
            if torch and seed is not None:
                # torch.manual_seed would format a stack trace for each GPU backend not
                # in use.
                torch.default_generator.manual_seed(seed)
                if torch.cuda.is_initialized():
                    torch.cuda.manual_seed_all(seed)
            yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.disable(disabled)
        random.setstate(python)
        np.random.set_state(numpy)
        if torch:
            _restore_torch(torch, torch_state)
        if text := printed.getvalue().strip():
            _LOG.debug("a model library printed: %s", text)


def _torch_state(torch: Any) -> dict[str, Any]:
    return {
        "rng": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None,
        "threads": torch.get_num_threads(),
        "grad": torch.is_grad_enabled(),
        "dtype": torch.get_default_dtype(),
        # Importing speechbrain allows it, and with it the next model rounds
        # differently.
        "tf32": torch.backends.cuda.matmul.allow_tf32,
    }


def _restore_torch(torch: Any, state: dict[str, Any]) -> None:
    torch.set_rng_state(state["rng"])
    if state["cuda"] is not None:
        torch.cuda.set_rng_state_all(state["cuda"])
    if torch.get_num_threads() != state["threads"]:
        torch.set_num_threads(state["threads"])
    torch.set_grad_enabled(state["grad"])
    torch.set_default_dtype(state["dtype"])
    torch.backends.cuda.matmul.allow_tf32 = state["tf32"]
