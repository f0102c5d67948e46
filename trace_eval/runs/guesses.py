"""Guessed words, as of a language that the recogniser lacks: advice and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from blueprints import (
    UNSURE,
    Blueprint,
    Transcript,
    counted,
    install_line,
    language_name,
    written_language,
)
from extractors import better_recogniser, guess_of, guessed
from trace_eval.data.items import Item
from trace_eval.data.measures.language import requested_language
from trace_eval.runs.options import Options

if TYPE_CHECKING:  # bring numpy
    from extractors import Extractor
    from trace_eval.extracting.clip import Extracted

#: So many items are looked at; so many texts must be foreign where none of them names a
#: language.
ITEMS, UNNAMED = 100, 3

#: So many clips with guessed words, before there are two that are understood, say it as
#: well.
GUESSED, UNDERSTOOD = 4, 2

#: So many clips in a language that is sure say what a run speaks.
MANY = 5


def seeming_language(items: Iterable[Item]) -> str | None:
    """Return the code of the language that most first items ask for; None: unknown.

    ``und`` where they are not in English, and their language has no name here.
    """
    codes: Counter[str] = Counter()
    for item in islice(items, ITEMS):
        text = item.instruction.text
        if code := requested_language(text, None, item.language) or written_language(
            text or ""
        ):
            codes[code] += 1
    for code, count in codes.most_common(1):
        if 2 * count > codes.total() and (code != UNSURE or count >= UNNAMED):
            return code
    return None


class LanguageAdvice:
    """Advice, given once, when a recogniser of English meets another language."""

    def __init__(self, plan: Sequence[Extractor], options: Options) -> None:
        self._model = next(
            (
                str(getattr(e, "model", e.name))
                for e in plan
                if getattr(e, "english_only", False)
            ),
            None,
        )
        self._options = options
        self._clips = Counter[bool]()

    def of_items(self, items: Iterable[Item]) -> str | None:
        """Say what the prompts and the manifest tell before the first clip."""
        language = self._model and seeming_language(items)
        if not language or language == "en":
            return None
        named = (
            "not to be in English"
            if language == UNSURE
            else f"to be {language_name(language)}"
        )
        return self._advice(f"answers seem {named}, and the recogniser")

    def of_clip(self, clip: Extracted) -> str | None:
        """Say what the first clips tell, where the words of nearly all are guesses."""
        result = clip.blueprint
        if (
            self._model is None
            or result is None
            or not isinstance(result.transcript, Transcript)
        ):
            return None
        self._clips[guessed(result) is not None] += 1
        if self._clips[False] == UNDERSTOOD:
            self._model = None
        if self._clips[True] < GUESSED or self._model is None:
            return None
        first = f"{GUESSED} of the first {counted(self._clips.total(), 'clip')}"
        return self._advice(f"the words of {first} are guesses; the recogniser")

    def _advice(self, what: str) -> str:
        model = self._model
        self._model = None
        chosen = self._options.extract.overrides.get("transcript", "auto") == "auto"
        remedy = (
            install_line("base") if chosen else "take -x transcript=faster-whisper:base"
        )
        rest = "voice quality and delivery alone are judged"
        without = (
            rest
            if self._options.judges == ("rules",)
            else "the judge reads guessed words"
        )
        return f"{what} {model} writes English alone: {remedy}; without it {without}"


class Guesses(NamedTuple):
    """The number of transcribed clips with guessed words.

    Attributes:
        named: a language was named in every one of those with guessed words.
        unsure: those of them in which it is unsure.
        sure: ISO 639-1 code -> clips in which that language is sure.
    """

    guessed: int
    clips: int
    named: bool = False
    unsure: int = 0
    sure: Mapping[str, int] = {}

    @property
    def line(self) -> str | None:
        """The finding in one sentence; None: there is nothing to say."""
        if not self.guessed:
            return None
        return (
            f"the recogniser guessed the words of {self.guessed} of"
            f" {counted(self.clips, 'clip')} with words; no verdict of rules rests on"
            " guesses, and other judges are warned of them;"
            f" {better_recogniser(self.named)}{self._majority}"
        )

    @property
    def _majority(self) -> str:
        """Name the language that unsure clips probably speak: that of most others."""
        of = sum(self.sure.values())
        language, times = max(
            self.sure.items(), key=lambda item: item[1], default=("", 0)
        )
        if not self.unsure or times < MANY or 2 * times <= of:
            return ""
        return (
            f"; the language of {self.unsure} is unsure, and {times} of the other {of}"
            f" are {language_name(language)}: --language {language} would take them for"
            " that, too"
        )


def guesses_among(blueprints: Iterable[Blueprint]) -> Guesses:
    """Count guessed words over blueprints."""
    groups = {"transcript", "signal", "rate"}
    return guesses_of(one.model_dump(mode="json", include=groups) for one in blueprints)


def guesses_of(records: Iterable[Mapping[str, Any]]) -> Guesses:
    """Count guessed words over records of blueprints."""
    return _count(map(_clip, records))


def _clip(record: Mapping[str, Any]) -> tuple[bool, bool, str | None] | None:
    """Return whether words are guessed, a language is named, and which one is sure."""
    transcript, rate, signal = (
        record.get(n) or {} for n in ("transcript", "rate", "signal")
    )
    if transcript.get("status") != "ok":
        return None
    why = guess_of(
        transcript.get("text", ""),
        len(transcript.get("words") or ()),
        language=transcript["language"],
        speech_s=signal.get("speech_s"),
        syllables=rate.get("syllables"),
        suspect=transcript.get("suspect") or (),
    )
    spoken = transcript.get("spoken")
    sure = spoken["language"] if spoken and spoken["sure"] else None
    return why is not None, spoken is not None, sure


def _count(clips: Iterable[tuple[bool, bool, str | None] | None]) -> Guesses:
    known_clips = [clip for clip in clips if clip]
    bad = [(named, sure) for guessed, named, sure in known_clips if guessed]
    return Guesses(
        guessed=len(bad),
        clips=len(known_clips),
        named=all(named for named, _ in bad),
        unsure=sum(named and sure is None for named, sure in bad),
        sure=Counter(sure for _, _, sure in known_clips if sure),
    )
