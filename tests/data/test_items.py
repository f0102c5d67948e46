"""Single answers beside pairs: both have answers, systems and recordings."""

from __future__ import annotations

import json
import re

import pytest
from pydantic import TypeAdapter, ValidationError

from trace_eval.data.answers import Answer
from trace_eval.data.items import Item, ScoreLabels, Single, items_of_pair, side_of_pair
from trace_eval.data.pairs import Pair

PAIR = Pair.model_validate(
    {
        "id": "p",
        "instruction": {"audio": "/i.wav"},
        "a": {"audio": "/a.wav", "system": "s", "reference": "yes"},
        "b": {"audio": "https://host/b.wav?X-Amz-Signature=1"},
    }
)


def test_both_kinds_have_answers_systems_and_recordings() -> None:
    assert PAIR.answers == (PAIR.a, PAIR.b)
    assert PAIR.systems == ("s", None)
    assert list(PAIR.recordings()) == ["instruction", "a", "b"]
    one = Single.model_validate(
        {"id": "d", "system": "t", "answer": {"turns": [{"audio": "/1.wav"}, {"audio": "/2.wav"}]}}
    )
    assert (one.answers, one.systems) == ((one.answer,), ("t",))
    assert list(one.recordings()) == one.answer_roles == ["turn-1", "turn-2"]
    assert Single(id="t", answer={"text": ""}).recordings() == {}


def test_a_record_is_read_as_what_it_was_written() -> None:
    kinds: TypeAdapter[Pair | Single] = TypeAdapter(Item)
    for item in (PAIR, *items_of_pair(PAIR)):
        assert kinds.validate_json(item.model_dump_json(exclude_none=True)) == item


def test_a_pair_gives_an_item_per_answer() -> None:
    a, b = items_of_pair(PAIR)
    assert (a.id, b.id) == ("p/a", "p/b")
    assert (a.question_id, a.reference, a.system) == ("p", ("yes",), "s")
    assert a.answer.source_id == PAIR.a.source_id
    assert b.answer.url == PAIR.b.url
    assert a.instruction == PAIR.instruction


def test_urls_may_be_signed_anew() -> None:
    _, b = items_of_pair(PAIR)
    _, again = items_of_pair(
        Pair.model_validate_json(PAIR.model_dump_json().replace("Signature=1", "Signature=2"))
    )
    assert b != again
    assert b.same_as(again)
    assert not b.same_as(PAIR)


CALL = {"clock": {"kind": "none"}, "speakers": [{"name": "bot", "role": "agent"}]}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({}, "needs 'audio', 'turns' or 'text'"),
        ({"audio": "/a.wav", "turns": [{"audio": "/b.wav"}]}, "not both"),
        ({"text": "words", "system": "s"}, "'system' of a single answer stands beside 'answer'"),
        ({"text": "words", "conversation": CALL}, "a conversation has no other form"),
    ],
)
def test_a_single_answer_has_one_form(answer: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Single.model_validate({"id": "x", "answer": answer})


def test_one_answer_has_two_json_forms() -> None:
    assert type(PAIR.a) is type(items_of_pair(PAIR)[0].answer) is Answer
    places = {"audio": "/a.wav", "url": None}
    cut = {"channel": 1, "start_s": 0.0, "end_s": 2.0}
    recorded = Pair.model_validate({"id": "p", "a": {**places, "cut": cut}, "b": PAIR.b})
    assert json.loads(recorded.model_dump_json())["a"] == (
        places | {"cut": cut, "system": None, "reference": None}
    )
    alone, _ = items_of_pair(recorded)
    assert json.loads(alone.model_dump_json())["answer"] == (
        places | {"cut": cut, "text": None, "turns": []}
    )
    assert side_of_pair(alone, "s") == recorded.a.model_copy(update={"system": "s"})


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"text": "words"}, "'text' is none of a pair's: its answers are recordings"),
        ({"audio": "/a.wav", "text": None}, "'text' is none of a pair's"),
        ({"turns": [{"audio": "/a.wav"}]}, "'turns' is none of a pair's"),
        ({}, "in a pair 'audio', the path or URL of its recording, or a 'conversation'"),
        ({"audio": "/a.wav", "conversation": CALL}, "has 'audio' or 'conversation', not both"),
    ],
)
def test_a_pair_refuses_what_it_cannot_compare(record: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(told)):
        Pair.model_validate({"id": "p", "a": record, "b": PAIR.b})
    offered = Pair.model_json_schema()["properties"]["a"]["properties"].keys()
    assert {"audio", "reference"} <= offered - {"text", "turns"} == offered


def test_raters_without_names_are_known_by_place() -> None:
    labels = ScoreLabels.model_validate(
        {"scores": [5, None, 3], "feedback": [None, ["u", "hard to say"], "e"]}
    )
    assert labels.scores == {"#1": 5, "#2": None, "#3": 3}
    assert labels.ratings == {"#1": 5, "#3": 3}
    assert labels.feedback == {"#2": ["u", "hard to say"], "#3": ["e"]}
    with pytest.raises(ValidationError, match="3 scores and 1 feedback entries"):
        ScoreLabels.model_validate({"scores": [5, 4, 3], "feedback": [None]})
    with pytest.raises(ValidationError, match=r"scores\.ann"):
        ScoreLabels.model_validate({"scores": {"ann": float("nan")}})
