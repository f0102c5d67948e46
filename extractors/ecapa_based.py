"""What the extractors over an ECAPA folder share: its files, and which part is heard."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import JsonValue

from blueprints import Span
from extractors.audio import SPEECH_RATE, Samples
from extractors.ecapa import HYPERPARAMETERS, WEIGHTS, load_folder, model_files
from extractors.model_backed import ModelExtractor
from extractors.models import model_folder

#: Of longer clips, this much is heard from the first speech on, seconds: the features of a
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
    what: ClassVar[str] = "a folder of a speechbrain ECAPA"

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


def excerpt(speech: Samples, spans: list[Span]) -> Samples:
    """The whole clip, or ``MAX_S`` of a longer one from its first speech on."""
    limit = round(MAX_S * SPEECH_RATE)
    if len(speech) <= limit:
        return speech
    first = min(round(spans[0].start_s * SPEECH_RATE), len(speech) - limit)
    return speech[first : first + limit]
