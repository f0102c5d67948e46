"""Speech recognition by openai-whisper, with word times and the language it detects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from blueprints import Absent, Present, Span, Transcript, UserError
from extractors.audio import Samples
from extractors.base import Item, past_gate, speech_gate
from extractors.device import is_gpu
from extractors.guard import untouched
from extractors.models import file_sha256, whisper_file
from extractors.recognised import SEED, TEMPERATURES, Decoded, Recogniser
from extractors.stretches import edges, first_speech
from extractors.weights import check_state, read_state
from extractors.whisper_batch import hear_together


@dataclass(frozen=True)
class WhisperExtractor(Recogniser):
    """Words with times (s), confidence (0 to 1) and language, by openai-whisper."""

    name: ClassVar[str] = "whisper"
    version: ClassVar[str] = "3"
    limits: ClassVar[str] = (
        "invents text on silence and loops (both are flagged); mishears rare names."
    )
    packages: ClassVar[dict[str, str]] = {"whisper": "openai-whisper", "torch": "torch"}
    what: ClassVar[str] = "a Whisper checkpoint (.pt)"

    def locate(self) -> Path | None:
        """Find the checkpoint."""
        return whisper_file(self.model)

    def open_model(self, path: Path, device: str) -> Any:
        """Load and check the checkpoint."""
        return load_checkpoint(path, device)

    def extract_batch(self, items: Sequence[Item]) -> list[Present | Absent]:
        """Recognise several clips, whose windows share forward passes."""
        return past_gate(items, speech_gate, self._recognise)

    def _recognise(self, items: Sequence[Item]) -> list[Transcript]:
        model = self._recogniser()
        decode = [partial(self._decoded, item) for item in items]
        with untouched(seed=SEED):
            results = (
                hear_together(model, decode) if len(decode) > 1 else [decode[0](model)]
            )
        transcripts: list[Transcript] = []
        for item, one in zip(items, results, strict=True):
            transcripts.append(self._transcript(item, one, model))
        return transcripts

    def _languages(self, model: Any) -> frozenset[str]:
        from whisper.tokenizer import LANGUAGES

        return frozenset(LANGUAGES) if model.is_multilingual else frozenset({"en"})

    def _decode(
        self, model: Any, speech: Samples, parts: Sequence[Span], language: str | None
    ) -> Decoded:
        probability = None
        if language is None:
            language, probability = detect(model, first_speech(speech, parts))
        result = model.transcribe(
            speech,
            language=language,
            clip_timestamps=edges(parts),
            word_timestamps=True,
            condition_on_previous_text=False,
            temperature=TEMPERATURES,
            beam_size=self.beams if self.beams > 1 else None,
            no_speech_threshold=self.no_speech,
            logprob_threshold=self.log_probability,
            compression_ratio_threshold=self.compression,
            fp16=is_gpu(str(model.device)),
        )
        return Decoded(result["segments"], language, probability)


def detect(model: Any, speech: Samples) -> tuple[str, float]:
    """Detect the language of at most 30 s at 16 kHz, and its probability.

    ``transcribe`` detects it, too, but from the first sample on and without a
    probability.
    """
    from whisper.audio import log_mel_spectrogram, pad_or_trim

    mel = log_mel_spectrogram(pad_or_trim(speech), model.dims.n_mels).to(model.device)
    if is_gpu(str(model.device)):
        mel = mel.half()
    _, shares = model.detect_language(mel)
    best = max(shares, key=shares.__getitem__)
    return str(best), float(shares[best])


def load_checkpoint(path: Path, device: str) -> Any:
    """Build Whisper from ``dims`` and ``model_state_dict``; UserError on a misfit.

    It is built here rather than by ``whisper.load_model``, which gives a model that is
    loaded by path no alignment heads (worse word times) and reads a named one twice.
    """
    import whisper
    from whisper.model import ModelDimensions, Whisper

    remedy = "give a checkpoint of openai-whisper, or fetch it again"
    content = read_state(path, remedy)
    try:
        dims = ModelDimensions(**content["dims"])
        results: Mapping[str, Any] = content["model_state_dict"]
        model = Whisper(dims)
    except (KeyError, TypeError) as error:
        raise UserError(
            f"{path}: is not a Whisper checkpoint (dims and model_state_dict are expected,"
            f" it has {', '.join(sorted(map(str, content))[:4]) or 'nothing'});"
            f" {remedy}"
        ) from error
    check_state(path, results, model.state_dict(), remedy)
    model.load_state_dict(results)
    sha256 = file_sha256(path)
    for name, url in whisper._MODELS.items():
        if (
            f"/{sha256}/" in url
        ):  # OpenAI published which attention heads give the best word times
            model.set_alignment_heads(whisper._ALIGNMENT_HEADS[name])
    model.eval()
    if is_gpu(device):
        halve(model)
    return model.to(device)


def halve(model: Any) -> None:
    """Convert to half precision the layers that Whisper computes in the input's anyway.

    Its layer norms compute in float32 and want float32 weights; the embeddings are
    added up before the cast.
    """
    from torch import nn

    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Conv1d):
            module.half()
