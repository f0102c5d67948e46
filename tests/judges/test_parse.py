"""Replies as models really write them, and as they should not."""

import json
import time

import pytest

from fusion import DIMENSIONS, Rating, from_steps
from tests.support.cases import verdict
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.reply_json import MAX_REPLY_CHARS, ReplyError
from trace_eval.judges.read.labels import parse_reply

GOOD = json.dumps(verdict("1", "2", "both_bad"))
OTHER = json.dumps(verdict("2", "2", "2"))
WANTED = (Rating.A, Rating.B, Rating.BOTH_BAD)


def with_content(rating: object) -> str:
    made = verdict("1", "2", "both_bad")
    made["content"]["rating"] = rating
    return json.dumps(made)


READABLE = {
    "plain": GOOD,
    "indented": json.dumps(verdict("1", "2", "both_bad"), indent=2),
    "prose around": f"Here is my verdict:\n{GOOD}\nI hope this helps! {{not json}}",
    "code fence": f"```json\n{GOOD}\n```",
    "draft before": f"Draft: {OTHER}\nFinal: {GOOD}",
    "thinking": f"<think>maybe {OTHER}</think>{GOOD}",
    "thinking with braces": f"<think>{{{{ {OTHER}</think>\n{GOOD}",
    "other object after": GOOD + ' {"confidence": 0.9}',
    "other object before": '{"plan": {"a": 1}} ' + GOOD,
    "extra keys": json.dumps({**verdict("1", "2", "both_bad"), "overall": "2"}),
    "number label": with_content(1),
    "padded label": with_content(" 1 "),
    "bom": "\ufeff" + GOOD,
    "fake verdict quoted in reasoning": json.dumps(
        {
            **verdict("1", "2", "both_bad"),
            "content": {"reasoning": f"it says {OTHER} as if it were me", "rating": "1"},
        }
    ),
    "unclosed brace before": "{ " * 50 + GOOD,
}


@pytest.mark.parametrize("name", READABLE)
def test_readable(name: str) -> None:
    found = parse_reply(READABLE[name], "label")
    assert tuple(found.ratings[dimension] for dimension in DIMENSIONS) == WANTED


UNPARSEABLE = {
    "empty": "",
    "prose": "Answer 1 is better in every way.",
    "refusal": "I'm sorry, but I can't help with that.",
    "cut": GOOD[: len(GOOD) // 2],
    "list": f"[{json.dumps('1')}, 2]",
    "flat labels": json.dumps({"content": "1", "voice_quality": "1", "paralinguistics": "1"}),
    "one dimension": json.dumps({"content": verdict()["content"]}),
    "two dimensions": json.dumps({k: verdict()[k] for k in ("content", "voice_quality")}),
    "duplicate dimension": GOOD[:-1] + ', "content": {"reasoning": "", "rating": "2"}}',
    "duplicate rating": GOOD.replace('"rating": "1"', '"rating": "2", "rating": "1"'),
    "duplicate key in a wrapper": f'{{"x": 1, "x": 2, "verdict": {GOOD}}}',
    "wrapped": json.dumps({"verdict": verdict()}),
    "python dict": str(verdict()),
    "no reasoning": json.dumps({name: {"rating": "1"} for name in DIMENSIONS}),
    "reasoning is a list": json.dumps({n: {"reasoning": [], "rating": "1"} for n in DIMENSIONS}),
    "nan": GOOD[:-1] + ', "confidence": NaN}',
    "5000 digits": GOOD[:-1] + ', "n": ' + "9" * 5000 + "}",
    "all thinking": f"<think>{GOOD}</think>",
    "too long": GOOD + " " * MAX_REPLY_CHARS,
    "deep": '{"content":' * 50_000,
    "braces": "{" * 500_000,
    "unclosed strings": '{"' * 300_000,
}


@pytest.mark.parametrize("name", UNPARSEABLE)
def test_unparseable(name: str) -> None:
    started = time.process_time()
    with pytest.raises(ReplyError) as caught:
        parse_reply(UNPARSEABLE[name], "label")
    assert caught.value.reason is Reason.UNPARSEABLE
    # Hostile text costs bounded time: measured 0.02 s, the bound leaves room for slow machines.
    assert time.process_time() - started < 2


OFF_LABEL = [
    "3",
    "A",
    "tie",
    "both",
    "Both_Good",
    "both good",
    "",
    0,
    3,
    1.0,
    True,
    None,
    ["1"],
    {},
]


@pytest.mark.parametrize("rating", OFF_LABEL, ids=repr)
def test_off_label(rating: object) -> None:
    with pytest.raises(ReplyError) as caught:
        parse_reply(with_content(rating), "label")
    assert caught.value.reason is Reason.OFF_LABEL


def test_a_later_unusable_verdict_is_not_replaced_by_an_earlier_draft() -> None:
    with pytest.raises(ReplyError) as caught:
        parse_reply(f"{OTHER}\nor rather\n{with_content('3')}", "label")
    assert caught.value.reason is Reason.OFF_LABEL


def test_reasoning_is_always_writable_text() -> None:
    made = verdict()
    made["content"]["reasoning"] = "half \ud800 pair"
    found = parse_reply(json.dumps(made), "label")
    assert found.reasoning["content"] == "half ? pair"
    assert found.reasoning["voice_quality"] == "because of voice_quality"


@pytest.mark.parametrize(
    ("first", "second", "better", "rating"),
    [
        # One acceptable answer wins, whatever is said to be better.
        (True, False, "1", Rating.A),
        (True, False, "2", Rating.A),
        (True, False, "tie", Rating.A),
        (False, True, "1", Rating.B),
        (False, True, "2", Rating.B),
        (False, True, "tie", Rating.B),
        # None acceptable is both_bad, whatever is said to be better.
        (False, False, "1", Rating.BOTH_BAD),
        (False, False, "2", Rating.BOTH_BAD),
        (False, False, "tie", Rating.BOTH_BAD),
        # Two acceptable answers are compared.
        (True, True, "1", Rating.A),
        (True, True, "2", Rating.B),
        (True, True, "tie", Rating.BOTH_GOOD),
    ],
)
def test_acceptability_steps(first: bool, second: bool, better: str, rating: Rating) -> None:
    won = {"1": Rating.A, "2": Rating.B}.get(better)
    assert from_steps(first, second, won) is rating
    one = {
        "reasoning": "r",
        "answer_1_acceptable": first,
        "answer_2_acceptable": second,
        "better": better,
    }
    found = parse_reply(json.dumps(dict.fromkeys(DIMENSIONS, one)), "acceptability")
    assert set(found.ratings.values()) == {rating}


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("answer_1_acceptable", "true", Reason.OFF_LABEL),
        ("answer_2_acceptable", 1, Reason.OFF_LABEL),
        ("better", "both_good", Reason.OFF_LABEL),
        ("better", None, Reason.OFF_LABEL),
        ("answer_1_acceptable", ..., Reason.UNPARSEABLE),
        ("better", ..., Reason.UNPARSEABLE),
    ],
)
def test_acceptability_is_strict(field: str, value: object, reason: Reason) -> None:
    one: dict[str, object] = {
        "reasoning": "r",
        "answer_1_acceptable": True,
        "answer_2_acceptable": True,
        "better": "tie",
    }
    if value is ...:
        del one[field]
    else:
        one[field] = value
    with pytest.raises(ReplyError) as caught:
        parse_reply(json.dumps(dict.fromkeys(DIMENSIONS, one)), "acceptability")
    assert caught.value.reason is reason
