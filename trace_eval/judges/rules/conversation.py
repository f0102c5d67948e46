"""Two conversations of one scenario by rules: findings, timing, and the sound of agents' turns.

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
    """Return how to judge each dimension; each may raise :class:`MeasurementMissing`."""
    sides = [find(*side) for side in (a, b)]
    return {
        "content": lambda: verdict_of(_content(sides[0]), _content(sides[1]), 0.0),
        "voice_quality": lambda: _voice(a, b, cuts),
        "paralinguistics": lambda: _timing(*sides),
    }


def _standing(
    findings: Findings, kinds: Sequence[FindingKind], summary: str = ""
) -> AnswerStanding:
    faults = []
    values: dict[str, JsonValue] = {}
    for kind in kinds:
        result, share = findings.of(kind), findings.share(kind)
        values[kind] = None if share is None else len(result)
        if share is not None and share > _SHARE:
            chances = findings.chances[kind]
            faults.append(f"{kind} {len(result)} of {chances} (turn {result[0].turn})")
    return AnswerStanding(tuple(faults), summary, values)


def _content(findings: Findings) -> AnswerStanding:
    if all(findings.chances[kind] is None for kind in _CONTENT):
        raise MeasurementMissing(
            "neither words nor times of the conversation are known"
        )
    return _standing(findings, _CONTENT)


def _timing(a: Findings, b: Findings) -> DimensionVerdict:
    replies = []
    for name, one in (("A", a), ("B", b)):
        if one.chances["late"] is None:
            why = "; ".join(one.measured.caveats) or "no speech of both"
            raise MeasurementMissing(
                f"timing of conversation {name} is not known: {why}"
            )
        values = one.measured.values["response"]
        replies.append(median(values) if values else None)
    standings = [
        _standing(one, _TIMING, "" if reply is None else f"median reply {reply:.2f} s")
        for one, reply in zip((a, b), replies, strict=True)
    ]
    delays = [max(0.0, reply) for reply in replies if reply is not None]
    lead = (delays[1] - delays[0]) / _REPLY_S if len(delays) == 2 else 0.0
    return verdict_of(standings[0], standings[1], lead)


def _voice(a: Side, b: Side, cuts: RuleThresholds) -> DimensionVerdict:
    turns_a, turns_b = _agent_turns(a), _agent_turns(b)
    for seconds in TURN_LENGTHS_S:
        first, second = _numbers(turns_a, seconds), _numbers(turns_b, seconds)
        if first and second:
            break
    for name, numbers in (("A", first), ("B", second)):
        if not numbers:
            raise MeasurementMissing(
                f"no turn of the agent of conversation {name} has a quality"
            )
    medians = [_medians(numbers) for numbers in (first, second)]
    standings = [
        _voice_standing(turns, middle, len(numbers), cuts)
        for turns, middle, numbers in zip(
            (turns_a, turns_b), medians, (first, second), strict=True
        )
    ]
    lead = lead_of(medians[0], medians[1]).steps or 0.0
    return verdict_of(standings[0], standings[1], lead)


def _agent_turns(side: Side) -> dict[int, Blueprint]:
    conversation, blueprints = side
    turns = {n for n, _ in conversation.turns_of("agent")}
    return {n: blueprint for n, blueprint in blueprints.items() if n in turns}


def _numbers(turns: Mapping[int, Blueprint], seconds: float) -> list[dict[str, float]]:
    """Return what is compared of the turns that have so much speech."""
    numbers = [numbers_at(turn, seconds) for turn in turns.values()]
    return [each for each in numbers if each]


def _medians(numbers: Sequence[Mapping[str, float]]) -> dict[str, float]:
    columns: dict[str, list[float]] = {}
    for turn in numbers:
        for name, value in turn.items():
            columns.setdefault(name, []).append(value)
    return {name: median(values) for name, values in columns.items()}


def _voice_standing(
    turns: Mapping[int, Blueprint],
    middle: Mapping[str, float],
    count: int,
    cuts: RuleThresholds,
) -> AnswerStanding:
    bad = [n for n, blueprint in turns.items() if sounds_bad(blueprint, cuts)]
    fault = f"{len(bad)} of {len(turns)} turns sound bad (turn {bad[0]})" if bad else ""
    values: dict[str, JsonValue] = {
        f"median_{key}": round(value, 3) for key, value in middle.items()
    }
    values |= {"turns": len(turns), "bad": len(bad)}
    faults = (fault,) if len(bad) > len(turns) / 2 else ()
    return AnswerStanding(
        faults, f"median P.808 {middle['p808']:.2f} of {count} turns", values
    )
