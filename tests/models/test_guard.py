from __future__ import annotations

import logging
import random
import warnings
from typing import Any

import numpy as np
import pytest

from extractors.base import Extractor
from extractors.guard import untouched
from tests.support.model_parts import measured, voice


def state() -> dict[str, Any]:
    """All that a library may not change."""
    import torch

    root = logging.getLogger()
    return {
        "python": random.getstate(),
        "numpy": [str(part) for part in np.random.get_state()],
        "torch": torch.get_rng_state().tolist(),
        "threads": torch.get_num_threads(),
        "grad": torch.is_grad_enabled(),
        "dtype": torch.get_default_dtype(),
        "tf32": torch.backends.cuda.matmul.allow_tf32,
        "handlers": list(root.handlers),
        "level": root.level,
        "disabled": root.manager.disable,
        "filters": list(warnings.filters),
    }


def test_loading_and_running_leaves_no_trace(
    extractor: Extractor, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    # funasr would set 4 threads, and the seeds to 0.
    torch.set_num_threads(1)
    for seed in (random.seed, np.random.seed, torch.manual_seed):
        seed(1234)
    before = state()
    extractor.load()
    assert state() == before
    measured(extractor, voice())
    assert state() == before
    extractor.close()
    assert state() == before
    assert capsys.readouterr().out == ""


def test_it_restores_after_an_error_too(caplog: pytest.LogCaptureFixture) -> None:
    import torch

    torch.manual_seed(5)
    before = state()

    def misbehave() -> None:
        with caplog.at_level(logging.DEBUG, "extractors.guard"), untouched(seed=1):
            torch.rand(3)
            np.random.rand(3)
            random.random()
            torch.set_num_threads(before["threads"] + 1)
            torch.set_default_dtype(torch.float64)
            logging.getLogger().addHandler(logging.NullHandler())
            logging.getLogger().setLevel(logging.DEBUG)
            print("chatter")  # noqa: T201
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        misbehave()
    assert state() == before
    assert "chatter" in caplog.text


def test_a_seed_gives_equal_numbers() -> None:
    import torch

    drawn = []
    for seed in (3, 4):
        torch.manual_seed(seed)
        with untouched(seed=0):
            drawn.append(torch.rand(4).tolist())
    assert drawn[0] == drawn[1]
