from __future__ import annotations

import json

import pytest

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.reply_json import ReplyError
from trace_eval.judges.combine.votes import preference
from trace_eval.judges.read.two_scores import (
    NATURALNESS,
    TwoScores,
    read_json,
    read_text,
    schema,
)
from trace_eval.rubrics.pairs import ScoreScale


def reply(**given: object) -> str:
    return json.dumps({"prosody": "flat", "score_1": 7, "score_2": 7.5} | given)


def preferred(said: TwoScores) -> str:
    return preference(said.first, said.second)


def test_numbers_are_compared_as_numbers() -> None:
    # As text "10" < "9" and "8" != "8.0".
    assert preferred(read_text("Output A: 10\nOutput B: 9")) == "1"
    assert preferred(read_text("Output A: 8, Output B: 8.0")) == "tie"
    assert preferred(read_json(reply(score_1=10, score_2=9))) == "1"
    assert preferred(read_json(reply(score_1=8, score_2=8.0))) == "tie"


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("Output A: 3 faults are heard. In all, Output A: 8, Output B: 7", (8, 7)),
        ("Output A: 3 faults\nOutput B: 5 faults\n\nOutput A: 8\nOutput B: 7", (8, 7)),
        ("Output A: 8, Output B: 7\nRemark: output B had 3 faults.", (8, 7)),
        ("Draft: Output A: 4, Output B: 9. On reflection: Output A: 8, Output B: 7", (8, 7)),
        ("Output B: 7\nOutput A: 8", (8, 7)),
        ("Output A (score): 8\nOutput B (score): 7", (8, 7)),
        ("output a: 8 output b: 7", (8, 7)),
        ("OUTPUT A: 8 AND OUTPUT B: 7", (8, 7)),
        ("**Output A:** 8/10, **Output B:** 7.5/10", (8, 7.5)),
        ("Recording 1: 8 out of 10 and Recording 2: 7 out of 10.", (8, 7)),
        ("The first recording's overall score is 8; the second recording's is 7.25", (8, 7.25)),
        ("- __Output A__ - 8\n- __Output B__ - 7", (8, 7)),
        ("| Output A | 8 |\n| Output B | 7 |", (8, 7)),
        ("score_1: 8\nscore_2: 7", (8, 7)),
        ("A: 8, B: 7", (8, 7)),
        ("<think>Output A: 2, Output B: 9</think>Output A: 8, Output B: 7", (8, 7)),
        ("Output A: 10\nOutput B: 1", (10, 1)),
        ("Output A: 4, Output B: 9. Output A: 8, Output B: 7", (8, 7)),
    ],
)
def test_the_last_adjacent_conclusion_counts(text: str, scores: tuple[float, float]) -> None:
    assert (read_text(text).first, read_text(text).second) == scores


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Both recordings sound natural.",
        "Output A: 8",
        "Output A: 8 because its pauses sit well, whereas Output B: 7",  # not next to each other
        "Output A has 3 faults. Output B: 7",
        "Output A: 8, Output A: 7",
        "Output A: 8, Output B: 7, Output A: 9",  # which of the three?
        "Output A: 8/5, Output B: 7/5",
        "Output A: 7,5, Output B: 8",
        "Output A: 80%, Output B: 70%",
        "Output A: 1e1, Output B: 7",
        "<think>Output A: 8, Output B: 7</think>I cannot tell.",
        "Rate each on a scale: score 1-10.",
        "Output A: 8, Output B: 7</think>",
        "Output A: 0, Output B: 5",
        "Output A: 11, Output B: 5",
    ],
)
def test_no_conclusion_is_no_vote(text: str) -> None:
    with pytest.raises(ReplyError) as raised:
        read_text(text)
    off = text in ("Output A: 0, Output B: 5", "Output A: 11, Output B: 5")
    assert raised.value.reason is (Reason.OFF_LABEL if off else Reason.UNPARSEABLE)


def test_json_with_reasons() -> None:
    words = {name: name.title() for name in ("prosody", "pacing", "articulation", "overall")}
    assert read_json(reply(**words)) == TwoScores(7, 7.5, words)
    assert read_json("Draft " + reply(score_1=1) + " final ```" + reply() + "```").first == 7
    assert read_json(reply(prosody="\ud800")).reasoning["prosody"] == "?"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (reply(score_1=0.5), Reason.OFF_LABEL),
        (reply(score_2=10.5), Reason.OFF_LABEL),
        (reply(score_1=10**400), Reason.OFF_LABEL),
        (reply(score_1=True), Reason.UNPARSEABLE),
        (reply(score_1="7"), Reason.UNPARSEABLE),
        (reply(score_1=None), Reason.UNPARSEABLE),
        ('{"score_1": 7}', Reason.UNPARSEABLE),
        ("Output A: 8, Output B: 7", Reason.UNPARSEABLE),
    ],
)
def test_json_that_is_no_vote(text: str, reason: Reason) -> None:
    with pytest.raises(ReplyError) as raised:
        read_json(text)
    assert raised.value.reason is reason


def test_a_scale_in_steps_offers_its_scores() -> None:
    scale = ScoreScale(min=1, max=3, step=0.5)
    assert scale.labels == (1, 1.5, 2, 2.5, 3)
    properties = schema(NATURALNESS.model_copy(update={"scale": scale}))["properties"]
    assert {"type": "number", "enum": [1, 1.5, 2, 2.5, 3]} in properties.values()  # type: ignore[union-attr]
