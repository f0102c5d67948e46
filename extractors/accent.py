"""Accent by an ECAPA-TDNN of speechbrain: cosine to each accent that the checkpoint knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from blueprints import (
    Absent,
    Accent,
    Blueprint,
    Signal,
    Status,
    Transcript,
    UserError,
)
from extractors.audio import Clip
from extractors.base import speech_gate
from extractors.ecapa_based import EcapaBased, excerpt
from extractors.guard import untouched

#: A language detected with less than this does not count as known.
SURE = 0.5

#: Cosines may pass 1 by rounding.
_COSINE_TOLERANCE = 1e-3


@dataclass(frozen=True)
class EcapaExtractor(EcapaBased):
    """Fills ``accent``, for English only: other languages are absent with the reason.

    The language is the transcript's, where the plan has one and it was detected or given;
    otherwise nobody knows, and the clip is scored.

    Attributes:
        model: a model of the Hugging Face hub, or the path of its folder.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
    """

    name: ClassVar[str] = "ecapa"
    group: ClassVar[str] = "accent"
    version: ClassVar[str] = "1"
    wants: ClassVar[tuple[str, ...]] = ("transcript",)

    model: str = "Jzuluaga/accent-id-commonaccent_ecapa"

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
