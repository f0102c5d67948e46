"""Messages without text: what they hold instead is named, and is no answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trace_eval.judges.ask.base import Unusable
from trace_eval.judges.ask.connection import Redactor
from trace_eval.judges.ask.openai_replies import OpenAIReplies


def text_of(message: dict[str, Any]) -> str:
    """Return the text of a reply with this message."""
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    reader = OpenAIReplies("server", "model", Redactor(None))
    return reader.read_choices(json.dumps(body).encode(), None).first.text


def test_parts_of_type_text_are_the_reply() -> None:
    thinking = {"type": "thinking", "thinking": '{"score": 1}'}
    parts = [
        thinking,
        {"type": "text", "text": '{"score"'},
        {"type": "text", "text": ": 4}"},
    ]
    assert text_of({"content": parts}) == '{"score": 4}'


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ({"content": None, "reasoning_content": '{"score": 4}'}, "reasoning_content"),
        ({"content": "", "reasoning": '{"score": 4}'}, "reasoning"),
        ({"content": None, "tool_calls": [{"id": "c"}]}, "tool_calls"),
        ({"content": None, "function_call": {"name": "f"}}, "function_call"),
        ({"content": [{"type": "thinking", "thinking": "x"}]}, "thinking"),
        ({"content": None}, "empty"),
    ],
)
def test_what_stands_in_the_place_of_a_reply_is_named(
    message: dict[str, Any], named: str
) -> None:
    with pytest.raises(Unusable, match=named):
        text_of(message)
