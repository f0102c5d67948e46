"""Whether a system's answers keep one voice: measures of a run, not a pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blueprints import Absent, Blueprint, Extension, Signal, counted
from blueprints.decimals import written_apart
from trace_eval.data.measures.numbers import PairMeasure
from trace_eval.data.measures.pair import (
    COSINE,
    LEAST_SPEECH_S,
    SPEAKER,
    WIDE,
    bandwidth_of,
)

#: Fewer answers of one bandwidth say nothing of a system's voice.
LEAST_ANSWERS = 8

#: Answers with so much speech are called another voice where they are unlike the
#: others, seconds: of shorter ones the likeness is too loose.
SURE_SPEECH_S = 4.0

#: In wide band an answer of the system's own voice has this likeness to the others or
#: more.
OWN_VOICE = 0.59

#: On a telephone likenesses of one voice spread by the call: there an answer of the
#: system's own voice lies no further under the median, in median absolute deviations,
OWN_VOICE_NARROW = 4.5

#: and a deviation counts as no less than this, for voices that hardly vary.
_LEAST_DEVIATION = 0.02

#: Items that a sentence names.
_NAMED = 3


class Voice(NamedTuple):
    """The voice of one answer: what is needed to compare it with others."""

    direction: npt.NDArray[np.float32]
    bandwidth: str
    speech_s: float
    network: str  # who measured it


@dataclass(frozen=True)
class SystemVoice:
    """The likeness of the voices of a system's answers, in one bandwidth.

    Attributes:
        bandwidth: ``wide`` or ``narrow``; empty: no answer has a voice.
        answers: those that were compared.
        short: those of them that are too short to be called another voice.
        left_out: answers of the system that were not compared with these.
        in_another_voice: answers whose voice is not that of the rest; None: it is not
            known.
        others: the items of these, the least alike first.
        least: the least likeness of any answer to the others, and its item.
        unknown: why nothing is known; empty: it is.
    """

    system: str
    bandwidth: str
    answers: int
    short: int
    left_out: int
    in_another_voice: int | None
    others: tuple[str, ...]
    least: float | None
    item: str
    unknown: str

    @property
    def sentence(self) -> str:
        """Whether the voice changes, in words."""
        who = f"voice of {self.system}" if self.system else "voice"
        if self.unknown:
            return f"{who}: not known, {self.unknown}"
        assert self.least is not None  # it is known
        among = f"{counted(self.answers, 'answer')} in {self.bandwidth} band"
        short = ""
        if self.short:
            short = f"; {self.short} under {SURE_SPEECH_S:g} s of speech cannot be told"
        if self.left_out:
            short += f"; {self.left_out} more cannot be compared with them"
        if not self.others:
            return (
                f"{who}: no other voice in {among}; {self.item} is the least alike"
                f" (likeness {self.least:.2f}){short}"
            )
        named = ", ".join(self.others[:_NAMED])
        more = len(self.others) - _NAMED
        rest = f" and {more} more" if more > 0 else ""
        return (
            f"{who}: {len(self.others)} of {among} in another voice than the rest:"
            f" {named}{rest} (likeness {self.least:.2f} of {self.item}){short}"
        )


def voice_of(blueprint: Blueprint) -> Voice | str:
    """Return the voice of an answer, or why it cannot be compared."""
    group = blueprint.group(SPEAKER)
    if isinstance(group, Absent):
        return f"group {SPEAKER}: {group.reason}"
    numbers = group.values.get("embedding") if isinstance(group, Extension) else None
    if not isinstance(numbers, list):
        return f"group {SPEAKER} has no embedding"
    signal, bandwidth = blueprint.signal, bandwidth_of(blueprint)
    if not isinstance(signal, Signal) or bandwidth is None:
        return "its bandwidth was not measured"
    if signal.speech_s < LEAST_SPEECH_S:
        heard = written_apart(signal.speech_s, [LEAST_SPEECH_S], digits=1)
        return f"{heard} s of speech; {LEAST_SPEECH_S:g} s are needed"
    return Voice(
        direction=np.array(numbers, np.float32),
        bandwidth=bandwidth,
        speech_s=signal.speech_s,
        network=f"{blueprint.provenance.get(SPEAKER)} {len(numbers)}",
    )


def likeness_to_others(voices: Mapping[str, Voice | str]) -> dict[str, PairMeasure]:
    """Return how alike the voice of each answer is to the mean of a system's others.

    The answer that is least alike is the one to listen to first; :func:`system_voices`
    says which are in another voice.

    Args:
        voices: of one system's answers, by item, as :func:`voice_of` returns them.

    Returns:
        A cosine by item, or why there is none: the voice was not measured, or fewer
        than eight answers have this bandwidth and this network.
    """
    measures: dict[str, PairMeasure] = {}
    for item, voice in voices.items():
        if isinstance(voice, str):
            measures[item] = PairMeasure.without(COSINE, voice)
    for (bandwidth, _), members in _comparable(voices).items():
        if len(members) < LEAST_ANSWERS:
            few = PairMeasure.without(COSINE, _too_few(len(members), bandwidth))
            measures |= dict.fromkeys(members, few)
            continue
        total = np.sum([voice.direction for voice in members.values()], axis=0)
        for item, voice in members.items():
            others = total - voice.direction
            cosine = voice.direction @ others / np.linalg.norm(voice.direction)
            value = round(float(cosine / np.linalg.norm(others)), 4)
            measures[item] = PairMeasure(value=value, unit=COSINE)
    return {item: measures[item] for item in voices}


def system_voices(
    voices: Mapping[str, Mapping[str, Voice | str]],
) -> tuple[SystemVoice, ...]:
    """Return for each system which of its answers are in another voice than the rest.

    Args:
        voices: system -> item -> the voice of its answer, or why it cannot be compared.

    Returns:
        A row for each system and bandwidth; systems without any answer have none.
    """
    rows: list[SystemVoice] = []
    for system, answers in voices.items():
        kinds = _comparable(answers)
        if answers and not kinds:
            reason = next(str(reason) for reason in answers.values())
            rows.append(
                _unknown(system, bandwidth="", voices=answers, members={}, why=reason)
            )
        likeness = likeness_to_others(answers)
        for (bandwidth, _), members in kinds.items():
            if len(members) < LEAST_ANSWERS:
                why = _too_few(len(members), bandwidth)
                rows.append(
                    _unknown(
                        system, bandwidth, voices=answers, members=members, why=why
                    )
                )
                continue
            values = {item: likeness[item].value or 0.0 for item in members}
            left_out = len(answers) - len(members)
            rows.append(_row(system, members=members, values=values, left_out=left_out))
    return tuple(rows)


def _row(
    system: str,
    members: Mapping[str, Voice],
    values: Mapping[str, float],
    left_out: int,
) -> SystemVoice:
    """Describe the answers of a system that are comparable."""
    order = sorted(values, key=lambda item: values[item])
    bandwidth = members[order[0]].bandwidth
    limit = OWN_VOICE if bandwidth == WIDE else _narrow_limit(list(values.values()))
    sure = [item for item in order if members[item].speech_s >= SURE_SPEECH_S]
    others = tuple(item for item in sure if values[item] < limit)
    return SystemVoice(
        system=system,
        bandwidth=bandwidth,
        answers=len(order),
        short=len(order) - len(sure),
        left_out=left_out,
        in_another_voice=len(others),
        others=others,
        least=values[order[0]],
        item=order[0],
        unknown="",
    )


def _narrow_limit(values: Sequence[float]) -> float:
    """Return the likeness under which an answer on a telephone is in another voice."""
    median = float(np.median(values))
    deviation = float(np.median(np.abs(np.array(values) - median)))
    return median - OWN_VOICE_NARROW * max(deviation, _LEAST_DEVIATION)


def _comparable(
    voices: Mapping[str, Voice | str],
) -> dict[tuple[str, str], dict[str, Voice]]:
    """Group answers by bandwidth and network; each group by item."""
    groups: dict[tuple[str, str], dict[str, Voice]] = defaultdict(dict)
    for item, voice in voices.items():
        if not isinstance(voice, str):
            groups[voice.bandwidth, voice.network][item] = voice

    def largest_first(key: tuple[str, str]) -> tuple[int, tuple[str, str]]:
        return -len(groups[key]), key

    return {key: groups[key] for key in sorted(groups, key=largest_first)}


def _too_few(count: int, bandwidth: str) -> str:
    return (
        f"{counted(count, 'answer')} in {bandwidth} band;"
        f" {LEAST_ANSWERS} are needed to know the system's voice"
    )


def _unknown(
    system: str,
    bandwidth: str,
    voices: Mapping[str, Voice | str],
    members: Mapping[str, Voice],
    why: str,
) -> SystemVoice:
    return SystemVoice(
        system=system,
        bandwidth=bandwidth,
        answers=len(members),
        short=0,
        left_out=len(voices) - len(members),
        in_another_voice=None,
        others=(),
        least=None,
        item="",
        unknown=why,
    )
