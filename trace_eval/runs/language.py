"""A warning before the work starts where answers are in a language that the recogniser does not
support.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from blueprints import (
    UNSURE,
    Transcript,
    counted,
    install_line,
    language_name,
    written_language,
)
from extractors import Extractor, guessed
from trace_eval.data.items import Item
from trace_eval.data.measures.language import requested_language
from trace_eval.extracting.clip import Extracted
from trace_eval.runs.options import Options

#: So many items are looked at; so many texts must be foreign where none of them names a language.
ITEMS, UNNAMED = 100, 3

#: So many clips with guessed words, before there are two that are understood, say it as well.
GUESSED, UNDERSTOOD = 4, 2


def seeming_language(items: Iterable[Item]) -> str | None:
    """ISO 639-1 code of the language that most of the first items ask for; None: nothing says it.

    ``und`` where they are not in English, and their language has no name here.
    """
    codes: Counter[str] = Counter()
    for item in islice(items, ITEMS):
        text = item.instruction.text
        if code := requested_language(text, None, item.language) or written_language(text or ""):
            codes[code] += 1
    for code, count in codes.most_common(1):
        if 2 * count > codes.total() and (code != UNSURE or count >= UNNAMED):
            return code
    return None


class LanguageAdvice:
    """One line and one remedy, once, where a recogniser of English meets another language."""

    def __init__(self, plan: Sequence[Extractor], options: Options) -> None:
        self._model = next(
            (str(getattr(e, "model", e.name)) for e in plan if getattr(e, "english_only", False)),
            None,
        )
        self._options = options
        self._clips = Counter[bool]()

    def of_items(self, items: Iterable[Item]) -> str | None:
        """What the prompts and the manifest tell before the first clip."""
        language = self._model and seeming_language(items)
        if not language or language == "en":
            return None
        named = "not to be in English" if language == UNSURE else f"to be {language_name(language)}"
        return self._advice(f"answers seem {named}, and the recogniser")

    def of_clip(self, clip: Extracted) -> str | None:
        """What the first clips tell, where the words of nearly all are guesses."""
        result = clip.blueprint
        if self._model is None or result is None or not isinstance(result.transcript, Transcript):
            return None
        self._clips[guessed(result) is not None] += 1
        if self._clips[False] == UNDERSTOOD:
            self._model = None
        if self._clips[True] < GUESSED or self._model is None:
            return None
        first = f"{GUESSED} of the first {counted(self._clips.total(), 'clip')}"
        return self._advice(f"the words of {first} are guesses; the recogniser")

    def _advice(self, what: str) -> str:
        model, self._model = self._model, None
        chosen = self._options.extract.overrides.get("transcript", "auto") == "auto"
        remedy = install_line("base") if chosen else "take -x transcript=faster-whisper:base"
        rest = "voice quality and delivery alone are judged"
        without = rest if self._options.judges == ("rules",) else "the judge reads guessed words"
        return f"{what} {model} writes English alone: {remedy}; without it {without}"
