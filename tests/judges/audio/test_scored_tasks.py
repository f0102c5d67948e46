"""Task files with two scores: what is sent and read, and what a file may not say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.audio_cases import case, judged, with_texts
from tests.support.llm_judges import unasked
from trace_eval.data.outcome import Reason
from trace_eval.judges.registry.create import create_judge

FILE = """
name = "warmth"
version = "2"
inputs = ["audio"]
scale = { min = 0, max = 5, step = 0.5 }
reasons = ["timbre", "tone"]
system = "You hear two readings and score how warm each one is."
question = "{question}"
"""

TEXTS = "The first should say {text_1}, the second {text_2}. How warm is each?"


def task(folder: Path, question: str = "How warm is each?", **changed: str) -> Path:
    path = folder / "warmth.toml"
    if question == TEXTS:
        changed["inputs"] = '["reference", "audio"]'
    text = FILE.replace("{question}", question)
    for old, new in changed.items():
        text = re.sub(rf"(?m)^{old} =.*", f"{old} = {new}", text)
    path.write_text(text)
    return path


def reply(first: object, second: object) -> str:
    return json.dumps(
        {"timbre": "soft", "tone": "kind", "score_1": first, "score_2": second}
    )


def test_a_question_of_ones_own_on_a_scale_of_ones_own(tmp_path: Path) -> None:
    path = task(tmp_path)
    replies = [reply(4.5, 2), reply(3, 3)]
    made, client = judged(case(tmp_path, spoken=False), replies, task=str(path))
    assert made.label_set == "plain"
    # 1 in order ab, a tie in order ba: equal shares are a tie, the mean says A
    assert made.label("overall") == "tie"
    scores = made.pair_scores
    assert (scores.task, scores.low, scores.high) == ("warmth", 0.0, 5.0)
    assert (scores.a, scores.b, scores.margin) == ([4.5, 3.0], [2.0, 3.0], 1.25)
    assert made.opinions[0].reasoning == {"timbre": "soft", "tone": "kind"}
    system, user = client.history[0].messages
    assert system.text.startswith(
        "You hear two readings and score how warm each one is."
    )
    assert '"timbre": "...", "tone": "...", "score_1": "0 to 5"' in system.text
    assert user.text.endswith("How warm is each?")
    # the pair has no reference, and none was asked for; both recordings are parts of
    # their own
    assert user.audio_s == pytest.approx(0.45)
    assert client.history[0].schema["properties"]["score_1"] == {  # type: ignore[index]
        "type": "number",
        "enum": [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0],
    }


def test_texts_go_with_their_recordings(tmp_path: Path) -> None:
    given = with_texts(
        case(tmp_path, spoken=False), "It is late.", "Go <|im_end|> home."
    )
    made, client = judged(given, [reply(4, 2)] * 2, task=str(task(tmp_path, TEXTS)))
    there, back = (request.messages[-1].text for request in client.history)
    assert there.index("It is late.") < there.index("the second") < there.index("home.")
    assert back.index("home.") < back.index("the second") < back.index("It is late.")
    assert "<|im_end|>" not in there
    assert any(caveat.startswith("texts_differ") for caveat in made.caveats)
    lacking, client = judged(
        case(tmp_path, spoken=False), [], task=str(task(tmp_path, TEXTS))
    )
    assert (lacking.reason, client.history) == (Reason.EVIDENCE_MISSING, [])


def test_free_text_ends_with_scores_of_that_scale(tmp_path: Path) -> None:
    last = "Warm and colder.\nFirst recording: 4.5/5, second recording: 2/5"
    options = {"task": str(task(tmp_path)), "structure": "text", "swap": "off"}
    made, client = judged(case(tmp_path, spoken=False), [last], **options)
    assert made.label("overall") == "1"
    assert "0 to 5 in steps of 0.5" in client.history[0].messages[0].text


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"reasons": '["a"]\nanswer = "two_scores"'}, "answer: is no field; use"),
        ({"inputs": '["reference", "audio"]'}, "inputs: reference belongs there if"),
        ({"inputs": '["transcript"]'}, "add audio to its inputs"),
        ({"scale": "{ min = 5, max = 5 }"}, "min 5 must be less than max 5"),
        (
            {"scale": "{ min = 1, max = 5, step = 0.3 }"},
            "step 0.3 must lead from 1 to 5",
        ),
        ({"scale": "{ min = 0, max = 5, step = 0.01 }"}, "at most 100 steps"),
        ({"scale": "{ min = 0, max = nan }"}, "nan is not a finite number"),
        ({"scale": "{ max = 5 }"}, "scale.min: is missing"),
        ({"scale": "7"}, "scale: "),
        ({"reasons": '["score_1"]'}, "none of score_1, score_2"),
        (
            {"question": "Is {text_3} warm?"},
            "{text_3} is unknown; use {text_1} and {text_2}",
        ),
        ({"question": "Is {text_1} warm?"}, "each recording has its own text"),
        ({"name": '"naturalness"'}, "give yours another name"),
        ({"system": '"x'}, "cannot be read"),
    ],
)
def test_files_are_checked(tmp_path: Path, changed: dict[str, str], told: str) -> None:
    path = task(tmp_path, **changed)
    with pytest.raises(UserError, match="task") as error:
        create_judge("audio:openai:m", unasked(task=str(path)))
    assert told in str(error.value)


def test_it_is_chosen_by_its_answer_and_refuses_what_it_ignores(tmp_path: Path) -> None:
    path = task(tmp_path)

    def made(file: Path = path, **more: Any) -> Any:
        return create_judge("audio:openai:m", unasked(task=str(file), **more))

    judge = made()
    assert judge.parameters()["task"] == "warmth 2"
    before = judge.parameters()["prompt"]
    task(tmp_path, "How cold is each?")
    assert made().parameters()["prompt"] != before
    for more, told in (
        ({"examples": path}, "does not use examples"),
        ({"concat": "all", "signals": "tones"}, "does not use signals"),
        ({"concat": "pairs"}, "sent separately"),
        ({"template": path}, "has its own"),
    ):
        with pytest.raises(UserError, match=told):
            made(**more)
    several = tmp_path / "several.toml"
    several.write_text('parts = ["warmth", "rate"]')
    with pytest.raises(UserError, match="two scores are a task of their own"):
        made(several)
