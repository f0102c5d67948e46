"""What predictors of listeners' scores share: the speech gate, the windows, the device."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from blueprints import Absent, Blueprint, Extension, Present, UserError
from extractors.audio import Clip, Samples
from extractors.base import speech_gate
from extractors.device import resolve
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor

#: Decimals of a score: finer than the arithmetic of another machine.
_DECIMALS = 4


@dataclass(frozen=True)
class MosExtractor(ModelExtractor):
    """Base of predictors that give a clip one or more scores; always in single precision.

    Speech alone is scored: what such a model says of silence or noise means nothing.
    """

    needs: ClassVar[tuple[str, ...]] = ("signal",)

    @abstractmethod
    def scores(self, model: Any, audio: Samples, device: str) -> Mapping[str, float]:
        """Scores of one clip by name.

        Args:
            model: as :meth:`open_model` made it.
            audio: 16 kHz mono [shape=(samples,)].
            device: where the model is.
        """

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        """Score one clip; absent without speech."""
        absent = speech_gate(known)
        if absent:
            return absent
        model, device = self.opened(), resolve(self.name, self.device)
        with untouched():
            import torch

            with torch.inference_mode():
                result = self.scores(model, clip.speech, device)
        if not all(np.isfinite(value) for value in result.values()):
            raise UserError(f"{self.name}: the model gives no finite number; fetch it again")
        return Extension(values={name: round(float(v), _DECIMALS) for name, v in result.items()})
