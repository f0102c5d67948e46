"""Two channels of sound: edges, crosstalk, streaming, and what to say of silence."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr

from blueprints import UserError
from extractors import stream
from extractors.audio import SPEECH_RATE, Samples, decode
from extractors.vad import SpeechProbability, speech_probability
from tests.support.cli import ROOT, refused
from trace_eval.conversations.items import conversations_manifest, one_conversation
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.conversation import conversation_from_sound
from trace_eval.conversations.sound.echo import Echo, find_echo
from trace_eval.conversations.sound.lanes import Lane, hear
from trace_eval.conversations.sound.peaks import channel_peaks
from trace_eval.conversations.sound.segments import segmented
from trace_eval.data.conversation import Channel, Turn
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.job import open_job
from trace_eval.runs.options import RateOptions
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import TurnsReport, time_turns

CLIPS = ROOT / "examples" / "clips"

#: The sound of a call, and who speaks when in it.
Call = tuple[Samples, list[tuple[int, float, float]]]

#: Who speaks when: (channel, clip, start in s). The bot greets; the caller is answered
#: after 1.2 s, then talks on alone for a while.
PLAN = ((1, "loud-a.ogg", 0.5), (0, "noise-a.ogg", 5.0), (1, "loud-a.ogg", 10.0))


def _spoken(name: str, seconds: float = 3.0) -> Samples:
    """Return a clip's beginning, from its first loud moment to its last."""
    speech = decode(CLIPS / name).speech
    loud = np.flatnonzero(np.abs(speech) > 0.05 * np.abs(speech).max())
    part = speech[loud[0] : loud[0] + int(seconds * SPEECH_RATE)]
    last = np.flatnonzero(np.abs(part) > 0.05 * np.abs(part).max())[-1]
    return 0.5 * part[: last + 1] / np.abs(part).max()


@pytest.fixture(scope="module")
def call() -> Call:
    """Return a stereo call of 20 s, noise 40 dB under the speech, and true turns."""
    rng = np.random.default_rng(1)
    sound = 0.0005 * rng.standard_normal((20 * SPEECH_RATE, 2)).astype(np.float32)
    truth = []
    for channel, name, start in PLAN:
        part = _spoken(name)
        first = int(start * SPEECH_RATE)
        sound[first : first + len(part), channel] += part
        truth.append((channel, start, start + len(part) / SPEECH_RATE))
    return sound, truth


@pytest.fixture(scope="module")
def sound(call: Call) -> Samples:
    """Return the call without the truth."""
    return call[0]


def _timed(
    folder: Path, sound: Samples, rate: int = SPEECH_RATE, **options: object
) -> TurnsReport:
    path = folder / "call.wav"
    soundfile.write(path, sound, rate)
    return time_turns(path, TurnsOptions(read=ReadOptions(**options)))


def _turns(report: TurnsReport) -> list[Turn]:
    return list(report.conversations[0].item.conversation.turns)


def test_turns_are_where_they_were_put(tmp_path: Path, call: Call) -> None:
    sound, truth = call
    turns = _turns(_timed(tmp_path, sound))
    assert [turn.speaker for turn in turns] == ["agent", "user", "agent"]
    for turn, (_, start, end) in zip(turns, truth, strict=True):
        assert turn.start_s == pytest.approx(start, abs=0.05)
        assert turn.end_s == pytest.approx(end, abs=0.12)  # clips end softly


def test_figures_do_not_depend_on_how_the_sound_is_stored(
    tmp_path: Path, sound: Samples
) -> None:
    here = _timed(tmp_path, sound)
    starts = [turn.start_s or 0.0 for turn in _turns(here)]
    swapped = _timed(tmp_path, sound[:, ::-1], swap=True)
    assert _turns(swapped) == _turns(here)
    greeted = _timed(tmp_path, sound[:, ::-1], agent_channel="greets")
    assert _turns(greeted) == _turns(here)
    for name, channel in (("u.wav", 0), ("a.flac", 1)):
        soundfile.write(tmp_path / name, sound[:, channel], SPEECH_RATE)
    for late_s in (0.0, 0.75):  # of the agent's file, who speaks in turns 0 and 2
        table = f"id,user,agent,agent_offset_s\nc1,u.wav,a.flac,{late_s}\n"
        (tmp_path / "calls.csv").write_text(table)
        files = time_turns(tmp_path / "calls.csv")
        assert files.layout == "two_files"
        moved = [start + late_s * (number != 1) for number, start in enumerate(starts)]
        assert [turn.start_s for turn in _turns(files)] == pytest.approx(
            moved, abs=0.011
        )
    for names in (("7_caller", "7 Agent", "8_user"), ("user/7", "bot/7", "user/8")):
        folder = tmp_path / names[0][0]
        for channel, name in enumerate((*names, "notes of bot and user")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(folder / f"{name}.wav", sound[:, channel % 2], SPEECH_RATE)
        named = time_turns(folder)
        assert (named.layout, [c.item.id for c in named.conversations]) == (
            "two_files",
            ["7"],
        )
        assert [turn.start_s for turn in _turns(named)] == starts
        (alone,) = map(str, named.unread)
        assert alone.startswith(f"{folder}, 8: no recording of the agent")
    for rate in (8_000, 48_000):
        other = soxr.resample(sound, SPEECH_RATE, rate)
        turns = _turns(_timed(tmp_path, np.clip(other, -1, 1), rate))
        assert [turn.start_s for turn in turns] == pytest.approx(starts, abs=0.02), rate


def test_the_other_s_voice_is_no_turn(tmp_path: Path, sound: Samples) -> None:
    late = int(0.03 * SPEECH_RATE)
    leaked = sound.copy()
    leaked[late:] += 10 ** (-30 / 20) * sound[:-late, ::-1]
    report = _timed(tmp_path, leaked)
    assert [turn.speaker for turn in _turns(report)] == ["agent", "user", "agent"]
    kinds = {event.kind for event in report.conversations[0].item.conversation.events}
    assert "crosstalk" in kinds
    assert any("other's voice" in caveat for caveat in report.conversations[0].caveats)


def test_blocks_change_nothing(
    tmp_path: Path, sound: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "call.wav"
    soundfile.write(path, sound, SPEECH_RATE)
    channels = [Channel(name=str(n), audio=path, channel=n) for n in (1, 0)]
    (alone,), (other,) = (hear([channel]) for channel in channels)
    monkeypatch.setattr(stream, "BLOCK_FRAMES", 20_801)
    for one, both in zip((alone, other), hear(channels), strict=True):
        assert one.channel == both.channel
        assert one.stretches == both.stretches
        np.testing.assert_array_equal(one.levels, both.levels)
    speech = sound[: 3 * SPEECH_RATE, 1]
    detector = SpeechProbability()
    for block in (speech[:700], speech[700:701], speech[701:]):
        detector.add(block)
    np.testing.assert_allclose(detector.end(), speech_probability(speech), atol=1e-5)


def test_a_call_is_decoded_once(
    tmp_path: Path, sound: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[str] = []
    read = soundfile.SoundFile.read

    def counting(file: soundfile.SoundFile, *args: Any, **options: Any) -> Any:
        samples = read(file, *args, **options)
        decoded.extend([Path(file.name).name] * len(samples))
        return samples

    monkeypatch.setattr(soundfile.SoundFile, "read", counting)
    conversation = _timed(tmp_path, sound).conversations[0].item.conversation
    assert len(decoded) == len(sound)
    decoded.clear()
    for channel, peaks in enumerate(channel_peaks(conversation.channels, 20.0, 2_000)):
        assert float(peaks.max()) == 1.0
        most = np.abs(sound[:, channel]).reshape(2_000, -1).max(axis=1)
        assert peaks == pytest.approx(
            most / most.max(), abs=0.02
        )  # a sample on an edge
    assert len(decoded) == len(sound)
    for name, channel in (("u.wav", 0), ("a.wav", 1)):
        soundfile.write(
            tmp_path / name, sound[: -100 * channel or None, channel], SPEECH_RATE
        )
    (tmp_path / "calls.csv").write_text("id,user,agent\nc1,u.wav,a.wav\n")
    decoded.clear()
    assert not time_turns(tmp_path / "calls.csv").unread
    assert Counter(decoded) == {"u.wav": len(sound), "a.wav": len(sound) - 100}


def test_what_was_heard_is_kept_until_a_file_changes(
    tmp_path: Path, sound: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    listened: list[int] = []

    def counting(channels: Sequence[Channel]) -> list[Lane]:
        listened.append(len(channels))
        return hear(channels)

    monkeypatch.setattr(f"{conversation_from_sound.__module__}.hear", counting)
    (tmp_path / "calls").mkdir()
    path, folder = tmp_path / "calls" / "call.wav", tmp_path / "kept"
    kept = ReadOptions(kept=folder)
    soundfile.write(path, sound[: 9 * SPEECH_RATE], SPEECH_RATE)
    for options, why in (  # an unknown name is refused before anybody listens
        (RateOptions(rubrics=("handlin",)), "'handlin'"),
        (RateOptions(judge=("rules",)), "compares pairs"),
        (RateOptions(ExtractOptions(overrides={"tone": "x"})), "'tone'"),
    ):
        with pytest.raises(UserError, match=why):
            open_job(path.parent, tmp_path / "run", options)
    assert not listened
    first = conversations_manifest(path.parent, options=kept).singles
    assert conversations_manifest(path.parent, options=kept).singles == first
    assert len(listened) == 1
    assert one_conversation(path, kept) == first[0].answer.conversation
    assert len(listened) == 1  # as an item or by its path
    (file,) = folder.iterdir()
    assert not file.stat().st_mode & 0o077
    file.write_text(file.read_text().replace("recording", "log", 1))
    assert conversations_manifest(path.parent, options=kept).singles == first
    assert len(listened) == 2  # one changed letter is not believed
    soundfile.write(path, sound[: 8 * SPEECH_RATE], SPEECH_RATE)
    shorter = conversations_manifest(path.parent, options=kept).singles
    assert shorter != first
    assert len(listened) == 3
    date = path.stat().st_mtime_ns
    soundfile.write(path, sound[SPEECH_RATE : 9 * SPEECH_RATE], SPEECH_RATE)
    os.utime(path, ns=(date, date))  # as an archive sets it
    assert conversations_manifest(path.parent, options=kept).singles != shorter
    assert len(listened) == 4


def test_recordings_that_cannot_be_timed_say_why(
    tmp_path: Path, sound: Samples
) -> None:
    report = _timed(tmp_path, sound * [1, 0])
    assert "the channel of the agent is silent" in report.conversations[0].caveats
    figure = report.figures["reply_rate"]
    assert (figure.value, figure.reason) == (None, "none")
    with pytest.raises(UserError, match="one channel: "):
        _timed(tmp_path, sound[:, 0])
    with pytest.raises(UserError, match="3 channels; keep two"):
        _timed(tmp_path, np.column_stack((sound, sound[:, 0])))
    (tmp_path / "calls.csv").write_text("id,user,agent\nc1,u.wav,\n")
    with pytest.raises(UserError, match="no recording of the agent; name its file"):
        time_turns(tmp_path / "calls.csv")

    assert len(_turns(_timed(tmp_path, sound, ignore=((0.0, 4.5),)))) == 2
    refused(
        "write START-END in seconds", "turns", tmp_path / "call.wav", "--ignore", "4-2"
    )


@pytest.mark.parametrize(
    ("late_s", "said"),
    [
        (0.03, "channel after +30 ms in 1 windows"),
        (0.12, "channel after +120 ms in 1 windows: a wrong offset?"),
        (
            -0.1,
            (
                "-100 ms in 1 windows: before the voice itself; swapped channels, or a"
                " wrong"
            ),
        ),
        (None, "clock: no echo of one channel on the other"),
    ],
)
def test_the_clock_is_checked_by_echoes(
    tmp_path: Path, sound: Samples, late_s: float | None, said: str
) -> None:
    if late_s is not None:
        sound = sound.copy()
        sound[:, 0] += 0.05 * np.roll(sound[:, 1], round(late_s * SPEECH_RATE))
    (timed,) = _timed(tmp_path, sound, check_clock=True).conversations
    assert any(said in caveat for caveat in timed.caveats), timed.caveats


def test_a_clock_that_drifts_is_told_by_echoes_that_come_later_and_later() -> None:
    rng = np.random.default_rng(1)
    level = np.repeat(
        rng.uniform(-60, -10, 3_500), 20
    )  # another one every 0.2 s, for 700 s
    at = np.arange(len(level))
    late = level[np.clip(np.rint(at * (1 - 400e-6) - 3).astype(int), 0, None)] - 30
    channel = Channel(name="agent", audio=Path("none.wav"))
    voice = Lane(channel, [], level, len(level) * 160)
    other = Lane(channel, [], late + rng.normal(0, 1, len(late)), len(level) * 160)
    echo = find_echo(voice, [(0.0, 700.0)], other)
    assert echo.drift_ppm == pytest.approx(400, abs=40)
    assert echo.sentence("agent", "user").endswith("a wrong offset?")  # 30 to 310 ms
    slow = Echo(0.03, 400.0, 20).sentence("agent", "user")
    assert slow.endswith("drift +400 ppm: two clocks; give agent_drift_ppm")


def test_edges_leave_out_the_other_s_voice_and_keep_soft_tails() -> None:
    """Levels are given, so that only segmentation is at work."""
    rng = np.random.default_rng(1)
    user, agent = (-60 + 0.5 * rng.standard_normal(800) for _ in range(2))
    agent[100:400] = -20  # speaks from 1 s to 4 s, and is heard on the user's channel
    user[100:300] = -48
    user[300:500] = -22  # cuts in at 3 s
    agent[600:685] = -20  # its tail drowns in the noise for 0.25 s
    heard = ([(1.1, 5.1)], user), ([(1.0, 4.1), (6.0, 7.1)], agent)
    lanes = [
        Lane(Channel(name=str(n), audio="x.wav", channel=n), *lane, 8 * SPEECH_RATE)
        for n, lane in enumerate(heard)
    ]
    (heard,), (_, last) = (one.segments for one in segmented(lanes))
    assert heard == pytest.approx((3.0, 5.0), abs=0.03)  # was (1.1, 5.0)
    assert last == pytest.approx((6.0, 6.94), abs=0.02)  # was (6.0, 6.85)
