"""Who speaks, as an embedding: two clips of one speaker point the same way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import JsonValue

from blueprints import Absent, Blueprint, Extension, Signal, UserError
from extractors.accent import MAX_S, excerpt
from extractors.audio import Clip
from extractors.base import speech_gate
from extractors.ecapa import HYPERPARAMETERS, WEIGHTS, load_folder, model_files
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from extractors.models import model_folder

#: Less speech says little of a voice, seconds: verification is tested on a few seconds.
MIN_SPEECH_S = 1.0

#: Decimals of an embedding: finer than the arithmetic of another machine.
_DECIMALS = 6


@dataclass(frozen=True)
class SpeakerExtractor(ModelExtractor):
    """Fills ``speaker`` (an extension) with a unit vector, by an ECAPA of speechbrain.

    :func:`trace_eval.measures.speaker_similarity` compares two of them.
    """

    name: ClassVar[str] = "speaker"
    group: ClassVar[str] = "speaker"
    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    packages: ClassVar[dict[str, str]] = {
        "speechbrain": "speechbrain",
        "torch": "torch",
        "torchaudio": "torchaudio",
    }
    what: ClassVar[str] = "a folder of a speechbrain ECAPA"

    model: str = "speechbrain/spkrec-ecapa-voxceleb"

    def parameters(self) -> dict[str, JsonValue]:
        """How much is heard; which model it is, the revision says."""
        return {"max_s": MAX_S}

    def locate(self) -> Path | None:
        """The folder."""
        return model_folder(self.model, (HYPERPARAMETERS, *WEIGHTS))

    def model_files(self) -> list[Path]:
        """Weights, hyperparameters and labels."""
        folder = self.locate()
        return model_files(folder) if folder else []

    def open_model(self, path: Path, device: str) -> Any:
        """Load and check the folder."""
        return load_folder(path, device)

    def extract(self, clip: Clip, known: Blueprint) -> Extension | Absent:
        """The embedding of one clip with at least a second of speech."""
        gate = speech_gate(known, MIN_SPEECH_S)
        if gate:
            return gate
        assert isinstance(known.signal, Signal)  # the gate has seen it
        model = self.opened()
        with untouched():
            import torch

            heard = torch.from_numpy(excerpt(clip.speech, known.signal.speech)[np.newaxis])
            vector = model.encode_batch(heard).reshape(-1).double().cpu().numpy()
        length = float(np.linalg.norm(vector))
        if not 0 < length < float("inf"):
            raise UserError("speaker: the embedding has no direction; fetch the model again")
        values = [round(v, _DECIMALS) for v in vector / length]
        return Extension(values={"embedding": values}, shown=False)
