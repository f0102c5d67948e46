"""Accent by an ECAPA-TDNN of speechbrain: cosine to each accent of the checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from blueprints import Absent, Accent, Blueprint, Status, Transcript, UserError
from extractors.base import speech_gate
from extractors.ecapa_based import EcapaBased

#: A language detected with less than this counts as unknown.
SURE = 0.5

#: Cosines may pass 1 by rounding.
_COSINE_TOLERANCE = 1e-3


@dataclass(frozen=True)
class EcapaExtractor(EcapaBased):
    """Likeness to each of 16 accents of English (cosine); absent for other languages.

    The language is the transcript's, where the plan has one and it was detected or stated;
    otherwise it is unknown, and the clip is scored.

    Attributes:
        model: a model of the Hugging Face hub, or the path of its folder.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
    """

    name: ClassVar[str] = "ecapa"
    group: ClassVar[str] = "accent"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "accents of English by cosine similarity; other languages get the nearest one."
    )
    wants: ClassVar[tuple[str, ...]] = ("transcript",)

    model: str = "Jzuluaga/accent-id-commonaccent_ecapa"

    def _gate(self, blueprint: Blueprint) -> Absent | None:
        return speech_gate(blueprint) or language_gate(blueprint.transcript)

    def _values(self, model: Any, sound: Any) -> Sequence[Accent]:
        cosines, *_ = model.classify_batch(sound)
        names = model.hparams.label_encoder.ind2lab  # accent by the index of its class
        clips = (
            {str(names[index]): cosine(value) for index, value in enumerate(values)}
            for values in cosines.tolist()
        )
        return [Accent(similarities=one, top=max(one, key=one.__getitem__)) for one in clips]


def language_gate(transcript: Transcript | Absent) -> Absent | None:
    """Why an English accent makes no sense for this clip, or None when it may.

    A recogniser that writes only English (``language_source`` is ``model``) proves nothing.
    """
    if isinstance(transcript, Absent) or transcript.language_source == "model":
        return None
    sure = transcript.language_probability is None or transcript.language_probability >= SURE
    sure = sure and "unsure_language" not in transcript.suspect
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
