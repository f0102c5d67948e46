"""Audiobox Aesthetics: four predicted scores of a recording, each about 1 to 10.

Tjandra et al. (2025), "Meta Audiobox Aesthetics". ``CE`` content enjoyment, ``CU`` content
usefulness, ``PC`` production complexity (more is not better), ``PQ`` production quality. As in
the package, clips are heard in parts of 10 s, weighted by how full they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import JsonValue

from blueprints import UserError, install_line
from extractors.audio import SPEECH_RATE, Samples
from extractors.mos import MosExtractor
from extractors.weights import one_line

CONFIG, WEIGHTS = "config.json", "model.safetensors"
PART_S = 10
AXES = ("CE", "CU", "PC", "PQ")


@dataclass(frozen=True)
class AestheticsExtractor(MosExtractor):
    """Predicted aesthetics of the sound: ``CE``, ``CU``, ``PC`` and ``PQ``; an extension."""

    name: ClassVar[str] = "audiobox"
    group: ClassVar[str] = "aesthetics"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "predicted aesthetics of mixed audio; speech is a part of what it was trained on."
    )
    packages: ClassVar[dict[str, str]] = {
        "audiobox_aesthetics": "audiobox_aesthetics",
        "torch": "torch",
    }
    install: ClassVar[str] = install_line("aesthetics")
    required: ClassVar[tuple[str, ...]] = (CONFIG, WEIGHTS)  # the first one has the scores' means
    what: ClassVar[str] = f"a folder with {CONFIG} and {WEIGHTS}"

    model: str = "facebook/audiobox-aesthetics"

    def parameters(self) -> dict[str, JsonValue]:
        """The length of the parts; which weights, the revision says."""
        return {"part_s": PART_S}

    def open_model(self, path: Path, device: str) -> Any:
        """Load the folder."""
        from audiobox_aesthetics.model.aes import AesMultiOutput

        try:
            model = AesMultiOutput.from_pretrained(
                str(path), local_files_only=True, map_location="cpu", strict=True
            )
        except Exception as error:  # by kind of damage
            raise UserError(
                f"audiobox: {path} does not load ({one_line(error)}); fetch it again"
            ) from error
        if set(model.target_transform or ()) != set(AXES):
            raise UserError(f"audiobox: {path / CONFIG} has no target_transform of {AXES}")
        return model.to(device).eval()

    def scores(self, model: Any, audio: Samples, device: str) -> Mapping[str, float]:
        """The mean over the parts, each weighted by its length."""
        import torch

        size = PART_S * SPEECH_RATE
        total, weights = dict.fromkeys(AXES, 0.0), 0.0
        for start in range(0, len(audio), size):
            part = audio[start : start + size]
            weight = len(part) / size
            wave = np.zeros((1, 1, size), np.float32)
            wave[0, 0, : len(part)] = part
            mask = torch.arange(size)[None, None] < len(part)
            result = model({"wav": torch.from_numpy(wave).to(device), "mask": mask.to(device)})
            weights += weight
            for axis in AXES:
                total[axis] += weight * float(result[axis])
        transform = model.target_transform
        return {
            axis: total[axis] / weights * transform[axis]["std"] + transform[axis]["mean"]
            for axis in AXES
        }
