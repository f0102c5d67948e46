"""Rules over a conversation: the agent is late, talks over, does not answer, or loops.

Times come from ``trace-eval/2``; words from the source, else from a recogniser. Where a
rule cannot decide (no clock, no words), its result is None, which is not "never".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median
from typing import Literal

from blueprints import Blueprint, Transcript
from blueprints.decimals import written_apart
from extractors import guessed
from trace_eval.conversations.definitions.base import Measured
from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.conversations.definitions.own_events import USER_LEFT
from trace_eval.conversations.words import split_words
from trace_eval.data.conversation import Conversation, Role

FindingKind = Literal["late", "talks_over", "no_answer", "loops", "other_language"]

#: The kinds of findings, in the order of reports.
KINDS: tuple[FindingKind, ...] = (
    "late",
    "talks_over",
    "no_answer",
    "loops",
    "other_language",
)

#: Kind of a source's event -> kind of finding.
_EVENTS: dict[str, FindingKind] = {
    "agent_interruption": "talks_over",
    "no_yield": "talks_over",
    "no_response": "no_answer",
    "missed_turn": "no_answer",
}


_ORDINAL = re.compile(r"(?<!\d)(\d{1,9})(?:st|nd|rd|th)\b")


@dataclass(frozen=True)
class FindingRules:
    """The constants of the rules; the limits of lateness are those of EVA's code."""

    late_s: float = 2.75  # a reply after more is late
    late_tool_s: float = 4.0  # the same where a tool was called
    loop_words: int = 5  # shorter turns may be repeated
    loop_turns: int = 3  # so many turns of the agent back are compared
    # words in common, 0 to 1, from which a turn is the same again
    loop_ratio: float = 0.9
    language_words: int = 3  # fewer recognised words say nothing of the language


RULES = FindingRules()


@dataclass(frozen=True)
class CallFinding:
    """A mistake of the agent by a rule."""

    kind: FindingKind
    turn: int | None  # number of the turn where it shows; None: the answer is missing
    start_s: float | None  # the stretch to listen to; None without a clock
    end_s: float | None
    why: str


@dataclass(frozen=True)
class Findings:
    """The results of the rules for one conversation."""

    results: tuple[CallFinding, ...]
    chances: Mapping[
        FindingKind, int | None
    ]  # how often it could have happened; None: unknown
    measured: Measured

    def of(self, kind: FindingKind) -> list[CallFinding]:
        """Return the findings of one kind."""
        return [one for one in self.results if one.kind == kind]

    def share(self, kind: FindingKind) -> float | None:
        """Return how often it happened, of how often it could have; None: unknown."""
        chances = self.chances[kind]
        return min(1.0, len(self.of(kind)) / chances) if chances else None


def find(
    conversation: Conversation, blueprints: Mapping[int, Blueprint] | None = None
) -> Findings:
    """Apply the rules to a conversation, with blueprints of its turns by number."""
    blueprints = blueprints or {}
    measured = TRACE_EVAL.measure(conversation)
    user = [n for n, turn in conversation.turns_of("user") if not turn.backchannel]
    is_timed = "reply_rate" in measured.ratios
    results: list[CallFinding] = []
    if measured.unusable:
        pass  # nor is the order of turns to be trusted
    elif is_timed:
        results.extend(_timed(conversation, measured))
    else:
        results.extend(_unanswered(conversation))
    certain: list[tuple[int, str]] = []
    for number, turn in conversation.turns_of("agent"):
        if turn.backchannel or _guessed(conversation, number, blueprints):
            continue
        text = words_of(conversation, number, blueprints)
        if text:
            certain.append((number, text))
    results.extend(_loops(conversation, certain))
    languages = _languages(conversation, blueprints)
    results.extend(_foreign(conversation, languages))
    chances: dict[FindingKind, int | None] = dict.fromkeys(KINDS)
    if is_timed:
        _, awaited = measured.ratios["reply_rate"]
        chances["no_answer"] = int(awaited)
        chances["late"] = sum(event.kind == "response" for event in measured.events)
        if "interruption_rate" in measured.ratios:
            chances["talks_over"] = len(user)
    elif not measured.unusable:
        chances["no_answer"] = len(user)
    chances["loops"] = len(certain) or None
    if languages["user"]:
        chances["other_language"] = len(languages["agent"])
    order = sorted(results, key=lambda one: (one.start_s or 0.0, one.turn or 0))
    return Findings(tuple(order), chances, measured)


def turn_blueprints(
    side: str, blueprints: Mapping[str, Blueprint]
) -> dict[int, Blueprint]:
    """Return blueprints by number of turn, from an item's blueprints by role."""
    by_turn: dict[int, Blueprint] = {}
    for role, blueprint in blueprints.items():
        if role.startswith(f"{side}/turn-"):
            _, _, number = role.rpartition("-")
            by_turn[int(number)] = blueprint
    return by_turn


def _guessed(
    conversation: Conversation, number: int, blueprints: Mapping[int, Blueprint]
) -> bool:
    """Tell whether a turn has no words but guesses of a recogniser that loops."""
    turn = conversation.turns[number]
    if turn.text is not None or turn.heard is not None or number not in blueprints:
        return False
    return guessed(blueprints[number]) is not None


def words_of(
    conversation: Conversation, number: int, blueprints: Mapping[int, Blueprint]
) -> str | None:
    """Return the words of a turn: those of the source, else those of a recogniser."""
    turn = conversation.turns[number]
    for text in (turn.text, turn.heard):
        if text is not None:
            return text
    recognised = _transcript(number, blueprints)
    return recognised.text if recognised else None


def _transcript(number: int, blueprints: Mapping[int, Blueprint]) -> Transcript | None:
    transcript = blueprints[number].transcript if number in blueprints else None
    return transcript if isinstance(transcript, Transcript) else None


def turn_at(conversation: Conversation, role: Role, at_s: float) -> int | None:
    """Return the number of a role's turn that sounds at a moment, edges included."""
    for number, turn in conversation.turns_of(role):
        if turn.start_s is None or turn.end_s is None:
            continue
        if turn.start_s - 1e-6 <= at_s <= turn.end_s + 1e-6:
            return number
    return None


def alike(one: Sequence[str], other: Sequence[str], least: float) -> bool:
    """Tell whether two texts, or lists of words, share so much in the same order."""
    match = SequenceMatcher(None, one, other, autojunk=False)
    # The first two are cheap, and never lower than the ratio.
    if match.real_quick_ratio() < least or match.quick_ratio() < least:
        return False
    return match.ratio() >= least


def _timed(conversation: Conversation, measured: Measured) -> Iterator[CallFinding]:
    for event in measured.events:
        if event.kind == "response":
            limit = RULES.late_tool_s if event.data["tool"] else RULES.late_s
            if event.value_s is not None and event.value_s > limit:
                late = written_apart(event.value_s, [limit], digits=1)
                why = f"answers after {late} s, over {limit:g} s"
                turn = turn_at(conversation, "agent", event.end_s)
                yield CallFinding(
                    kind="late",
                    turn=turn,
                    start_s=event.start_s,
                    end_s=event.end_s,
                    why=why,
                )
        elif event.kind in _EVENTS:
            kind = _EVENTS[event.kind]
            role: Role = "user" if kind == "no_answer" else "agent"
            if kind == "no_answer":
                why = f"no answer for {event.end_s - event.start_s:.1f} s"
            elif event.kind == "no_yield":
                why = f"talks on, {event.value_s or 0.0:.1f} s at once"
            else:
                at_once_s = event.value_s or 0.0
                why = f"starts inside the user's turn, {at_once_s:.1f} s at once"
            turn = turn_at(conversation, role, event.start_s)
            yield CallFinding(
                kind=kind, turn=turn, start_s=event.start_s, end_s=event.end_s, why=why
            )


def _unanswered(conversation: Conversation) -> Iterator[CallFinding]:
    """Find turns of the user that no turn of the agent follows, without a clock."""
    turns: list[int | None] = []
    for number, turn in enumerate(conversation.turns):
        if not turn.backchannel:
            turns.append(number)
    user = {number for number, _ in conversation.turns_of("user")}
    agent = {number for number, _ in conversation.turns_of("agent")}
    reason = conversation.end.reason
    may_have_left = reason is None or reason in USER_LEFT
    turns.append(None)  # nobody speaks after the last turn
    for before, after in pairwise(turns):
        has_open_end = after is None and may_have_left
        if before in user and after not in agent and not has_open_end:
            yield CallFinding(
                kind="no_answer",
                turn=before,
                start_s=None,
                end_s=None,
                why="the agent says nothing after it",
            )


def _loops(
    conversation: Conversation, texts: Sequence[tuple[int, str]]
) -> Iterator[CallFinding]:
    words = [(number, _words_as_they_sound(text)) for number, text in texts]
    for position, (number, now) in enumerate(words):
        if len(now) < RULES.loop_words:
            continue
        for earlier, before in words[max(0, position - RULES.loop_turns) : position]:
            if alike(before, now, RULES.loop_ratio):
                turn = conversation.turns[number]
                why = f"says turn {earlier} again"
                yield CallFinding(
                    kind="loops",
                    turn=number,
                    start_s=turn.start_s,
                    end_s=turn.end_s,
                    why=why,
                )
                break


def _words_as_they_sound(text: str) -> list[str]:
    """Return words in one spelling: recognisers write other commas, or 25 for 25th."""
    without_ordinals = _ORDINAL.sub(r"\1", text.casefold())
    return split_words(without_ordinals, within="'’")


def _languages(
    conversation: Conversation, blueprints: Mapping[int, Blueprint]
) -> dict[str, dict[int, str]]:
    """Return the language of each turn by role, where it was detected beyond doubt."""
    languages: dict[str, dict[int, str]] = {"user": {}, "agent": {}}
    for role in ("user", "agent"):
        for number, _ in conversation.turns_of(role):
            recognised = _transcript(number, blueprints)
            if recognised is None or recognised.language_source != "detected":
                continue
            certain = (
                recognised.spoken is None
                or blueprints[number].certain_language is not None
            )
            if certain and len(recognised.text.split()) >= RULES.language_words:
                languages[role][number] = recognised.language
    return languages


def _foreign(
    conversation: Conversation, languages: Mapping[str, Mapping[int, str]]
) -> Iterator[CallFinding]:
    """Yield turns of the agent in a language that the user has not spoken so far."""
    for number, language in languages["agent"].items():
        spoken = {name for n, name in languages["user"].items() if n < number}
        if spoken and language not in spoken:
            turn = conversation.turns[number]
            why = f"answers in {language}, the user speaks {', '.join(sorted(spoken))}"
            yield CallFinding(
                kind="other_language",
                turn=number,
                start_s=turn.start_s,
                end_s=turn.end_s,
                why=why,
            )


def timing_line(findings: Findings) -> str:
    """Sum up the conversation's timing in one line, with the set's name and n."""
    measured = findings.measured
    if "reply_rate" not in measured.ratios:
        return "timing unknown: " + ("; ".join(measured.caveats) or "no speech of both")
    replies = list(measured.values["response"])
    lines = [f"{len(replies)} replies"]
    if replies:
        lines[0] += f" (median {median(replies):.1f} s, longest {max(replies):.1f} s)"
    counted: tuple[FindingKind, ...] = ("late", "no_answer", "talks_over")
    for kind in counted:
        if findings.chances[kind] is not None:
            lines.append(f"{kind} {len(findings.of(kind))}")
    if "yield_rate" in measured.ratios:
        yields, chances = measured.ratios["yield_rate"]
        lines.append(f"stopped for the user {int(yields)} of {int(chances)}")
    else:
        lines.append("interruptions not known: one channel")
    return f"timing ({TRACE_EVAL.name}): {', '.join(lines)}"
