"""Whether a verdict follows from its reason: its conclusion, and where it points."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trace_eval.judges.claims.plain import plain
from trace_eval.judges.claims.stated import StatedClaim

_THING = r"(?:answer|response|reply|audio|clip|recording|speaker|candidate|version|system|voice)"
_FIRST = rf"(?:{_THING} (?:1|one|A)|the (?:first|former)(?: {_THING})?|A)"
_SECOND = rf"(?:{_THING} (?:2|two|B)|the (?:second|latter)(?: {_THING})?|B)"
_VERY = r"(?:(?:clearly|therefore|thus|hence|slightly|overall|much|far|by far|a little|still) )*"
_BEST = (
    r"(?:(?:is|was|sounds|fits|does|works|comes out|remains|seems) "
    rf"{_VERY}(?:the )?(?:better|best|preferable|preferred|superior|winner|stronger|clear winner)"
    rf"|{_VERY}wins|takes it|deserves the win)(?! (?:at|in|on|for|of)\b)"
)

#: What a reason can conclude, and how it says so.
_STANCES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (stance, re.compile(pattern, re.I))
    for stance, pattern in (
        ("1", rf"\b{_FIRST} {_VERY}{_BEST}"),
        ("2", rf"\b{_SECOND} {_VERY}{_BEST}"),
        ("1", rf"\b{_FIRST} has the better\b"),
        ("2", rf"\b{_SECOND} has the better\b"),
        ("1", rf"\b{_FIRST}(?: (?!and\b|{_THING}\b)\w+){{1,8}} and {_VERY}{_BEST}"),
        ("2", rf"\b{_SECOND}(?: (?!and\b|{_THING}\b)\w+){{1,8}} and {_VERY}{_BEST}"),
        (
            "1",
            rf"\b(?:prefer(?:ring|red)?|favou?rs?|choose|pick|only) {_FIRST}(?! is not)\b",
        ),
        (
            "2",
            rf"\b(?:prefer(?:ring|red)?|favou?rs?|choose|pick|only) {_SECOND}(?! is not)\b",
        ),
        (
            "both_bad",
            r"\b(?:both|the two)(?: (?:answers|responses|recordings|clips))? (?:are|sound|were)"
            rf" {_VERY}(?:bad|unacceptable|poor|not acceptable|unusable|inadequate)\b",
        ),
        (
            "both_bad",
            rf"\bneither(?: (?:{_THING}|one|of them))? (?:is|was|sounds) {_VERY}"
            r"(?:acceptable|good|usable|adequate|good enough)\b",
        ),
        ("both_good", r"\bboth (?:equally )?(?:good|acceptable|fine)\b"),
        (
            "both_good",
            r"\b(?:both|the two)(?: (?:answers|responses|recordings|clips))? (?:are|sound|were)"
            rf" {_VERY}(?:equally )?(?:good|acceptable|fine|fitting|adequate)\b",
        ),
    )
)

#: In voice quality more of these is better.
_BETTER = frozenset({"P.808", "BAK", "SIG", "OVRL", "MOS", "Distill-MOS", "bandwidth"})

#: And more of these is worse.
_WORSE = frozenset({"clipping"})


#: How a reason of all dimensions names one.
_NAMES: dict[str, str] = {
    "content": r"content|accuracy|correctness|completeness",
    "voice_quality": r"(?:voice|sound|audio|recording) quality|voice_quality",
    "paralinguistics": r"paralinguistics?|delivery|tone|prosody|intonation|expressiveness",
}
_NAMED = {
    about: re.compile(rf"\b(?:{names})\b", re.I) for about, names in _NAMES.items()
}

#: "in content", "for voice quality", behind a conclusion or before it.
_ASIDE = re.compile(
    rf"\b(?:in|on|for|as to|in terms of|regarding|with regard to)"
    rf" (?:the )?(?:{'|'.join(_NAMES.values())})(?:\s*,)?",
    re.I,
)

#: A part that begins so is about one dimension until another is named.
_HEADING = re.compile(rf"^\W*(?:{'|'.join(_NAMES.values())})\W*[:\u2013\u2014-]", re.I)

#: Where one thought of a line ends, whose blanks are single ones.
_PARTS = re.compile(
    r"(?<=[.;!?]) |,? (?:but|while|whereas|although|though|however)\b,? "
    rf"|,? and (?={_THING} (?:1|2|one|two|A|B)\b)"
    rf"|, (?:and )?(?=(?:in|on|for|as to|regarding) (?:the )?(?:{'|'.join(_NAMES.values())}))",
    re.I,
)


def parts_about(reason: str, about: str) -> str:
    """Return what a reason of all dimensions says of one: the parts that name it."""
    parts = []
    heading = ""
    lines = (" ".join(line.split()) for line in reason.splitlines())
    for part in filter(None, (part for line in lines for part in _PARTS.split(line))):
        named = [name for name, pattern in _NAMED.items() if pattern.search(part)]
        if _HEADING.match(part):
            heading = next(
                name for name in named if _NAMED[name].search(part.split(":")[0])
            )
        elif named and heading not in named:
            heading = ""
        if about in named or (heading == about and not named):
            parts.append(" ".join(_ASIDE.sub(" ", part).split()))
    return ". ".join(part.rstrip(" .,;") for part in parts)


def stance_of(reason: str) -> str | None:
    """Return what a reason says last of who is better, by place; None: nothing."""
    text = plain(reason)
    places: list[tuple[int, str]] = []
    for stance, pattern in _STANCES:
        for match in pattern.finditer(text):
            if not _denied(text, match.start()):
                places.append((match.start(), stance))
    return max(places)[1] if places else None


def _denied(text: str, at: int) -> bool:
    """Whether a conclusion is put as a question, a condition or somebody else's."""
    return bool(
        re.search(
            r"\b(?:if|whether|would|could|not that|although)[^.;]*$", text[:at], re.I
        )
    )


def pointed_at(claims: Sequence[StatedClaim]) -> str | None:
    """Return the place that all comparisons of voice quality favour; None: no one."""
    favoured = set()
    for claim in claims:
        if claim.relation != "more" or claim.measure is None or len(claim.places) != 2:
            continue
        polarity = claim.sign
        if claim.measure.title in _WORSE:
            polarity = -polarity
        elif claim.measure.title not in _BETTER:
            continue
        favoured.add(claim.places[0] if polarity > 0 else claim.places[1])
    return favoured.pop() if len(favoured) == 1 else None


def follows(
    reason: str, claims: Sequence[StatedClaim], about: str, label: str
) -> tuple[bool, str] | None:
    """Whether a label follows from its reason, and why; None: the reason does not tell.

    Args:
        label: in places, as the reply gave it.
    """
    stance = stance_of(reason)
    if stance:
        if stance == label:
            return True, f"the reason concludes {stance}"
        if _contradicts(stance, label):
            return False, f"the reason concludes {stance}, the verdict is {label}"
    if about != "voice_quality" or label not in ("1", "2"):
        return None
    pointed = pointed_at(claims)
    if pointed is None:
        return None
    if pointed == label:
        return True, f"all that it compares favours answer {pointed}"
    return (
        False,
        f"all that it compares favours answer {pointed}, the verdict is {label}",
    )


def _contradicts(stance: str, label: str) -> bool:
    """Whether a label cannot stand beside a conclusion.

    Both may be acceptable and one still the better, and a better one may be better by
    so little that the two are a tie.
    """
    winners = ("1", "2")
    if stance in winners:
        return label in winners
    if stance == "both_bad":
        return label in (*winners, "both_good")
    return label == "both_bad"
