"""What an answer is said to have none of: pauses, clipping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from trace_eval.judges.claims.sentences import Part, Sentence, named
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.subjects import comparison

_NONE = re.compile(
    r"\b(?:no|without(?: any)?|free of|zero|never|not(?! paus)|lacks?(?: any)?"
    r"|(?P<far>not(?: an?| one| a single)|(?:does|did|do|is|are)(?: not|n't)(?= paus)"
    r"|(?:does|did)(?: not|n't) (?:take|make|have|contain|leave) (?:any|an?|one|a single)))"
    r" (?:audible |any |measurable |real |long |noticeable |mid-\w+ )*"
    r"(?P<what>clip(?:ping|s|ped)?|paus(?:es?|ing))\b"
    r"(?! (?:longer|over|above|of|after|before|as|like))"
    r"(?(far)(?=\s*(?:[.,;!?)]|$|and\b|at all\b|whatsoever\b|in (?:it|its|all)\b)))",
    re.I,
)
_NEITHER = re.compile(
    r"(?P<what>clips|shows? (?:any )?clipping|has (?:any )?clipping|pauses)\b"
)


def absences(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield "no clipping", "without pauses", of one answer or of both."""
    for part in sentence.clauses:
        words = sentence.words(part.start, part.end)
        match = _NONE.search(words)
        sides = part.of("side")
        neither = next((t for t in sides if t.value == "neither"), None)
        if match is None and neither is not None:
            match = _NEITHER.search(words)
        if match is None or not part.tokens:
            continue
        at = part.start + match.start("what")
        inside = [c for c in sentence.chunks if c.start <= at < c.end]
        places = _absent_from(sentence, part, inside[0] if inside else part)
        if places is None or any(
            t.kind == "number" for t in (inside or [part])[0].tokens
        ):
            continue
        key = "clipping" if "clip" in match["what"].lower() else "pauses"
        yield replace(
            comparison(sentence, part.tokens[0], key, "is"),
            places=places,
            numbers=("0",),
            unit="%" if key == "clipping" else "pauses",
        )


def _absent_from(
    sentence: Sentence, clause: Part, chunk: Part
) -> tuple[str, ...] | None:
    """Return the places from which something is said to be absent; None: not clear."""
    for part in (chunk, clause):
        if any(side.value in ("both", "neither") for side in part.of("side")):
            return ("1", "2")
        sides = named(sentence, part)
        places = {place for side, place in sides if not sentence.marked(side)}
        if len(places) == 1:
            return (places.pop(),)
        if places:
            return None
    if sentence.whole.of("side") or sentence.subject:
        return None
    return ("1", "2")
