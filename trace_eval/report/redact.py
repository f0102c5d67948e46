"""Redaction of a report that is shared: digits, mail addresses, card and phone numbers.

Words decide, by rules that rather take too much. Sound follows the words: without the
times of each word nothing says what to mute, and such a recording is not copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from blueprints import Blueprint, Transcript, UserError
from trace_eval.report.summary import Facts

#: Stands in place of a word.
REDACTED = "[redacted]"

#: Said on the page.
LIMITS = (
    "Redacted: digits, English number words, and with them card and phone numbers, and"
    " mail addresses, in words and in copied sound. Not looked for: names of people and"
    " places, dates and addresses without digits, numbers in words of other languages,"
    " words that the recogniser missed or misheard, and names of pairs, systems,"
    " categories and files. Waveforms and spectrograms are left out, and so are"
    " recordings whose words have no times."
)

#: Seconds that are muted before and after redacted words: times of recognisers are that
#: exact.
MARGIN_S = 0.2

_NUMBERS = re.compile(
    r"zero|one|twos?|threes?|fours?|fives?|six(?:es)?|sevens?|eights?|nines?|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
    r"|hundred|thousand|million|nought|double|triple"
)

#: Words that belong to a number between or beside number words.
_BETWEEN = re.compile(r"oh|o|dash|hyphen|minus|plus|point|dot|slash|space|a|and")

#: Fields that hold what somebody said or wrote.
_PROSE = {
    "text",
    "reference",
    "reasoning",
    "evidence",
    "raw",
    "detail",
    "what",
    "extensions",
    "error",
    "caveats",
    "rationale",
    "comment",
}

#: Words before "at" that are taken for those of a spoken mail address.
_LOCAL_PART = 3


def _has_number(word: str) -> bool:
    """Tell whether a word has a digit, an @, or a part that is a number in words."""
    if any(sign.isdigit() or sign == "@" for sign in word):
        return True
    return any(map(_NUMBERS.fullmatch, re.findall(r"\w+", word)))


def sensitive(words: Sequence[str]) -> list[bool]:
    """Whether each word is redacted."""
    plain = [word.strip(".,;:!?\"'()[]").casefold() for word in words]
    certain = list(map(_has_number, plain))
    for start, end in _addresses(plain):
        certain[start:end] = [True] * (end - start)
    marks = list(certain)
    for place, word in enumerate(plain):
        if not _BETWEEN.fullmatch(word):
            continue
        neighbours = certain[place - 1 : place] + certain[place + 1 : place + 2]
        if word in ("a", "and"):
            marks[place] |= all(neighbours)
        else:
            marks[place] |= any(neighbours)
    return marks


def _addresses(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Find half-open ranges of spoken addresses: ``ann dot lee at mail dot com``."""
    for at, word in enumerate(words):
        if word != "at":
            continue
        last = min(at + 5, len(words) - 1)
        if "dot" not in words[at + 2 : last]:
            continue
        start = at - 1
        while start > 1 and words[start - 1] in ("dot", "underscore", "dash", "hyphen"):
            start -= 2
        while start > 0 and len(words[start]) == 1:  # spelt letter by letter
            start -= 1
        end = words.index("dot", at + 2) + 2
        while end + 1 < len(words) and words[end] == "dot":
            end += 2
        yield max(0, min(start, at - _LOCAL_PART)), end


def redact_text(text: str) -> str:
    """Replace the sensitive words of a text; spaces stay."""
    parts = re.split(r"(\s+)", text)
    for number, mark in enumerate(sensitive(parts[::2])):
        if mark:
            parts[2 * number] = REDACTED  # between two words are their spaces
    return "".join(parts)


def redact_facts(facts: Facts) -> Facts:
    """Redact a run's words, for its page; turns of conversations raise a UserError."""
    if any(pair.a.conversation or pair.b.conversation for pair in facts.pairs):
        raise UserError(
            f"{facts.folder}: holds conversations, which --redact does not know yet;"
            " leave it out, for a page that only those may see who may hear the calls"
        )
    pairs = [_redact(pair.model_copy(update={"meta": {}})) for pair in facts.pairs]
    unused = tuple(map(redact_text, facts.record.unused_labels))
    return replace(
        facts,
        record=facts.record.model_copy(update={"unused_labels": unused}),
        pairs=tuple(pairs),
        problems=tuple(map(_redact, facts.problems)),
        blueprints={clip: _redact(one) for clip, one in facts.blueprints.items()},
        judgements={pair: _redact(one) for pair, one in facts.judgements.items()},
        clips={source: _redact(one) for source, one in facts.clips.items()},
    )


def _redact(value: Any, prose: bool = False) -> Any:
    """Redact a copy of a record's prose; words of a transcript as one sequence."""
    if isinstance(value, str):
        return redact_text(value) if prose else value
    if isinstance(value, dict):
        return {name: _redact(one, prose) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_redact(one, prose) for one in value)
    if not isinstance(value, BaseModel):
        return value
    fields = {name: _redact(one, prose or name in _PROSE) for name, one in value}
    if isinstance(value, Transcript):
        words = []
        marks = sensitive([word.text for word in value.words])
        for word, mark in zip(value.words, marks, strict=True):
            if mark:
                words.append(word.model_copy(update={"text": REDACTED}))
            else:
                words.append(word)
        fields["words"] = type(value.words)(words)
    return value.model_copy(update=fields)


def spans(blueprint: Blueprint) -> list[tuple[float, float]] | None:
    """Return stretches to mute, in seconds; None: nothing says where the words are."""
    transcript = blueprint.transcript
    if not isinstance(transcript, Transcript):
        return None
    if bool(transcript.text) != bool(transcript.words):
        return None
    times: list[tuple[float, float]] = []
    for word in transcript.words:
        if word.start_s is None or word.end_s is None:
            return None
        times.append((word.start_s, word.end_s))
    marks = sensitive([word.text for word in transcript.words])
    marks_in_text = sensitive(transcript.text.split())
    if sum(marks) < sum(marks_in_text):
        return None
    return stretches_of(times, marks)


def stretches_of(
    times: Sequence[tuple[float, float]], marks: Sequence[bool]
) -> list[tuple[float, float]]:
    """Return time spans of marked words, with a margin; adjacent marks are joined."""
    stretches: list[tuple[float, float]] = []
    follows = False
    for (low, high), mark in zip(times, marks, strict=True):
        end = high + MARGIN_S
        if mark and follows:
            first, last = stretches[-1]
            stretches[-1] = first, max(last, end)
        elif mark:
            stretches.append((max(0.0, low - MARGIN_S), end))
        follows = mark
    return stretches


def mute(
    samples: npt.NDArray[np.float32],
    rate: int,
    stretches: Sequence[tuple[float, float]],
) -> npt.NDArray[np.float32]:
    """Return a copy of the same length in which these stretches are silent."""
    copy = samples.copy()
    for low, high in stretches:
        copy[int(low * rate) : int(np.ceil(high * rate))] = 0
    return copy
