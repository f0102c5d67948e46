"""Courses: "answer 1 slows down", "its pitch falls more steeply than that of answer 2".

What happens in a part of a recording ("it rises at the end") is no course of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from trace_eval.judges.claims.sentences import PRONOUN, Part, Sentence, named, other
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.subjects import lies_between
from trace_eval.judges.claims.tokens import measure_of

#: Measure -> its slope over the clip.
SLOPE_OF = {
    "pitch": "pitch_slope",
    "variation": "pitch_slope",
    "loudness": "loudness_slope",
    "level": "loudness_slope",
}

_STEEPER = re.compile(
    r"\bsteeper (?:pitch |level |loudness )?(?:(?P<fall>fall|declin|drop)|rise"
    r"|climb)\w*|"
    r"\b(?:(?P<down>come\w* down|fall|fell|declin|drop|sink|sank|descend"
    r"|drift\w* down|fade)"
    r"|(?:rise|rising|climb|ascend))\w*\b"
    r"[^,;.:()\d]{0,40}?\b(?:(?:the )?more\b|steeper\b|faster\b|(?:twice"
    r"|\w+ times) as steep"
    r"|(?P<less>less\b|not as))",
    re.I,
)


def slopes(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield whose pitch or level falls or rises more than the other's."""
    told: set[int] = set()
    for clause in (*sentence.chunks, *sentence.clauses):
        match = _STEEPER.search(sentence.words(clause.start, clause.end))
        measures = [each for each in clause.of("measure") if each.value in SLOPE_OF]
        keys = {SLOPE_OF[each.value] for each in measures}
        sides = named(sentence, clause)
        places = {place for side, place in sides if not sentence.marked(side)}
        if not places and len({place for _, place in sides}) == 1:
            # "Its level sinks more than that of answer 1".
            places = {other(sides[0][1])}
        if match is None or len(keys) != 1 or len(places) != 1:
            continue
        if measures[0].start in told:
            continue  # in its chunk
        told.add(measures[0].start)
        (key,), (place,) = keys, places
        sign = -1 if match["down"] or match["fall"] else 1
        claim = StatedClaim(
            kind="comparison",
            text=sentence.claim_text(measures[0]),
            at=measures[0].start,
            relation="not_more" if sentence.denied(clause, measures[0]) else "more",
            places=(place, other(place)),
            measure=measure_of(key),
        )
        yield replace(claim, sign=-sign if match["less"] else sign)


# --- the course of an answer ----------------------------------------------------------

#: Courses of the tempo: pattern -> the shares of the second half over the first, in
#: percent, between which they may be said.
_OF_TEMPO = (
    (
        re.compile(
            r"\b(?:slows(?: down)?|(?<!\bto )slow down|slowing(?: down)?|decelerates?"
            r"|loses? (?:some |a little |a bit of )?(?:speed|pace|tempo)|eas(?:es"
            r"|ing) off|(?:gets?|becomes?"
            r"|grows?) slower)\b(?! than)",
            re.I,
        ),
        ("0", "98"),
    ),
    (
        re.compile(
            r"\b(?:speeds? up|speeding up|accelerat(?:es?|ing)|quickens?"
            r"|(?:picks?|picking) up(?: (?:speed|pace)|(?=[,.;]|$| but\b))|(?:gain"
            r"|gather)(?:s"
            r"|ing)? (?:speed|pace)"
            r"|(?:gets?|becomes?|grows?) faster)\b(?! than)",
            re.I,
        ),
        ("102", "1000"),
    ),
    (
        re.compile(
            r"\b(?:(?:keep|hold|maintain|sustain)(?:s|ing)? (?:to )?(?:its|an?|the"
            r"|his|her)"
            r" (?:\w+ )?(?:pace|tempo|speed)"
            r"|(?:stay|remain|is|keep)(?:s|ing)? (?:\w+ )?(?:even|steady|constant"
            r"|stable)"
            r" in (?:pace|tempo|speed)"
            r"|(?:pace|tempo|speed) (?:stays|remains|is|keeps) (?:\w+ )?(?:even"
            r"|steady|constant))\b",
            re.I,
        ),
        ("80", "125"),
    ),
)
#: Courses of pitch: slopes between which they may be said, hundredths of a semitone a
#: second.
_OF_PITCH = (
    (
        re.compile(r"\b(?:falls?|declines?|drops?|sinks?|descends?|goes down)\b", re.I),
        ("-9999", "10"),
    ),
    (re.compile(r"\b(?:rises?|climbs?|ascends?|goes up)\b", re.I), ("-10", "9999")),
)
_PITCH = re.compile(r"\b(?:pitch|intonation|melody|f0|voice)\b", re.I)
#: Behind a verb of a course: where, how far, or of what else.
_NO_COURSE = re.compile(
    r" (?:short|behind|into|under|below|within|to|from|off|by|out|in (?:favou?r"
    r"|the (?:middle|first))"
    r"|(?:in (?:pitch|tone) |\w+ )?(?:at|towards?|near|until|only at|only in) |on "
    r"|between|more|less|and then|then|again"
    r"|flat|back|\w+ more|most)",
    re.I,
)


def courses(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield whose tempo slows down or keeps even, and whose pitch rises or falls."""
    for clause in sentence.clauses:
        if any(side.value == "neither" for side in clause.of("side")):
            continue
        sides = named(sentence, clause)
        places = {place for side, place in sides if not sentence.marked(side)}
        only = next(iter(places)) if len(places) == 1 else ""
        opens = clause.start == sentence.whole.start
        words = sentence.words(clause.start, clause.end).lstrip()
        if opens and not sides and PRONOUN.match(words):
            only = sentence.subject
        yield from _of_tempo(sentence, clause, only)
        if only and not clause.of("number"):
            yield from _of_pitch(sentence, clause, only)


def _of_tempo(sentence: Sentence, clause: Part, only: str) -> Iterator[StatedClaim]:
    """Yield whose tempo changes, or does not.

    ``only``: the one answer that the clause names; empty: none, or both.
    """
    words = sentence.sense[clause.start : clause.end]
    for pattern, bounds in _OF_TEMPO:
        for match in pattern.finditer(words):
            is_of_part = _IN_PART.match(words, match.end())
            is_of_all = _OF_EVERYTHING.search(words, 0, match.start())
            if words[match.end() :].startswith(" more"):
                continue  # it is compared
            if is_of_part or is_of_all or _NOT_SO.search(words[: match.end()]):
                continue
            at = clause.start + match.start()
            place = _right_before(sentence, at) or only
            if place:
                yield lies_between(
                    sentence, at, places=(place,), key="trend", bounds=bounds
                )


def _of_pitch(sentence: Sentence, clause: Part, only: str) -> Iterator[StatedClaim]:
    """Yield whether the pitch of the one answer that a clause names rises or falls."""
    words = sentence.sense[clause.start : clause.end]
    head = sentence.words(sentence.whole.start, clause.end)
    if _NOT_SO.search(words) or not _PITCH.search(head):
        return
    for pattern, bounds in _OF_PITCH:
        match = pattern.search(words)
        if match and not _NO_COURSE.match(words, match.end()):
            at = clause.start + match.start()
            yield lies_between(
                sentence, at, places=(only,), key="pitch_slope", bounds=bounds
            )


def _right_before(sentence: Sentence, at: int) -> str:
    """Return the side whose verb stands at a place: "where answer 2 slows down"."""
    for side, place in named(sentence, sentence.whole):
        if sentence.words(side.end, at) == " ":
            return place
    return ""


#: "With answer 1 on the line it all gets slower" tells no course of answer 1.
_OF_EVERYTHING = re.compile(
    r"\b(?:it all|everything|all of it|the whole thing) \Z", re.I
)
#: "Gets faster towards the end" tells of the end alone.
_IN_PART = re.compile(
    r"[\w ]{0,12} (?:at|towards?|near|as (?:it|he|she)|until|only)\b", re.I
)
_NOT_SO = re.compile(
    r"\b(?:not|never|neither|nor|hardly|barely|less|more|if|would|could|should|might"
    r"|may|but)\b|n't\b",
    re.I,
)
