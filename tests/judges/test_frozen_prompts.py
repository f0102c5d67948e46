"""Prompts of published protocols stay the same bytes; ours change by decision.

``frozen/published.txt`` holds what judges send under published protocols, both orders
and examples included; ``frozen/ours.json`` holds a hash of all other prompts that we
ship, and ``frozen/judges.json`` what each judge says of itself, the keys of its
replies, and what scripted replies come to: runs of before can be continued, and no
reply is paid twice. To change one of ours: raise the version of its rubric or template,
say why in the changelog, and run

    python -m tests.judges.test_frozen_prompts
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from tests.support import calls
from tests.support.audio_cases import case as audio_case
from tests.support.audio_cases import examples, with_texts, write
from tests.support.cases import case as text_case
from tests.support.llm_judges import unasked
from tests.support.rating import case_of, single
from trace_eval.data.answers import Answer
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import Single
from trace_eval.data.outcome import Outcome
from trace_eval.data.rubrics.load import load_rubric, rubric_names
from trace_eval.judges.ask.message import AudioPart, Message
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.registry.create import create_judge, create_scorers
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
        f"audiojudge, {concat}": {
            "preset": "audiojudge",
            "concat": concat,
            "examples": True,
        }
        for concat in ("none", "pairs", "examples", "test")
    },
    **{
        task: {"task": task}
        for task in (
            "aspects",
            "content",
            "pronunciation",
            "quality",
            "rate",
            "speaker",
        )
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

RUBRICS = tuple(
    name for name in rubric_names() if not load_rubric(name).of_conversations
)

OF_CONVERSATIONS = ("conciseness", "faithfulness", "progression")

ELEMENTS = tuple(e for name in OF_CONVERSATIONS for e in load_rubric(name).elements)

STYLE_PAPER = {"preset": "style_paper"}

_VERDICT = {
    "reasoning": "heard",
    "answer_1_acceptable": True,
    "answer_2_acceptable": False,
}


def _reply(label: str, score: float) -> str:
    """Return a reply to every question that we have, as JSON and as a last line."""
    said: dict[str, Any] = {
        name: {**_VERDICT, "better": label, "rating": label}
        for name in ("content", "voice_quality", "paralinguistics")
    }
    said |= {
        "reasoning": "because",
        "label": label,
        "match": label == "1",
        "score": score,
    }
    said |= {
        "score_1": score,
        "score_2": 3,
        "turns": [{"turn": n, "score": 3} for n in (0, 2)],
    }
    said["elements"] = dict.fromkeys(ELEMENTS, score)
    return f"{json.dumps(said)}\nFirst recording: {score:g}, second recording: 3"


#: What a script says of every case: good replies, bad ones, and good ones again.
REPLIES = [
    *(_reply("1", 4), _reply("2", 2), _reply("1", 3), "nothing", _reply("1", 5)),
    *("nothing", "nothing", _reply("9", 99), _reply("1", 4), *[_reply("2", 1)] * 50),
]

PUBLISHED = ("listens/audiojudge", "listens/naturalness", "rates/style_paper")


def _shown(messages: Sequence[Message]) -> str:
    """Print words as they are, and sound by what decides its bytes, not its origin."""
    told = []
    for message in messages:
        told.append(f"[{message.role}]")
        for part in message.parts:
            told.append(_sound(part) if isinstance(part, AudioPart) else part.text)
    return "\n".join(told)


def _sound(part: AudioPart) -> str:
    digest = hashlib.sha256(part.render()).hexdigest()[:16]
    return f"<{part.format}, {part.seconds:.3f} s, {digest}>"


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
    item = Single.model_validate(
        single().model_dump() | {"answer": {"audio": recording}}
    )
    from tests.support.cases import blueprint

    return Case(item, {"answer": blueprint()}, decode_recording)


def _conversation() -> Case:
    """Words and times of a call."""
    conversation = Conversation.model_validate(calls.conversation(None))
    return Case(Single(id="call", answer=Answer(conversation=conversation)))


def judges(folder: Path) -> Iterator[tuple[str, Callable[..., Judge], Case]]:
    """(name, the judge over a client, a case for it) of each protocol."""
    for name, chosen in READS.items():
        yield f"reads/{name}", _pairs("", chosen), text_case()
    shots = examples(folder, [{"label": label} for label in ("1", "2", "tie", "1")])
    for name, chosen in LISTENS.items():
        options = {
            **chosen,
            **({"examples": shots, "shots": 4} if "examples" in chosen else {}),
        }
        case = audio_case(folder)
        if chosen.get("task") == "naturalness":
            case = with_texts(case, "The tower leans.", "The tower leans.")
        yield f"listens/{name}", _pairs("audio:", options), case
    for name in RUBRICS:
        needs_audio = load_rubric(name).needs_audio
        case = _spoken(folder) if needs_audio else case_of()
        yield f"rates/{name}", _scores("", name), case
        if needs_audio:
            yield f"rates/{name}, by ear", _scores("audio:", name), case
    for name in ("style", "role_style"):
        yield (
            f"rates/style_paper, {name}",
            _scores("audio:", name, STYLE_PAPER),
            _spoken(folder),
        )


def _pairs(kind: str, chosen: dict[str, Any]) -> Callable[..., Judge]:
    def make(client: str, **more: Any) -> Judge:
        settings = chosen | more
        return create_judge(f"{kind}{client}", unasked(**settings))

    return make


def _scores(
    kind: str, name: str, chosen: dict[str, Any] | None = None
) -> Callable[..., Judge]:
    def make(client: str, **more: Any) -> Judge:
        settings = (chosen or {}) | more
        options = unasked(**settings)
        (scorer,) = create_scorers(f"{kind}{client}", [load_rubric(name)], options)
        return scorer

    return make


def prompts(folder: Path) -> Iterator[tuple[str, str]]:
    """(name, everything that is sent) of each protocol."""
    for name, make, case in judges(folder):
        yield name, _calls(make("openai:any"), case)


def identities(folder: Path) -> Iterator[tuple[str, str]]:
    """(name, all that decides whether a run goes on, and what replies come to)."""
    of_calls = [(name, _scores("", name), _conversation()) for name in OF_CONVERSATIONS]
    for name, make, case in (*judges(folder), *of_calls):
        judge: Any = make("openai:any")
        told: dict[str, Any] = {
            "parameters": judge.parameters(),
            "uses": sorted(judge.uses or ()),
            "reads": sorted(judge.reads),
            "roles": judge.roles(case.item),
            "keys": [call.key for call in judge.calls(case)],
            "observed": sorted(judge.observed()),
        }
        for number, replies in enumerate((REPLIES, ["no verdict"] * 60)):
            Path("replies.jsonl").write_text(
                "".join(f"{json.dumps(r)}\n" for r in replies)
            )
            scripted = make(
                "scripted:replies.jsonl", samples=3, temperature=1.0, structure="auto"
            )
            outcome: Outcome = asyncio.run(scripted.judge(case))
            told[f"outcome {number}"] = outcome.model_dump(mode="json")
            for opinion in told[f"outcome {number}"]["opinions"]:
                opinion.pop("seconds")
            told[f"parameters {number}"] = scripted.parameters()
        yield name, json.dumps(told, indent=1)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def frozen(folder: Path) -> dict[str, str]:
    """File of :data:`FROZEN` -> what it has to hold."""
    with chdir(folder):
        sent, told = dict(prompts(folder)), dict(identities(folder))
    published = {
        name: text for name, text in sent.items() if name.startswith(PUBLISHED)
    }
    ours = {name: text for name, text in sent.items() if name not in published}
    hashed = {}
    for file, texts in (("ours.json", ours), ("judges.json", told)):
        hashed[file] = {name: _digest(text) for name, text in texts.items()}
    words = "".join(f"######## {name}\n{text}\n\n" for name, text in published.items())
    return {
        "published.txt": words,
        **{
            file: f"{json.dumps(hashes, indent=1)}\n" for file, hashes in hashed.items()
        },
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return frozen(tmp_path_factory.mktemp("prompts"))


@pytest.mark.parametrize("file", ["published.txt", "ours.json", "judges.json"])
def test_prompts_and_judges_change_by_decision_only(
    file: str, made: dict[str, str]
) -> None:
    assert made[file] == (FROZEN / file).read_text("utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for file, text in frozen(Path(place)).items():
            (FROZEN / file).write_text(text, "utf-8")
