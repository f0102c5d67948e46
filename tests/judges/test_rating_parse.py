"""Replies as models write them, and what becomes of each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.reply_json import ReplyError
from trace_eval.judges.read.score import read_score, reply_schema
from trace_eval.rubrics.load import load_rubric

FIVE = load_rubric("correctness")
BINARY = load_rubric("role_realism")
OFF, NONE = Reason.OFF_LABEL, Reason.UNPARSEABLE


def outcome(reply: str, plain: bool) -> Any:
    """The score, or the reason why there is none."""
    try:
        return read_score(reply, FIVE, plain=plain).score
    except ReplyError as error:
        return error.reason


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ('{"reasoning": "r", "score": 4}', 4),
        ('{"score": 4, "reasoning": "r"}', 4),
        ('{"score": 2, "reasoning": "a"} no: {"score": 5, "reasoning": "b"}', 5),
        ('{"score": 4.0}', 4),
        ('{"score": "4"}', 4),
        ('{"score": 0}', OFF),
        ('{"score": 6}', OFF),
        ('{"score": "4/5"}', OFF),
        ('{"score": "3-4"}', OFF),
        ('{"score": 4.5}', OFF),
        ('{"score": "four"}', OFF),
        ('{"score": true}', OFF),
        ('{"score": null}', OFF),
        ('{"score": 4, "reasoning": 3}', NONE),
        ('{"rating": 4}', NONE),
        ("Score: 4", NONE),
        ("I can't assess the speaker.", NONE),
    ],
)
def test_json_replies(reply: str, wanted: Any) -> None:
    found = outcome(reply, plain=False)
    assert (found, type(found)) == (wanted, type(wanted))


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ("Score: 4", 4),
        ("I find it right.\n**Score:** 4.", 4),
        ("score = 2 ... no, score: 5", 5),
        ("The score is: 3", 3),
        ("Score: 4/5", OFF),
        ("Score: 3-4", OFF),
        ("Score: 4.5", OFF),
        ("Score: 7", OFF),
        ("Score: four", OFF),
        ("4", NONE),
        ("underscore: 4", NONE),
        ('{"score": 2} and score: 5', 2),
    ],
)
def test_plain_lines_count_only_where_text_was_asked_for(reply: str, wanted: Any) -> None:
    assert outcome(reply, plain=True) == wanted


def test_a_binary_scale_has_no_middle() -> None:
    assert [read_score(f'{{"score": {n}}}', BINARY).score for n in (0, 1)] == [0, 1]
    for value in ("0.5", "2", "true", '"yes"'):
        with pytest.raises(ReplyError, match="is not one of 0, 1"):
            read_score(f'{{"score": {value}}}', BINARY)


def test_elements_stand_beside_the_score() -> None:
    style = load_rubric("style").model_copy(update={"elements": ("pace", "volume")})
    schema = reply_schema(style)
    assert list(schema["properties"]) == ["reasoning", "elements", "score"]  # type: ignore[arg-type]
    reply = {"reasoning": "r", "elements": {"pace": 2, "volume": None}, "score": 4}
    found = read_score(json.dumps(reply), style)
    assert (found.score, found.elements) == (4, {"pace": 2, "volume": None})
    with pytest.raises(ReplyError, match="pace: '9' is not one of"):
        read_score(json.dumps({**reply, "elements": {"pace": 9}}), style)
    with pytest.raises(ReplyError, match="no object 'elements'"):
        read_score('{"score": 4}', style)


def test_the_reply_that_the_schema_asks_for() -> None:
    assert reply_schema(FIVE) == {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        },
        "required": ["reasoning", "score"],
        "additionalProperties": False,
    }
