"""Unwanted sounds and changes of the voice, and laughter that was asked for.

Laughter that was asked for decides, where both answers were measured, and never by an
absence that is not known: a short laugh is often missed. What nobody asked for is shown
with its place and decides nothing, unless a switch says so: no listeners have rated it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import JsonValue

from blueprints import Blueprint, Event, Extension, Signal
from fusion import Rating
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.rules.grammar import in_topic, is_instruction, negated
from trace_eval.judges.rules.requests import RuleInstruction
from trace_eval.judges.rules.thresholds import RuleThresholds

#: Kinds of events that the groups ``sounds`` and ``speaker`` have.
MUSIC, CHANGE, VOICE_OR_MOOD = "music", "voice_change", "voice_or_mood_change"

#: Words for laughing oneself: not for making others laugh, and not for laughing at
#: something.
_LAUGH = re.compile(
    r"(?<!make me )(?<!make us )(?<!makes me )(?<!makes us )(?<!make people )"
    r"\b(?:laugh|giggl|chuckl)(?:e|ing|ter)?\b"
    r"(?! about\b)(?! at\b(?! (?:the (?:end|start|beginning)|first|last|least|once)\b))"
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


def laughter_verdict(
    a: Blueprint, b: Blueprint, cuts: RuleThresholds
) -> DimensionVerdict | None:
    """Return the verdict where one answer alone laughs; None elsewhere."""
    laughs_a, laughs_b = (_seconds(side, "laughter") for side in (a, b))
    if laughs_a is None or laughs_b is None:
        return None
    if max(laughs_a, laughs_b) < cuts.laughter_s or min(laughs_a, laughs_b) > 0:
        return None
    silent = b if laughs_a else a
    if _length(silent) < cuts.laughter_known_s:
        return None
    evidence: dict[str, JsonValue] = {
        "laughter_s": {"a": round(laughs_a, 2), "b": round(laughs_b, 2)},
        "thresholds": cuts.named("laughter_s", "laughter_known_s"),
    }
    if laughs_a:
        return DimensionVerdict(
            rating=Rating.A,
            reasoning=f"A laughs for {laughs_a:.1f} s, as was asked; B does not.",
            margin=1.0,
            evidence=evidence,
        )
    return DimensionVerdict(
        rating=Rating.B,
        reasoning=f"B laughs for {laughs_b:.1f} s, as was asked; A does not.",
        margin=-1.0,
        evidence=evidence,
    )


@dataclass(frozen=True)
class Unasked:
    """The sounds of two answers that nobody asked for.

    ``lead`` is that of A in margins, ``notes`` are sentences for readers, and ``spans``
    are places by side.
    """

    lead: float
    notes: list[str]
    spans: dict[str, JsonValue]


def unasked(
    a: Blueprint,
    b: Blueprint,
    instruction: RuleInstruction | None,
    cuts: RuleThresholds,
) -> Unasked:
    """Return music and changes of the voice that the instruction leaves no room for.

    They are evidence and move no verdict: no set of listeners has shown what they cost
    an answer. Where ``cuts.voice_change_decides`` is set, a change counts against an
    answer if the other was measured and has none.
    """
    if instruction is None or not instruction.text:
        return Unasked(lead=0.0, notes=[], spans={})
    text = instruction.text.lower()
    music: dict[str, Event | None] = {}
    changes: dict[str, Event | None] = {}
    for side, blueprint in (("a", a), ("b", b)):
        if not _MUSIC.search(text) and not asks_to_laugh(instruction):
            music[side] = _music(blueprint, cuts)
        if not _VOICES.search(text):
            changes[side] = _change(blueprint, cuts)
    lead = _lead_by_change(a, b, changes) if cuts.voice_change_decides else 0.0
    notes: list[str] = []
    spans: dict[str, JsonValue] = {}
    for side in ("a", "b"):
        places: list[JsonValue] = []
        for event, decides in (
            (music.get(side), False),
            (changes.get(side), bool(lead)),
        ):
            if event is None:
                continue
            effect = "" if decides else " and moves no verdict"
            notes.append(
                f"{side.upper()} {_in_words(event)}, which was not asked for{effect}"
            )
            places.append(event.model_dump(mode="json"))
        if places:
            spans[side] = places
    return Unasked(lead=lead, notes=notes, spans=spans)


def _lead_by_change(
    a: Blueprint, b: Blueprint, changes: dict[str, Event | None]
) -> float:
    """Return A's lead in margins, where only one voice is known to change."""
    if changes.get("a") and _keeps_its_voice(b):
        return -1.0
    if changes.get("b") and _keeps_its_voice(a):
        return 1.0
    return 0.0


def _in_words(event: Event) -> str:
    """Return what happens, and when."""
    if event.kind == MUSIC:
        return f"has music from {event.start_s:.1f} to {event.end_s:.1f} s"
    return f"changes its voice at {event.start_s:.1f} s"


def _music(blueprint: Blueprint, cuts: RuleThresholds) -> Event | None:
    """Return the longest music of an answer, if it is long enough to count."""
    events = _events(blueprint, "sounds", MUSIC) or []
    longest = max(events, key=lambda one: one.seconds, default=None)
    if longest is None or longest.seconds < cuts.background_music_s:
        return None
    return longest


def _change(blueprint: Blueprint, cuts: RuleThresholds) -> Event | None:
    """Return the change of a voice in wide band, if its sides differ enough."""
    likeness = _likeness(blueprint)
    events = _events(blueprint, "speaker", CHANGE)
    if likeness is None or not events or likeness >= cuts.voice_change_likeness:
        return None
    return events[0]


def _keeps_its_voice(blueprint: Blueprint) -> bool:
    """Return whether an answer was measured, in wide band, and has one voice."""
    changes = []
    for kind in (CHANGE, VOICE_OR_MOOD):
        for event in _events(blueprint, "speaker", kind) or ():
            changes.append(event)
    return _likeness(blueprint) is not None and not changes


def _likeness(blueprint: Blueprint) -> float | None:
    """Return the least likeness within an answer in wide band; None if not known."""
    group = blueprint.extensions.get("speaker")
    if not isinstance(group, Extension) or group.values.get("bandwidth") != "wide":
        return None
    likeness = group.values.get("likeness")
    return likeness if isinstance(likeness, float) else None


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
