"""Sounds and changes of the voice that nobody asked for, and laughter that somebody did.

They count only where both answers were measured, and never by an absence that is not
known: a short laugh is often missed, and on a telephone a change of people is.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

from blueprints import Blueprint, Event, Extension, Signal
from fusion import Rating
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.rules.grammar import in_topic, is_instruction, negated
from trace_eval.judges.rules.requests import RuleInstruction
from trace_eval.judges.rules.thresholds import RuleThresholds

#: Words for laughing oneself: not for making others laugh, and not for laughing at something.
_LAUGH = re.compile(
    r"(?<!make me )(?<!make us )(?<!makes me )(?<!makes us )(?<!make people )"
    r"\b(?:laugh|giggl|chuckl)(?:e|ing|ter)?\b(?! (?:at|about)\b)"
)

#: Instructions after which music, or another voice, may be what was asked for.
_MUSIC = re.compile(
    r"\b(?:music|song|sing|sings|singing|hum|humming|melody|tune|jingle|soundtrack|rap|beat"
    r"|beatbox|instrument|piano|guitar|choir|lullaby|background)\w*"
)
_VOICES = re.compile(
    r"\b(?:role.?play|play(?:ing)? (?:the|a|both)|dialog|conversation|interview|impersonat"
    r"|imitat|impression|character|voices|whisper|narrat|act (?:as|out|like)|drama|scene"
    r"|story|speaker|accent|podcast|different voice|another voice|pretend|mimic)\w*"
)

_SENTENCE_END = re.compile(r"(?<=[.?!;])\s+")

#: Characters of a sentence that are read.
_MOST = 500


def asks_to_laugh(instruction: RuleInstruction) -> bool:
    """Return whether an instruction asks the answer itself to laugh."""
    for sentence in _SENTENCE_END.split(instruction.reading.body.lower()):
        sentence = sentence[:_MOST]
        match = _LAUGH.search(sentence)
        if match is None or not is_instruction(sentence):
            continue
        before = sentence[: match.start()]
        if not in_topic(before) and not negated(sentence, match.start()):
            return True
    return False


def laughter_verdict(a: Blueprint, b: Blueprint, cuts: RuleThresholds) -> DimensionVerdict | None:
    """Return the verdict where one answer laughs and the other does not; None elsewhere."""
    laughs_a, laughs_b = (_seconds(side, "laughter") for side in (a, b))
    if laughs_a is None or laughs_b is None:
        return None
    if max(laughs_a, laughs_b) < cuts.laughter_s or min(laughs_a, laughs_b) > 0:
        return None
    silent = b if laughs_a else a
    if _length(silent) < cuts.laughter_known_s:
        return None
    winner, seconds = ("A", laughs_a) if laughs_a else ("B", laughs_b)
    evidence: dict[str, JsonValue] = {
        "laughter_s": {"a": round(laughs_a, 2), "b": round(laughs_b, 2)},
        "thresholds": cuts.named("laughter_s", "laughter_known_s"),
    }
    other = "B" if winner == "A" else "A"
    return DimensionVerdict(
        rating=Rating.A if winner == "A" else Rating.B,
        reasoning=f"{winner} laughs for {seconds:.1f} s, as was asked; {other} does not.",
        margin=1.0 if winner == "A" else -1.0,
        evidence=evidence,
    )


def unasked(
    a: Blueprint, b: Blueprint, instruction: RuleInstruction | None, cuts: RuleThresholds
) -> tuple[float, list[str]]:
    """Return the lead of A by what was not asked for, in margins, and notes for readers.

    Music under one answer, or a change of its voice, counts where the other answer was
    measured and has none, and where the instruction leaves no doubt that none was wanted.
    """
    text = (instruction.text or "").lower() if instruction else ""
    lead, notes = 0.0, []
    if instruction and instruction.text:
        reasons = []
        if not _MUSIC.search(text) and not asks_to_laugh(instruction):
            reasons.append((_music(a, cuts), _music(b, cuts)))
        if not _VOICES.search(text):
            reasons.append((_change(a, cuts), _change(b, cuts)))
        for why_a, why_b in reasons:
            if why_a is None or why_b is None or bool(why_a) == bool(why_b):
                continue
            lead += -1.0 if why_a else 1.0
            notes.append(f"{'A' if why_a else 'B'} {why_a or why_b}, which was not asked for")
    return max(-1.0, min(1.0, lead)), notes


def _music(blueprint: Blueprint, cuts: RuleThresholds) -> str | None:
    """Return music in words; empty where there is none, None where it is not known."""
    events = _events(blueprint, "sounds", "music")
    if events is None:
        return None
    longest = max(events, key=lambda one: one.seconds, default=None)
    if longest is None or longest.seconds < cuts.background_music_s:
        return ""
    return f"has music from {longest.start_s:.1f} to {longest.end_s:.1f} s"


def _change(blueprint: Blueprint, cuts: RuleThresholds) -> str | None:
    """Return a change of the voice in words; None where it is not known whether there is."""
    group = blueprint.extensions.get("speaker")
    if not isinstance(group, Extension) or group.values.get("bandwidth") != "wide":
        return None
    likeness, at_s = group.values.get("likeness"), group.values.get("at_s")
    if not isinstance(likeness, float) or not isinstance(at_s, float):
        return None
    if not group.events:
        return ""
    if likeness >= cuts.voice_change_likeness:
        return None  # too little to decide by
    return f"changes its voice at {at_s:.1f} s (likeness {likeness:.2f})"


def _events(blueprint: Blueprint, group: str, kind: str) -> list[Event] | None:
    """Return the events of a kind; None where the group was not measured."""
    extension = blueprint.extensions.get(group)
    if not isinstance(extension, Extension) or extension.events is None:
        return None
    return [event for event in extension.events if event.kind == kind]


def _seconds(blueprint: Blueprint, kind: str) -> float | None:
    events = _events(blueprint, "sounds", kind)
    return None if events is None else sum(event.seconds for event in events)


def _length(blueprint: Blueprint) -> float:
    signal = blueprint.signal
    return signal.duration_s if isinstance(signal, Signal) else 0.0
