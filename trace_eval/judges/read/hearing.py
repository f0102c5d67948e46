"""Replies in which a listening judge states that it heard nothing, and guessed.

Only statements of the judge about itself count. The same words quoted from an answer,
or a remark that one of two recordings is quiet, are about the answer. English only.
"""

from __future__ import annotations

import re

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.reply_json import after_thinking
from trace_eval.judges.ask.unread_reply import ReplyError

#: Characters that are searched, at the beginning and at the end of a reply.
_SEARCHED = 20_000

#: Quotations of an answer. Inside JSON their marks are escaped.
_QUOTED = re.compile(r"\\\"[^\"\\]{0,300}\\\"|[“”][^“”]{0,300}”|‘[^‘’]{0,300}’")

_SENTENCE = re.compile(r"[.!?;:\n]|\\n")

#: Before a statement, these words attribute it to someone else.
_REPORTED = re.compile(
    r"\b(?:says?|said|saying|states?|stated|claims?|claimed|repl(?:y|ies|ied)|responds?|responded"
    r"|tells?|told|explains?|explained|apologi[sz]e[sd]?|apologi[sz]ing|refus\w{1,4}|admits?"
    r"|admitted|complains?|notes? that it|(?:answer|response|speaker|assistant|agent) \w{1,8})\b"
)

_SELF = r"\b(?:i|we)(?: (?:really|actually|still|just|currently|simply|honestly|also))?"
_NOT = (
    r"(?: (?:could|can|ca|did|do|was|were|am|are|have)(?: not|n't)(?: have(?: the| any)?)?"
    r"|cannot| cannot|'m not|'m unable"
    r"| am unable| was unable| were unable|'ve not| lack(?: the)?| have no)"
    r"(?: (?:been )?(?:able|ability|capability|capable|way|means|the ability|the capability))?"
    r"(?: (?:to|of))?(?: (?:actually|directly|really|physically|truly))?"
)
_HEAR = (
    r" (?:hear|heard|hearing|listen(?:ing)?(?: to)?|access(?:ing)?(?: to)?|process(?:ing)?"
    r"|play(?:ing)?|perceive|receive[d]?|open|have access to|ears)"
)
_OF = r"(?: (?:any|the|of|these|those|this|your|either|both|attached|provided|actual|two)){0,3}"
_SOUND = r" (?:audio|audios|sounds?|recordings?|clips?)(?: (?:files?|clips?|recordings?|inputs?))?"

#: A continuation that makes it a remark about one answer, or about a defect of the
#: sound.
_PARTLY = (
    r"(?! ?(?:artifact|artefact|noise|glitch|distort|issue|problem|defect|differen|clipp|qualit"
    r"|degrad|effect|impair|of\b|as\b))"
    r"(?! (?:in|from|of|for|on) (?:the )?(?:first|second|third|last"
    r"|latter|former|recording [12ab]|audio [12ab]|answer|clip [12ab]|response|[12ab]\b))"
    r"(?! [12ab]\b)"
)

_THERE = (
    r"(?:provided|attached|received|included|supplied|given|available|accessible|uploaded|shared"
    r"|present|loaded|played|heard|audible)"
)

_DEAF = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_SELF}{_NOT}{_HEAR}{_OF}{_SOUND}\b{_PARTLY}",
        rf"{_SELF}{_NOT} (?:hear|listen)(?: to)?(?: anything| them| it)?(?: at all)?\s*$",
        rf"{_SELF}(?: could)? (?:hear|heard|received?|got)"
        rf" (?:nothing(?: at all)?\s*$|no{_SOUND}\b{_PARTLY})",
        rf"\bthere (?:is|was|are|were) no{_SOUND}"
        rf" (?:{_THERE}|to (?:hear|judge|evaluate|listen to))\b{_PARTLY}",
        rf"\bno(?: actual| audible)?{_SOUND} (?:was|were|is|are|has been|have been)"
        rf" {_THERE}\b{_PARTLY}",
        rf"\b(?:the|your|any) (?:audio|audios|recordings|clips|sounds)(?: (?:files?|clips?))?"
        rf" (?:was|were|is|are|has|have|could|can)(?: not|n't) (?:be(?:en)? )?{_THERE}\b{_PARTLY}",
        r"\b(?:the|your) audio(?: (?:files?|clips?))?"
        r" (?:(?:appears?|seems?) to be|is|are|was|were) missing\b",
        r"\bwithout (?:(?:being able to )?hear(?:ing)?|(?:any )?access to|listening to)"
        rf"{_OF}{_SOUND}\b{_PARTLY}",
        r"\b(?:as|i am|i'm) an? (?:purely )?(?:text|language)[- ](?:based |only )?"
        r"(?:ai |language )?(?:model|assistant|judge)\b[^.]{0,80}"
        r"\b(?:hear|listen|audio|sound|ears)\b",
        r"\bi (?:only|just) (?:have|see|saw|received|got) (?:the )?(?:text|words|transcripts?)\b",
    )
)


def check_hearing(reply: str) -> None:
    """Refuse a reply whose judge states that it heard nothing.

    Raises:
        ReplyError: ``not_heard``.
    """
    text = after_thinking(reply)
    if len(text) > 2 * _SEARCHED:
        text = f"{text[:_SEARCHED]}\n{text[-_SEARCHED:]}"
    text = text.replace("\\u2019", "'").replace("\u2019", "'").lower()
    for sentence in _SENTENCE.split(_QUOTED.sub(" ", text)):
        plain = " ".join(sentence.replace('"', " ").split())
        for pattern in _DEAF:
            statement = pattern.search(plain)
            if statement and not _REPORTED.search(plain, 0, statement.start()):
                raise ReplyError(
                    Reason.NOT_HEARD,
                    (
                        "the judge says that it did not hear the recordings"
                        f" ({statement[0][:80]!r})"
                    ),
                )
