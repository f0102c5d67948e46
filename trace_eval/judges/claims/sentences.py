"""A sentence of a reason, and the sides that a word of it is about.

A word is about the sides of its chunk; where that names none, of its clause, and then
of its sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from blueprints.notation import cut_short
from trace_eval.judges.claims.lexicon import HEDGES, OBJECT
from trace_eval.judges.claims.negation import sense_of
from trace_eval.judges.claims.tokens import Token
from trace_eval.judges.claims.unclaimed import COURSE, NORM, NOT, UNREAL

#: Characters of a claim that are kept.
_SHOWN = 160

_OBJECT = re.compile(OBJECT, re.I)
_NOT = re.compile(NOT, re.I)
_SUM = re.compile(r"(?<![\w.])[12AB] ?= ?[12AB] ?\+")
_OF_ELSE = re.compile(
    r"\b(?:that|because|evidence|sure|certain|clear|enough|about|for)\b", re.I
)
_UNREAL = re.compile(UNREAL, re.I)
#: "The longer it talks, the better it gets".
_THE_MORE = re.compile(
    r"\A[^,]*, the (?!latter|former|other)(?:more|less|\w+er)\b", re.I
)
#: "Had the pitch of answer 2 been higher", "were answer 1 slower".
_INVERTED = re.compile(
    r"\A\s*(?:and |but )?(?:had|were|should) (?!\d|I\b|you\b|we\b|an? look\b|to\b|be\b)\w",
    re.I,
)

#: "Maybe answer 1 is louder, hard to say"; "maybe 4 dB" is a value.
_UNSURE = re.compile(
    r"\A\s*(?:and |but |so )?(?:maybe|perhaps|possibly)\b"
    r"|\b(?:hard|difficult) to (?:say|tell)\b|\bwho knows\b"
    # Not of the recogniser: "it was unsure about both clips".
    r"|\b(?:I am|I'm|we are|we're|one is) (?:not |un)sure\b",
    re.I,
)
_NORM = re.compile(NORM, re.I)
_RELATIVE = re.compile(r" ?(?:whose|which|with)\b", re.I)
_COURSE = re.compile(COURSE, re.I)
_WHERE = re.compile(r"\bwhere\Z", re.I)
_TREND = re.compile(r"\b(?:trends?|slopes?)\b", re.I)
_SLOPES = ("slope", "pitch_slope", "loudness_slope")


@dataclass(frozen=True)
class Part:
    """A stretch of a reason with the tokens in it: a sentence, a clause or a chunk."""

    start: int
    end: int
    tokens: tuple[Token, ...]

    def of(self, *kinds: str) -> list[Token]:
        """Return the tokens of these kinds."""
        return [token for token in self.tokens if token.kind in kinds]


@dataclass
class Sentence:
    """A sentence, its parts, and what it takes over from those before.

    Attributes:
        text: the whole reason, in which tokens have their places; quotations are
            blanked.
        subject: the side that the sentences before are about; empty: none, or both.
        topic: the measure that a heading right before names; empty: none.
        answers: the sentence before asks about its subject alone: "Answer 2? Clearly
            faster."
        echo: the measure of the one value that the sentence before gives, and its unit.
        question: the comparative of "Which one is faster?" right before; None: there is
            none.
    """

    text: str
    whole: Part
    clauses: list[Part]
    chunks: list[Part]
    subject: str = ""
    topic: str = ""
    answers: bool = False
    echo: tuple[str, str] = ("", "")
    question: Token | None = None
    shown: str = ""
    _marks: dict[int, bool] = field(default_factory=dict)

    @property
    def asks(self) -> bool:
        """Whether it is a question, which states nothing; "..., right?" is none."""
        if _TAG.search(self.words(self.whole.start, self.whole.end)):
            return False
        return self.text[self.whole.end : self.whole.end + 1] == "?"

    @property
    def reply(self) -> str:
        """What follows on a question that wants yes or no: either; empty: neither."""
        question = self.words(self.whole.start, self.whole.end)
        if not self.asks or not _ASKS_YES_NO.match(question):
            return ""
        end = self.whole.end
        match = _REPLY.match(self.words(end + 1, end + 40))
        if match is None:
            return ""
        return "no" if match["no"] else "yes"

    @property
    def reckons(self) -> bool:
        """Whether two sides stand in a formula."""
        sides = [side for side in self.whole.of("side") if side.value in ("1", "2")]
        if _SUM.search(self.words(self.whole.start, self.whole.end)):
            return True
        for one, two in pairwise(sides):
            between = self.words(one.end, two.start).strip()
            behind = self.words(two.end, two.end + 3).strip()
            if between in ("=", ":"):
                return True
            if between in ("-", "+") and behind.startswith("="):
                return True
        return False

    def continues(self, token: Token) -> bool:
        """Tell whether a token's clause goes on about the subject of earlier sentences.

        It does where a pronoun says so, and where it has no words but those of a
        measurement; of any others it may tell a norm ("people speak at 150 WPM").
        """
        clause = self.around(token)[1]
        if PRONOUN.search(self.words(self.whole.start, token.start)):
            return True
        letters = list(self.words(clause.start, clause.end))
        for each in clause.tokens:
            start, end = each.start - clause.start, each.end - clause.start
            letters[start:end] = " " * len(each.text)
        words = re.findall(r"[^\W\d_]+", "".join(letters))
        return all(word.lower() in _MEASURING for word in words)

    def around(self, token: Token) -> tuple[Part, Part, Part]:
        """Return the chunk, the clause and the sentence of a token."""
        return _at(self.chunks, token.start), self.clause_at(token.start), self.whole

    def clause_at(self, place: int) -> Part:
        """Return the clause in which a place of the text stands."""
        return _at(self.clauses, place)

    def takes_for_granted(self, at: int) -> bool:
        """Tell whether a comparative is taken for granted, whatever is said about it.

        "The wider bandwidth of answer 1 does not help": it is wider.
        """
        whole = self.words(self.whole.start, self.whole.end)
        if not _ATTRIBUTE.search(self.words(self.whole.start, at)):
            return False
        if _IN_DOUBT.search(whole):
            return False
        own = [each for each in self.whole.tokens if each.start == at and each.value]
        behind = [each for each in self.whole.tokens if each.start > at][:2]
        if own and behind:  # "the higher voice of answer 1"
            behind = [own[0], behind[0]]
        if [each.kind for each in behind] not in (
            ["measure", "side"],
            ["more", "side"],
        ):
            return False
        measure, side = behind
        return self.words(measure.end, side.start) in (" of ", " in ", " of the ")

    def goes_on_behind_where(self, chunk: Part) -> bool:
        """Tell whether a chunk may be of the clause before "where answer 1 has 289".

        "P808 is 348 where answer 1 has 289, and BAK is 413".
        """
        clause = self.clause_at(chunk.start)
        if chunk.of("side") or chunk.start == clause.start:
            return False
        return bool(_WHERE.search(self.words(clause.start - 6, clause.start)))

    def may_mean_either(self, chunk: Part, token: Token) -> bool:
        """Tell whether a pronoun that begins a chunk may stand for either answer.

        "Answer 1 has 12 kHz while answer 2 stops at 8, and it is louder".
        """
        words = self.words(chunk.start, chunk.end)
        begins = _BEGINS_WITH_IT.match(words) or self._begins_with_measure(chunk)
        if chunk.of("side") or not begins:
            return False
        before: set[str] = set()
        first = token.start
        for side, place in named(self, self.whole):
            if side.end <= token.start and not self.marked(side):
                before.add(place)
                first = min(first, side.start)
        if PRONOUN.search(self.words(self.whole.start, min(first, chunk.start))):
            before.add(self.subject)
        return len(before - {""}) == 2

    def _begins_with_measure(self, chunk: Part) -> bool:
        """Tell whether a measure stands right behind "and": "and P808 is 341"."""
        first = chunk.tokens[0] if chunk.tokens else None
        if first is None or first.kind != "measure":
            return False
        head = self.words(chunk.start - 5, first.start).strip(" ,;")
        return head in ("and", "and the")

    def takes_up(self, token: Token) -> bool:
        """Tell whether a pronoun before a token stands for the subject of before.

        "Its P808 is 367, while answer 1 is at 230": no side is named before it.
        """
        head = self.words(self.whole.start, token.start)
        sides = [side for side in self.whole.of("side") if side.end <= token.start]
        if not self.subject or sides or _BEING.search(head):
            return False
        return bool(PRONOUN.search(head))

    def words(self, start: int, end: int) -> str:
        """Return the text between two places."""
        return self.text[max(start, 0) : max(end, 0)]

    def claim_text(self, token: Token) -> str:
        """Return the words of the clause of a token, cut where they are long."""
        clause = self.around(token)[1]
        text = self.shown[clause.start : clause.end].strip(" ,;.:\n")
        return cut_short(text, _SHOWN)

    def marked(self, side: Token) -> bool:
        """Tell whether another is compared with a side: "than answer 1", "unlike B"."""
        if side.start not in self._marks:
            head = self.words(max(self.whole.start, side.start - 60), side.start)
            head = _VALUE_OF.sub(r"\g<object>", head)
            self._marks[side.start] = bool(_OBJECT.search(head))
        return self._marks[side.start]

    @cached_property
    def sense(self) -> str:
        """The text without the negations of this sentence that deny nothing."""
        sides = self.whole.of("side")
        return sense_of(self.text, self.whole.start, self.whole.end, sides)

    def denied(self, part: Part, token: Token) -> bool:
        """Whether an odd number of negations stands before a token in a part."""
        return len(_NOT.findall(self._head(part, token))) % 2 == 1

    def _head(self, part: Part, token: Token) -> str:
        """Return what stands before a token in a part.

        A part that goes on behind an aside is taken with its subject: "I don't think
        that answer 1, for all its charm, is louder".
        """
        head = self.sense[part.start : token.start]
        behind_comma = "," in self.text[max(part.start - 2, 0) : part.start + 1]
        if not behind_comma or not _PREDICATE.match(head):
            return head
        before = [each for each in self.chunks if each.end <= part.start]
        with_side = [each for each in before if each.of("side")]
        if not with_side:
            return head
        return self.sense[with_side[-1].start : with_side[-1].end] + head

    def stands_alone_from(self, at: int) -> int:
        """Return where the statement begins in which a place stands.

        "It does not greet, it says ...", "not the same: 63 Hz lie between them".
        """
        chunk = next((c for c in self.chunks if c.start <= at < c.end), self.whole)
        if chunk.start == self.whole.start:
            return chunk.start
        head = self.words(self.whole.start, chunk.start)
        if _ABOUT_ALL.search(head) or not _STATEMENT.match(self._sided, chunk.start):
            return self.whole.start
        return chunk.start

    @cached_property
    def _sided(self) -> str:
        """The text with marks in the places of single sides, and of numbers."""
        letters = list(self.text)
        for number in self.whole.of("number"):
            letters[number.start : number.end] = "\x02" * (number.end - number.start)
        both = [side for side in self.whole.of("side") if side.value == "both"]
        for side in (*both, *(side for side, _ in named(self, self.whole))):
            letters[side.start : side.end] = "\x01" * (side.end - side.start)
        return "".join(letters)

    def presupposed(self, token: Token) -> bool:
        """Tell whether a value is taken for granted: "because of its rate of 214"."""
        if token.kind != "number":
            return False
        if _IN_DOUBT.search(self.words(self.whole.start, self.whole.end)):
            return False
        for measure in self.whole.of("measure"):
            if measure.end > token.start:
                continue
            head = self.words(self.whole.start, measure.start)
            between = self.words(measure.end, token.start)
            if _POSSESSED.search(head) and _OF_VALUE.fullmatch(between):
                return True
        return False

    def doubts(self, part: Part, token: Token) -> str:
        """Return a doubt where a negation before a token is of something else.

        "Not faster" denies; "not enough evidence that it is faster" does not.
        """
        head = _NOT_SO.sub("not ", self._head(part, token))
        between = [head[match.end() :] for match in _NOT.finditer(head)]
        far = any(_OF_ELSE.search(words) for words in between)
        return "may be denied, or not" if far else ""

    def unreal(self, token: Token) -> bool:
        """Tell whether a token states no fact: a wish, norm, condition, or a course."""
        if self.presupposed(token):
            return False
        chunk, clause, _ = self.around(token)
        head = self.words(clause.start, token.start)
        start = clause.start + head.rfind(": ") + 1  # "slow was asked for: ..."
        if chunk.of("side"):
            start = chunk.start
        else:  # "low was asked for, and answer 2 is lower, averaging 98 Hz"
            for before in self.chunks:
                if clause.start <= before.start < chunk.start and named(self, before):
                    start = max(start, before.start)
        end = chunk.end if chunk.of("side") else clause.end
        if _RELATIVE.match(self.words(chunk.start, chunk.end)):
            start, end = (
                chunk.start,
                chunk.end,
            )  # "answer 1, whose rate is 150 WPM, would do"
        remark = _REMARK.search(self.words(token.end, end))
        if remark:
            end = token.end + remark.start()
        tail = _WHAT_WAS_ASKED.search(self.words(token.end, end))
        if tail:
            end = token.end + tail.start()
        view = MY_VIEW.match(self.words(start, token.start))
        start += view.end() if view else 0
        words = _NO_CONDITION.sub(" ", _SUITS.sub(" ", self.words(start, end)))
        whole = self.words(self.whole.start, self.whole.end)
        if _IF.search(words) and _FACTUAL_IF.search(whole):
            words = _IF.sub(" ", words)
        if _UNREAL.search(words):
            return True
        opens = clause.start == self.whole.start
        if opens and _INVERTED.match(self.words(clause.start, clause.end)):
            return True
        if _UNSURE.search(self.words(self.whole.start, self.whole.end)):
            return True
        if _LISTS_VALUES.search(self.words(clause.start, token.start)):
            return True
        if _THE_MORE.match(self.words(chunk.start, clause.end)):
            return True
        said_to = chunk if chunk.of("side") else clause
        said = _TO_LISTENERS.sub(" ", self.words(clause.start, said_to.end))
        if not named(self, clause) and _NORM.search(said):
            return True
        if len({place for _, place in named(self, chunk)}) == 2:
            return False  # "rises from 3.1 in answer 1 to 4.2 in answer 2"
        if _ALL_GETS.search(self.words(chunk.start, token.start)):
            ends = self.words(token.end, clause.end).strip() == ""
            return not (ends and len(named(self, chunk)) == 1)
        return bool(_COURSE.search(self._without_trend(chunk, token)))

    def _without_trend(self, chunk: Part, token: Token) -> str:
        """Return the words of a chunk; a trend in percent is a value and no course."""
        if token.kind == "number" and token.unit == "%":
            return ""
        words = self.words(chunk.start, chunk.end)
        if token.value == "trend":
            return ""
        if token.kind == "number" and token.unit:  # "305 WPM with the same trend"
            return _TREND.sub(" ", words)
        if token.kind == "number":  # "a pitch slope of 284"
            for measure in chunk.of("measure"):
                if measure.value in _SLOPES:
                    words = words.replace(measure.text, " ", 1)
        return words


#: "With answer 1 on the line it all gets shorter" tells no course of answer 1.
_ALL_GETS = re.compile(
    r"\A\s*(?:and |but )?(?:with|in|under)\b[^.;]*"
    r"\b(?:it all|everything|all of it|the whole thing) (?:gets|becomes|grows|is|sounds) $",
    re.I,
)
#: A predicate whose subject stands before an aside.
_PREDICATE = re.compile(r",? ?(?:is|was|has|had|sounds|comes|remains)\b", re.I)

#: A statement that needs no words before it: its subject and a finite verb.
_STATEMENT = re.compile(
    r"[,:;]? ?(?:and |but |so |rather |instead )?(?:(?:the )?\x01+|it|he|she)"
    r"(?: (?:only|just|even|also|\w+ly))*"
    r" (?!not\b|never\b)(?:is|are|was|were|has|have|had|said|did|can|could|share|read"
    r"|run|speak"
    r"|sit|go|move|keep|stay|sound|reach|show|come|use|take|lie|last|\w+s)\b"
    r"|[,;]? ?(?:with )?(?:the )?\x01+(?: (?:only|just|even|also|\w+ly))* \w+ing\b"
    r"|[,:;]? \x02+ (?:lie|lies|stand|stands|separate|separates|is|are)\b",
    re.I,
)
#: What is said about a statement that follows behind a comma.
_ABOUT_ALL = re.compile(
    r"\b(?:if|unless|whether|that|true|think|believe|say|said|claim|sure|case|when|had"
    r"|were|while|as|because|since|although|though)(?:,[^,]*)?\W*\Z",
    re.I,
)

#: What an answer is said to own it has, whatever is said about that.
_POSSESSED = re.compile(r"(?:\b(?:its|his|her)|'s) (?:\w+ )?\Z", re.I)
#: "Compared with 8.8 kHz for answer 1": the answer is the object.
_VALUE_OF = re.compile(
    r"(?P<object>\b(?:compared (?:to|with)|against|versus|vs\.?) )(?:only |just "
    r"|an? )*-?\d[\d.]*"
    r"(?: ?[A-Za-z/%]+(?: (?:per|a) \w+)?| hundredths of an? \w+ per second)?"
    r" (?:for|in|of|from) (?:the )?\Z"
)
#: "With values like 373 and then 92 Hz" gives steps of a contour.
_LISTS_VALUES = re.compile(r"\b(?:values|steps|peaks|points) (?:like|such as)\b", re.I)
#: "I would not be content with either, P808 is ..." is followed by facts.
MY_VIEW = re.compile(
    r"\W{0,8}(?:and |but |so )?(?:I|we|you|one|nobody|users?|listeners?|most people)"
    r"(?:'d| would| could"
    r"| might)(?:n't| not)? (?!\w* ?like\b|want|prefer|wish|expect)[^,;]*, "
)
#: "Its rate being 105 WPM, answer 1 is ..." is of the side that follows.
_BEING = re.compile(r"\b(?:being|with its)\b", re.I)
#: "Not audible to most listeners" is no norm.
_TO_LISTENERS = re.compile(
    r"\b(?:(?:to|for|by) )?(?:most |many |the |some |few |all )?(?:listeners|people)"
    r"(?= (?:would|will|can|could|hear|notice|do|may)\b|[.,;)]|$)",
    re.I,
)
#: "..., which listeners would not notice" says nothing of what stands before.
_REMARK = re.compile(r", (?:which|a difference|something|so|and so|hence|thus)\b")
#: "..., and the user asked for loud" says nothing of what stands before.
_WHAT_WAS_ASKED = re.compile(
    r"(?:,? and|, (?:as|since|which)) (?:is what )?(?:the )?(?:user|request"
    r"|instruction|prompt)\b"
)
_BEGINS_WITH_IT = re.compile(
    r"[,;]? ?(?:and |but |so |yet |(?:which|this|that) (?:\w+ )?)?"
    r"(?:(?:it|its)\b|(?:the )?[^,;(]{2,40} (?:is|are) [^,;(]{0,40}\b(?:as well|too)\b)",
    re.I,
)
_ATTRIBUTE = re.compile(
    r"\b[Tt]he (?:(?:slightly|somewhat|much|clearly|even|far|a bit) )*\Z"
)
_IN_DOUBT = re.compile(
    r"\b(?:would|could|should|might|if|imagin\w+|suppos\w+|wants?|whether|ideal"
    r"|target|wrong"
    r"|true|false|missed|nobody|not what)\b",
    re.I,
)
_OF_VALUE = re.compile(rf" (?:score |value )?of (?:{HEDGES} ?)?(?:only )?", re.I)

#: Of a whole statement a negation denies what it states: "I don't think that ...".
_NOT_SO = re.compile(
    r"(?:\b(?:not|never|nobody|no one|cannot)|n't)(?: (?:can|could|would|at all"
    r"|really|quite))*"
    r" (?:true|so|right|correct|the case|think|believe|find|feel|agree|accept|say"
    r"|claim|seem"
    r"|appear|mean)s?(?: to me)?(?: that)? ",
    re.I,
)

_TAG = re.compile(
    r",? ok(?:ay)?$"
    r"|, (?:right|yes|no|yeah|eh|huh|correct|(?:is|are|do|does|was|has)n't (?:it|they))$",
    re.I,
)
_ASKS_YES_NO = re.compile(
    r"\s{0,8}(?:(?:so|and|but|then|now|well|wait|okay|ok|hm{1,8}),? ){0,8}"
    r"(?:does|do|did|is|are|was|were|has|have|had|can|so|where (?:is|are|was"
    r"|were))(?:n't)?\b",
    re.I,
)
_REPLY = re.compile(
    r"\s{0,8}(?:\w{1,40}, )?(?:(?P<no>no|nope|not|never|it (?:does|did|is|was"
    r"|has)(?:n't| not))"
    r"|yes|yep|yeah|indeed|it (?:does|did|is|was|has))\b",
    re.I,
)

#: What an answer does to the request is no wish.
_SUITS = re.compile(
    r"\b(?:suit|fit|meet|answer|address|serve|match|follow|fulfil|satisf)(?:e?s|l?s|ies)?"
    r" (?:what )?(?:the|this) (?:user's )?(?:request|prompt|instruction)s?\b",
    re.I,
)


#: An "if" that frames an opinion, under no condition.
_NO_CONDITION = re.compile(
    r"\beven if (?!\w+ (?:were|had|would))|\bif (?:you ask me|i may say so|anything"
    r"|only [a-z]+|(?:we|you|i) (?:talk|speak) (?:about|of)"
    r"|i (?:had|have|were|was|am) to \w+[^,]{0,40}"
    r"|(?:i|we|you|one) (?:picks?|picked|chooses?|chose|take|took) )",
    re.I,
)


#: "If answer 1 has 181 Hz and answer 2 has 118 Hz, then ..." takes both for facts.
_FACTUAL_IF = re.compile(
    r"\bif (?:[^,;]*\b(?:has|have|is at|shows|reads)\b[^,;]*\d){2}[^,;]*, (?:then|so)\b"
    r"|\bif [^,;]*\b(?:has|have|is at|shows|reads)\b[^,;]*\d[^,;]*, (?:then|so) [^;]*\d",
    re.I,
)
_IF = re.compile(r"\bif\b", re.I)


def other(place: str) -> str:
    """Return the other of two places."""
    return {"1": "2", "2": "1"}.get(place, "")


def named(sentence: Sentence, part: Part) -> list[tuple[Token, str]]:
    """Return the single sides that a part names, with their places."""
    result: list[tuple[Token, str]] = []
    for token in part.of("side"):
        place = token.value
        if place == "other" and _of_each_other(sentence, token):
            continue
        if _is_of_else(sentence, token):
            continue
        if place == "other":
            before = [t for t in sentence.whole.of("side") if t.start < token.start]
            single = [t.value for t in before if t.value in ("1", "2")]
            place = other(single[-1]) if single else other(sentence.subject)
        if place in ("1", "2"):
            result.append((token, _mentioned(sentence, token) or place))
    return result


def _of_each_other(sentence: Sentence, token: Token) -> bool:
    """Tell whether "the other" is either answer: "neither is faster than the other"."""
    before = [t for t in sentence.whole.of("side") if t.end <= token.start]
    return bool(before) and all(t.value in ("neither", "both") for t in before)


_IN_ORDER = re.compile(r"the (?P<former>former)|the latter", re.I)
#: "268 against 230, the latter in the poor band".
_APPOSED = re.compile(r" (?:in|with|being|rated|poor|fair|bad|good|only|just)\b", re.I)
_ORDINAL = re.compile(r"the (?:first|second)", re.I)
_ONE = re.compile(
    r"\b(?:one (?:is|has|was|reads|says|comes|sounds)|(?:for|in|of|from|with"
    r"|by) one)\b",
    re.I,
)


def _is_of_else(sentence: Sentence, token: Token) -> bool:
    """Tell whether "the latter" is a quotation, or "the other" of one without a name.

    "One is heard as "..." and the other as "...", the latter with doubtful words".
    """
    in_order = _IN_ORDER.fullmatch(token.text) or _ORDINAL.fullmatch(token.text)
    if token.value != "other" and not in_order:
        return False
    before = [t for t in sentence.whole.tokens if t.end <= token.start]
    if any(t.kind == "side" and t.value in ("1", "2") for t in before):
        return False
    if token.value == "other":
        head = sentence.words(sentence.whole.start, token.start)
        return bool(_ONE.search(head))
    quotes = [each for each in before if each.kind == "quote"]
    numbers = [each for each in before if each.kind == "number"]
    behind = sentence.words(token.end, token.end + 10)
    are_values = len(numbers) > 1 and bool(_APPOSED.match(behind))
    return len(quotes) > 1 or are_values


def _mentioned(sentence: Sentence, token: Token) -> str:
    """Return which of two sides named before "the former" or "the latter" is meant."""
    match = _IN_ORDER.fullmatch(token.text)
    if match is None:
        return ""
    sides = [t for t in sentence.whole.of("side") if t.start < token.start]
    places = [t.value for t in sides if not _IN_ORDER.fullmatch(t.text)]
    if set(places) != {"1", "2"} or len(places) != 2:
        return ""
    return places[0] if match["former"] else places[1]


#: Words of a measurement that name nobody else.
_OF_MEASUREMENT = (
    "the a an is was are at of with and but only about around roughly approximately"
    " mean measured reads stands here has shows also just quite very fine ok okay good"
    " by in on to for from value score comes which more less"
)
_MEASURING = frozenset(_OF_MEASUREMENT.split())


PRONOUN = re.compile(r"\b(?:it|its|it's|this one|that one|he|she|his|her)\b", re.I)


def _at(parts: list[Part], place: int) -> Part:
    inside = (part for part in parts if part.start <= place < part.end)
    return next(inside, parts[-1])
