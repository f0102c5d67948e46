"""Quotations against what was heard, what was asked, and what instruments wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from blueprints import Blueprint, Transcript, render_brief, render_compact
from trace_eval.data.number_words import BELOW_TWENTY
from trace_eval.judges.claims.finding import Finding, ShownAnswers
from trace_eval.judges.claims.stated import StatedClaim

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")

#: Up to twelve, recognisers write numbers as words or in digits.
_NUMERALS = {word: str(number) for word, number in BELOW_TWENTY.items() if number <= 12}


def quotation_finding(claim: StatedClaim, shown: ShownAnswers) -> Finding:
    """Check a quotation against the words of the answers and of the request."""
    words = claim.numbers[0]
    parts = [_words(part) for part in re.split(r"\.{2,}|\[\s*\.*\s*\]| / ", words)]
    parts = [part for part in parts if part]
    if not parts:
        return Finding(None, "quotes no words")
    places = claim.places or ("1", "2")
    heard = {place: _heard(shown.places[place]) for place in ("1", "2")}
    if all(text is None for text in heard.values()):
        return Finding(None, "no words of the answers are known")
    request = _words(shown.request or "")
    if claim.relation == "course":
        return _of_nobody(parts, request, heard, shown)
    within = {
        place: _within(parts, _words(text or "")) for place, text in heard.items()
    }
    named = [place for place in places if heard[place] is not None]
    if not named:
        return Finding(None, f"the words of answer {places[0]} are not known")
    if claim.negated:
        holds = not any(within[place] for place in named)
        where = ", ".join(place for place in named if within[place])
        return Finding(holds, "none has it" if holds else f"answer {where} has it")
    if claim.of_user:
        return _of_request(parts, request, within)
    all_named = all if claim.places else any
    if all_named(within[place] for place in named):
        return Finding(True, f"stands in answer {' and '.join(named)}")
    if not (claim.spoken and claim.places) and _within(parts, request):
        return Finding(True, "stands in the request")
    measured = (_words(_measured(shown.places[place])) for place in named)
    if not claim.spoken and any(_within(parts, words) for words in measured):
        return Finding(True, "stands in the measurements")
    elsewhere = next((place for place, there in within.items() if there), None)
    if elsewhere:
        missing = next(place for place in named if not within[place])
        return Finding(False, f"stands in answer {elsewhere}, not in {missing}")
    if _within(parts, request):
        return Finding(False, "stands in the request, not in the answer")
    return Finding(False, "nobody said it")


#: Fewer quoted words may be a label, or a word that somebody calls so.
_LEAST_SPOKEN = 2


def _of_nobody(
    parts: Sequence[Sequence[str]],
    request: Sequence[str],
    heard: Mapping[str, str | None],
    shown: ShownAnswers,
) -> Finding:
    """Check words that nobody is said to have said: false where they stand nowhere."""
    texts = [_words(text or "") for text in heard.values()]
    texts += [_words(_measured(shown.places[place])) for place in ("1", "2")]
    is_known = all(text is not None for text in heard.values())
    is_somewhere = any(_within(parts, text) for text in (*texts, request))
    if is_known and not is_somewhere and sum(map(len, parts)) >= _LEAST_SPOKEN:
        return Finding(False, "nobody said it")
    return Finding(None, "quotes words that nobody is said to have said")


def _of_request(
    parts: Sequence[Sequence[str]], request: Sequence[str], within: Mapping[str, bool]
) -> Finding:
    if not request:
        return Finding(None, "the words of the request are not known")
    if _within(parts, request):
        return Finding(True, "stands in the request")
    if any(within.values()):
        return Finding(False, "stands in an answer, not in the request")
    return Finding(False, "nobody said it")


def _heard(blueprint: Blueprint) -> str | None:
    transcript = blueprint.transcript
    return transcript.text if isinstance(transcript, Transcript) else None


def _measured(blueprint: Blueprint) -> str:
    """Return all that prompts print of a clip but its words."""
    drop = ("transcript",)
    return (
        f"{render_compact(blueprint, drop=drop)}\n{render_brief(blueprint, drop=drop)}"
    )


def _words(text: str) -> list[str]:
    plain = text.replace("’", "'").lower()
    return [_NUMERALS.get(word, word) for word in _WORD.findall(plain)]


def _within(parts: Sequence[Sequence[str]], text: Sequence[str]) -> bool:
    """Tell whether the parts stand in a text in this order, each in one piece."""
    end = 0
    for part in parts:
        start = _place_of(part, text, end)
        if start is None:
            return False
        end = start + len(part)
    return True


def _place_of(part: Sequence[str], text: Sequence[str], first: int) -> int | None:
    """Return where a part begins in a text at or behind a place; None: nowhere."""
    words = list(part)
    for start in range(first, len(text) - len(part) + 1):
        if list(text[start : start + len(part)]) == words:
            return start
    return None
