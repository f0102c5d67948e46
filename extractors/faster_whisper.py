"""Speech recognition by faster-whisper (CTranslate2): fast on a CPU, without torch."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from pydantic import JsonValue

from blueprints import (
    Absent,
    Blueprint,
    Present,
    Span,
    Spoken,
    Transcript,
    UserError,
    install_line,
)
from extractors import packaged
from extractors.audio import Clip, Samples
from extractors.base import Item, past_gate, speech_gate
from extractors.cuda_libraries import check_libraries, preload
from extractors.device import expects_gpu, is_gpu
from extractors.eight_bits import kept_folder
from extractors.faster_whisper_batch import hear_together
from extractors.guard import untouched
from extractors.models import is_path, model_folder
from extractors.naming import NAMED_BY, name_language
from extractors.on_use import on_use
from extractors.other_hearings import (
    keeping_texts,
    of_pieces,
    of_search,
    unsure_pieces,
    with_texts,
)
from extractors.read_out import of_manners
from extractors.recognised import (
    OTHER_FLOOR,
    OTHER_MEDIAN,
    SEED,
    Decoded,
    Recogniser,
    text_of,
    words_of,
)
from extractors.short_windows import (
    FRAMES_PER_S,
    SHORT_WINDOWS,
    broken,
    by_part,
    last_whole,
    shortened,
)
from extractors.stretches import edges
from extractors.weights import one_line

#: Sizes whose conversions were published under one name; the library knows others, too.
_PUBLISHED = frozenset(
    f"{size}{ending}"
    for size in ("tiny", "base", "small", "medium")
    for ending in ("", ".en")
) | {"large-v1", "large-v2", "large-v3"}

#: Tokens in a second of speech in a language other than English at most, and in a
#: window: a loop costs what it writes. Scripts of three bytes a letter, at 10 letters a
#: second, take 30.
TOKENS_PER_S, MAX_TOKENS = 30, 400

#: Clips whose words are written together. For a word written alone the network's
#: weights are read from memory, which takes longer than to multiply by them: four clips
#: at once take half the time of one after the other, eight a little less.
TOGETHER = 8

#: In which numbers a model computes, as CTranslate2 names them.
COMPUTE_TYPES = (
    "bfloat16",
    "float16",
    "float32",
    "int16",
    "int8",
    "int8_bfloat16",
    "int8_float16",
    "int8_float32",
)


@dataclass(frozen=True)
class FasterWhisperExtractor(Recogniser):
    """Words with times (s), confidence (0 to 1) and language, by CTranslate2."""

    name: ClassVar[str] = "faster-whisper"
    version: ClassVar[str] = "8"
    limits: ClassVar[str] = (
        "invents text on silence and loops (both are flagged); tiny.en knows"
        " English only."
    )
    packages: ClassVar[dict[str, str]] = {
        "faster_whisper": "faster-whisper",
        "ctranslate2": "ctranslate2",
    }
    install: ClassVar[str] = install_line()
    # Without tokenizer.json the library asks the network.
    required: ClassVar[tuple[str, ...]] = ("model.bin", "config.json", "tokenizer.json")
    optional: ClassVar[tuple[str, ...]] = (
        "preprocessor_config.json",
        "vocabulary.json",
        "vocabulary.txt",
    )
    what: ClassVar[str] = "a folder with a converted Whisper model"
    own_beam_size: ClassVar[int] = 5
    everywhere: ClassVar[bool] = False
    loads_beside: ClassVar[bool] = True

    #: In which numbers it computes, see :data:`COMPUTE_TYPES`; None: ``int8`` on a CPU,
    #: ``float16`` on a GPU. They differ in a few words of a hundred, so it is part of
    #: what identifies a transcript.
    compute_type: str | None = None
    #: A second model, which names the language and writes all that is not English;
    #: ``model`` writes English. None: ``model`` does all of it.
    multilingual: str | None = None
    #: Pay for as much of a window as has speech, and decode as usual again what that
    #: may have spoiled; English only. None: where it was measured, with tiny.en.
    short_windows: bool | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.compute_type not in (None, *COMPUTE_TYPES):
            raise UserError(
                f"{self.name}: compute_type {self.compute_type!r} is unknown; use one"
                f" of {', '.join(COMPUTE_TYPES)}"
            )

    def parameters(self) -> dict[str, JsonValue]:
        """Return the parameters of every recogniser, and the numeric precision."""
        gpu = self.compute_type is None and expects_gpu(self.device)
        settings = {**super().parameters(), "compute_type": self._numbers(gpu)}
        more: dict[str, JsonValue] = (
            {} if self.multilingual is None else {"multilingual": True}
        )
        if not self.english_only:
            more["tokens_per_s"] = TOKENS_PER_S
            more |= {"other_floor": OTHER_FLOOR, "other_median": OTHER_MEDIAN}
            more["named_by"] = NAMED_BY
        if self.shortens:
            more["short_windows"] = SHORT_WINDOWS
        return settings | more

    @property
    def shortens(self) -> bool:
        """Whether windows of English are short."""
        if self.short_windows is None:
            return self.model == packaged.ENGLISH
        return self.short_windows

    @property
    def english_only(self) -> bool:
        """Tell from its name whether it writes English only, and no model helps it."""
        return super().english_only and self.multilingual is None

    @property
    def others(self) -> FasterWhisperExtractor | None:
        """The recogniser of what is not English, where that is another model."""
        if self.multilingual is None:
            return None
        return replace(self, model=self.multilingual, multilingual=None)

    def revision(self) -> str | None:
        """Return the SHA-256 over the files of both models."""
        own, others = super().revision(), self.others
        if own is None or others is None:
            return own
        return hashlib.sha256(f"{own}:{others.revision()}".encode()).hexdigest()

    def unavailable(self) -> str | None:
        """Say why it cannot run here: a package or a model is missing."""
        return super().unavailable() or (
            self.others.unavailable() if self.others else None
        )

    def load(self) -> None:
        """Load both models, and check them and the language."""
        self.opened()
        if self.others:
            self.others.load()
        else:
            self._recogniser()

    def close(self) -> None:
        """Release both models."""
        super().close()
        if self.others:
            self.others.close()

    def extract(self, clip: Clip, blueprint: Blueprint) -> Transcript | Absent:
        """Recognise one clip by the model that knows its language."""
        if absent := speech_gate(blueprint):
            return absent
        [transcript] = self._recognise([Item(clip, blueprint)])
        return transcript

    def extract_batch(self, items: Sequence[Item]) -> list[Present | Absent]:
        """Recognise several clips, whose windows are decoded together."""
        return past_gate(items, speech_gate, self._recognise)

    def _recognise(self, items: Sequence[Item]) -> list[Transcript]:
        others = self.others
        model = (
            others or self
        ).opened()  # once: that its files are the same takes milliseconds
        spoken = [_spoken(model, item) for item in items]
        if others is None:
            return self._together(items, spoken)
        results: dict[int, Transcript] = {}
        for english in (True, False):
            numbers = [
                n for n, one in enumerate(spoken) if self._is_english(one) == english
            ]
            recogniser = self if english else others
            some = recogniser._together(
                [items[n] for n in numbers], [spoken[n] for n in numbers]
            )
            results.update(zip(numbers, some, strict=True))
        return [results[number] for number in range(len(items))]

    def _is_english(self, spoken: Spoken | None) -> bool:
        """Whether the model for English writes a clip."""
        if spoken is None:
            return True
        sure = self.language is not None or spoken.sure
        return sure and (self.language or spoken.language) == "en"

    def _together(
        self, items: Sequence[Item], spoken: Sequence[Spoken | None]
    ) -> list[Transcript]:
        """Recognise clips with speech by this model."""
        if not items:
            return []
        model = self._recogniser()
        pairs = list(zip(items, spoken, strict=True))
        hear = [
            partial(self._decoded, item, spoken=language) for item, language in pairs
        ]
        with untouched(seed=SEED):
            results = hear_together(model, hear)
        transcripts: list[Transcript] = []
        for (item, language), decoded in zip(pairs, results, strict=True):
            transcripts.append(self._transcript(item, decoded, model, language))
        return transcripts

    def _key(self) -> tuple[str | None, ...]:
        # Of this model alone: it is the same one with and without a second.
        revision = super().revision()
        return (self.name, revision, self.device, self.compute_type)

    def _numbers(self, on_gpu: bool) -> str:
        return self.compute_type or ("float16" if on_gpu else "int8")

    @property
    def batch_size(self) -> int:
        """Clips whose windows are decoded together: as set, else :data:`TOGETHER`.

        The library's batched pipeline would cut clips elsewhere; here each keeps its
        own loop.
        """
        return TOGETHER if self.batch is None else self.batch

    def locate(self) -> Path | None:
        """Find the folder: a path, in a hub's cache, or inside a package."""
        folder = model_folder(repository(self.model), self.required)
        if folder is None and self.model in packaged.RECOGNISERS:
            return packaged.folder_of(self.model)
        return folder

    def _missing(self) -> str:
        missing = super()._missing()
        if self.model not in packaged.RECOGNISERS:
            return missing
        return f"{missing}, or: {packaged.problem(self.model)}"

    def open_model(self, path: Path, device: str) -> Any:
        """Load the model from its folder."""
        with on_use("av"):  # PyAV, whose import takes an eighth of a second
            from faster_whisper import WhisperModel

        kind = "cuda" if is_gpu(device) else "cpu"
        if is_gpu(device):
            preload()
        numbers = self._numbers(is_gpu(device))
        for name in self.required:
            if not (path / name).is_file():
                raise UserError(
                    f"{path}: {name} is missing; convert or fetch the model again"
                )
        # One thread, like all of a worker's libraries, unless the environment says
        # otherwise.
        threads = os.environ.get("OMP_NUM_THREADS", "")
        opened = path if is_gpu(device) else self._integers(path)
        try:
            model = WhisperModel(
                str(opened),
                device=kind,
                device_index=int(device.partition(":")[2] or 0),
                compute_type=numbers,
                cpu_threads=max(1, int(threads)) if threads.isdecimal() else 1,
                local_files_only=True,
            )
        except Exception as error:
            if "compute type" in str(error):
                import ctranslate2

                offered = ctranslate2.get_supported_compute_types(kind)
                raise UserError(
                    f"{self.name}: compute_type {numbers} does not run on this {kind};"
                    f" use one of {', '.join(sorted(offered))}"
                ) from error
            raise UserError(
                f"{path}: is not a converted Whisper model ({one_line(error)}); fetch"
                " it again"
            ) from error
        if is_gpu(device):
            check_libraries(model)
        return model

    def _integers(self, path: Path) -> Path:
        """Return a folder of the same weights that is read in a third of the time."""
        revision = super().revision()
        is_packaged = self.model in packaged.RECOGNISERS
        if revision is None or not is_packaged or self._numbers(False) != "int8":
            return path
        names = [file.name for file in self.model_files()]
        return kept_folder(path, names, revision)

    def _languages(self, model: Any) -> frozenset[str]:
        return frozenset(model.supported_languages)

    def _decoded(self, item: Item, model: Any, spoken: Spoken | None = None) -> Decoded:
        """Recognise a clip, and keep other hearings of the ends of an English text."""
        decoded = super()._decoded(item, model, spoken)
        if decoded.language != "en":
            return decoded
        others = of_search(decoded.segments)
        if self.shortens:
            text = text_of(decoded.segments)
            words = words_of(decoded.segments, item.clip.seconds)
            pieces = unsure_pieces(text, words, item.speech)
            others += of_pieces(model, item.clip.speech, text, pieces)
            start_s = item.speech[0].start_s
            others += of_manners(
                model, item.clip.speech, text, words=words, start_s=start_s
            )
        return decoded._replace(others=others)

    def _decode(
        self, model: Any, speech: Samples, parts: Sequence[Span], language: str | None
    ) -> Decoded:
        if not self.shortens or language != "en":
            return self._transcribe(model, speech, parts, language)
        transcription = self._transcribe(shortened(model), speech, parts, language)
        result = by_part(transcription.segments, parts)
        # Nothing goes from one stretch to the next, so only those are decoded again
        # that need it, and these from their last whole window on, which writes what it
        # wrote.
        again: dict[int, int | None] = {}
        rest: list[Span] = []
        for number, (mine, part) in enumerate(zip(result, parts, strict=True)):
            if not broken(mine, part):
                continue
            whole = last_whole(mine, part)
            again[number] = whole
            if whole is not None:
                part = Span(start_s=whole / FRAMES_PER_S, end_s=part.end_s)
            rest.append(part)
        if not again:
            return transcription
        decoded = self._transcribe(model, speech, rest, language)
        repaired = by_part(decoded.segments, rest)
        for (number, whole), mine in zip(again.items(), repaired, strict=True):
            mine = with_texts(mine, result[number])
            if whole is None:
                result[number] = mine
                continue
            before = [one for one in result[number] if one["seek"] <= whole]
            after = [one for one in mine if one["seek"] > whole]
            result[number] = before + after
        segments = [segment for mine in result for segment in mine]
        return transcription._replace(segments=segments)

    def _transcribe(
        self, model: Any, speech: Samples, parts: Sequence[Span], language: str | None
    ) -> Decoded:
        limit = _most_tokens(parts, language)
        if language == "en":
            model = keeping_texts(model)
        segments, info = model.transcribe(
            speech,
            language=language,
            max_new_tokens=limit and min(limit, MAX_TOKENS),
            clip_timestamps=edges(parts),
            word_timestamps=True,
            condition_on_previous_text=False,
            # Never sampled: CTranslate2's generator cannot be set back, so a text would
            # depend on the clips that its process saw before. Loops are decoded again
            # in pieces.
            temperature=0.0,
            beam_size=self.beams,
            no_speech_threshold=self.no_speech,
            log_prob_threshold=self.log_probability,
            compression_ratio_threshold=self.compression,
        )
        results: list[Mapping[str, Any]] = []
        for segment in segments:  # each window is decoded when it is asked for
            # Its window is the last that was decoded.
            texts = model.model.texts if language == "en" else ()
            results.append({**asdict(segment), "texts": texts})
            if limit and sum(len(one["tokens"]) for one in results) >= limit:
                break
        return Decoded(results, str(info.language), float(info.language_probability))


def _spoken(model: Any, item: Item) -> Spoken | None:
    """Detect the language of a clip; None where the model writes one only."""
    if not model.model.is_multilingual:
        return None
    with untouched():
        return name_language(model, item.clip.speech, item.speech)


def _most_tokens(parts: Sequence[Span], language: str | None) -> int | None:
    """Return the most tokens that end a loop; None: as many as the model can write."""
    if language in (None, "en"):
        return None
    return round(TOKENS_PER_S * (1 + sum(part.seconds for part in parts)))


def repository(model: str) -> str:
    """Return the hub name of a Whisper size; anything else as it is."""
    if is_path(model) or "/" in model:
        return model
    if model in _PUBLISHED:
        return f"Systran/faster-whisper-{model}"
    try:
        from faster_whisper.utils import _MODELS
    except ImportError:
        return model
    name: str = _MODELS.get(model, model)
    return name
