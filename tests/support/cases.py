"""Small cases for the judge tests."""

from __future__ import annotations

import re
from typing import Any

from blueprints import Absent, Blueprint, Status
from fusion import DIMENSIONS
from tests.support import blueprints as make
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import Judgement
from trace_eval.judges.base import Case
from trace_eval.judges.rules.judge import RulesJudge


def blueprint(
    text: str | None = "the tower leans", clip: str = "0" * 64, **groups: Any
) -> Blueprint:
    """Four groups of a clip of 2 s."""
    record: dict[str, Any] = {
        "signal": make.signal(
            duration_s=2.0, rms_dbfs=-20.0, speech_s=1.5, speech=[], pauses=[]
        ),
        "transcript": Absent(status=Status.SILENT, reason="all samples are zero")
        if text is None
        else make.transcript(text),
        "quality": make.quality(3.8, 3.9, sig=4.1, level_dbfs=-20.0),
        "emotion": make.emotion(happy=0.7, neutral=0.3),
    }
    record |= groups
    return Blueprint(clip=clip, **record)


def case(
    a: str | None = "the tower leans to the south",
    b: str | None = "no",
    instruction: str | None = "tell me of the tower",
    pair: str = "p1",
    spoken: Blueprint | None = None,
) -> Case:
    return Case.of(
        pair=Pair(
            id=pair,
            instruction=Instruction(text=instruction),
            a=Answer(audio="sys_alpha/1.wav", system="SYSTEM-ALPHA", reference="REF-A"),
            b=Answer(audio="sys_beta/1.wav", system="SYSTEM-BETA", reference="REF-B"),
            labels=Labels(content="1"),
        ),
        a=blueprint(a),
        b=blueprint(b, clip="1" * 64),
        instruction=spoken,
    )


def verdict(
    content: str = "1",
    voice_quality: str = "1",
    paralinguistics: str = "1",
    reasoning: str | None = None,
) -> dict[str, Any]:
    """Return a reply in elicitation ``label``; this reason, or each dimension's own."""
    ratings = (content, voice_quality, paralinguistics)
    return {
        name: {
            "reasoning": f"because of {name}" if reasoning is None else reasoning,
            "rating": rating,
        }
        for name, rating in zip(DIMENSIONS, ratings, strict=True)
    }


#: How many words two answers share is told outside of fences: words of ours and numbers
#: alone.
SHARED_WORDS = re.compile(
    r"words: (?:the same|nearly the same|different) words \(\d+(?: v \d+)?(?:, \d+% in common)?\)"
)


def outside(prompt: str) -> list[str]:
    """Return the lines of a prompt that are in no fence, and the labels of fences.

    Fences have one tag; numbers of shared words are all alike here.
    """
    lines: list[str] = []
    tags, inside = set(), ""
    for line in prompt.splitlines():
        if inside:
            inside = "" if line == f"end {inside}>>>" else inside
        elif line.startswith("<<<data "):
            inside = line.split()[1]
            tags.add(inside)
            lines.append(line.replace(inside, "TAG"))
        elif SHARED_WORDS.fullmatch(line):
            lines.append("words: N")
        else:
            lines.append(line)
    assert not inside, "a fence is not closed"
    assert len(tags) < 2
    return lines


def judged(
    a: Blueprint,
    b: Blueprint,
    instruction: str | None = None,
    spoken: Blueprint | None = None,
    language: str | None = None,
) -> Judgement:
    """Return what ``rules`` says of two answers to a request, written or ``spoken``."""
    pair = Pair(
        id="p",
        instruction=Instruction(text=instruction),
        a=Answer(audio="a.wav"),
        b=Answer(audio="b.wav"),
        language=language,
    )
    return RulesJudge().judge_case(Case.of(pair, a, b, spoken))
