"""Small cases for the judge tests."""

from __future__ import annotations

from typing import Any

from blueprints import Absent, Blueprint, Emotion, Quality, Signal, Status, Transcript
from fusion import DIMENSIONS
from trace_eval.data.pairs import Answer, Instruction, Labels, Pair
from trace_eval.judges.base import Case


def blueprint(
    text: str | None = "the tower leans", clip: str = "0" * 64, **groups: Any
) -> Blueprint:
    heard: Transcript | Absent = (
        Absent(status=Status.SILENT, reason="all samples are zero")
        if text is None
        else Transcript(text=text, language="en", language_source="model", words=[])
    )
    made: dict[str, Any] = {
        "signal": Signal(
            duration_s=2.0,
            rate_hz=16000,
            channels=1,
            peak_dbfs=-3.0,
            rms_dbfs=-20.0,
            clipping_ratio=0.0,
            bandwidth_hz=7000.0,
            speech_s=1.5,
            speech=[],
            pauses=[],
        ),
        "transcript": heard,
        "quality": Quality(sig=4.1, bak=4.0, ovrl=3.8, p808=3.9, windows=1, level_dbfs=-20.0),
        "emotion": Emotion(scores={"happy": 0.7, "neutral": 0.3}, top="happy"),
    }
    return Blueprint(clip=clip, **{**made, **groups})


def case(
    a: str | None = "the tower leans to the south",
    b: str | None = "no",
    instruction: str | None = "tell me of the tower",
    pair: str = "p1",
    spoken: Blueprint | None = None,
) -> Case:
    return Case(
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
    content: str = "1", voice_quality: str = "1", paralinguistics: str = "1"
) -> dict[str, Any]:
    """A reply in elicitation ``label``."""
    ratings = (content, voice_quality, paralinguistics)
    return {
        name: {"reasoning": f"because of {name}", "rating": rating}
        for name, rating in zip(DIMENSIONS, ratings, strict=True)
    }
