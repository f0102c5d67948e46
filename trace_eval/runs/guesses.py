"""How many of a run's clips have words that the recogniser guessed, and what would mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from blueprints import Blueprint, counted, language_name
from extractors import better_recogniser, guess_of
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


def guesses_among(blueprints: Iterable[Blueprint]) -> Guesses:
    """The count over blueprints."""
    groups = {"transcript", "signal", "rate"}
    return _count(_clip(one.model_dump(mode="json", include=groups)) for one in blueprints)


def guesses_in(run: Run) -> Guesses:
    """The count over a run's file, in which contours are not built into objects."""
    path = run.path("blueprints.jsonl")
    records = (strict_json.record(line, path) for line in jsonl.read(path))
    return _count({record["clip"]: _clip(record) for record in records}.values())


def _clip(record: Mapping[str, Any]) -> _Clip | None:
    """The counts of a clip from its blueprint as JSON; None: it has no transcript."""
    transcript, rate, signal = (record.get(n) or {} for n in ("transcript", "rate", "signal"))
    if transcript.get("status") != "ok":
        return None
    why = guess_of(
        transcript.get("text", ""),
        len(transcript.get("words") or ()),
        transcript["language"],
        signal.get("speech_s"),
        rate.get("syllables"),
        transcript.get("suspect") or (),
    )
    spoken = transcript.get("spoken")
    sure = spoken["language"] if spoken and spoken["sure"] else None
    return _Clip(why is not None, spoken is not None, sure)


def _count(clips: Iterable[_Clip | None]) -> Guesses:
    available = [clip for clip in clips if clip]
    bad = [clip for clip in available if clip.guessed]
    return Guesses(
        guessed=len(bad),
        clips=len(available),
        named=all(clip.named for clip in bad),
        unsure=sum(clip.named and clip.sure is None for clip in bad),
        sure=Counter(clip.sure for clip in available if clip.sure),
    )
