"""A model's reply -> the JSON object that counts, strictly and in linear time.

The last complete object that has what was asked for is the reply; whatever stands
before it (prose, drafts, code fences) is not. Two whole answers that contradict each
other are none, and what was copied from the form is no reason. It is never mended by
guessing.
"""

from __future__ import annotations

import html
import json
import re
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TypeVar

from trace_eval.data.draft_words import REASONING, THINKING
from trace_eval.data.drafts import without_drafts
from trace_eval.data.form_words import FORM_NOUNS, FORM_WORDS
from trace_eval.data.outcome import Reason
from trace_eval.data.said_verdicts import scores_behind
from trace_eval.data.strict_json import TOO_DEEP, BadJson, levels
from trace_eval.judges.ask.unread_reply import ReplyError, too_long

T = TypeVar("T")

#: One token of JSON (RFC 8259), and white space. Nothing in it can match in two ways,
#: so a token costs its length, whether it ends or not.
_TOKEN = re.compile(
    r"""(
        [][{},:]
      | "(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+"
      | -?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?
      | true | false | null
    )[ \t\n\r]*+""",
    re.VERBOSE,
)

#: Digits of an integer; reading one takes time quadratic in them.
_MAX_DIGITS = 1_000

#: How a value begins.
_VALUE = '{["-0123456789tfn'


class NoObject(ReplyError):
    """A reply without a JSON object that could be an answer."""

    def __init__(self, detail: str) -> None:
        super().__init__(Reason.UNPARSEABLE, detail)


class _Twice(dict[str, object]):
    """A JSON object with a key twice, at any depth: readers disagree on it."""


def after_thinking(text: str) -> str:
    """Return the part of a reply that counts: models draft between marks of thinking.

    Raises:
        ReplyError: ``unparseable``: the reply is too long, or ends within its thinking.
    """
    if detail := too_long(text):
        raise ReplyError(Reason.UNPARSEABLE, detail)
    answer, unfinished = without_drafts(text)
    if unfinished is not None:
        message = f"the reply ends within its thinking: {unfinished[:40]!r} has no end"
        raise ReplyError(Reason.UNPARSEABLE, message)
    return answer


#: Words right before an object, in its sentence, that make it the one that counts.
_IS_FINAL = re.compile(
    r"(?:(?<!not )(?<!not my )(?<!not the )(?<!not yet )"
    r"\b(?:final|finally|revised|corrected|correction|endgültig\w{0,2}|korrigiert\w{0,2}|finale"
    r"|définiti\w{1,3}|corrigée?|corregid[ao]|definitiv[ao]|corrigid[ao]|corrett[ao]"
    r"|ostateczn\w{1,2}|окончательн\w{1,3}|итог\w{0,4}|исправлен\w{1,4})\b"
    r"|最终|修正|最終|최종|수정)[^.!?。]*\Z",
    re.IGNORECASE,
)

#: Words right before an object that make it a draft, and right behind it that take it
#: back.
_IS_DRAFT = re.compile(
    r"\b(?:draft|sketch|tentative(?:ly)?|preliminary|provisional(?:ly)?|at first|initial(?:ly)?"
    r"|first (?:impression|glance|sight|guess|thought|pass|take|attempt)|entwurf|brouillon"
    r"|borrador|bozza|rascunho|черновик|草稿|下書き|초안)\b[^.!?]*\Z",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\A[\s`.,;:–—-]{0,20}(?:(?:(?:but|and) )?(?:wait|hmm+|hold on|on second thought|scratch that"
    r"|but|no,|actually|let me (?:re|check|think|verify|correct)|sorry|oops|apologies"
    r"|correction|i meant|strike that|(?:ignore|disregard) (?:that|this)"
    r"|(?:that|this)(?: is|'s| was) (?:wrong|incorrect|a mistake)"
    r"|(?:moment|halt|stopp)(?=[,.!:;…–—-])|nein,|warte|wacht|nee,|vänta|attends|attendez|non,|espera|espere"
    r"|aspett[ai]|não,|poczekaj|chwila|nie,|подожди(?:те)?|стоп|нет,|зачекай(?:те)?|bekle|hayır,)(?!\w)"
    r"|等等|等一下|不对|稍等|待って|ちょっと待|いや、|잠깐|아니,|انتظر)",
    re.IGNORECASE,
)

#: A numbered step before an object on its line, and a later one behind it.
_STEP = re.compile(
    r"^[ \t>]*(?:\*\*)?(?:step[ \t]?)?(\d{1,2}) ?[.):]", re.I | re.MULTILINE
)

#: Characters before and behind an object in which such words are looked for.
_BESIDE = 60


def read_object(
    text: str,
    keys: Collection[str],
    what: str,
    read: Callable[[dict[str, object]], T],
    verdict: Callable[[T], object],
    denied: Callable[[T, str, int, int], bool] = lambda *_: False,
) -> T:
    """Return what the last complete JSON object with one of ``keys`` is read as.

    Args:
        text: the reply.
        keys: an object with none of them is no answer.
        what: names the answer in the message when there is none.
        read: reads an object; raises ReplyError where it is no whole answer.
        verdict: what two answers must have in common to say the same.
        denied: tells whether the text beside the object says something else; it gets
            the answer, the text, and the places where the object starts and ends.

    Raises:
        ReplyError: ``unparseable``: too long, no such object, nested too deeply, a key
            occurs twice in it, an earlier whole answer says something else and
            nothing says that the last one is final, or the text beside it does. Or
            whatever ``read`` raises.
    """
    text = after_thinking(text)
    try:
        objects = [
            (start, end, answer)
            for start, end, answer in _objects_at(text)
            if not answer.keys().isdisjoint(keys)
        ]
        for _, _, answer in objects[-1:]:
            deque(levels(answer), maxlen=0)
    except BadJson as error:
        raise NoObject(f"the reply's JSON cannot be read: {error}") from None
    if not objects:
        raise NoObject(f"the reply has no JSON object with {what}")
    objects = _without_announced_drafts(text, objects)
    if not objects:
        raise NoObject(
            f"the reply has {what} only in a draft; give the final answer alone"
        )
    start, end, last = objects[-1]
    result = _read_once(last, read)
    earlier = objects[:-1][-MAX_COMPARED:]
    between = ""
    if earlier:
        _, end_of_earlier, _ = earlier[-1]
        between = text[max(start - _BESIDE, end_of_earlier) : start]
    if not _IS_FINAL.search(between):
        for _, _, answer in earlier:
            _refuse_other(answer, read, verdict, result)
    if len(keys) == 1:
        (key,) = keys
        for value in scores_behind(text, end):
            _refuse_other({**last, key: value}, read, verdict, result)
    if denied(result, text, start, end):
        raise contradictory()
    return result


#: An object of a reply, with the places where it starts and ends.
_Placed = tuple[int, int, dict[str, object]]


def _without_announced_drafts(text: str, objects: list[_Placed]) -> list[_Placed]:
    """Return the objects that the words around them call neither a draft nor a step."""
    counting = []
    previous_end = 0
    for number, (start, end, answer) in enumerate(objects):
        next_start = len(text)
        if number + 1 < len(objects):
            next_start, _, _ = objects[number + 1]
        before = text[max(start - _BESIDE, previous_end) : start]
        behind = text[end : min(end + _BESIDE, next_start)]
        previous_end = end
        steps_behind = text[end : min(end + _STEP_WITHIN, next_start)]
        called_draft = _IS_DRAFT.search(before) or answer.get("draft") is True
        taken_back = _TAKEN_BACK.match(behind) or answer.get("final") is False
        if called_draft or taken_back or _is_step(before, steps_behind):
            continue
        counting.append((start, end, answer))
    return counting


#: Characters behind an object in which the next step of a plan is looked for.
_STEP_WITHIN = 400


def _is_step(before: str, behind: str) -> bool:
    """Return whether an object stands in a numbered list that goes on behind it."""
    steps = _STEP.findall(before)
    return bool(steps) and any(
        int(later) > int(steps[-1]) for later in _STEP.findall(behind)
    )


#: Earlier answers of one reply that are compared with the last one.
MAX_COMPARED = 20


def _read_once(answer: dict[str, object], read: Callable[[dict[str, object]], T]) -> T:
    if isinstance(answer, _Twice):
        raise ReplyError(Reason.UNPARSEABLE, "a key occurs twice in the reply's JSON")
    return read(answer)


def _refuse_other(
    answer: dict[str, object],
    read: Callable[[dict[str, object]], T],
    verdict: Callable[[T], object],
    last: T,
) -> None:
    """Raise ReplyError for an earlier whole answer that contradicts the last one."""
    try:
        earlier = _read_once(answer, read)
    except ReplyError:  # no whole answer: a form, or a part of one
        return
    if verdict(earlier) != verdict(last):
        raise contradictory()


def contradictory() -> ReplyError:
    """Make the error of a reply that says two things."""
    message = "the reply gives two answers that contradict each other; give one"
    return ReplyError(Reason.UNPARSEABLE, message)


_DOTS = re.compile(r"\A[\s.…‥·・。_–—-]+\Z")
_BRACKETED = re.compile(
    r"\A(?:[<＜][^<>]*[>＞]|\[[^\[\]]*\]|\{+[^{}]*\}+|【[^【】]*】|⟨[^⟨⟩]*⟩)\Z"
)

#: What programs leave where a text was to be put in, and printers' filling.
_FILLING = re.compile(
    r"\A(?:%\w|%\(\w+\)\w|\$\w+|\$\{\w+\}|x{3,}|lorem ipsum\b.*)\Z", re.I | re.DOTALL
)

#: What the form asks to explain.
_ASKED = re.compile(
    r"\A(?:an? |the |your )?(?:brief |short |concise )?(?:explanation|reason(?:ing)?|justification)"
    r" (?:of which|for which|of your|for your|behind your|of the (?:rating|label|score|verdict))\b"
    r"[^\n]{0,60}\Z",
    re.IGNORECASE,
)

#: The same in scripts that do not part words: how long, what, and where to write it.
_ASKED_UNPARTED = re.compile(
    r"\A(?=.*(?:填|写|输入|記入|書|입력|작성|句|文で|문장))(?:在此处?|在这里|此处|这里|请|ここに|여기에|您的|你的"
    r"|あなたの|당신의|[一二三1-3到至~〜-]|から|句话?|文|문장|으로|理由|原因|根拠|推理|分析|解释|説明"
    r"|이유|근거|설명|[をの을를]|填写|写出|写下|写|输入|填入|記入|書く|書いて|(?:입력|작성)(?:하세요)?"
    r"|して|ください|で|：|:|\s){1,40}\Z"
)

#: The name of the field itself, in any language whose headings are known.
_FIELD_NAME = re.compile(rf"\A(?:{THINKING}|{REASONING})\Z", re.IGNORECASE)

#: Marks of quotation and stress around a text.
_AROUND = "\"'`*_ «»‹›“”„‘’「」『』"


def is_placeholder(words: str) -> bool:
    """Return whether a text was copied from the form, so that its label may be, too.

    Such are dots and lines, what stands in brackets alone, the name of the field, and
    words that only describe what to write.

    >>> [is_placeholder(words) for words in ("...", "<one to three sentences>", "A is clear.")]
    [True, True, False]
    """
    if not words.strip():
        return False
    text = html.unescape(words.strip()).strip(_AROUND)
    spoken = re.findall(r"\w+", text.lower().replace("_", " "))
    copied = (_DOTS, _BRACKETED, _FILLING, _FIELD_NAME, _ASKED, _ASKED_UNPARTED)
    if not text or any(form.match(text) for form in copied):
        return True
    return not FORM_NOUNS.isdisjoint(spoken) and FORM_WORDS.issuperset(spoken)


def refuse_placeholder(where: str, words: str) -> None:
    """Raise ReplyError ``unparseable`` for a reason that was copied from the form."""
    if is_placeholder(words):
        shown = words.strip()[:40]
        message = f"{where}: the reasoning is {shown!r}, no reason; say what decided"
        raise ReplyError(Reason.UNPARSEABLE, message)


def storable(words: str) -> str:
    """Return words of a reply that can be UTF-8: JSON may escape lone surrogates."""
    return words.encode("utf-8", "replace").decode("utf-8").strip()


def json_objects(text: str) -> list[dict[str, object]]:
    """Return the text's outermost JSON objects in order; raises as ``_objects_at``."""
    return [value for _, _, value in _objects_at(text)]


def _objects_at(text: str) -> list[tuple[int, int, dict[str, object]]]:
    """Return (start, end, value) of all outermost JSON objects of the text, in order.

    Raises:
        BadJson: one is nested too deeply for Python, or has a number that nobody
            writes.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=_no_twice, parse_int=_integer, parse_constant=_constant
    )
    ends: dict[int, int | None] = {}
    values: list[tuple[int, int, dict[str, object]]] = []
    position = 0
    if (first := text.find("{")) >= 0:
        with suppress(
            ValueError, RecursionError
        ):  # nearly all replies are a whole object
            value, position = decoder.raw_decode(text, first)
            values.append((first, position, value))
    for brace in re.finditer(r"\{", text):
        start = brace.start()
        if start < position:
            continue
        if start not in ends:
            _follow(text, start, ends)
        end = ends[start]
        if end is not None:
            position = end
            try:
                values.append((start, end, decoder.raw_decode(text, start)[0]))
            except RecursionError:
                raise BadJson(TOO_DEEP) from None
    return values


def _follow(text: str, start: int, ends: dict[int, int | None]) -> None:
    """Note where objects end, from an opening brace to the end of object or grammar.

    Every opening brace on the way gets its end, or None, so nothing is followed more
    than twice: a brace that was no token on the way stands in a string there, and a way
    that starts at it has its strings elsewhere.
    """
    opened: list[int] = []
    want, position = "{", start
    while (token := _TOKEN.match(text, position)) and (kind := text[position]) in want:
        position = token.end()
        if kind in "{[":
            opened.append(token.start())
            ends[token.start()] = None
            want = '"}' if kind == "{" else _VALUE + "]"
        elif kind == ":":
            want = _VALUE
        elif kind == ",":
            want = '"' if text[opened[-1]] == "{" else _VALUE
        elif kind == '"' and "[" not in want:  # a key
            want = ":"
        else:
            if kind in "}]":
                ends[opened.pop()] = token.end(1)
                if not opened:
                    return
            want = ",}" if text[opened[-1]] == "{" else ",]"


def _no_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    whole = len(members) == len(pairs) and not any(
        isinstance(item, _Twice) for _, item in pairs
    )
    return members if whole else _Twice(members)


def _constant(name: str) -> float:
    raise BadJson(f"{name} is no JSON")


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise BadJson(f"a number of {len(digits)} digits")
    return int(digits)
