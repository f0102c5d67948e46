"""Whether the agent keeps one voice over a call."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from benchmarks.voice_runs import telephone
from extractors import packaged
from extractors.audio import SPEECH_RATE
from tests.support.speech import FIRST, SECOND, flite
from trace_eval.conversations.sound.one_voice import voice_of_call, voices_of_calls
from trace_eval.data.conversation import (
    Channel,
    Clock,
    Conversation,
    ConversationItem,
    End,
    Speaker,
    Turn,
)
from trace_eval.turns.voices import voice_table

#: Between two turns of the agent, seconds.
_PAUSE_S = 1.0


@cache
def _spoken(voice: str) -> np.ndarray:
    clip = flite(voice, FIRST, SECOND)
    sound = soxr.resample(clip.samples[:, 0], clip.rate, SPEECH_RATE)
    return np.asarray(sound[: 5 * SPEECH_RATE], np.float32)


def _call(path: Path, turns: list[np.ndarray]) -> ConversationItem:
    """Write a call in which the agent says turns; return it as if it had been timed."""
    sound, spans, at_s = [np.zeros(SPEECH_RATE // 2, np.float32)], [], 0.5
    for turn in turns:
        spans.append((at_s, at_s + len(turn) / SPEECH_RATE))
        sound += [turn, np.zeros(round(_PAUSE_S * SPEECH_RATE), np.float32)]
        at_s = spans[-1][1] + _PAUSE_S
    room = np.random.default_rng(0).normal(0, 1e-4, sum(map(len, sound)))
    soundfile.write(path, np.concatenate(sound) + room, SPEECH_RATE)
    call = Conversation(
        channels=(Channel(name="agent", audio=path),),
        speakers=(
            Speaker(name="user", role="user"),
            Speaker(name="agent", role="agent", channel="agent"),
        ),
        clock=Clock(kind="recording"),
        turns=tuple(
            Turn(speaker="agent", start_s=start, end_s=end) for start, end in spans
        ),
        end=End(at_s=at_s),
    )
    return ConversationItem(id=path.stem, conversation=call)


def _need() -> None:
    if reason := packaged.problem(packaged.CAMPPLUS):
        pytest.skip(reason)


def test_a_voice_that_changes_half_way_is_named_with_its_time_and_turns(
    tmp_path: Path,
) -> None:
    _need()
    first, second = _spoken("rms"), _spoken("awb")
    item = _call(tmp_path / "half.wav", [first, first, second, second])
    voice = voice_of_call(item)
    changes_s = item.conversation.turns[2].start_s
    assert voice.verdict in ("changes", "not known")  # rms and awb: or another mood
    assert voice.at_s == pytest.approx(changes_s, abs=_PAUSE_S + 0.5)
    assert [turn.turn for turn in voice.turns] == [0, 1, 2, 3]
    likeness = [turn.to_first for turn in voice.turns]
    assert likeness[0] is None  # it is the first quarter by itself
    assert likeness[1] > 0.9
    assert max(likeness[2:]) < 0.6
    assert voice.least is not None
    assert voice.least.turn in (2, 3)
    assert "in the mean" in voice.sentence


def test_one_voice_stays_one_and_says_from_when_a_drift_is_known(
    tmp_path: Path,
) -> None:
    _need()
    turn = _spoken("slt")
    [found] = voices_of_calls([_call(tmp_path / "one.wav", [turn, turn])])
    assert found.verdict == "one voice"
    assert found.at_s is None
    assert found.likeness > 0.9
    assert "a drift is looked for from 36 s or 12 turns on" in found.why
    table = voice_table([found])
    assert table.title.endswith("one voice in 1 of 1 call")


def test_a_voice_whose_formants_rise_over_a_call_drifts(tmp_path: Path) -> None:
    _need()
    turn = _spoken("slt")[: 3 * SPEECH_RATE]
    rises = np.linspace(1.0, 0.86, 13)
    turns = [np.asarray(soxr.resample(turn, 1.0, rise), np.float32) for rise in rises]
    voice = voice_of_call(_call(tmp_path / "drift.wav", turns))
    assert voice.verdict == "drifts", voice
    assert voice.at_s is None
    likeness = [one.to_first for one in voice.turns[3:]]
    assert likeness[-1] < likeness[0]


def test_a_telephone_half_way_and_a_call_without_sound_are_not_known(
    tmp_path: Path,
) -> None:
    _need()
    wide, narrow = _spoken("rms"), telephone(_spoken("slt"))
    voice = voice_of_call(_call(tmp_path / "bands.wav", [wide, wide, narrow, narrow]))
    assert voice.verdict == "not known"
    assert "band goes from" in voice.why
    item = _call(tmp_path / "short.wav", [wide[: SPEECH_RATE // 2]])
    assert voice_of_call(item).verdict == "not known"
    assert "at least 1 s are needed" in voice_of_call(item).why
    (tmp_path / "short.wav").unlink()
    assert "short.wav" in voice_of_call(item).why
    silent = item.conversation.model_copy(update={"channels": (), "speakers": ()})
    nobody = voice_of_call(item.model_copy(update={"conversation": silent}))
    assert nobody.why == "no turn of the agent is heard"
    assert nobody.turns == ()
