"""UTMOS: predicted naturalness of synthetic speech, about 1 to 5.

Saeki et al. (2022), "UTMOS: UTokyo-SaruLab System for VoiceMOS Challenge 2022", the strong
learner, in the port of the package utmos-pytorch (MIT). Trained on English utterances of a few
seconds; published scores are of whole utterances.
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
from extractors.models import model_folder
from extractors.mos import MosExtractor
from extractors.weights import read_state

WEIGHTS = "utmos_state_dict.pt"

#: Longer clips are heard in equal parts of at most this length, seconds: attention takes
#: memory with the square of it. Their scores are averaged.
PART_S = 30.0


@dataclass(frozen=True)
class UtmosExtractor(MosExtractor):
    """Naturalness of synthetic speech as a mean opinion; an extension."""

    name: ClassVar[str] = "utmos"
    group: ClassVar[str] = "utmos"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "naturalness of read synthetic speech; noisy or expressive speech is new to it."
    )
    packages: ClassVar[dict[str, str]] = {"utmos_pytorch": "utmos-pytorch", "torch": "torch"}
    install: ClassVar[str] = install_line("mos")
    what: ClassVar[str] = f"a folder with {WEIGHTS}"

    model: str = "Blinorot/UTMOS-PyTorch"

    def parameters(self) -> dict[str, JsonValue]:
        """The length of the parts; which weights, the revision says."""
        return {"part_s": PART_S}

    def locate(self) -> Path | None:
        """The model's folder."""
        return model_folder(self.model, (WEIGHTS,))

    def model_files(self) -> list[Path]:
        """The weights."""
        folder = self.locate()
        path = folder / WEIGHTS if folder else None
        return [path] if path and path.is_file() else []

    def open_model(self, path: Path, device: str) -> Any:
        """Load the weights, all of them: the package itself takes what it finds."""
        from utmos_pytorch.utmos_torch import UTMOSModel, UTMOSScoreTorch

        file = path / WEIGHTS
        provided = read_state(file, "fetch it again")
        missing = sorted(UTMOSModel().state_dict().keys() - set(provided))
        if missing:
            raise UserError(f"utmos: {file} has no {missing[0]} and {len(missing) - 1} more")
        return UTMOSScoreTorch(str(file), device)

    def scores(self, model: Any, audio: Samples, device: str) -> Mapping[str, float]:
        """The score of the whole clip, or the mean over the parts of a long one."""
        import torch

        parts = np.array_split(audio, max(1, -(-len(audio) // int(PART_S * SPEECH_RATE))))
        values = [model.score(torch.from_numpy(np.array(part)).to(device)) for part in parts]
        return {"mos": sum(float(value) for value in values) / len(values)}
