"""Speech recognition by faster-whisper (CTranslate2): the same models, faster on a CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from blueprints import Span, UserError
from blueprints.distribution import install_line
from extractors.audio import Samples
from extractors.device import is_gpu
from extractors.models import is_path, model_folder
from extractors.recognised import SEED, TEMPERATURES, Decoded, Recogniser, edges
from extractors.weights import one_line

#: The files of a converted model. Without tokenizer.json the library asks the network.
FILES = ("model.bin", "config.json", "tokenizer.json")

#: Further files that decide what the model writes, where they are there.
_MORE = ("preprocessor_config.json", "vocabulary.json", "vocabulary.txt")


@dataclass(frozen=True)
class FasterWhisperExtractor(Recogniser):
    """Fills ``transcript``; the model is a Whisper size, a hub name or a converted folder."""

    name: ClassVar[str] = "faster-whisper"
    version: ClassVar[str] = "1"
    packages: ClassVar[dict[str, str]] = {
        "faster_whisper": "faster-whisper",
        "ctranslate2": "ctranslate2",
    }
    install: ClassVar[str] = install_line("faster")

    what: ClassVar[str] = "a folder with a converted Whisper model"

    @property
    def batch_size(self) -> int:
        """One clip at a time, whatever ``batch`` says.

        The library's batched pipeline cuts the clip elsewhere, and decodes at the first
        temperature only.
        """
        return 1

    def locate(self) -> Path | None:
        """The folder."""
        return model_folder(repository(self.model), FILES)

    def model_files(self) -> list[Path]:
        """Weights, configuration and vocabulary."""
        folder = self.locate()
        found = [folder / name for name in (*FILES, *_MORE)] if folder else []
        return [path for path in found if path.is_file()]

    def open_model(self, path: Path, device: str) -> Any:
        """Load the folder."""
        from faster_whisper import WhisperModel

        for name in FILES:
            if not (path / name).is_file():
                raise UserError(f"{path}: {name} is missing; convert or fetch the model again")
        try:
            return WhisperModel(
                str(path),
                device="cuda" if is_gpu(device) else "cpu",
                device_index=int(device.partition(":")[2] or 0),
                compute_type="float16" if is_gpu(device) else "float32",
                local_files_only=True,
            )
        except Exception as error:
            raise UserError(
                f"{path}: is no converted Whisper model ({one_line(error)}); fetch it again"
            ) from error

    def _languages(self, model: Any) -> frozenset[str]:
        return frozenset(model.supported_languages)

    def _decode(
        self, model: Any, speech: Samples, parts: Sequence[Span], language: str | None
    ) -> Decoded:
        import ctranslate2

        ctranslate2.set_random_seed(SEED)  # it samples with a generator of its own
        segments, info = model.transcribe(
            speech,
            language=language,  # None: detected from the first stretch on
            clip_timestamps=edges(parts),
            word_timestamps=True,
            condition_on_previous_text=False,
            temperature=list(TEMPERATURES),
            beam_size=self.beam_size,
            best_of=1,  # as openai-whisper
            no_speech_threshold=self.no_speech,
            log_prob_threshold=self.log_probability,
            compression_ratio_threshold=self.compression,
        )
        found: list[Mapping[str, Any]] = [asdict(segment) for segment in segments]
        return Decoded(found, str(info.language), float(info.language_probability))


def repository(model: str) -> str:
    """The hub name of a Whisper size; anything else as it is."""
    if is_path(model) or "/" in model:
        return model
    try:
        from faster_whisper.utils import _MODELS
    except ImportError:
        return model
    name: str = _MODELS.get(model, model)
    return name
