"""How many of a run's clips have words that the recogniser guessed, and what would mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from blueprints import Blueprint, Transcript, counted, language_name
from extractors import better_recogniser, guess_of, guessed
from trace_eval.data import jsonl, strict_json
from trace_eval.runs.run import Run

#: So many clips in a language that is sure say what a run speaks.
MANY = 5


class Guesses(NamedTuple):
    """Clips with guessed words, of all that have a transcript.

    Attributes:
        guessed, clips: how many.
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
            f"the recogniser guessed the words of {self.guessed} of {counted(self.clips, 'clip')};"
            " no verdict of rules rests on guesses, and other judges are warned of them;"
            f" {better_recogniser(self.named)}{self._majority}"
        )

    @property
    def _majority(self) -> str:
        """The language that unsure clips probably speak, where most of the others speak it."""
        of = sum(self.sure.values())
        language, times = max(self.sure.items(), key=lambda item: item[1], default=("", 0))
        if not self.unsure or times < MANY or 2 * times <= of:
            return ""
        return (
            f"; the language of {self.unsure} is unsure, and {times} of the other {of} are"
            f" {language_name(language)}: --language {language} would take them for that, too"
        )


class _Clip(NamedTuple):
    """The counts of one clip with a transcript."""

    guessed: bool
    named: bool
    sure: str | None


def _count(clips: Iterable[_Clip]) -> Guesses:
    available = list(clips)
    bad = [clip for clip in available if clip.guessed]
    return Guesses(
        guessed=len(bad),
        clips=len(available),
        named=all(clip.named for clip in bad),
        unsure=sum(clip.named and clip.sure is None for clip in bad),
        sure=Counter(clip.sure for clip in available if clip.sure),
    )


def guesses_among(blueprints: Iterable[Blueprint]) -> Guesses:
    """The count over blueprints."""
    return _count(
        _Clip(
            guessed(b) is not None,
            spoken is not None,
            _sure(spoken.model_dump() if spoken else None),
        )
        for b in blueprints
        if isinstance(b.transcript, Transcript)
        for spoken in (b.transcript.spoken,)
    )


def guesses_in(run: Run) -> Guesses:
    """The count over a run's file, in which contours are not built into objects."""
    results: dict[str, _Clip] = {}
    path = run.path("blueprints.jsonl")
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        audible = record.get("transcript") or {}
        if audible.get("status") == "ok":
            spoken = audible.get("spoken")
            available = _Clip(_is_guessed(record, audible), spoken is not None, _sure(spoken))
            results[record["clip"]] = available
    return _count(results.values())


def _sure(spoken: Mapping[str, Any] | None) -> str | None:
    return spoken["language"] if spoken and spoken["sure"] else None


def _is_guessed(record: dict[str, Any], recognised: dict[str, Any]) -> bool:
    why = guess_of(
        recognised.get("text", ""),
        len(recognised.get("words") or ()),
        recognised["language"],
        (record.get("signal") or {}).get("speech_s"),
        (record.get("rate") or {}).get("syllables"),
        recognised.get("suspect") or (),
    )
    return why is not None
