"""Two conversations of one scenario by rules: findings, timing, and agents' sound.

What a listener of one answer would call its delivery is here how the agent takes turns:
late replies, talking over the user. Voice quality is that of most of the agent's turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from pydantic import JsonValue

from blueprints import Blueprint
from fusion import Dimension
from trace_eval.conversations.findings import FindingKind, Findings, find
from trace_eval.data.conversation import Conversation
from trace_eval.data.judgement import DimensionVerdict
from trace_eval.judges.beside.voice import lead_of, numbers_at
from trace_eval.judges.rules.outcome import (
    AnswerStanding,
    MeasurementMissing,
    verdict_of,
)
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.voice_quality import sounds_bad

#: More than this share of its chances makes a fault of a kind of finding. Our cut: a
#: slip in ten is common in calls between people.
_SHARE = 0.1

#: Kinds that are about what is said, and about when.
_CONTENT: tuple[FindingKind, ...] = ("no_answer", "loops", "other_language")
_TIMING: tuple[FindingKind, ...] = ("late", "talks_over")

#: Difference of median replies that a listener notices, seconds. Our cut: gaps between
#: people have a standard deviation of about so much.
_REPLY_S = 0.5

#: Lengths of speech by which turns are compared, seconds: the first that a turn of each
#: has.
TURN_LENGTHS_S = (2.0, 1.0)

#: A conversation, and number of a turn -> what was measured of it.
Side = tuple[Conversation, Mapping[int, Blueprint]]


def judge_conversations(
    a: Side, b: Side, cuts: RuleThresholds
) -> dict[Dimension, Callable[[], DimensionVerdict]]:
    """Return how to judge each dimension.

    Each function may raise :class:`MeasurementMissing`.
    """
    conversation_a, turns_a = a
    conversation_b, turns_b = b
    findings_a = find(conversation_a, turns_a)
    findings_b = find(conversation_b, turns_b)
    return {
        "content": lambda: verdict_of(_content(findings_a), _content(findings_b), 0.0),
        "voice_quality": lambda: _voice(a, b, cuts),
        "paralinguistics": lambda: _timing(findings_a, findings_b),
    }


def _standing(
    findings: Findings, kinds: Sequence[FindingKind], summary: str = ""
) -> AnswerStanding:
    faults = []
    values: dict[str, JsonValue] = {}
    for kind in kinds:
        results, share = findings.of(kind), findings.share(kind)
        values[kind] = None if share is None else len(results)
        if share is not None and share > _SHARE:
            count = f"{len(results)} of {findings.chances[kind]}"
            faults.append(f"{kind} {count} (turn {results[0].turn})")
    return AnswerStanding(tuple(faults), summary, values)


def _content(findings: Findings) -> AnswerStanding:
    if all(findings.chances[kind] is None for kind in _CONTENT):
        raise MeasurementMissing(
            "neither words nor times of the conversation are known"
        )
    return _standing(findings, _CONTENT)


def _timing(a: Findings, b: Findings) -> DimensionVerdict:
    reply_a, reply_b = _median_reply(a, "A"), _median_reply(b, "B")
    lead = 0.0
    if reply_a is not None and reply_b is not None:
        lead = (max(0.0, reply_b) - max(0.0, reply_a)) / _REPLY_S
    return verdict_of(_timed(a, reply_a), _timed(b, reply_b), lead)


def _median_reply(findings: Findings, name: str) -> float | None:
    """Return the median time of the agent's replies, seconds; None without any.

    Raises:
        MeasurementMissing: nothing is known of the timing.
    """
    if findings.chances["late"] is None:
        why = "; ".join(findings.measured.caveats) or "no speech of both"
        raise MeasurementMissing(f"timing of conversation {name} is not known: {why}")
    replies = findings.measured.values["response"]
    return median(replies) if replies else None


def _timed(findings: Findings, reply: float | None) -> AnswerStanding:
    summary = "" if reply is None else f"median reply {reply:.2f} s"
    return _standing(findings, _TIMING, summary)


def _voice(a: Side, b: Side, cuts: RuleThresholds) -> DimensionVerdict:
    turns_a, turns_b = _agent_turns(a), _agent_turns(b)
    for seconds in TURN_LENGTHS_S:
        numbers_a = _numbers(turns_a, seconds)
        numbers_b = _numbers(turns_b, seconds)
        if numbers_a and numbers_b:
            break
    median_a = _medians(numbers_a, "A")
    median_b = _medians(numbers_b, "B")
    lead = lead_of(median_a, median_b).steps or 0.0
    return verdict_of(
        _voice_standing(turns_a, median_a, len(numbers_a), cuts),
        _voice_standing(turns_b, median_b, len(numbers_b), cuts),
        lead,
    )


def _agent_turns(side: Side) -> dict[int, Blueprint]:
    conversation, blueprints = side
    of_agent = {number for number, _ in conversation.turns_of("agent")}
    turns: dict[int, Blueprint] = {}
    for number, blueprint in blueprints.items():
        if number in of_agent:
            turns[number] = blueprint
    return turns


def _numbers(turns: Mapping[int, Blueprint], seconds: float) -> list[dict[str, float]]:
    """Return what is compared of the turns that have so much speech."""
    numbers = [numbers_at(turn, seconds) for turn in turns.values()]
    return [each for each in numbers if each]


def _medians(numbers: Sequence[Mapping[str, float]], name: str) -> dict[str, float]:
    """Return the median of each quality over the agent's turns.

    Raises:
        MeasurementMissing: no turn of conversation ``name`` has one.
    """
    if not numbers:
        raise MeasurementMissing(
            f"no turn of the agent of conversation {name} has a quality"
        )
    columns: dict[str, list[float]] = {}
    for turn in numbers:
        for quality, value in turn.items():
            columns.setdefault(quality, []).append(value)
    return {quality: median(values) for quality, values in columns.items()}


def _voice_standing(
    turns: Mapping[int, Blueprint],
    medians: Mapping[str, float],
    count: int,
    cuts: RuleThresholds,
) -> AnswerStanding:
    bad = [n for n, blueprint in turns.items() if sounds_bad(blueprint, cuts)]
    faults: list[str] = []
    if len(bad) > len(turns) / 2:
        faults.append(f"{len(bad)} of {len(turns)} turns sound bad (turn {bad[0]})")
    values: dict[str, JsonValue] = {}
    for name, value in medians.items():
        values[f"median_{name}"] = round(value, 3)
    values |= {"turns": len(turns), "bad": len(bad)}
    summary = f"median P.808 {medians['p808']:.2f} of {count} turns"
    return AnswerStanding(tuple(faults), summary, values)
