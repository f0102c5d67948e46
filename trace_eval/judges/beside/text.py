"""The block behind two answers in a prompt, and the paragraph that explains it once."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import pairwise

from blueprints import Blueprint, Signal, Transcript, feature_groups
from blueprints.notation import number
from extractors import guessed
from trace_eval.judges.beside.delivery import Difference, delivery
from trace_eval.judges.beside.steps import (
    DELIVERY,
    LOUDNESS,
    PAUSE,
    PITCH,
    RATE,
    TREND,
    VARIATION,
    Step,
)
from trace_eval.judges.beside.voice import VoiceLead, voice_lead
from trace_eval.judges.beside.words import shared_words

#: Pauses of an answer that are listed at most.
MOST_PAUSES = 10

#: Stretches of fewer words have no rate of their own.
LEAST_WORDS = 2

#: Measure -> what is said of the answer that has more of it.
_MORE = {
    RATE: "faster",
    PITCH: "higher",
    VARIATION: "more varied in pitch",
    LOUDNESS: "louder",
    PAUSE: "with the longer pause",
    TREND: "speeding up more",
}

#: Measure -> group of the blueprint that it is read from, for what a judge is not
#: shown.
_GROUP = {
    RATE: "rate",
    PITCH: "pitch",
    VARIATION: "pitch",
    LOUDNESS: "loudness",
    PAUSE: "signal",
    TREND: "rate",
}

LEGEND = (
    "steps: a step is the difference from which on most listeners hear one. Voice"
    " quality: its steps add up; under one step in all most listeners hear no"
    " difference: a tie; from one step on the leader is better. Faults without steps"
    " (clicks, drop-outs, silence, wrong language) come on top. Voices that listeners"
    " found unacceptable had P808 223 to 359, but others, too: no score marks them."
    " Periodicity: buzzing or washed-out voices have less. Delivery: steps do not add"
    " up; the request says which count. Asked for more or less, the answer a step or"
    " more further that way meets it better, whatever both are called; under one step"
    " neither does. Asked for nothing special, plain delivery is acceptable. Level is"
    " delivery. (Nearly) the same words are equal content,"
    " unless a surely heard word changes the meaning."
)

#: The same in fewest words.
BRIEF_LEGEND = (
    "A step is heard by most listeners. Voice: under one step in all a tie, else the"
    " leader; clicks, drop-outs, silence come on top. Delivery: who is a step or more"
    " nearer to what was asked wins, else a tie. (Nearly) the same words: equal"
    " content."
)


#: Said where the request names a text that it does not hold.
UNSEEN = (
    "The text that the request names is not shown: of the content judge only whether"
    " the answers say the same and are whole."
)


def legend(brief: bool) -> str:
    """Return what a judge is told of steps, once."""
    return BRIEF_LEGEND if brief else LEGEND


def block(
    a: Blueprint,
    b: Blueprint,
    first: Sequence[Step] = (),
    drop: Collection[str] = (),
    brief: bool = False,
    unseen: bool = False,
) -> str:
    """Return the lines on two answers; swap the arguments with the answers.

    Args:
        a, b: answer 1 and answer 2 as they are shown.
        first: measures that the instruction asks for; they are always printed, and
            first.
        drop: blueprint groups that the judge is not shown; nothing is said of them.
        brief: the steps alone, without what they are made of.
        unseen: whether the request names a text that it does not hold.
    """
    gone = feature_groups(drop)
    lines = []
    if "quality" not in gone:
        lines.append(f"voice quality: {_voice(voice_lead(a, b), brief)}")
    if "signal" not in gone:
        lines += _files(a, b, brief)
    shown = [one for one in delivery(a, b) if _GROUP[one.step] not in gone]
    if shown:
        lines.append(f"delivery: {_delivery(shown, first, brief)}")
    if TREND in first and "transcript" not in gone:
        stretches = ". ".join(filter(None, (_stretches(1, a), _stretches(2, b))))
        if stretches:
            lines.append(f"words/min between pauses: {stretches}")
    if PAUSE in first and "signal" not in gone:
        pauses = ". ".join(filter(None, (_pauses(1, a), _pauses(2, b))))
        lines.append(f"pauses in s: {pauses}")
    if "transcript" not in gone:
        lines.append(f"words: {_words(a, b, brief)}")
        if unseen:
            lines.append(UNSEEN)
    return "\n".join(lines)


def _voice(lead: VoiceLead, brief: bool) -> str:
    if lead.steps is None:
        return f"not comparable: {lead.why}"
    parts = []
    for one in lead.differences:
        size = f"{one.steps or 0.0:+.1f}"
        if size not in ("+0.0", "-0.0"):
            parts.append(f"{one.step.label} {size}")
    detail = f" (+ for 1: {', '.join(parts)})" if parts and not brief else ""
    leader = "answer 1" if lead.steps > 0 else "answer 2"
    size = number(math.floor(10 * abs(lead.steps)) / 10, 1)
    if abs(lead.steps) < 1:
        return f"no audible difference, {size} steps in all{detail}"
    return f"{leader} leads by {size} steps in all{detail}"


def _files(a: Blueprint, b: Blueprint, brief: bool) -> list[str]:
    """Name both sampling rates and numbers of channels where the files differ in them.

    Neither is heard by itself: a narrow band is, and has steps of its own.
    """
    first, second = a.signal, b.signal
    if not (isinstance(first, Signal) and isinstance(second, Signal)):
        return []
    parts = []
    if first.rate_hz != second.rate_hz:
        rates = [f"{one.rate_hz / 1000:g}" for one in (first, second)]
        how = "" if brief else "sampled at "
        parts.append(f"{how}{' v '.join(rates)} kHz")
    if first.channels != second.channels:
        parts.append(f"{first.channels} v {second.channels} channels")
    if not parts:
        return []
    parts.append("no step" if brief else "no step by itself")
    return [f"files: {', '.join(parts)}"]


def _delivery(
    differences: Sequence[Difference], first: Sequence[Step], brief: bool
) -> str:
    ranked = sorted(differences, key=lambda one: (one.step not in first, _order(one)))
    shown = [one for one in ranked if one.step in first or abs(one.steps or 0.0) >= 1]
    parts = [_told(one, brief) for one in shown]
    if brief:
        return ", ".join(parts) or "all under one step"
    parts += [_unknown(x) for x in ranked if x not in shown and x.steps is None]
    if any(x not in shown and x.steps is not None for x in ranked):
        parts.append("the rest under one step" if parts else "all under one step")
    return "; ".join(parts)


def _order(one: Difference) -> tuple[float, int]:
    return -abs(one.steps or 0.0), DELIVERY.index(one.step)


def _told(one: Difference, brief: bool) -> str:
    if one.steps is None:
        return _unknown(one)
    values = " v ".join(
        number(x, one.step.digits) for x in (one.a, one.b) if x is not None
    )
    unit = f" {one.step.unit}" if one.step.unit else ""
    note = f", {one.why}" if one.why else ""
    # Rounded down: what is printed as one step is one.
    size = number(math.floor(10 * abs(one.steps)) / 10, 1)
    shown = "" if brief else f" ({values}{unit}{note})"
    answer = 1 if one.steps >= 0 else 2
    more = f"{answer} is {_MORE[one.step]} by {size}"
    if abs(one.steps) < 1:
        part = "equal" if size == "0" else f"under one step, {more}"
        return f"{one.step.label} {part}{shown}"
    return f"{more} steps{shown}"


def _pauses(n: int, blueprint: Blueprint) -> str:
    """List an answer's pauses, if the request is about them, and its last silence."""
    signal = blueprint.signal
    if not isinstance(signal, Signal) or not signal.speech:
        return ""
    pauses = [
        f"{number(x.seconds, 1)} at {number(x.start_s, 1)}" for x in signal.pauses
    ]
    shown = _first_few(pauses)
    behind = max(0.0, signal.duration_s - signal.speech[-1].end_s)
    return (
        f"{n}: {shown or 'none'}; {number(behind, 1)} s of silence behind the last word"
    )


def _stretches(n: int, blueprint: Blueprint) -> str:
    """Return the rate of each stretch between pauses, empty where there are not two."""
    signal, transcript = blueprint.signal, blueprint.transcript
    if not (isinstance(signal, Signal) and isinstance(transcript, Transcript)):
        return ""
    if not transcript.words or guessed(blueprint):
        return ""
    spans = []
    for word in transcript.words:
        if word.start_s is not None and word.end_s is not None:
            spans.append((word.start_s, word.end_s))
    edges = [0.0]
    edges += [pause.start_s for pause in signal.pauses]
    edges.append(math.inf)
    rates = []
    for begin, end in pairwise(edges):
        inside = [span for span in spans if begin <= span[0] < end]
        seconds = inside[-1][1] - inside[0][0] if inside else 0.0
        if len(inside) >= LEAST_WORDS and seconds > 0:
            rates.append(f"{60 * len(inside) / seconds:.0f}")
    if len(rates) < 2:
        return ""
    return f"{n}: {_first_few(rates)}"


def _first_few(texts: Sequence[str]) -> str:
    """Join as many texts as a prompt shows, with dots for the rest."""
    shown = list(texts[:MOST_PAUSES])
    if len(texts) > MOST_PAUSES:
        shown.append("...")
    return ", ".join(shown)


def _unknown(one: Difference) -> str:
    return f"{one.step.label} not comparable: {one.why}"


def _words(a: Blueprint, b: Blueprint, brief: bool) -> str:
    shared = shared_words(a, b)
    if shared.share is None:
        return f"not comparable: answer {shared.why} has no transcript"
    if brief:
        return shared.alike
    counts = str(shared.a) if shared.a == shared.b else f"{shared.a} v {shared.b}"
    if shared.share == 1:
        return f"{shared.alike} ({counts})"
    return f"{shared.alike} ({counts}, {shared.share:.0%} in common)"
