"""Accent by an ECAPA-TDNN of speechbrain: cosine to each accent that the checkpoint knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import JsonValue

from blueprints import (
    Absent,
    Accent,
    Blueprint,
    Signal,
    Span,
    Status,
    Transcript,
    UserError,
)
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.base import speech_gate
from extractors.ecapa import HYPERPARAMETERS, WEIGHTS, load_folder, model_files
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from extractors.models import model_folder

#: Of longer clips, this much is heard from the first speech on, seconds: the features of a
#: minute already take 1 GB in the published size, and an accent does not change.
MAX_S = 60.0

#: A language detected with less than this does not count as known.
SURE = 0.5

#: Cosines may pass 1 by rounding.
_COSINE_TOLERANCE = 1e-3


@dataclass(frozen=True)
class EcapaExtractor(ModelExtractor):
    """Fills ``accent``, for English only: other languages are absent with the reason.

    The language is the transcript's, where the plan has one and it was detected or given;
    otherwise nobody knows, and the clip is scored.

    Attributes:
        model: a model of the Hugging Face hub, or the path of its folder.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``. Always single precision: the model
            is small, and the logarithm of the features wants the range.
    """

    name: ClassVar[str] = "ecapa"
    group: ClassVar[str] = "accent"
    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    wants: ClassVar[tuple[str, ...]] = ("transcript",)
    packages: ClassVar[dict[str, str]] = {
        "speechbrain": "speechbrain",
        "torch": "torch",
        "torchaudio": "torchaudio",
    }
    what: ClassVar[str] = "a folder of a speechbrain ECAPA"

    model: str = "Jzuluaga/accent-id-commonaccent_ecapa"

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

    def extract(self, clip: Clip, known: Blueprint) -> Accent | Absent:
        """Compare one clip of English speech with each accent."""
        gate = speech_gate(known) or language_gate(known.transcript)
        if gate:
            return gate
        assert isinstance(known.signal, Signal)  # the gate has seen it
        model = self.opened()
        with untouched():
            import torch

            heard = torch.from_numpy(excerpt(clip.speech, known.signal.speech)[np.newaxis])
            cosines, *_ = model.classify_batch(heard)
        values = cosines[0].tolist()
        labels = [model.hparams.label_encoder.ind2lab[index] for index in range(len(values))]
        similarities = {
            str(label): cosine(value) for label, value in zip(labels, values, strict=True)
        }
        return Accent(
            similarities=similarities, top=max(similarities, key=similarities.__getitem__)
        )


def language_gate(transcript: Transcript | Absent) -> Absent | None:
    """Why an English accent makes no sense for this clip, or None when it may.

    A recogniser that writes only English (``language_source`` is ``model``) proves nothing.
    """
    if isinstance(transcript, Absent) or transcript.language_source == "model":
        return None
    sure = transcript.language_probability is None or transcript.language_probability >= SURE
    if transcript.language == "en" or not sure:
        return None
    return Absent(
        status=Status.UNAVAILABLE,
        reason=f"the speech is in {transcript.language!r} ({transcript.language_source}); the"
        " classifier knows English accents only",
    )


def excerpt(speech: Samples, spans: list[Span]) -> Samples:
    """The whole clip, or ``MAX_S`` of a longer one from its first speech on."""
    limit = round(MAX_S * SPEECH_RATE)
    if len(speech) <= limit:
        return speech
    first = min(round(spans[0].start_s * SPEECH_RATE), len(speech) - limit)
    return speech[first : first + limit]


def cosine(value: float) -> float:
    """A similarity in [-1, 1].

    Raises:
        UserError: it is none; then the model is another kind of classifier.
    """
    if not abs(value) <= 1 + _COSINE_TOLERANCE:  # NaN is not either
        raise UserError(
            f"ecapa: {value:g} is no cosine; use a model with a cosine classifier, such as"
            " Jzuluaga/accent-id-commonaccent_ecapa"
        )
    return min(max(value, -1.0), 1.0)
