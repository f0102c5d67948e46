"""Who speaks, as an embedding: two clips of one speaker point the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from blueprints import Absent, Blueprint, Extension, Signal, UserError
from extractors.audio import Clip
from extractors.base import speech_gate
from extractors.ecapa_based import EcapaBased, excerpt
from extractors.guard import untouched

#: Less speech says little of a voice, seconds: verification is tested on a few seconds.
MIN_SPEECH_S = 1.0

#: Decimals of an embedding: finer than the arithmetic of another machine.
_DECIMALS = 6


@dataclass(frozen=True)
class SpeakerExtractor(EcapaBased):
    """Fills ``speaker`` (an extension) with a unit vector, by an ECAPA of speechbrain.

    :func:`trace_eval.measures.speaker_similarity` compares two of them.
    """

    name: ClassVar[str] = "speaker"
    group: ClassVar[str] = "speaker"
    version: ClassVar[str] = "1"

    model: str = "speechbrain/spkrec-ecapa-voxceleb"

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
