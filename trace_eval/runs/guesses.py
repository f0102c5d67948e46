"""How many of a run's clips have words that the recogniser guessed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from blueprints import Blueprint, Transcript
from extractors import better_recogniser, guess_of, guessed
from trace_eval.data import jsonl, strict_json
from trace_eval.runs.run import Run


class Guesses(NamedTuple):
    """Clips with guessed words, of all that have a transcript."""

    guessed: int
    clips: int
    named: bool = False  # a language was named in every one of those with guessed words

    @property
    def line(self) -> str | None:
        """One sentence for people; None: there is nothing to say."""
        if not self.guessed:
            return None
        return (
            f"{self.guessed} of {self.clips} clips: the recogniser guessed; the judge rules gives"
            " no verdict on their words, and elsewhere they are weak evidence;"
            f" {better_recogniser(self.named)}"
        )


def guesses_among(blueprints: Iterable[Blueprint]) -> Guesses:
    """The count over blueprints."""
    heard = [b for b in blueprints if b.transcript.status == "ok"]
    named = [
        b.transcript.spoken is not None
        for b in heard
        if isinstance(b.transcript, Transcript) and guessed(b)
    ]
    return Guesses(len(named), len(heard), all(named))


def guesses_in(run: Run) -> Guesses:
    """The count over a run's file, in which contours are not built into objects."""
    found: dict[str, bool | None] = {}  # None: not guessed, else whether a language was named
    path = run.path("blueprints.jsonl")
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        heard = record.get("transcript") or {}
        if heard.get("status") == "ok":
            named = heard.get("spoken") is not None
            found[record["clip"]] = named if _is_guessed(record, heard) else None
    of_guessed = [named for named in found.values() if named is not None]
    return Guesses(len(of_guessed), len(found), all(of_guessed))


def _is_guessed(record: dict[str, Any], heard: dict[str, Any]) -> bool:
    why = guess_of(
        heard.get("text", ""),
        len(heard.get("words") or ()),
        heard["language"],
        (record.get("signal") or {}).get("speech_s"),
        (record.get("rate") or {}).get("syllables"),
        heard.get("suspect") or (),
    )
    return why is not None
