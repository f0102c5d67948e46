"""Whose fault a failed call was, with evidence, or not known where that lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from trace_eval.conversations.definitions import DEFINITIONS
from trace_eval.conversations.fault_words import other_words
from trace_eval.conversations.whose_fault import whose_fault
from trace_eval.conversations.words import consonants, split_words
from trace_eval.data.conversation import Conversation, ConversationItem
from trace_eval.turns.report import measure_items

GOOD = [
    ("agent", 0.5, 2.0, "How can I help you today?"),
    ("user", 2.5, 4.0, "Please move my appointment to Monday morning."),
    ("agent", 4.8, 6.5, "I moved your appointment to Monday."),
    ("user", 7.0, 8.0, "Thank you very much indeed."),
    ("agent", 8.7, 9.5, "You are welcome."),
]


def _call(
    spoken: Sequence[tuple[Any, ...]],
    reason: str | None = "goodbye",
    end_s: float = 10.0,
    **more: Any,
) -> Conversation:
    turns = []
    for who, start, end, text, *heard in spoken:
        turn = {"speaker": who, "start_s": start, "end_s": end, "text": text}
        turns.append(turn | ({"heard": heard[0]} if heard else {}))
    speakers = [{"name": who, "role": who} for who in ("user", "agent")]
    end = {"at_s": end_s, "reason": reason}
    given = {
        "speakers": speakers,
        "clock": {"kind": "recording"},
        "turns": turns,
        "end": end,
    }
    return Conversation.model_validate({**given, **more})


#: What a caller says in Latin letters, and how else it can be written.
HINDI = "Theek hai, main abhi app khol ke payment karta hoon. Bijli ka bill kal subah bharunga."
DEVANAGARI = "ठीक है मैं अभी ऐप खोल के पेमेंट करता हूँ बिजली का बिल कल सुबह भरूंगा"
SPELLED = (
    "thik he me abi app khol ke paiment kartaa hun bijlee kaa bil kal suba bharungaa"
)
OTHER_HINDI = "पानी किताब सड़क रात पेड़ मछली चाय आसमान कुर्सी लाल नदी धूप गली तारा पहाड़ जूता"


def _of_user(text: str, heard: str) -> list[tuple[Any, ...]]:
    """Return a call in which the caller says one thing, written in its last turn."""
    first, question, answer, thanks, last = GOOD
    return [first, (*question[:3], text), answer, (*thanks[:3], None, heard), last]


OTHER = "peas hoof mine point mint two some day warning"


def _misheard() -> list[tuple[Any, ...]]:
    return [one if one[0] == "agent" else (*one, OTHER) for one in GOOD]


def _over() -> list[tuple[Any, ...]]:
    """Return turns in which the caller begins inside each of the agent's."""
    spoken: list[tuple[Any, ...]] = []
    for n in range(4):
        at = 6.0 * n
        spoken += [
            ("agent", at, at + 3.0, f"Sentence number {n} of mine."),
            ("user", at + 1.5, at + 4.0, f"But {n}, wait a moment please."),
        ]
    return sorted([*spoken, ("agent", 24.5, 26.0, "Well.")], key=lambda one: one[1])


LOOP = [
    *GOOD[:3],
    ("user", 7.0, 8.0, "No, to Tuesday."),
    ("agent", 8.7, 9.5, "I moved your appointment to Monday."),
]
LATE = [
    GOOD[0],
    GOOD[1],
    ("agent", 8.0, 9.0, "Moved."),
    ("user", 9.5, 10.0, "Thanks."),
    ("agent", 14.0, 15.0, "Bye."),
]
WROTE = [(*one, one[3]) if one[0] == "user" else one for one in GOOD]
CODE = [*WROTE[:1], ("user", 2.5, 4.0, "It is 4 7 1 1.", "it is 4 7 7 1"), *WROTE[2:]]
UNWRITTEN = [
    *WROTE[:3],
    ("user", 7.0, 9.0, "No, I said it should be on Tuesday evening."),
    GOOD[4],
]
#: The agent falls silent after its greeting, and its recogniser with it.
STOPPED = [
    WROTE[0],
    ("user", 2.5, 4.0, GOOD[1][3], "please move my"),
    ("user", 8.0, 9.5, "Hello, I said that it should be on Monday.", None),
    ("user", 14.0, 15.5, "Well, I cannot hear anything, my number is 4 7 1 1.", None),
]
STOPPED_IN_ONE = [
    WROTE[0],
    (
        "user",
        2.5,
        4.0,
        f"{GOOD[1][3]} It is 4 7 1 1. {STOPPED[2][3]} It is 4 7 1 1.",
        f"{GOOD[1][3]} It is 4 7 1 1.",
    ),
]
OTHERS_AND_SILENCE = [
    STOPPED[0],
    ("user", 2.5, 5.0, f"{GOOD[1][3]} Not on Tuesday.", OTHER),
    *STOPPED[2:],
]
FIRST = "please move my appointment to monday in the morning"
AGAIN = [
    ("agent", 0.5, 2.0, "How can I help you today?"),
    ("user", 2.5, 4.0, "", FIRST),
    ("agent", 4.8, 6.5, "Which one?"),
    ("user", 7.0, 8.5, "", f"{FIRST} the one of next week"),
    ("agent", 9.0, 9.5, "Which?"),
]
PREAMBLE = "Welcome to the practice of doctor Miller and sons in the city."
GREETS = [
    (*one[:3], f"{PREAMBLE} {one[3]}") if one[0] == "agent" else one for one in GOOD
]
ASKS = [
    (*one[:3], f"{GOOD[1][3]} Do it now.") if one[0] == "user" else one for one in GOOD
]
NO_STOP = [
    ("agent", 0.5, 6.0, "A long story."),
    ("user", 2.0, 4.0, "Stop please, that is enough for me."),
    ("agent", 8.0, 14.0, "Another one."),
    ("user", 10.0, 12.0, "I said that you should stop now."),
    ("user", 15.0, 16.0, "Well then."),
    ("agent", 16.5, 17.0, "Bye."),
]
SHORT: dict[str, Any] = {
    "meta": {"log": {"fits": True, "logged": {"user": [[2.5, 4.0], [20.0, 22.0]]}}}
}
OTHER_LOG: dict[str, Any] = {
    "meta": {"log": {"fits": False, "likeness": 0.21, "logged": None}}
}
MOVED_LOG: dict[str, Any] = {
    "meta": {"log": {"fits": False, "likeness": 0.55, "logged": None}}
}
ERROR: dict[str, Any] = {"meta": {"error": "LLM request failed: 500"}}
SILENT: dict[str, Any] = {
    "meta": {
        "audit": "not usable: one sound",
        "faults": [{"name": "x", "spoils": "all"}],
    }
}


ASKED = [*LOOP[:3], ("user", 7.0, 8.0, "Could you say that again, please?"), LOOP[4]]
BOTH = [
    *ASKED,
    ("user", 10.0, 11.0, "Yes, please do."),
    ("agent", 11.5, 12.5, f"So {LOOP[4][3]}"),
]
COMPLAINS = [*LOOP[:3], ("user", 7.0, 8.0, "Please do not repeat yourself."), LOOP[4]]
READ_BACK = [*LOOP[:3], ("user", 7.0, 8.0, "Yes."), (*LOOP[4][:3], f"So {LOOP[4][3]}")]
LOST: dict[str, Any] = {
    "meta": {
        "log": {"fits": True, "logged": {"agent": [[0.5, 2.0], [5.0, 6.5], [8.0, 9.0]]}}
    },
    "events": [
        {
            "kind": "log_alone",
            "at_s": at,
            "end_s": at + 1.2,
            "data": {"channel": "agent"},
        }
        for at in (5.0, 8.0)
    ],
}


@pytest.mark.parametrize(
    ("call", "whose", "what"),
    [
        (_call(GOOD[:1] + GOOD[2:3]), "caller", "says nothing in 10.0 s"),
        (_call([GOOD[1], GOOD[3]]), "agent", "says nothing in 10.0 s"),
        (_call(GOOD[:4], None, 20.0), "agent", "is silent, 1 time, first at 8.0 s"),
        (_call(LOOP), "agent", "says itself again, 1 time, first at 8.7 s"),
        (_call(COMPLAINS), "agent", "says itself again, 1 time, first at 8.7 s"),
        (_call(LATE, end_s=16.0), "agent", "is late in 2 of 2 replies"),
        (
            _call(GOOD[:3], "user_hangup", 6.5),
            "caller",
            "ends the call while the agent speaks",
        ),
        (
            _call(GOOD[:4], "elevenlabs_disconnect", 8.5),
            "caller",
            "0.5 s after its last words",
        ),
        (_call(_misheard()), "recogniser", "words of the caller otherwise"),
        (
            _call(_of_user(HINDI, OTHER_HINDI), "timeout"),
            "recogniser",
            "words of the caller otherwise, by their consonants",
        ),
        (_call(_over(), end_s=27.0), "caller", "speaks over the agent 4 times"),
        (_call(GOOD, **SILENT), "recording", "not usable: one sound"),
        (_call(GOOD, "inactivity_timeout"), "not known", "no rule shows why"),
        (_call(CODE, "verification_failed"), "recogniser", "'4771' in turn 1"),
        (
            _call(UNWRITTEN, "timeout"),
            "recogniser",
            "nothing of 9 of 16 words of the caller",
        ),
        (_call(STOPPED, "timeout", 25.0), "agent", "is silent, 3 times"),
        (_call(STOPPED_IN_ONE, "timeout", 25.0), "agent", "is silent, 1 time"),
        (
            _call(OTHERS_AND_SILENCE, "timeout", 25.0),
            "recogniser",
            "words of the caller otherwise",
        ),
        (_call(AGAIN, "timeout"), "recogniser", "words of the caller more than once"),
        (_call(GREETS, "timeout"), "agent", "words more than once"),
        (_call(ASKS, "timeout"), "caller", "of its 20 words more than once"),
        (
            _call(GOOD, "silence-timed-out", 20.0),
            "caller",
            "nothing in the 10.5 s behind",
        ),
        (_call(NO_STOP, end_s=19.0), "agent", "does not stop for the caller, 2 times"),
        (
            _call(GOOD[:4], "assistant-ended-call", 8.1),
            "agent",
            "while the caller speaks",
        ),
        (_call(GOOD, "error", **ERROR), "agent", "an error: error, LLM request failed"),
        (_call(GOOD, "pipeline-error-stt-failed"), "recogniser", "an error"),
        (
            _call(AGAIN, "error", **ERROR),
            "agent",
            "an error: error, LLM request failed",
        ),
        (_call(GOOD, **SHORT), "recording", "breaks off at 10.0 s"),
        (
            _call([GOOD[0], GOOD[1], GOOD[3]], end_s=20.0, **LOST),
            "recording",
            "the agent speaks in the log alone, 2 times of 3, first at 5.0 s",
        ),
        (_call(GOOD, **OTHER_LOG), "recording", "are of two calls: alike at 0.21"),
        (_call(GOOD, **MOVED_LOG), "not known", "may be of two calls: where the log"),
    ],
)
def test_each_fault_is_laid_at_somebody_s_door(
    call: Conversation, whose: str, what: str
) -> None:
    fault = whose_fault(call)
    assert fault is not None
    assert (fault.whose, what in fault.what) == (whose, True), fault


@pytest.mark.parametrize(
    "call",
    [
        _call(GOOD),
        _call(GREETS),
        _call(ASKS),
        _call(ASKED),
        _call(READ_BACK),
        _call(BOTH, end_s=13.0),
        _call(CODE),
        _call(AGAIN),
        _call(GOOD, end_s=20.0),
        _call(GOOD, "assistant-ended-call", 9.5),
    ],
)
def test_a_good_call_is_nobody_s_fault(call: Conversation) -> None:
    """Repeated words, a wrong code and a silent end fail no call that ended well."""
    assert whose_fault(call) is None


def test_words_in_another_script_say_nothing_of_the_recogniser() -> None:
    other = [
        one if one[0] == "agent" else (*one, "कृपया मेरी मुलाकात सोमवार को रखें")
        for one in GOOD
    ]
    assert whose_fault(_call(other)) is None


def test_a_line_per_failed_call_stands_in_the_tables_and_in_json() -> None:
    items = [
        ConversationItem(id="good", conversation=_call(GOOD)),
        ConversationItem(id="loops", conversation=_call(LOOP)),
    ]
    report = measure_items(items, DEFINITIONS["trace-eval/2"])
    (table,) = [one for one in report.tables(0) if one.title.startswith("Whose fault")]
    assert "1 of 2 calls" in table.title
    good, loops = report.record()["conversations"]
    assert good["fault"] is None
    assert loops["fault"]["whose"] == "agent"


@pytest.mark.parametrize("heard", [HINDI, DEVANAGARI, SPELLED, DEVANAGARI * 2])
def test_words_in_other_letters_or_at_another_turn_are_no_other_words(
    heard: str,
) -> None:
    assert whose_fault(_call(_of_user(HINDI, heard))) is None
    aligned = [one if one[0] == "agent" else (*one[:3], HINDI, heard) for one in GOOD]
    assert list(other_words(_call(aligned))) == []


def test_marks_belong_to_the_words_of_a_script() -> None:
    assert split_words("हाँ, रवि। e\u0301te\u0301 25th 'x'", "'") == [
        "हाँ",
        "रवि",
        "e\u0301te\u0301",
        "25th",
        "x",
    ]
    assert split_words("don't (stop)", "'") == ["don't", "stop"]
    assert split_words("I \u2764\ufe0f it \u2600\ufe0f") == ["I", "it"]
    for word, other in (("payment", "पेमेंट"), ("center", "सेंटर"), ("phone", "फ़ोन")):
        assert consonants(word) == consonants(other)
