"""Who speaks, as an embedding: two clips of one speaker point the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from blueprints import Absent, Blueprint, Extension, UserError
from extractors.base import speech_gate
from extractors.ecapa_based import EcapaBased

#: Less speech says little of a voice, seconds: verification is tested on a few seconds.
MIN_SPEECH_S = 1.0

#: Decimals of an embedding: finer than the arithmetic of another machine.
_DECIMALS = 6


@dataclass(frozen=True)
class SpeakerExtractor(EcapaBased):
    """Direction of the voice, a unit vector, by an ECAPA of speechbrain; an extension.

    :func:`trace_eval.measures.speaker_similarity` compares two of them.
    """

    name: ClassVar[str] = "speaker"
    group: ClassVar[str] = "speaker"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = "similarity of voices, not identity; short clips are unstable."

    model: str = "speechbrain/spkrec-ecapa-voxceleb"

    def _gate(self, blueprint: Blueprint) -> Absent | None:
        return speech_gate(blueprint, MIN_SPEECH_S)

    def _values(self, model: Any, sound: Any) -> Sequence[Extension]:
        vectors = model.encode_batch(sound).double().cpu().numpy()
        return [direction(vector.ravel()) for vector in vectors]


def direction(vector: np.ndarray) -> Extension:
    """The group of one clip.

    Raises:
        UserError: the embedding is zero, infinite or no number.
    """
    length = float(np.linalg.norm(vector))
    if not 0 < length < float("inf"):
        raise UserError("speaker: the embedding has no direction; fetch the model again")
    values = [round(v, _DECIMALS) for v in vector / length]
    return Extension(values={"embedding": values}, shown=False)
