"""Distil-MOS: predicted listening quality, 1 to 5, by a small network with its own weights.

Stahl & Gamper (2025), "Distillation and Pruning for Scalable Self-Supervised
Representation-Based Speech Quality Assessment". The weights lie inside the package (MIT).
Its module hears windows of 7.68 s at most 1 s apart, all of a clip in one batch: here they go
through in batches of bounded size, with the same mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import JsonValue

from blueprints import install_line
from extractors.audio import Samples
from extractors.mos import MosExtractor
from extractors.weights import read_state

#: Samples of a window, and most samples from one to the next, as the package has them.
WINDOW, HOP = 122_880, 16_000

#: Windows that go through together.
WINDOWS_AT_ONCE = 8


@dataclass(frozen=True)
class DistillMosExtractor(MosExtractor):
    """Quality of the sound as a mean opinion, 1 to 5, by Distill-MOS; an extension."""

    name: ClassVar[str] = "distillmos"
    group: ClassVar[str] = "distillmos"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "distilled from another model: it agrees with its teacher, not with everybody."
    )
    packages: ClassVar[dict[str, str]] = {"distillmos": "distillmos", "torch": "torch"}
    install: ClassVar[str] = install_line("mos")
    what: ClassVar[str] = "the weights inside the package distillmos; install it again"

    model: str = "distill_mos_v7"

    def parameters(self) -> dict[str, JsonValue]:
        """Nothing: the package's version and the weights decide."""
        return {}

    def locate(self) -> Path | None:
        """The weights inside the package."""
        spec = find_spec("distillmos")
        if spec is None or not spec.submodule_search_locations:
            return None
        path = Path(spec.submodule_search_locations[0], "weights", f"{self.model}.pt")
        return path if path.is_file() else None

    def model_files(self) -> list[Path]:
        """The weights."""
        path = self.locate()
        return [path] if path else []

    def open_model(self, path: Path, device: str) -> Any:
        """Load the weights; clips are cut into windows here."""
        from distillmos import ConvTransformerSQAModel

        read_state(path, "install the package distillmos again")  # in words of ours
        return ConvTransformerSQAModel(segmenting_in_forward=False).to(device).eval()

    def scores(self, model: Any, audio: Samples, device: str) -> Mapping[str, float]:
        """The mean over the windows."""
        import torch

        starts = window_starts(len(audio))
        total = 0.0
        for first in range(0, len(starts), WINDOWS_AT_ONCE):
            block = np.stack([_window(audio, s) for s in starts[first : first + WINDOWS_AT_ONCE]])
            total += float(model(torch.from_numpy(block).to(device)).sum())
        return {"mos": total / len(starts)}


def window_starts(samples: int) -> list[int]:
    """Where the windows of a clip begin: equally spaced, the last one at its end."""
    over = max(0, samples - WINDOW)
    places = np.linspace(0, 1, math.ceil(over / HOP) + 1)
    return [int(place * over) for place in places]


def _window(audio: Samples, start: int) -> Samples:
    part = audio[start : start + WINDOW]
    return np.pad(part, (0, WINDOW - len(part))).astype(np.float32)
