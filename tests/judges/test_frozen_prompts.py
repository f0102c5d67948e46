"""Prompts of published protocols stay what they are, byte for byte; ours change by decision.

``frozen/published.txt`` holds what judges send under published protocols, both orders and
examples included; ``frozen/ours.json`` holds a hash of all other prompts that we ship. To change
one of ours: raise the version of its rubric or template, say why in the changelog, and run

    python -m tests.judges.test_frozen_prompts
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.audio_cases import case as audio_case
from tests.support.audio_cases import examples, write
from tests.support.cases import case as text_case
from tests.support.rating import case_of, single
from trace_eval.data.items import Single
from trace_eval.judges.base import Case
from trace_eval.judges.chat.message import AudioPart, Message
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.registry import create_judge, create_scorers
from trace_eval.rubrics import load_rubric
from trace_eval.runs.pipeline import decode_recording

FROZEN = Path(__file__).with_name("frozen")

#: Name -> options of the judge of pairs that reads blueprints.
READS: dict[str, dict[str, Any]] = {
    "label": {},
    "paper": {"rendering": "paper"},
    "acceptability": {"elicitation": "acceptability"},
    "transcript": {"mode": "transcript"},
    "without quality": {"drop": ("quality",)},
}

#: Name -> options of the judge of pairs that listens.
LISTENS: dict[str, dict[str, Any]] = {
    "audiojudge": {"preset": "audiojudge"},
    "audiojudge, four examples": {"preset": "audiojudge", "examples": True},
    **{
        f"audiojudge, {concat}": {"preset": "audiojudge", "concat": concat, "examples": True}
        for concat in ("none", "pairs", "examples", "test")
    },
    **{
        task: {"task": task}
        for task in ("aspects", "content", "pronunciation", "quality", "rate", "speaker")
    },
    "dimensions": {"task": "dimensions"},
    "dimensions, acceptability": {"task": "dimensions", "elicitation": "acceptability"},
    "with transcripts": {"task": "s2s", "transcripts": "asr", "instruction": "both"},
    "naturalness": {"task": "naturalness", "transcripts": "reference"},
    "naturalness, in writing": {
        "task": "naturalness",
        "transcripts": "reference",
        "structure": "text",
    },
}

RUBRICS = (
    *("correctness", "correctness-brief", "naturalness", "quality", "role_realism"),
    *("role_realism_5", "role_style", "s2s", "style"),
)

PUBLISHED = ("listens/audiojudge", "listens/naturalness", "rates/style_paper")


def _shown(messages: Sequence[Message]) -> str:
    """The words as they are, and sound by what decides its bytes, without what made it."""
    told = []
    for message in messages:
        told.append(f"[{message.role}]")
        for part in message.parts:
            told.append(_sound(part) if isinstance(part, AudioPart) else part.text)
    return "\n".join(told)


def _sound(part: AudioPart) -> str:
    digest = hashlib.sha256(part.render()).hexdigest()[:16]
    return f"<{part.format}, {part.seconds:.3f} s, {digest}>"


def _options(**chosen: Any) -> JudgeOptions:
    """Of a server that is never asked."""
    return JudgeOptions(base_url="http://127.0.0.1:9/v1", **chosen)


def _calls(judge: Any, case: Any) -> str:
    shown = [
        f"# {call.order}, temperature {call.request.temperature:g},"
        f" at most {call.request.max_tokens} tokens\n{_shown(call.request.messages)}\n"
        f"# reply: {json.dumps(call.request.schema)}"
        for call in judge.calls(case)
        if call.sample == 0
    ]
    return "\n".join(shown)


def _spoken(folder: Path) -> Case:
    recording = write(folder / "answer.wav", 0.5, 300.0)
    item = Single.model_validate(single().model_dump() | {"answer": {"audio": recording}})
    from tests.support.cases import blueprint

    return Case(item, {"answer": blueprint()}, decode_recording)


def prompts(folder: Path) -> Iterator[tuple[str, str]]:
    """(name, everything that is sent) of each protocol."""
    for name, chosen in READS.items():
        judge = create_judge("openai:any", _options(**chosen))
        yield f"reads/{name}", _calls(judge, text_case())
    shots = examples(folder, [{"label": label} for label in ("1", "2", "tie", "1")])
    for name, chosen in LISTENS.items():
        options = {**chosen, **({"examples": shots, "shots": 4} if "examples" in chosen else {})}
        judge = create_judge("audio:openai:any", _options(**options))
        case = audio_case(folder)
        if chosen.get("task") == "naturalness":
            texts = {"reference": "The tower leans."}
            pair = case.pair.model_copy(
                update={
                    side: getattr(case.pair, side).model_copy(update=texts) for side in ("a", "b")
                }
            )
            case = type(case).of(pair, case.a, case.b, None, decode_recording)
        yield f"listens/{name}", _calls(judge, case)
    for name in RUBRICS:
        rubric = load_rubric(name)
        (rater,) = create_scorers("openai:any", [rubric], _options())
        case = _spoken(folder) if rubric.needs_audio else case_of()
        yield f"rates/{name}", _calls(rater, case)
        if rubric.needs_audio:
            (rater,) = create_scorers("audio:openai:any", [rubric], _options())
            yield f"rates/{name}, by ear", _calls(rater, case)
    style = _options(preset="style_paper")
    for rubric in (load_rubric("style"), load_rubric("role_style")):
        (rater,) = create_scorers("audio:openai:any", [rubric], style)
        yield f"rates/style_paper, {rubric.name}", _calls(rater, _spoken(folder))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _both(folder: Path) -> tuple[str, dict[str, str]]:
    made = dict(prompts(folder))
    published = {name: text for name, text in made.items() if name.startswith(PUBLISHED)}
    told = "".join(f"######## {name}\n{text}\n\n" for name, text in published.items())
    return told, {name: _digest(text) for name, text in made.items() if name not in published}


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, str]]:
    return _both(tmp_path_factory.mktemp("prompts"))


def test_prompts_of_published_protocols_are_byte_equal(sent: tuple[str, dict[str, str]]) -> None:
    assert sent[0] == (FROZEN / "published.txt").read_text("utf-8")


def test_our_own_prompts_change_by_decision_only(sent: tuple[str, dict[str, str]]) -> None:
    assert sent[1] == json.loads((FROZEN / "ours.json").read_text("utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        words, hashes = _both(Path(made))
    (FROZEN / "published.txt").write_text(words, "utf-8")
    (FROZEN / "ours.json").write_text(json.dumps(hashes, indent=1) + "\n", "utf-8")
