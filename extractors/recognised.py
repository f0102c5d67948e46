"""Shared by the Whisper extractors: options, language, words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import JsonValue

from blueprints import (
    UNSURE,
    Absent,
    Blueprint,
    OtherHearing,
    Span,
    Spoken,
    Transcript,
    UserError,
    Word,
)
from extractors.audio import Clip, Samples
from extractors.base import Item, speech_gate
from extractors.catalogue import another_recogniser
from extractors.guard import untouched
from extractors.model_backed import ModelExtractor
from extractors.stretches import PIECE_JOIN_S, PIECE_MARGIN_S, stretches
from extractors.suspect import (
    WEAK_LANGUAGES,
    low_confidence,
    repetition_loop,
    suspicions,
    tokens,
    too_many,
    weak_language,
)
from extractors.word_times import repaired

#: Ending of the names under which models that write English only are published.
ENGLISH_ONLY = ".en"


#: Temperatures that are tried one after the other while a threshold is missed.
TEMPERATURES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)

#: Mean word probability under which the words of a model for English only are not
#: believed. Of tiny.en in 8-bit integers: 47 English clips, real, synthesised, noisy
#: and of telephone band, have 0.62 to 0.98; 13 sentences of espeak-ng in 12 other
#: languages 0.18 to 0.59; English that clips or buzzes until the words are wrong 0.41
#: and 0.57.
STRICT_FLOOR = 0.6

#: The same of words in another language, and of the median. Of base in 8-bit integers,
#: 36 clips of Festival's voices in six languages: with half of the words wrong and more
#: they have means of 0.50 to 0.80 and medians up to 0.78, with fewer means of 0.69 to
#: 0.91 and, but for two, medians from 0.80 on.
OTHER_FLOOR, OTHER_MEDIAN = 0.7, 0.79

#: Seed of the sampling above temperature 0.
SEED = 0


#: Where the language of a transcript comes from.
LanguageOrigin = Literal["detected", "given", "model", "assumed"]


class Decoded(NamedTuple):
    """The result of a recogniser library."""

    segments: list[Mapping[str, Any]]  # as words_of takes them
    language: str  # ISO 639-1 code
    probability: float | None = None  # of the language, where it was detected
    others: Sequence[OtherHearing] = ()


@dataclass(frozen=True)
class Recogniser(ModelExtractor):
    """Fills ``transcript`` with a Whisper model; subclasses know the library.

    Only stretches of speech are decoded, each on its own and without the text before
    it: over silence, and once it repeats itself, Whisper goes on with what is not
    there. A GPU computes in half precision.
    """

    group: ClassVar[str] = "transcript"
    needs: ClassVar[tuple[str, ...]] = ("signal",)
    #: Beam size of the library where none is set.
    own_beam_size: ClassVar[int] = 1

    model: str = "base"
    # ISO 639-1 code; None: detected in the first 30 s of speech
    language: str | None = None
    #: The language that is tried where the detected one is unsure; the text stays
    #: flagged.
    assumed: str | None = None
    #: Hypotheses kept while decoding; 1 is greedy; None: as many as the library keeps
    #: by itself.
    beam_size: int | None = None
    #: Probability of silence above which a window without confident text is skipped.
    no_speech: float = 0.6
    #: Mean log probability per token under which the window is decoded again, at a
    #: higher temperature.
    log_probability: float = -1.0
    #: Gzip ratio of the text above which it counts as a loop, and is decoded again.
    compression: float = 2.4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beams < 1:
            raise UserError(
                f"{self.name}: beam_size {self.beam_size}; give 1 (greedy) or more"
            )
        if self.language not in (None, "en") and self.english_only:
            raise UserError(
                f"{self.name}: language {self.language!r}, but {self.model} writes"
                f" English only; {another_recogniser(self.name)}"
            )

    @property
    def english_only(self) -> bool:
        """Whether its name says that it writes English only."""
        return self.model.endswith(ENGLISH_ONLY)

    @property
    def beams(self) -> int:
        """Hypotheses kept while decoding."""
        return self.own_beam_size if self.beam_size is None else self.beam_size

    def parameters(self) -> dict[str, JsonValue]:
        """Return language and thresholds; which model it is, the revision says."""
        assumed: dict[str, JsonValue] = (
            {} if self.assumed is None else {"assumed": self.assumed}
        )
        if not self.english_only and weak_language(self.model, UNSURE):
            assumed["weak_languages"] = [*sorted(WEAK_LANGUAGES)]
        return assumed | {
            "language": self.language,
            "beam_size": self.beams,
            "no_speech": self.no_speech,
            "log_probability": self.log_probability,
            "compression": self.compression,
        }

    def for_language(self, language: str | None, assumed: str | None) -> Recogniser:
        """Return the recogniser for a language; the user's own choice comes first."""
        if self.language is not None:
            return self
        return replace(self, language=language, assumed=None if language else assumed)

    def load(self) -> None:
        """Load the model, and check it and the language."""
        self._recogniser()

    def extract(self, clip: Clip, blueprint: Blueprint) -> Transcript | Absent:
        """Recognise one clip; ``blueprint.signal`` says where speech is."""
        if absent := speech_gate(blueprint):
            return absent
        return self._recognised(Item(clip, blueprint))

    def _recognised(self, item: Item, spoken: Spoken | None = None) -> Transcript:
        """Recognise a clip with speech; ``spoken``: its language, where it is named."""
        model = self._recogniser()
        with untouched(seed=SEED):
            decoded = self._decoded(item, model, spoken)
        return self._transcript(item, decoded, model, spoken)

    def _decoded(self, item: Item, model: Any, spoken: Spoken | None = None) -> Decoded:
        """Recognise the stretches of speech of a clip that has some."""
        speech, seconds, language = (
            item.clip.speech,
            item.clip.seconds,
            self._stated(model)[0],
        )
        if spoken and language is None:
            language = self._assumed(model, spoken) or spoken.language
        parts = stretches(item.speech, seconds)
        whole = self._decode(model, speech, parts, language)
        if self._worth_pieces(item, model, whole, spoken):
            pieces = stretches(item.speech, seconds, PIECE_JOIN_S, PIECE_MARGIN_S)
            if len(pieces) > len(parts):
                again = self._decode(model, speech, pieces, language or whole.language)
                return again._replace(
                    language=whole.language, probability=whole.probability
                )
        return whole

    def _worth_pieces(
        self, item: Item, model: Any, decoded: Decoded, spoken: Spoken | None
    ) -> bool:
        """Whether the text loops, and decoding it in pieces may mend that.

        It never mended anything in other languages, nor words that are not believed, at
        up to ten times the cost.
        """
        if spoken is not None and decoded.language != "en":
            return False
        if repetition_loop(tokens(text_of(decoded.segments))) is None:
            return False
        words = words_of(decoded.segments, item.clip.seconds)
        floor = self._floor(model, other=False)
        return not (low_confidence(words, floor) or too_many(words, item.speech))

    def _transcript(
        self, item: Item, decoded: Decoded, model: Any, spoken: Spoken | None = None
    ) -> Transcript:
        """Make the transcript group of a clip from a recogniser's result."""
        words = words_of(decoded.segments, item.clip.seconds)
        text = text_of(decoded.segments)
        _, source = self._stated(model)
        probability = decoded.probability
        unsure = spoken is not None and source != "given" and not spoken.sure
        other = spoken is not None and decoded.language != "en"
        if spoken and source != "given":
            source, probability = "detected", spoken.probability
            if self._assumed(model, spoken):
                source = "assumed"
        return Transcript(
            text=text,
            language=decoded.language,
            language_source=source,
            language_probability=share(probability) if source == "detected" else None,
            spoken=spoken,
            words=words,
            others=list(decoded.others),
            suspect=suspicions(
                text,
                words,
                item.speech,
                self._floor(model, other=other),
                middle=OTHER_MEDIAN if other else 0.0,
                unsure=unsure,
                weak=weak_language(self.model, decoded.language),
            ),
        )

    def _floor(self, model: Any, *, other: bool) -> float:
        """Return the mean word probability under which a text is suspect.

        English has another one than ``other`` languages.
        """
        floor = math.exp(self.log_probability)  # Whisper's own threshold
        if other:
            return max(floor, OTHER_FLOOR)
        return floor if self._languages(model) - {"en"} else max(floor, STRICT_FLOOR)

    def _assumed(self, model: Any, spoken: Spoken) -> str | None:
        """Return the language to try for an unsure one, if the model writes it."""
        wanted = None if spoken.sure else self.assumed
        return wanted if wanted in self._languages(model) else None

    def _stated(self, model: Any) -> tuple[str | None, LanguageOrigin]:
        """Return a language that need not be detected, and where it comes from."""
        if self.language is not None:
            return self.language, "given"
        if not self._languages(model) - {"en"}:
            return "en", "model"
        return None, "detected"

    def _recogniser(self) -> Any:
        """Return the model, which writes the language that the user named."""
        model = self.opened()
        languages = self._languages(model)
        if self.language is not None and self.language not in languages:
            some = ", ".join(sorted(languages)[:5])
            raise UserError(
                f"{self.name}: language {self.language!r}, but the model knows"
                f" {len(languages)} ({some}{', ...' if len(languages) > 5 else ''});"
                " use one of them, or a model without .en in its name"
            )
        return model

    def _languages(self, model: Any) -> frozenset[str]:
        """Return the codes of the languages that it writes."""
        raise NotImplementedError

    def _decode(
        self, model: Any, speech: Samples, parts: Sequence[Span], language: str | None
    ) -> Decoded:
        """Recognise stretches of speech at 16 kHz; None: detect the language first."""
        raise NotImplementedError


def words_of(segments: Iterable[Mapping[str, Any]], seconds: float) -> list[Word]:
    """Return segments' words, their times :func:`~extractors.word_times.repaired`.

    Args:
        segments: ``text``, and ``words`` with ``word``, ``start``, ``end``,
            ``probability``. A segment without words (the alignment failed) gives its
            text, without times, and a time that the library did not give is None.
        seconds: duration of the clip; later times are cut to it.
    """
    results: list[Word] = []
    for segment in segments:
        words = segment.get("words") or [
            {"word": text} for text in str(segment["text"]).split()
        ]
        for word in words:
            text = str(word["word"]).strip()
            if not says_something(text):
                continue
            start, end = (
                _within(word.get(key), seconds, 3) for key in ("start", "end")
            )
            confidence = share(word.get("probability"))
            results.append(
                Word(text=text, start_s=start, end_s=end, confidence=confidence)
            )
    return repaired(results, seconds)


def text_of(segments: Iterable[Mapping[str, Any]]) -> str:
    """Join the text of decoded segments; empty where it has no letter and no digit."""
    words: list[str] = []
    for segment in segments:
        words += str(segment["text"]).split()
    text = " ".join(words)
    return text if says_something(text) else ""


def says_something(text: str) -> bool:
    """Tell whether a text has words: dots and notes are Whisper's for other sound."""
    return any(map(str.isalnum, text))


def share(probability: float | None) -> float | None:
    """Clamp a probability to [0, 1], to four digits; None if it is not known."""
    return _within(probability, 1.0, 4)


def _within(value: float | None, most: float, digits: int) -> float | None:
    """Clamp a library's number to [0, ``most``]; None if missing or not finite."""
    if value is None or not math.isfinite(value):
        return None
    return round(min(max(float(value), 0.0), most), digits)
