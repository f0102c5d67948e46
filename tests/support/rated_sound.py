"""What the tests of rating and others share."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.audio_cases import write
from tests.support.llm_judges import scoring_judge
from trace_eval.data.answers import Answer, Instruction, RecordedTurn
from trace_eval.data.items import Single
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.prices import FREE
from trace_eval.judges.ask.scripted import ScriptedClient
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.answer.audio import AudioView
from trace_eval.runs.pipeline import decode_recording


def dialogue(folder: Path, seconds: list[float], name: str = "d") -> Single:
    turns = tuple(
        RecordedTurn(
            audio=write(folder / f"{name}{n}.wav", length, 300.0 + 50 * n),
            speaker=f"role {n}",
        )
        for n, length in enumerate(seconds, start=1)
    )
    return Single(
        id=name,
        context="Two annotators at a bus stop.",
        answer=Answer(turns=turns),
        system="SYS-X",
    )


def clip(
    folder: Path, name: str = "c", seconds: float = 1.0, hertz: float = 300.0
) -> Single:
    audio = write(folder / f"{name}.wav", seconds, hertz)
    asked = Instruction(text="Say hello, first happily, then sadly.")
    return Single(
        id=name, instruction=asked, answer=Answer(audio=audio), system="SYS-Y"
    )


def write_items(folder: Path, *items: Single) -> Path:
    """Write a manifest of items."""
    path = folder / "answers.jsonl"
    path.write_text(
        "".join(item.model_dump_json(exclude_none=True) + "\n" for item in items)
    )
    return path


def rater(
    rubric: str, replies: list[object], **options: object
) -> tuple[LLMJudge, ScriptedClient]:
    chosen = JudgeOptions(**options)  # type: ignore[arg-type]
    client = ScriptedClient(replies)  # type: ignore[arg-type]
    loaded = load_rubric(rubric)
    heard = AudioView(loaded, chosen)
    return scoring_judge(
        "audio:scripted:t",
        client,
        options=chosen,
        price=FREE,
        rubric=loaded,
        heard=heard,
    ), client


def case(item: Single) -> Case:
    return Case(item, {}, decode_recording)


def said(score: object) -> str:
    return json.dumps({"reasoning": "heard", "score": score})
