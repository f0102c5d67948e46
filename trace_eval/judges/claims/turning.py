"""Words that may turn the sense of a claim: what is false only of one reading.

A claim is false only where its sentence leaves no other reading. A negation that the
reading did not use up, a condition, a wish, an order or a time before the claim may
each turn it, whatever the words are to which they belong.
"""

from __future__ import annotations

import re

from trace_eval.judges.claims.hearsay import NO_EVIDENCE, REPORTS, TELLS_NOT
from trace_eval.judges.claims.sentences import MY_VIEW, Sentence
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.unclaimed import TOLD

_WHO = r"(?:I|we|you|one|it|that|this|there|favou?r|reason|difference)"
_MODAL = r"(?:'d| would| could| can| might| must| may| should)"
_TOLD = (
    rf"(?:{TOLD}|see|tell"
    r"|well be|be (?:that|its|my|the one|noted|said|added|mentioned|stressed|argued"
    r"|observed"
    r"|called))"
)
_TAKEN = (
    r"be (?:said|called|described|regarded|considered|judged|argued|noted"
    r"|something like|about"
    r"|around|\d[\w. %]*)"
)
_CONDITION = (
    r"if (?:you ask me|i may say so|anything|only [a-z]+|i heard|i understand"
    r"|(?:we|you|i|one) (?:now )?(?:talk|speak|turn|look|go|come|listen|compares?"
    r"|picks?|picked"
    r"|chooses?|chose|take|took)|the (?:data|figures|numbers|values) (?:is|are)"
    r"|i (?:had|have|were|was|am) to \w+)"
)

#: Phrases that hold such words and turn nothing.
_IDLE = re.compile(
    r"\b(?:not(?= \x00+ but \x00)|must be(?= (?:\w+ )?\x00)|should be the(?= \x00+ one)"
    r"|if(?= \x00+ (?:has|had) \x00[^.;]*, then\b)|let (?:me|us)(?! know)(?: \w+)?"
    r"|(?:with )?no (?:pauses?|clipping|doubtful words?|doubts?)"
    r"|without (?:any |a )?(?:pauses?|clipping|doubtful \w+)"
    r"|even if|give or take|needless to say|whether or not"
    r"|would be(?= (?:wrong|false|untrue|incorrect)\b)"
    rf"|{_WHO}{_MODAL} (?:\w+ )?{_TOLD}|(?:could|must|may|might|can"
    rf"|should) (?:\w+ )?{_TAKEN}"
    r"|(?:could|may|might|would|should|can)(?= (?:\w+ )?(?:hint|suggest|indicate"
    r"|point|mean|reflect"
    r"|imply|explain|speak|argue|account)\b)"
    rf"|{_CONDITION}|were (?:i|we|you|one) to (?:choose|pick|rank|order|judge|decide"
    rf"|rate))\b",
    re.I,
)
#: "With no pauses and a pitch of 215 Hz": denies the pauses alone.
_ABSENT = ("pauses", "pause", "clipping")
_NO_OF = re.compile(r"\b(?:no|without(?: any)?) \Z", re.I)
#: "No real difference in sound: ..." is followed by what shows it.
_HEADING = re.compile(
    r"\A[^:\d]*\b(?:no|not|hardly|barely|scarcely|nothing|little)\b[^:\d]*"
    r"\b(?:differ\w*|distinguish\w*|apart|separat\w+|between|winner|prefer\w*|advantage"
    r"|flaws?|faults?|issues?|problems?|choose|choice|audible)\b(?:[^:\d]"
    r"|\b\d[\d.]*(?= (?:\w+ )?steps?\b))*: ",
    re.I,
)
#: What is said about quoted words: "..., which must be recognised", "... are no proof".
_RELATIVE = re.compile(
    r"\x00,? (?:that|which|who|(?:is|are|was|were) no (?:proof|evidence)|with)\b", re.I
)
#: Of words that a recogniser heard these doubt the words, and not that it heard them.
_PLACE = re.compile(
    r"\bat the (?:start|beginning|outset)\b|\bto begin with(?= \x00)", re.I
)
_HEARSAY = re.compile(r"\b(?:supposedly|allegedly)\b", re.I)
_NEGATION = re.compile(
    r"\b(?:not|never|no(?! \d)|none|nobody|nowhere|nothing|neither|nor|cannot|without"
    r"|hardly|barely|scarcely|wrong|untrue|false|mistaken"
    r"|(?<!in )(?<!of )(?<!no )(?:(?<=\bI )|(?<=\bwe )|(?<=\bone )|(?<=\bto )"
    r"|(?<=can )|(?<=would ))doubt"
    r"|doubt(?:s|ed|ful)?(?= (?:that|whether|if)\b)|den(?:y|ies|ied)"
    r"|disput\w+|refut\w+|far from|anything but|unlikely|impossible|myth|rul(?:e|es"
    r"|ed) out|r/o"
    r"|contrary|fail(?:s|ed)? to|unable|contested|disagree\w*)\b|n't\b"
    r"|\A\s*far as to\b",  # "I would not go so far as to say ..."
    re.I,
)
_UNREAL = re.compile(
    r"\b(?:would|could|should|might|must|ought|if|unless|suppos(?:e|es|ed|ing)"
    r"|imagin(?:e|ing)"
    r"|assum(?:e|ing)|(?<![a-z] )provided|pretend(?:s|ing)?|as though|whether|in case"
    r"|lest|until"
    r"|hypothe\w+|in theory|allegedly|supposedly|claims? to|purports?"
    r"|wish(?:es|ed)?|hop(?:e|ed|ing)|needs? (?:another|more)"
    r"|needs?(?= [^.;]*\bto (?:match|equal|reach|catch|keep)\b)"
    r"|prefer(?:s|red)? (?:it |to )|were (?:it|they|he|she|there)|had (?:it|they|he|she)"
    r"|expect(?:s|ed|ing)? \w+ to|supposed to|meant to|aim(?:s|ed)? (?:for|at)"
    r"|at first|initially|at times|sometimes|occasionally|in places|for a moment|early on"
    r"|once(?= (?:\w+ )?\x00+ (?:is|was|has|gets|becomes|sounds))|dream\w*"
    r"|fanc(?:y|ied)|at one point|at the (?:start|beginning|outset)|to begin with)\b"
    r"|'d (?:have|like|prefer|want|love|need|be|go)\b"
    # A wish without anybody: "Need louder A".
    r"|\A[^\w\x00]*(?:needs?|wants?|prefer|require|looking for)(?= (?:an? |the "
    r"|some )?\x00)"
    # A heading of what is wanted: "Expected: answer 1 louder", unlike "As expected: ...".
    r"|(?<!\bas )\b(?:expect(?:ed|ation)|desired|wanted|required|intended|planned"
    r"|ideal|target"
    r"|goal|acceptance|to ?do)(?: (?:result|output|outcome|behaviou?r|state))?:",
    re.I,
)
#: "I advise answer 1 to be louder", unlike "I found answer 1 to be louder".
_TO_BE = re.compile(
    r"\bto (?:be|sound|get|become)(?: (?:a|an|the|at|about|around|much|far|bit|little"
    r"|somewhat"
    r"|even|rather|quite|\w+ly))* ?$",
    re.I,
)
_FOUND = re.compile(
    r"\b(?:f(?:ind|inds|ound)|seem(?:s|ed)?|appear(?:s|ed)?|prove[sdn]?|turn(?:s|ed) out"
    r"|happen(?:s|ed)?|tend(?:s|ed)?|known|measured|said|shown|judg(?:e|es|ed)"
    r"|consider(?:s|ed)?"
    r"|perceiv(?:e|es|ed)|hear|heard|note[sd]?|observ(?:e|es|ed)|take[ns]?|took"
    r"|believed?|feel|felt"
    r"|deem(?:s|ed)?|rate[sd]?|reported|sure|certain|bound|think|thought|estimate[sd]?"
    r"|understood|revealed|confirmed|predict(?:s|ed)?|manages?|managed|comes?|came"
    r"|reckon(?:s|ed)?"
    r"|looks|looked|indicat(?:e|es|ed)|sees?|saw|ends up)\b",
    re.I,
)
#: An order begins a clause.
_ORDER = re.compile(
    r"(?:^|[.:;,\n(]|- |\* |\b(?:please|then|and|just|so)) ?(?:TODO:? ?|fix:? )?"
    r"(?:make|give|keep|fix|have|bring|raise|push|pull|turn|dial|bump|crank|ensure"
    r"|avoid|reduce"
    r"|increase|consider|picture|imagine|suppose|assume|let(?! me| us)|try|speed|get"
    r"|swap|use"
    r"|slow(?! (?:speech|pace|delivery|tempo|reading|voice|speaking"
    r"|talking)\b)) (?!or take|in mind)(?=[^:;.]*$)",
    re.I,
)
#: What stands before the clause of a claim and cannot turn it: "although neither is
#: perfect, answer 2 ..."; "answer 2 does not whisper and is ...".
_BEFORE_CLAUSE = re.compile(
    r"\A[^\w\x00]*(?:because|since|as|given that)\b[^,:;]*,(?= I [^,:;]*: (?:the )?\x00)"
    r"|\A[^\w\x00]*(?:(?:even )?though|although|while|whereas|because|since"
    r"|given that|despite"
    r"|in spite of|contrary to|without|to begin with"
    r"|far from|rather than|instead of|unlike)\b[^,]*(?<! that),(?= (?:the )?\x00)"
    r"|\A[^\x00]{0,60}\b(?:is|was) (?:wished for|wanted|requested|asked for"
    r"|called for|desired"
    r"|required|expected)\b,? (?:and|but|so|yet)(?= (?:the )?\x00)"
    r"|\A[^\w\x00]*(?:the )?\x00+ (?:(?:does|do|did|is|was|are)(?: not|n't)|never"
    r"|cannot|can't"
    r"|fails to)\b(?:(?!\bthat\b)[^,])*,? and (?:it |also )?(?=(?:is|has|speaks|sounds)\b)",
    re.I,
)
_SUBORDINATES = re.compile(
    r"\b(?:although|though|because|since|while|given that) ?$", re.I
)
#: What stands before a comma and names no answer, measure or number.
_NAMES_NONE = re.compile(r"\A[^\x00,]*,")
#: What takes a claim back behind it.
_TAKEN_BACK = re.compile(
    r"\b(?:other way (?:a?round|about)|reverse(?:d)?|vice versa|just kidding|not really"
    r"|opposite(?! (?:directions?|ways?|signs?)\b)(?! of (?:what|the (?:user|request"
    r"|instruction)))|i was wrong|scratch that"
    r"|strike that|or rather|wait|oh no|actually,? no|sorry"
    r"|on second thou?ght|correction|no joke about it|at first"
    r"|would be (?:wrong|false|untrue|a stretch)"
    r"|(?:that|this|which|it|claim) (?:is|was) (?:wrong|false|untrue|a myth))\b"
    r"|- not[.!]?$",
    re.I,
)


#: What may be so goes on behind a claim: "has 3.1 st, and could come across as engaged".
_THEN_UNREAL = re.compile(
    r",? (?:and|but|so|yet) (?:it )?(?:could|would|might|may|should)\b"
)


def turned(sentence: Sentence, claim: StatedClaim) -> str:
    """Return a doubt where words of a sentence may turn a claim; empty: they do not."""
    whole = sentence.whole
    letters = list(sentence.sense[whole.start : whole.end])
    for token in whole.tokens:
        first, last = token.start - whole.start, token.end - whole.start
        letters[first:last] = "\x00" * (last - first)
    for token in whole.of("measure"):
        head = "".join(letters[: token.start - whole.start])
        own_no = _NO_OF.search(head)
        if token.value in _ABSENT and own_no:
            letters[own_no.start() : own_no.end()] = " " * len(own_no[0])
    words = "".join(letters)
    starts = [each.start for each in sentence.clauses if each.start <= claim.at]
    ends = [each.end for each in sentence.chunks if each.start <= claim.at]
    start, stop = (starts or [whole.start])[-1], (ends or [whole.end])[-1]
    for side in whole.of("side"):  # "Neither is perfect: ..."
        colon = sentence.text.rfind(": ", side.end, max(claim.at, side.end))
        start = max(start, colon + 1)
    own = words[start - whole.start : stop - whole.start]
    before = _BEFORE_CLAUSE.match(own, 0, claim.at - start)
    if before:
        start += before.end()
        own = own[before.end() :]
    if _SUBORDINATES.search(sentence.words(start - 10, start)):
        own = _NAMES_NONE.sub(_blank, own)  # "although it is not decisive, that ..."
    view = MY_VIEW.match(sentence.words(start, claim.at))
    if view:
        start += view.end()
        own = own[view.end() :]
    heading = _HEADING.match(sentence.words(start, claim.at))
    if heading:
        start += heading.end()
        own = own[heading.end() :]
    own = _IDLE.sub(_blank, own)
    if then := _THEN_UNREAL.search(own, max(claim.at - start, 0)):
        own = own[: then.start()]
    if claim.kind == "quotation":
        own = NO_EVIDENCE.sub(_blank, _HEARSAY.sub(_blank, own))
        own = _PLACE.sub(_blank, own)
        if claim.spoken and not claim.negated:
            own = own[: max(claim.at - start, 0)]  # "says that "..." would be good"
            own = TELLS_NOT.sub(_blank, own)
            own = "" if REPORTS.match(own) else own  # it is told, whatever is in it
        relative = _RELATIVE.search(own, max(claim.at - start, 0))
        own = own[: relative.start()] if relative else own
    alone = start
    neither = [
        side
        for side in whole.of("side")
        if side.value == "neither" and side.start < stop
    ]
    if _NEGATION.search(own) or neither:
        alone = max(sentence.stands_alone_from(claim.at), start)
    negations = [match[0] for match in _NEGATION.finditer(own, alone - start)]
    negations += [side.text for side in neither if side.start >= alone]
    if any(
        token.start == claim.at and sentence.presupposed(token)
        for token in whole.of("number")
    ):
        return ""
    if claim.kind == "comparison" and sentence.takes_for_granted(claim.at):
        return ""
    used_up = _used_up(sentence, claim)
    if len(negations) > used_up:
        return _doubt(negations[0])
    if claim.kind == "quotation" and used_up:
        return ""  # "The user wants ...", "it should say ..., and does not"
    unreal = _UNREAL.search(own) or _told_to_be(own[: max(claim.at - start, 0)])
    unreal = unreal or _ordered(own[: claim.at + 1 - start])
    unreal = unreal or _TAKEN_BACK.search(sentence.words(stop, whole.end))
    return _doubt(unreal[0]) if unreal else ""


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _ordered(words: str) -> re.Match[str] | None:
    """Return an order; in "both are quiet and have 180 WPM" there is none."""
    order = _ORDER.search(words)
    if order and _AND_HAVE.fullmatch(order[0]) and "\x00" in words[: order.start()]:
        return None
    return order


_AND_HAVE = re.compile(r"[,;]? ?(?:and )?have ", re.I)


def _told_to_be(words: str) -> re.Match[str] | None:
    """Return "to be" where nothing before it says that it was found."""
    to_be = _TO_BE.search(words)
    return None if to_be is None or _FOUND.search(words, 0, to_be.start()) else to_be


def _doubt(words: str) -> str:
    return f"may be turned by '{words.strip(' -:;,.*')}'"


def _used_up(sentence: Sentence, claim: StatedClaim) -> int:
    """Return how many negations the reading of a claim stands for."""
    if claim.kind == "quotation":
        return 2 if claim.negated or claim.of_user else 0
    if claim.relation in ("not_more", "over", "under", "same") or claim.negated:
        return 1
    if claim.relation == "more" and sentence.whole.of("as"):
        return 1
    return 1 if claim.numbers == ("0",) else 0
