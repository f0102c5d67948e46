"""Quotations in a sentence: whose words they are said to be, or to be missing from.

Only what is said to be spoken, by a verb of speech, by its place ("in answer 1") or by
standing behind a side alone, is a claim; any other quotation may be a word that
somebody calls so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from trace_eval.judges.claims.hearsay import (
    HEARD_LIKE,
    INSTANCE,
    MEANT,
    NEITHER_NOR,
    NO_EVIDENCE,
    REPORTS,
    TELLS_NOT,
    UNTRUSTED,
)
from trace_eval.judges.claims.lexicon import THING
from trace_eval.judges.claims.negation import contrasted
from trace_eval.judges.claims.plain import is_measured
from trace_eval.judges.claims.sentences import Part, Sentence, named, other
from trace_eval.judges.claims.stated import Relation, StatedClaim
from trace_eval.judges.claims.tokens import Token

_LABELS = re.compile(
    rf"(?:(?:{THING} )?[12AB]|both[ _]?(?:good|bad)|ties?|true|false|content"
    rf"|voice[ _]?quality|paralinguistics"
    r"|acceptable|unacceptable|better|worse|good|bad)",
    re.I,
)

_SAY = (
    r"(?:say(?:s|ing)?|said|stat(?:e[sd]?|ing)|repl(?:y|ies|ied|ying)|answer(?:s|ed|ing)"
    r"|respond(?:s|ed|ing)?|reads?|reading|writes?|wrote|begin(?:s|ning)?|open(?:s|ing)?"
    r"|start(?:s|ing)?|commences?|end(?:s|ing)?|clos(?:es?|ing)"
    r"|concludes?|finish(?:es|ed|ing)?|wraps? up|signs? off|repeats?|mentions?"
    r"|us(?:es|ed|ing)"
    r"|contains?|includ(?:es|ing)|transcribed|recogni[sz]ed as"
    r"|heard|hears?|quotes?|offers?|gives?|adds?|calls?"
    r"|claims?|tell(?:s|ing)?|told|utter(?:s|ed|ing)?|speaks?|declines|refuses"
    r"|remarks?|informs?"
    r"|produc(?:es|ing)|deliver(?:s|ed)?|declares?|announces?|explains?|asks?|notes?"
    r"|goes|go on"
    r"|blurts?(?: out)?|throws? in|comes? (?:out as|out with|across as)|talks?"
    r"|puts? it|greets?|apologi[sz]es|insists?"
    r"|exclaims?|whispers?|shouts?|sings?|recites?|counts?|lists?|suggests?|advises?|warns?"
    r"|promises?|admits?|thanks|features?|is all|was all|has|have|had|got|gets?|kicks? off"
    r"|leads? with"
    r"|interjects?|recommends?|tags on|tacks on|appends?"
    r"|proclaims?|voices?|pronounces?|renders?|returns?|returned|outputs?|phrases?"
    r"|words?|wording|transcript"
    r"|line|lines|sentence|text|utterances?|verbatim|quote|with)"
)
_SAYING = re.compile(rf"\b{_SAY}\b[^\"]{{0,44}}$", re.I)
_ONLY_SAYS = re.compile(_SAY, re.I)
_POINTED = re.compile(r"(?:[:=>(\[]| -) ?$")
_PLACED = re.compile(
    r",? ?(?:(?:as|is|are|was|which|what|only|heard|said|spoken|uttered|found"
    r"|also|stands?|appears?|occurs?|comes?) )*(?:in|from|by|(?:out )?of)(?: the \w+ of)? $"
    r"|,? ?(?:says?|said) $| ?\($|,? (?:is|was) what $",
    re.I,
)
_MISSING = re.compile(
    rf"(?:\b(?:not|never|no|nil|without|nowhere|neither|nobody|nothing|cannot"
    r"|unable|impossible|in vain|w/o|zero|0 (?:mentions?|occurrences?|times)"
    r"|(?:omit|lack|leav|miss|fail|forget|forgot|neglect|avoid|skip|drop|exclud|ignor"
    r"|cut|refus"
    r"|overlook|los|stop|declin|withh[oe]ld)(?:t?|p)?(?:e|es|s|ed|ing)?|unsaid|unspoken"
    rf"|left(?! (?:one|{THING})\b)"
    r"|pass(?:es|ed)? over"
    r"|absent|except|save for|apart from|everything but|all but|instead)\b|n't\b)"
    r"[^,;:]*(?:: )?(?:, (?:is|was) )?$",
    re.I,
)
#: "It is answer 1 that says it, not the other."
_OTHER_SIDE = (
    r"not (?:its|the other|(?:the )?(?!in|from|of|by)\w+ (?:one|[12AB])\b|[12AB]\b)"
)
_MISSING_BEHIND = re.compile(
    r",? ?(?:(?:is|are|was|were|does|did|do|can) ?(?:\w+ )?)?"
    rf"(?!{_OTHER_SIDE})"
    r"(?:(?:not|never|nowhere|missing|absent|(?:occurs?|appears?) (?:zero|0|no) times"
    r"|omitted|dropped|skipped|cannot|left out|lacking)\b|n't)"
    r"|,? (?:makes? up|forms?|is|has|finds|gets) no (?:part|place|mention|trace)\b"
    r"|,? (?:is|are|was|were) (?:what|something|words|an? (?:\w+ )?(?:phrase|line"
    r"|sentence))\b"
    r"[^,;.]{0,40}?(?:\b(?:never|not|cannot|nowhere)\b|n't\b)",
    re.I,
)
_WISHED = re.compile(
    r"\b(?:should(?:n't)?|ought to|would(?! hear\b)|instead of|rather than|correct(?:ly)?"
    r"|expect(?:ed|s)?|i\.e\.|e\.g\.|such as(?=[ :]*$)|something like|means?"
    r"|(?<!lines )(?<!phrases )(?<!words )(?<!line )(?<!phrase )(?<!goes )like(?=[ :]*$)"
    r"|meaning|synonym|whether|supposed to|could|misheard|mishearing|mistaken for"
    r"|probably|likely|likelihood|presumably|meant|doubtful|may|might|if)\b[^,;\"]{0,40}$",
    re.I,
)
_DOUBTED = re.compile(
    r"[^\"]{0,24}\b(?:misheard|mishear\w*|likely|probably"
    r"|(?:doubtful|unsure|uncertain),? (?:and |so )?(?:likely|probably|perhaps|maybe"
    r"|mishear\w*))",
    re.I,
)
_ASKER = r"(?:user|speaker's request|request|instruction|prompt|task|question|brief)s?"
_USER_BEHIND = re.compile(
    r",? (?:(?:says|asks|reads|goes|wants) the|(?:(?:which|is|are|was|were|as|stands|stood"
    r"|asked for|wanted|required|demanded|set) )*(?:in|from|of|by) (?:the|this)"
    r" (?:user's |given )?)"
    rf" ?{_ASKER}\b"
    r"|,? (?:which )?(?:is|was|were|are) (?:what was )?(?:asked|requested|required|demanded"
    r"|wanted)\b",
    re.I,
)
#: "A sentence ending in "please", which is what was requested".
_WHAT_WAS_ASKED = re.compile(r", which (?:is|was) what", re.I)
_USER_WORD = re.compile(
    r"\b(?:user(?:'s)?|rules?|request(?:ed|s)?|instructions?(?!-)|instr|prompt"
    r"|ask(?:s|ed)?(?! (?:the listener|you|us)\b)|question"
    r"|task"
    r"|they(?!'| (?:can|can't|cannot|could|come|were|both|all|even|each|too|only"
    r"|share|say|agree|have|read|contain|end"
    r"|begin|differ|are|match|use|part|diverge|seem"
    r"|also)\b)"
    r"|req|requirements?|requires|brief|wish|order|wants?|wanted|demands?|demanded)\b",
    re.I,
)
_USER = re.compile(rf"{_USER_WORD.pattern}[^;]*$", re.I)
_TO_USER = re.compile(
    rf"\b(?:tells?|told|informs?|to|offers?|gives?|praises?|thanks?|encourages?"
    rf"|advises?|urges?"
    rf"|reminds?|invites?|greets?|{THING}) (?:the )?user\b"
    r"|\buser (?:receives?|gets?|hears?)\b",
    re.I,
)


#: "Given the request, what answer 1 does not say, is ...".
_UNSAID = re.compile(r"\b(?:does|did)(?: not|n't) (?:say|mention), (?:is|was) $", re.I)


#: A heading that says that both are alike: "No difference: "..." is read by both".
_NO_DIFFERENCE = re.compile(
    r"\A\W{0,8}(?:no (?:\w+ ){0,2}(?:difference|distinction)s?"
    r"|neither [^:;]{0,40}\b(?:trusted|reliable|certain|sure|usable|evidence"
    r"|proof)\b[^:;]{0,20}):",
    re.I,
)
#: "Neither leaves out "..."" says that both have it.
_LEAVES_OUT = re.compile(
    r"\b(?:leaves?|omits?|drops?|skips?|misses|lacks?)(?: out)? $", re.I
)
#: Letters behind a quotation that may say that it is missing.
MOST_BEHIND = 70


def quotations(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield the quotations of a sentence, with or without a speaker."""
    quotes = sentence.whole.of("quote")
    before: StatedClaim | None = None
    for number, token in enumerate(quotes):
        if _LABELS.fullmatch(token.value.strip(" .,")) or is_measured(token.value):
            continue
        start = quotes[number - 1].end if number else sentence.whole.start
        claim = _quotation(sentence, token, start)
        if before and _THROUGH_TO.fullmatch(sentence.words(start, token.start)):
            claim = replace(before, at=token.start, numbers=(token.value,))
        elif (
            before
            and before.relation == "course"
            and _AND_OTHER.fullmatch(sentence.words(start, token.start))
        ):
            claim = replace(claim, relation="course")
        elif before and _is_alike(sentence, start, token, before):
            claim = replace(claim, relation="says", spoken=before.spoken, negated=False)
        yield claim
        before = claim


def _is_one_of_two(sentence: Sentence, token: Token) -> bool:
    """Tell whether a quotation is one of each answer: "alike, "a" and "b""."""
    quotes = sentence.whole.of("quote")
    for one, two in pairwise(quotes):
        if token in (one, two) and _AND_OTHER.fullmatch(
            sentence.words(one.end, two.start)
        ):
            return not any(side.end <= one.start for side in sentence.whole.of("side"))
    return False


def _is_alike(
    sentence: Sentence, start: int, token: Token, before: StatedClaim
) -> bool:
    """Tell whether a quotation shares a verb: "1 is heard as "a", and 2 as "b""."""
    if before.relation != "says" or before.negated:
        return False
    gap = sentence.words(start, token.start)
    for side in sentence.whole.of("side"):
        if start <= side.start < token.start:
            gap = gap.replace(side.text, "\x00", 1)
    return bool(_AND_SIDE.fullmatch(gap))


#: "The difference between "I-2" and "V0"".
_AND_OTHER = re.compile(r",? (?:and|or|nor|against|versus|vs\.?|v\.?) ", re.I)
_AND_SIDE = re.compile(
    r"[,;]? ?(?:and |while |whereas |but )?\x00(?: as| with|:)? ?", re.I
)
#: "Both deliver the sentence whole, down to "good work"".
_DOWN_TO = re.compile(r"\b(?:down|through|up) to $", re.I)
#: "From "please remind" through to "get going"" quotes both.
_THROUGH_TO = re.compile(
    r",? (?:through to|through|down to|up to|to|until|till|(?:and )?then|followed by) ",
    re.I,
)


def _quotation(sentence: Sentence, token: Token, start: int) -> StatedClaim:
    clause = sentence.around(token)[1]
    alone = sentence.stands_alone_from(token.start)
    head = sentence.sense[max(start, sentence.whole.start, alone) : token.start]
    own = sentence.sense[max(start, clause.start) : token.start]
    tail = sentence.words(token.end, min(sentence.whole.end, token.end + MOST_BEHIND))
    if UNTRUSTED.search(sentence.words(token.end, sentence.whole.end)):
        own, head = (NEITHER_NOR.sub(" ", words) for words in (own, head))
    head, own = (_NO_DIFFERENCE.sub(" ", words) for words in (head, own))
    head, own, tail = (NO_EVIDENCE.sub(" ", words) for words in (head, own, tail))
    user = bool(_USER.search(own)) and not _TO_USER.search(own)
    user = user and not _UNSAID.search(own)
    user = user and not _said_by_side(sentence, token, own)
    ends_so = _WHAT_WAS_ASKED.match(tail) and _SAYING.search(own)
    user = user or bool(_USER_BEHIND.match(tail) and not ends_so)
    before: list[tuple[Token, str]] = []
    not_it: list[str] = []
    for side, place in named(sentence, sentence.whole):
        if start <= side.start < token.start:
            if contrasted(sentence.text, side):
                not_it.append(other(place))  # "it is not answer 1 that says ..."
            else:
                before.append((side, place))
    speakers = _nearest(sentence, token, before) or not_it
    goes_on = _OF_EITHER.fullmatch(sentence.words(clause.start, token.start))
    of_either = bool(goes_on and speakers) or _is_one_of_two(sentence, token)
    if of_either:
        speakers = []
    of_both = len(set(speakers)) == 2 and _are_joined(sentence, before)
    if of_both:
        speakers = []
    placed, spoken = _placed(sentence, token)
    sides = (placed,) if placed else tuple(dict.fromkeys(speakers))
    if not sides and not of_both and not of_either:
        sides = _sides_of(sentence, token)
    if user and not (speakers and re.search(_SAY, own)):
        sides = ()
    own = _ACTED.sub(" ", _AND_SAYS.sub(" says", _ASIDE.sub(" ", own)))
    unfound = bool(_SOUGHT.search(own) and _NOT_FOUND.match(tail))
    unfound = unfound or bool(_HAD_IT_SAID.match(own))
    wished = bool(_WISHED.search(HEARD_LIKE.sub(" as ", own)))
    wished = wished and not REPORTS.match(own)
    wished = wished or bool(_DOUBTED.match(tail) or _LOOKED_FOR.search(own))
    wished = wished and not unfound
    missing = (
        unfound
        or bool(_MISSING.search(own))
        or bool(_MISSING_BEHIND.match(tail))
        or bool(_ALL_BUT.search(head))
    )
    spoken = (
        spoken
        or bool(_SAYING.search(own))
        or bool(_DOWN_TO.search(own) and re.search(rf"\b{_SAY}\b", own))
        or bool(_POINTED.search(head) and sides)
        or bool(sentence.answers and sides and not speakers)
    )
    chunk = sentence.around(token)[0]
    of_neither = clause if not named(sentence, chunk) else chunk
    neither = any(
        side.value == "neither"
        and side.start < chunk.end
        and ": " not in sentence.words(side.end, token.start)
        for side in of_neither.of("side")
    ) and not any(side.value == "both" for side in chunk.of("side"))
    if TELLS_NOT.search(own):
        missing, spoken = unfound, True
    if _APART.fullmatch(own):
        missing = False  # "apart from "a" in answer 2, which is misheard, ..."
    if placed and _BUT_FOR_IT.search(own):
        missing, spoken = False, True  # "... match except for "a" in answer 1"
    claimed = (
        spoken or missing or user or (bool(sides) and _stands_behind(sentence, token))
    )
    is_heard_so = wished and bool(sides) and _is_heard_as(own)
    wished = wished and not is_heard_so
    doubt = "may be words that nobody said" if wished or _CALLED.search(own) else ""
    relation: Relation = "course"
    doubt = doubt or ("stands in a list" if _IN_LIST.search(head) else "")
    is_of_else = bool(doubt or is_heard_so or _AT_WORDS.search(own))
    is_of_else = is_of_else or (not placed and bool(_BUT_FOR.search(head)))
    if claimed and not is_of_else and len(sides) < 2:
        relation = "says"
    if missing and _MANNER.search(own):
        doubt = "may be said in another manner"
    elif not user and not neither:
        told = _told_of(sentence, token, clause, before, own=own, head=head)
        doubt = doubt or _doubt(
            sentence, token, head=told, missing=missing, sided=bool(sides)
        )
    leaves_none_out = neither and bool(_LEAVES_OUT.search(own))
    return StatedClaim(
        kind="quotation",
        text=sentence.claim_text(token),
        at=token.start,
        relation=relation,
        places=sides if len(sides) == 1 else (),
        numbers=(token.value,),
        negated=(missing or (neither and not user)) and not leaves_none_out,
        of_user=user,
        spoken=spoken and not user,
        doubt=doubt,
    )


#: "..., but the opening "as" is doubtful" tells of either answer.
_OF_EITHER = re.compile(
    r"[,;]? ?(?:but |and |though |although |only |while )*the"
    r" (?:(?:opening|first|last|final|closing|odd|single|one|doubtful|word|words"
    r"|phrase|phrasing) )*",
    re.I,
)


def _is_heard_as(own: str) -> bool:
    """Tell whether doubtful words were heard, and not meant: "e.g. "a" in answer 1"."""
    if MEANT.search(own):
        return False
    wished = _WISHED.search(own)
    if wished is None:
        # "Is heard as "a", which is probably misheard".
        return bool(_SAYING.search(own))
    return bool(INSTANCE.match(wished[0]))


def _are_joined(sentence: Sentence, sides: list[tuple[Token, str]]) -> bool:
    """Tell whether the last two sides are one subject: "answers 1 as well as 2"."""
    (one, _), (two, _) = sides[-2:]
    between = sentence.words(one.end, two.start)
    return between in (" and ", " as well as ", " like ", " & ")


def _nearest(
    sentence: Sentence, token: Token, sides: list[tuple[Token, str]]
) -> list[str]:
    """Return the places of the sides of a chunk, else of a clause, else all of them.

    "Answer 1 is cut short, while answer 2 says ..." quotes answer 2.
    """
    for part in sentence.around(token):
        inside = [place for side, place in sides if part.start <= side.start]
        if inside:
            return inside
    return []


#: A verb that a negated auxiliary cannot govern: "does not whisper and says ...".
_FINITE = rf"(?:(?=\w+s\b|said|wrote|began|told|heard){_SAY})\b"
_AND_SAYS = re.compile(
    rf"\A.*\b(?:and|then)(?: (?:it|he|she|then|only|also|instead|just|simply))* {_FINITE}",
    re.I,
)
#: An act whose words are quoted: "refuses ("I cannot sing")", "fails by saying ...".
_ACTED = re.compile(
    r"\b(?:refus|declin|fail|stop|ignor|apologi[sz])(?:e|es|s|ed|ing)?\b"
    r"(?! to\b(?![^\"]*[(\[] ?$))"
    r"(?=[^\"]*(?:[(:\[]|\b(?:with|by|saying|as|and|because|since|when)\b| - )[^\"]*$)",
    re.I,
)


def _said_by_side(sentence: Sentence, token: Token, own: str) -> bool:
    """Tell whether an answer is the last before a quotation to say it.

    An example is "the request says to whisper, and answer 1 says ...".
    """
    asker = list(_USER_WORD.finditer(own))
    if asker and asker[-1][0].lower() == "they":  # "in answer 1 they say ..."
        head = len(own) - asker[-1].start()
        asked = re.match(r"they (?:ask|want|demand|request)", own[asker[-1].start() :])
        sides = [side for side, _ in named(sentence, sentence.whole)]
        stands = any(
            token.start - len(own) <= s.start < token.start - head for s in sides
        )
        if stands and not asked:
            return True
    start = token.start - len(own) + (asker[-1].end() if asker else 0)
    answers = [side for side, _ in named(sentence, sentence.whole)]
    answers += [side for side in sentence.whole.of("side") if side.value == "both"]
    for side in sorted(answers, key=lambda each: -each.start):
        if start <= side.start < token.start:
            return bool(_SAYS_NEXT.match(sentence.words(side.end, token.start)))
    return False


_SAYS_NEXT = re.compile(
    rf"(?: (?:only|also|then|just|simply|instead|actually|\w+ly))* {_FINITE}"
    r"| (?:is|was|are|were) (?:heard|recogni[sz]ed|transcribed|understood|rendered)\b"
    r"| (?:read|say|speak|have|contain|end|begin|open|close)\b",
    re.I,
)


#: "It has that 'je ne sais quoi'", "a case of 'all bark'": nobody says it.
_CALLED = re.compile(
    r"\b(?:has|have|had|with) (?:that|this|a certain)\W*$"
    r"|\b(?:call(?:s|ed)?|(?:label|mark|rat|describ|class|flagg|dubb|term)\w* as"
    r"|so-called|the idiom"
    r"|case of|kind of|sort of|sense of|feeling of|definition of|spirit of"
    r"|(?:an?|any|some|vague) idea of) (?:an? |the )?$",
    re.I,
)
#: A member of a JSON list.
_IN_LIST = re.compile(r"\[ ?$")
#: "Breaks off before "clear your mind"" says where, and not what is missing.
_AT_WORDS = re.compile(r"\b(?:before|until|around) (?:the words? )?$", re.I)
#: "The same but for "a" and "the"": each answer has one of them.
_BUT_FOR = re.compile(
    r"\b(?:same|identical|equal|alike|agree\w*|match\w*|differ\w*)\b[^;]*"
    r"\b(?:except|save|apart from|but for|besides|aside from)\b[^;]*$"
    r"|\bdiffer(?:s|ing)?\b[^;:\"]*$|\bdifference between $",
    re.I,
)
_BUT_FOR_IT = re.compile(
    r"\b(?:except(?: for)?|apart from|aside from|save for|but for) \Z", re.I
)
_APART = re.compile(r"\W{0,8}(?:apart|aside) from ", re.I)
_ALL_BUT = re.compile(r"\b(?:everything|anything|all) but $", re.I)
_SOUGHT = re.compile(
    r"\b(?:look|search|listen|wait|check|hop|wish|want|lik|expect|would|should|could"
    r"|might|miss|need)"
    r"(?:ed|ing|s|es)?\b[^;\"]*$",
    re.I,
)
_LOOKED_FOR = re.compile(
    r"\b(?:look|search|listen|wait|watch|hop)(?:ed|ing|s|es)? (?:\w+ )?for\b[^;\"]*$",
    re.I,
)
#: "Had answer 1 said ...", "if only it had said ...": it did not.
_HAD_IT_SAID = re.compile(
    rf"\A\W*(?:and |but )?(?:had\b|if only\b.*\bhad\b)[^,;]*\b(?!have|has|had){_SAY}\b",
    re.I,
)
#: "I looked for it in answer 1 and did not find it", "..., but it does not".
_NOT_FOUND = re.compile(
    r"\A[^;\"]{0,40}(?:,? (?:and|but|yet|though|although|which|only)\b|,|\.)[^;\"]{0,24}"
    r"(?:\b(?:did|does|do|could|can|is|was|has|have|there is|there's|it's)(?: not"
    r"|n't)\b|\bnever\b"
    r"|\bcannot\b|\bin vain\b|\bfail(?:ed|s)\b|\bno such\b|\bnot there\b|\bnothing\b)",
    re.I,
)

#: "It cannot whisper "good night"", but may well say it.
_MANNER = re.compile(
    r"\b(?:whisper|shout|sing|sang|sung|chant|pronounc|deliver|voic|render|recit|articulat"
    r"|emphasi[sz]|stress)\w*(?: (?:the|out|word|words|line|phrase|softly|quietly))* ?$",
    re.I,
)
#: "It does not, as far as I can hear, say ...".
_ASIDE = re.compile(r", [^,\"]{1,40}, ")

_CONTRAST = re.compile(rf",? {_OTHER_SIDE}", re.I)

_NEGATION = re.compile(
    r"\b(?:not(?! only\b)|never|no|nowhere|without|nor|hardly)\b|n't\b"
    r"|\b(?:unable|impossible|in vain|fail(?:s|ed)?|lack(?:s|ed)?|absent|w/o)\b",
    re.I,
)


def _doubt(
    sentence: Sentence, token: Token, head: str, missing: bool, sided: bool
) -> str:
    """Return what else a quotation may be said of; empty: nothing."""
    if missing:
        both = any(side.value == "both" for side in sentence.whole.of("side"))
        return "" if sided or both else "does not say from which answer it is missing"
    if _MISSING.search(head):
        return ""
    end = sentence.around(token)[1].end
    for side, _ in named(sentence, sentence.whole):
        if side.start >= token.end and _ANOTHER_SIDE.search(
            sentence.words(token.end, side.start)
        ):
            end = min(end, side.start)  # "..., and the second is no more certain"
    tail = NO_EVIDENCE.sub(" ", sentence.sense[token.end : end])
    tail = _TOLD_NEXT.split(tail[:MOST_BEHIND])[0]
    around = _CONTRAST.sub(" ", f"{head} , {tail}")
    return "may be said to be missing" if _NEGATION.search(around) else ""


def _told_of(
    sentence: Sentence,
    token: Token,
    clause: Part,
    before: list[tuple[Token, str]],
    *,
    own: str,
    head: str,
) -> str:
    """Return the words before a quotation that may deny it.

    "The words of answer 1 do not count, and answer 2 is heard saying ..." does not.
    """
    sides = [side for side, _ in before if side.start >= clause.start]
    if sides:
        behind = sentence.sense[sides[-1].end : token.start]
        return behind if _SAYING.search(behind) else own
    of_both = any(
        side.value == "both" and side.end <= token.start for side in clause.of("side")
    )
    return own if of_both and _SAYING.search(own) else head


_ANOTHER_SIDE = re.compile(
    r",? (?:and|while|whereas|but) (?:the )?(?:\w+ (?:of|in|from) (?:the )?)?\Z", re.I
)
#: What follows says more of the words, and not that they are missing.
_TOLD_NEXT = re.compile(
    r", (?:which|with|an?|so|but)\b|,? and (?:this|that|it)\b| where\b", re.I
)


def _placed(sentence: Sentence, token: Token) -> tuple[str, bool]:
    """Return the side in which a quotation is said to stand: "... in answer 1"."""
    for side, place in named(sentence, sentence.whole):
        if side.start < token.end:
            continue
        gap = sentence.words(token.end, side.start)
        signed = gap.strip() == "-" and side.end >= sentence.whole.end
        if signed or _PLACED.fullmatch(gap):
            return place, True
        if _MISSING_BEHIND.match(gap) and re.search(r"\b(?:in|from|by|of) $", gap):
            return place, True
        break
    return "", False


def _sides_of(sentence: Sentence, token: Token) -> tuple[str, ...]:
    """Return the one side that the sentence names, or that those before are about."""
    sides = named(sentence, sentence.whole)
    places = {place for _, place in sides}
    if len(places) == 1 and token.end < sides[0][0].start:
        between = sentence.words(token.end, sides[0][0].start)
        return () if " and " in between else tuple(places)
    if len(places) == 1:
        return (places.pop(),)
    if places or sentence.whole.of("side"):
        return ()
    head = sentence.words(sentence.whole.start, token.start)
    words = " ".join(re.findall(r"\w+", head))
    goes_on = re.search(r"\b(?:it|its)\b", head, re.I) or _ONLY_SAYS.fullmatch(words)
    follows = bool(goes_on) or (sentence.answers and not words)
    return (sentence.subject,) if follows and sentence.subject else ()


def _stands_behind(sentence: Sentence, token: Token) -> bool:
    """Whether a quotation stands right behind a side, e.g. in brackets."""
    sides = [s for s, _ in named(sentence, sentence.whole) if s.end <= token.start]
    if not sides:
        return False
    return bool(
        re.fullmatch(
            r"'s|(?:'s)?[ ,:(\[=-]*", sentence.words(sides[-1].end, token.start)
        )
    )
