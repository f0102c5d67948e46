"""Accent and speaker by an ECAPA-TDNN of speechbrain, from its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import JsonValue

from blueprints import (
    Absent,
    Accent,
    Blueprint,
    Extension,
    Present,
    Span,
    Status,
    Transcript,
    UserError,
)
from extractors.audio import SPEECH_RATE, Samples
from extractors.base import Item, past_gate, speech_gate
from extractors.ecapa import HYPERPARAMETERS, WEIGHTS, load_folder, model_files
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor, equal_lengths

#: Of longer clips, this much is measured from the first speech on, seconds: the
#: features of a minute already take 1 GB in the published size, and an accent does not
#: change.
MAX_S = 60.0

#: A language detected with less than this counts as unknown.
SURE = 0.5

#: Cosines may pass 1 by rounding.
_COSINE_TOLERANCE = 1e-3

#: Less speech says little of a voice, seconds: verification is tested on a few seconds.
MIN_SPEECH_S = 1.0

#: Decimals of an embedding: finer than the arithmetic of another machine.
_DECIMALS = 6


@dataclass(frozen=True)
class EcapaBased(ModelExtractor):
    """Base of extractors whose model is a folder of a speechbrain ECAPA.

    Always in single precision: the model is small, and the logarithm of the features
    wants the range.
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
        """Return how much is measured; which model it is, the revision says."""
        return {"max_s": MAX_S}

    def model_files(self) -> list[Path]:
        """Return weights, hyperparameters and labels."""
        folder = self.locate()
        return model_files(folder) if folder else []

    def open_model(self, path: Path, device: str) -> Any:
        """Load the model from its folder, and check it."""
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
                sound = (
                    torch.stack(some) if len(some) > 1 else some[0][None]
                )  # no copy of one
                results.update(zip(stack, self._values(model, sound), strict=True))
        return [results[index] for index in range(len(items))]

    def _gate(self, blueprint: Blueprint) -> Absent | None:
        """Say why a clip is not measured."""
        raise NotImplementedError

    def _values(self, model: Any, sound: Any) -> Sequence[Present]:
        """Measure equally long clips, a tensor [shape=(clips, samples)]."""
        raise NotImplementedError


def excerpt(speech: Samples, spans: list[Span]) -> Samples:
    """Return the whole clip, or ``MAX_S`` of a longer one from its first speech on."""
    limit = round(MAX_S * SPEECH_RATE)
    if len(speech) <= limit:
        return speech
    first = min(round(spans[0].start_s * SPEECH_RATE), len(speech) - limit)
    return speech[first : first + limit]


@dataclass(frozen=True)
class EcapaExtractor(EcapaBased):
    """Likeness to each of 16 accents of English (cosine); absent for other languages.

    The language is the transcript's, where the plan has one and it was detected or
    stated; otherwise it is unknown, and the clip is scored.
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
        accents: list[Accent] = []
        for values in cosines.tolist():
            similarities = {
                str(names[index]): cosine(value) for index, value in enumerate(values)
            }
            top = max(similarities, key=similarities.__getitem__)
            accents.append(Accent(similarities=similarities, top=top))
        return accents


def language_gate(transcript: Transcript | Absent) -> Absent | None:
    """Say why an English accent makes no sense for this clip, or None when it may.

    A recogniser that writes only English (``language_source`` is ``model``) proves
    nothing.
    """
    if isinstance(transcript, Absent) or transcript.language_source == "model":
        return None
    sure = (
        transcript.language_probability is None
        or transcript.language_probability >= SURE
    )
    sure = sure and "unsure_language" not in transcript.suspect
    if transcript.language == "en" or not sure:
        return None
    return Absent(
        status=Status.UNAVAILABLE,
        reason=f"the speech is in {transcript.language!r} ({transcript.language_source}); the"
        " classifier knows English accents only",
    )


def cosine(value: float) -> float:
    """Check a similarity in [-1, 1]; raise UserError for another kind of classifier."""
    if not abs(value) <= 1 + _COSINE_TOLERANCE:  # NaN is not either
        raise UserError(
            f"ecapa: {value:g} is not a cosine; use a model with a cosine classifier,"
            " such as Jzuluaga/accent-id-commonaccent_ecapa"
        )
    return min(max(value, -1.0), 1.0)


@dataclass(frozen=True)
class SpeakerExtractor(EcapaBased):
    """Direction of the voice, a unit vector, by an ECAPA of speechbrain; an extension.

    :func:`trace_eval.data.measures.speaker_similarity` compares two of them.
    """

    name: ClassVar[str] = "speaker"
    group: ClassVar[str] = "speaker"
    version: ClassVar[str] = "1"
    limits: ClassVar[str] = (
        "similarity of voices, not identity; short clips are unstable."
    )

    model: str = "speechbrain/spkrec-ecapa-voxceleb"

    def _gate(self, blueprint: Blueprint) -> Absent | None:
        return speech_gate(blueprint, MIN_SPEECH_S)

    def _values(self, model: Any, sound: Any) -> Sequence[Extension]:
        vectors = model.encode_batch(sound).double().cpu().numpy()
        return [direction(vector.ravel()) for vector in vectors]


def direction(vector: np.ndarray) -> Extension:
    """Make a clip's group; raise UserError for a zero or non-finite embedding."""
    length = float(np.linalg.norm(vector))
    if not 0 < length < float("inf"):
        raise UserError(
            "speaker: the embedding has no direction; fetch the model again"
        )
    values = [round(v, _DECIMALS) for v in vector / length]
    return Extension(values={"embedding": values}, shown=False)
