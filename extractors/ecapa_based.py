"""What the extractors over an ECAPA folder share: its files, and which part is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import JsonValue

from blueprints import Absent, Blueprint, Present, Span
from extractors.audio import SPEECH_RATE, Samples
from extractors.base import Item, past_gate
from extractors.ecapa import HYPERPARAMETERS, WEIGHTS, load_folder, model_files
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from extractors.stacks import equal_lengths

#: Of longer clips, this much is measured from the first speech on, seconds: the features of a
#: minute already take 1 GB in the published size, and an accent does not change.
MAX_S = 60.0


@dataclass(frozen=True)
class EcapaBased(ModelExtractor):
    """Base of extractors whose model is a folder of a speechbrain ECAPA.

    Always in single precision: the model is small, and the logarithm of the features wants
    the range.
    """

    needs: ClassVar[tuple[str, ...]] = ("signal",)
    packages: ClassVar[dict[str, str]] = {
        "speechbrain": "speechbrain",
        "torch": "torch",
        "torchaudio": "torchaudio",
    }
    required: ClassVar[tuple[str, ...]] = (HYPERPARAMETERS, *WEIGHTS)
    what: ClassVar[str] = "a folder of a speechbrain ECAPA"

    def parameters(self) -> dict[str, JsonValue]:
        """How much is measured; which model it is, the revision says."""
        return {"max_s": MAX_S}

    def model_files(self) -> list[Path]:
        """Weights, hyperparameters and labels."""
        folder = self.locate()
        return model_files(folder) if folder else []

    def open_model(self, path: Path, device: str) -> Any:
        """Load and check the folder."""
        return load_folder(path, device)

    def extract_batch(self, items: Sequence[Item]) -> list[Present | Absent]:
        """Measure several clips; equally long ones share a forward pass.

        All clips of over a minute are equally long: a minute of each is measured.
        """
        return past_gate(items, self._gate, self._measure)

    def _measure(self, items: Sequence[Item]) -> list[Present]:
        parts = [excerpt(item.clip.speech, item.speech) for item in items]
        results: dict[int, Present] = {}
        model = self.opened()
        with untouched():
            import torch

            for stack in equal_lengths(parts, self.batch_size):
                some = [torch.from_numpy(parts[index]) for index in stack]
                sound = torch.stack(some) if len(some) > 1 else some[0][None]  # no copy of one
                results.update(zip(stack, self._values(model, sound), strict=True))
        return [results[index] for index in range(len(items))]

    def _gate(self, blueprint: Blueprint) -> Absent | None:
        """Why a clip is not measured."""
        raise NotImplementedError

    def _values(self, model: Any, sound: Any) -> Sequence[Present]:
        """The groups of equally long clips, a tensor [shape=(clips, samples)]."""
        raise NotImplementedError


def excerpt(speech: Samples, spans: list[Span]) -> Samples:
    """The whole clip, or ``MAX_S`` of a longer one from its first speech on."""
    limit = round(MAX_S * SPEECH_RATE)
    if len(speech) <= limit:
        return speech
    first = min(round(spans[0].start_s * SPEECH_RATE), len(speech) - limit)
    return speech[first : first + limit]
