"""Sound first: a log with its recording is timed by the sound, in every layout."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from extractors.audio import SPEECH_RATE
from tests.support.cli import trace_eval
from tests.support.platform_samples import EXPORTS, SAID, export_text
from tests.support.sheets import write_sheet
from tests.support.sided_calls import sides, write_eva, write_sides
from trace_eval.conversations.layouts import CallReading, read_conversations
from trace_eval.conversations.sound.log_fit import LogFit, better_fitting
from trace_eval.data.conversation import Conversation, ConversationItem
from trace_eval.turns.against_log import log_tables
from trace_eval.turns.answers import headline
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns

#: Who speaks when in the recording, seconds: the log of the platforms has .5-2, 3-5 and
#: 6-8.
SOUND = {"agent": [(0.6, 2.0), (6.9, 8.0)], "user": [(3.0, 4.6)]}

#: Layout -> how its calls are called, as recordings beside them are.
NAMES = {
    "twilio": "twilio",
    "livekit": "AJ_1",
    "pipecat": "pipecat",
    "vapi": "vapi-1",
    "retell": "retell-1",
    "openai_realtime": "openai_realtime",
    "otel": "otel-1",
}


def _stereo(path: Path, sound: np.ndarray) -> None:
    soundfile.write(path, sound, SPEECH_RATE)


def _spans(call: Conversation, role: str) -> list[tuple[float, float]]:
    turns = [turn for _, turn in call.turns_of(role)]  # type: ignore[arg-type]
    return [
        (turn.start_s or 0.0, turn.end_s or 0.0)
        for turn in turns
        if turn.start_s is not None
    ]


def _one(reading: CallReading) -> ConversationItem:
    (item,) = reading.items
    assert not reading.unread
    return item


def _is_timed_by(
    call: Conversation, sound: Mapping[str, Sequence[tuple[float, float]]]
) -> None:
    assert call.clock.kind == "recording"
    for role, spans in sound.items():
        found = _spans(call, role)
        assert [at for span in found for at in span] == pytest.approx(
            [at for span in spans for at in span], abs=0.15
        )


LOGGED = [("agent", 0.5, 2.0), ("user", 3.0, 5.0), ("agent", 6.0, 8.0)]


@pytest.mark.parametrize("how", ["stereo", "two files", "a folder"])
@pytest.mark.parametrize("layout", NAMES)
def test_every_export_is_timed_by_the_recording_beside_it(
    tmp_path: Path, layout: str, how: str
) -> None:
    file = next(name for name in EXPORTS if name.startswith(f"{layout}."))
    (tmp_path / file).write_text(export_text(file))
    sound, name = sides(SOUND), NAMES[layout]
    if how == "stereo":
        _stereo(tmp_path / f"{name}.wav", sound)
    elif how == "two files":
        write_sides(tmp_path, sound, (f"{name}_user.wav", f"{name}_agent.wav"))
    else:
        (tmp_path / name).mkdir()
        write_sides(tmp_path / name, sound, ("caller.wav", "bot.wav"))
    reading = read_conversations(tmp_path)
    assert reading.layout == layout
    item = _one(reading)
    _is_timed_by(item.conversation, SOUND)
    assert [turn.text for turn in item.conversation.turns] == [
        text for *_, text in SAID
    ]
    assert any("times are those of the sound" in caveat for caveat in item.caveats)
    assert not any("not of sound" in caveat for caveat in item.caveats)
    tools = [event.kind for event in item.conversation.events if "tool" in event.kind]
    assert len(tools) == (0 if layout in ("twilio", "pipecat") else 2)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("pipecat.speech.jsonl", "pipecat.speech"),
        ("pipecat.rtvi.jsonl", "pipecat.rtvi"),
        ("otel.livekit.json", "desk"),
    ],
)
def test_events_and_spans_of_speech_are_held_against_the_sound(
    tmp_path: Path, file: str, name: str
) -> None:
    """The log has .5-2, 3-5 and 6-8 s; the agent is heard .1 and .9 s later.

    The recording began .4 s before, which is no error of a log with Unix times.
    """
    (tmp_path / file).write_text(export_text(file))
    before = 1e-4 * np.random.default_rng(2).standard_normal((2 * SPEECH_RATE // 5, 2))
    _stereo(tmp_path / f"{name}.wav", np.concatenate([before, sides(SOUND)]))
    (timed,) = time_turns(tmp_path).conversations
    later: dict[str, Any] = {}
    for who, spans in SOUND.items():
        later[who] = [(start + 0.4, end + 0.4) for start, end in spans]
    _is_timed_by(timed.item.conversation, later)
    log: Any = timed.item.conversation.meta["log"]
    assert log["shift_s"] == pytest.approx(0.4, abs=0.1)
    assert log["errors_s"]["agent start"] == pytest.approx([-0.1, -0.9], abs=0.1)
    assert log["errors_s"]["user end"] == pytest.approx([0.4], abs=0.1)
    assert [turn.text for turn in timed.item.conversation.turns] == [
        text for *_, text in SAID
    ]


@pytest.mark.parametrize("layout", ["pipecat", "otel"])
def test_words_without_times_are_not_used_where_other_turns_are_heard(
    tmp_path: Path, layout: str
) -> None:
    file = next(name for name in EXPORTS if name.startswith(f"{layout}."))
    (tmp_path / file).write_text(export_text(file))
    _stereo(tmp_path / f"{NAMES[layout]}.wav", sides({**SOUND, "agent": [(0.6, 2.0)]}))
    item = _one(read_conversations(tmp_path))
    assert not any(turn.text for turn in item.conversation.turns)
    assert (
        "its log has 3 turns in words, 2 are heard: its words are not used"
        in item.caveats
    )


def test_a_record_of_eva_is_timed_by_its_sides_and_its_mix_is_used_by_nobody(
    tmp_path: Path,
) -> None:
    folder = write_eva(tmp_path / "r1", LOGGED)
    sound = sides(SOUND)
    write_sides(folder, sound, ("audio_user.wav", "audio_assistant.wav"))
    soundfile.write(folder / "audio_mixed.wav", sound[:, 1], SPEECH_RATE)
    for path in (folder, tmp_path):
        reading = read_conversations(path)
        assert reading.layout == "eva"
        item = _one(reading)
        _is_timed_by(item.conversation, SOUND)
        assert len({channel.audio for channel in item.conversation.channels}) == 2
    assert item.conversation.end.reason == "goodbye"


def test_a_table_and_ticks_are_timed_by_sound_too(tmp_path: Path) -> None:
    table = tmp_path / "turns.csv"
    rows = [f"c1,{who},{start},{end},{text}" for who, start, end, text in SAID]
    write_sheet(table, "conversation,speaker,start,end,text", rows)
    _stereo(tmp_path / "c1.wav", sides(SOUND))
    _is_timed_by(_one(read_conversations(table)).conversation, SOUND)
    audio = [rows[0] + ",c1.wav", rows[1] + ",c1.wav", rows[2] + ",c1.wav"]
    write_sheet(table, "conversation,speaker,start,end,text,audio", audio)
    _is_timed_by(_one(read_conversations(table)).conversation, SOUND)
    ticks = []
    for number in range(50):
        at = 0.2 * number + 0.1
        speaking = {who for who, start, end in LOGGED if start <= at < end}
        ticks.append(
            {
                "user_chunk": {"contains_speech": "user" in speaking},
                "agent_chunk": {"contains_speech": "agent" in speaking},
            }
        )
    (tmp_path / "sim").mkdir()
    simulation = tmp_path / "sim" / "t1.json"
    simulation.write_text(json.dumps({"id": "t1", "ticks": ticks}))
    _stereo(tmp_path / "sim" / "t1.wav", sides(SOUND))
    _is_timed_by(_one(read_conversations(simulation)).conversation, SOUND)
    by_ticks = time_turns(simulation, TurnsOptions(definitions="tau-voice"))
    assert by_ticks.conversations[0].item.conversation.clock.kind == "ticks"


def test_the_distance_of_log_and_sound_is_said_edge_by_edge(tmp_path: Path) -> None:
    """The agent's last turn lasts from 6.9 s on, where the log has it from 6.0 s."""
    folder = write_eva(tmp_path / "r1", LOGGED)
    write_sides(folder, sides(SOUND), ("user.wav", "assistant.wav"))
    call = time_turns(folder).record()["conversations"][0]
    log = call["log"]
    assert log["shift_s"] == 0.0
    assert log["errors_s"]["agent start"] == pytest.approx([-0.1, -0.9], abs=0.1)
    assert log["errors_s"]["user end"] == pytest.approx([0.4], abs=0.1)
    (far,) = log["disagree"]
    assert far["log"] == pytest.approx([6.0, 8.0])
    assert far["sound"] == pytest.approx([6.9, 8.0], abs=0.15)
    done = trace_eval("turns", folder, ends=0)
    assert "Log against sound" in done.out
    assert "agent 6.00 to 8.00 s in the log" in " ".join(done.out.split())


def test_words_go_to_a_turn_that_lasts_long_enough_for_them(tmp_path: Path) -> None:
    """The log's session holds a short signal, and the words are said behind it."""
    rows = ["call,agent,0.5,2.0,hello", "call,user,2.6,4.2,a table for two on Friday"]
    rows += ["call,agent,6.9,8.0,for when"]
    table = tmp_path / "turns.csv"
    table.write_text("\n".join(["conversation,speaker,start,end,text", *rows]))
    sound = {"agent": [(0.6, 2.0), (3.1, 4.2), (6.9, 8.0)]}
    sound["user"] = [(2.6, 2.9), (4.4, 6.2)]
    soundfile.write(tmp_path / "call.wav", sides(sound), SPEECH_RATE)
    call = _one(read_conversations(tmp_path)).conversation
    assert [(turn.text or "", round(turn.start_s or 0)) for turn in call.turns] == [
        ("hello", 1),
        ("", 3),
        ("", 3),
        ("a table for two on Friday", 4),
        ("for when", 7),
    ]


def test_words_of_eva_go_to_the_turns_near_which_they_are_stamped(
    tmp_path: Path,
) -> None:
    """A session of the user lasts over an answer: EVA gives both texts one number."""
    spans = [("agent", 0.5, 2.0), ("user", 3.0, 12.0), ("agent", 13.0, 14.0)]
    folder = write_eva(tmp_path / "r1", spans)
    path = folder / "user_simulator_events.jsonl"
    (state, *events) = [json.loads(line) for line in path.read_text().splitlines()]
    edges = [event for event in events if "event_type" in event]
    texts = [("assistant_speech", 3.9, "hello"), ("user_speech", 3.1, "a table")]
    texts += [("assistant_speech", 8.2, "for when"), ("user_speech", 9.4, "Friday")]
    texts += [("user_speech", 40.0, "nobody hears this")]
    for kind, at_s, text in texts:
        stamp = state["timestamp"] + round(1000 * at_s)
        edges.append({"timestamp": stamp, "type": kind, "data": {"text": text}})
    edges.sort(key=lambda event: event["timestamp"])
    path.write_text("".join(json.dumps(event) + "\n" for event in [state, *edges]))
    wrote = [(4.7, "a table"), (11.8, "fry day")]
    rows = [
        {"timestamp": state["timestamp"] + 1000 * at_s, "type": "user", "content": text}
        for at_s, text in wrote
    ]
    transcript = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "transcript.jsonl").write_text(transcript)
    sound = {"agent": [(0.6, 2.0), (6.0, 8.0), (13.0, 14.0)]}
    sound["user"] = [(3.0, 4.6), (9.0, 11.0)]
    write_sides(folder, sides(sound, 15.0), ("user.wav", "assistant.wav"))
    item = _one(read_conversations(folder))
    assert [(turn.text, turn.heard) for turn in item.conversation.turns] == [
        ("hello", "hello"),
        ("a table", "a table"),
        ("for when", "for when"),
        ("Friday", "fry day"),
        (None, None),
    ]
    assert "1 text of its log is near no turn that is heard" in item.caveats
    assert "stamped_texts" not in item.conversation.meta


def test_what_the_log_alone_says_is_marked_and_gives_no_figure(tmp_path: Path) -> None:
    """The log has a question at 12 s and an answer at 14 s that nobody hears."""
    more = [*LOGGED, ("user", 12.0, 13.0), ("agent", 14.0, 15.0)]
    folder = write_eva(tmp_path / "r1", more)
    write_sides(folder, sides(SOUND, 18.0), ("user.wav", "assistant.wav"))
    (timed,) = time_turns(folder).conversations
    alone = [one for one in timed.measured.events if one.kind == "log_alone"]
    assert [(round(one.start_s), round(one.end_s)) for one in alone] == [
        (12, 13),
        (14, 15),
    ]
    assert len([one for one in timed.measured.events if one.kind == "response"]) == 1
    assert timed.figures["reply_rate"].events == 1


def test_sessions_without_sound_are_said_first_and_lay_no_fault(
    tmp_path: Path,
) -> None:
    """A log of sessions alone is timed as it stands; empty files are no sound."""
    over = [("user", 1.0, 30.0), ("agent", 3.0, 12.0), ("agent", 14.0, 25.0)]
    bare, empty, heard = (write_eva(tmp_path / name, over) for name in "abc")
    for name in ("user.wav", "assistant.wav"):
        (empty / name).touch()
    write_sides(heard, sides(SOUND), ("user.wav", "assistant.wav"))
    for folder in (bare, empty):
        report = time_turns(folder)
        (timed,) = report.conversations
        assert timed.fault is None
        said = headline(report.conversations, report.figures)
        assert said.endswith(
            "the times are those of a log's sessions, which are not speech"
        )
        assert not any("one and the same" in caveat for caveat in timed.caveats)
    both = [*time_turns(bare).conversations, *time_turns(heard).conversations]
    assert headline(both, {}).endswith(
        "of 1 call are those of a log's sessions, which are not speech"
    )
    assert "session" not in headline(both[1:], {})


def test_eva_s_own_figures_stay_and_say_how_far_their_log_is(tmp_path: Path) -> None:
    with_sound, without = (
        write_eva(tmp_path / "a", LOGGED),
        write_eva(tmp_path / "b", LOGGED),
    )
    write_sides(with_sound, sides(SOUND), ("user.wav", "assistant.wav"))
    options = TurnsOptions(definitions="eva")
    (heard,), (unheard,) = (
        time_turns(folder, options).conversations for folder in (with_sound, without)
    )
    assert heard.measured.details == unheard.measured.details
    assert any("from it in the median" in caveat for caveat in heard.caveats)
    (said,) = [one for one in heard.caveats if one.startswith("times are those of")]
    assert said.startswith("times are those of the log, not of the sound; the log is")
    report = time_turns(with_sound, options)
    titles = [table.title for table in log_tables(report.conversations)]
    assert titles[0].endswith("times above are those of the log")


def _caveats(folder: Path) -> str:
    return "; ".join(_one(read_conversations(folder)).caveats)


def test_each_odd_recording_is_named_and_the_rest_is_measured(tmp_path: Path) -> None:
    """Sound unlike its log: short, long, another clock or call, one side, one file."""
    long_log = [*LOGGED, ("user", 30.0, 31.0), ("agent", 33.0, 35.0)]
    short = write_eva(tmp_path / "short", long_log)
    write_sides(short, sides(SOUND), ("user.wav", "assistant.wav"))
    assert "user 30.00 to 31.00 s in the log alone" in _caveats(short)
    longer = write_eva(tmp_path / "longer", LOGGED)
    spoken = {"agent": [*SOUND["agent"], (20.0, 22.0)], "user": SOUND["user"]}
    write_sides(longer, sides(spoken, 24.0), ("user.wav", "assistant.wav"))
    assert "heard alone" in _caveats(longer)
    clock = write_eva(tmp_path / "clock", [(who, a + 5, b + 5) for who, a, b in LOGGED])
    write_sides(clock, sides(SOUND), ("user.wav", "assistant.wav"))
    moved = "moved by -4.98 s (its first word from 5.50 s to 0.52 s)"
    assert moved in _caveats(clock)  # of 5 s, in steps of .02 s
    one_side = write_eva(tmp_path / "one", LOGGED)
    soundfile.write(one_side / "audio_assistant.wav", sides(SOUND)[:, 1], SPEECH_RATE)
    item = _one(read_conversations(one_side))
    assert "there is no recording of the user, only audio_assistant.wav" in "; ".join(
        item.caveats
    )
    assert _spans(item.conversation, "user") == []
    (turn,) = [turn for _, turn in item.conversation.turns_of("agent")]
    assert [round(at, 1) for at, _ in turn.stretches] == [0.6, 6.9]
    same = write_eva(tmp_path / "same", LOGGED)
    for name in ("user.wav", "assistant.wav"):
        soundfile.write(same / name, sides(SOUND)[:, 1], SPEECH_RATE)
    assert "one and the same recording" in _caveats(same)
    item = _one(read_conversations(same))
    assert "user.wav holds the agent alone" in "; ".join(item.caveats)
    assert [one.name for one in item.conversation.channels] == ["agent"]
    assert _spans(item.conversation, "user") == []
    (turn,) = [turn for _, turn in item.conversation.turns_of("agent")]
    assert [round(at, 1) for at, _ in turn.stretches] == [0.6, 6.9]
    other = write_eva(tmp_path / "other", [("user", 0.0, 9.0), ("agent", 9.2, 9.6)])
    write_sides(other, sides(SOUND), ("user.wav", "assistant.wav"))
    assert "a log of another call?" in _caveats(other)
    torn = write_eva(tmp_path / "torn", LOGGED)
    write_sides(torn, sides(SOUND), ("user.wav", "assistant.wav"))
    (torn / "user.wav").write_bytes(b"no sound at all")
    assert "user.wav" in _caveats(torn)
    assert len(read_conversations(tmp_path).items) == 7


def test_recordings_that_no_log_names_are_calls_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "vapi.json").write_text(export_text("vapi.json"))
    _stereo(tmp_path / "vapi-1.wav", sides(SOUND))
    _stereo(tmp_path / "another.wav", sides(SOUND))
    items = {item.id: item for item in read_conversations(tmp_path).items}
    assert set(items) == {"vapi-1", "another"}
    _is_timed_by(items["another"].conversation, SOUND)


@pytest.mark.parametrize(("name", "channel"), [("user", 0), ("assistant", 1)])
def test_a_recording_of_either_side_alone_is_heard(
    tmp_path: Path, name: str, channel: int
) -> None:
    folder = write_eva(tmp_path / "one", LOGGED)
    soundfile.write(folder / f"audio_{name}.wav", sides(SOUND)[:, channel], SPEECH_RATE)
    item = _one(read_conversations(folder))
    assert item.conversation.clock.kind == "recording"
    assert f"only audio_{name}.wav" in " ".join(item.caveats)
    assert "cannot be heard" not in " ".join(item.caveats)


def test_a_recording_that_ends_before_its_log_is_named_with_both_ends(
    tmp_path: Path,
) -> None:
    folder = write_eva(tmp_path / "short", [*LOGGED, ("user", 12.0, 14.0)])
    write_sides(folder, sides(SOUND), ("user.wav", "assistant.wav"))
    said = _caveats(folder)
    assert "the recording is shorter than its log: it lasts 10.00 s" in said
    assert "speech ends at 14.00 s of it" in said
    longer = write_eva(tmp_path / "long", LOGGED)
    write_sides(longer, sides(SOUND, 40.0), ("user.wav", "assistant.wav"))
    assert "the recording is longer than its log: it lasts 40.00 s" in _caveats(longer)


def test_a_recording_in_which_nothing_of_its_log_is_heard_says_so_with_both_ends(
    tmp_path: Path,
) -> None:
    folder = write_eva(tmp_path / "tiny", LOGGED)
    write_sides(folder, np.zeros((SPEECH_RATE // 10, 2)), ("user.wav", "assistant.wav"))
    said = _caveats(folder)
    assert "the sound, which lasts 0.10 s; nothing of its log is heard" in said
    assert "which has speech until 8.00 s" in said


@pytest.mark.parametrize("off_s", [-60.0, 45.0])
def test_a_clock_that_is_off_by_a_minute_is_another_clock_and_no_other_call(
    tmp_path: Path, off_s: float
) -> None:
    """The recording begins a minute before its log, or the log counts elsewhere."""
    before = 1e-4 * np.random.default_rng(3).standard_normal((60 * SPEECH_RATE, 2))
    sound = np.concatenate([before, sides(SOUND)]) if off_s < 0 else sides(SOUND)
    rows = [
        f"c1,{who},{a + max(0, off_s)},{b + max(0, off_s)},{text}"
        for who, a, b, text in SAID
    ]
    table = tmp_path / "log.csv"
    write_sheet(table, "conversation,speaker,start,end,text", rows)
    _stereo(tmp_path / "c1.wav", sound)
    (timed,) = time_turns(table).conversations
    log: Any = timed.item.conversation.meta["log"]
    assert log["shift_s"] == pytest.approx(-off_s, abs=0.1)
    assert log["fits"]
    assert [turn.text for turn in timed.item.conversation.turns] == [
        text for *_, text in SAID
    ]


def test_a_recording_under_two_names_is_used_once_and_no_call_of_its_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "retell.json").write_text(export_text("retell.json"))
    for who in ("user", "agent"):
        name = tmp_path / f"retell-1_{who}.wav"
        soundfile.write(name, sides(SOUND)[:, 1], SPEECH_RATE)
    item = _one(read_conversations(tmp_path))
    assert "retell-1_user.wav holds the agent alone" in "; ".join(item.caveats)


@pytest.mark.parametrize("rings_s", [0.0, 12.0])
def test_one_side_under_two_names_is_found_wherever_its_log_begins(
    rings_s: float, tmp_path: Path
) -> None:
    """The log's times are Unix times, and its recording began .8 s or more before."""
    (tmp_path / "otel.livekit.json").write_text(export_text("otel.livekit.json"))
    spans = [(1.3 + rings_s, 2.8 + rings_s), (6.8 + rings_s, 8.8 + rings_s)]
    sound = sides({"agent": spans}, end_s=10.0 + rings_s)
    for who in ("user", "agent"):
        soundfile.write(tmp_path / f"desk_{who}.wav", sound[:, 1], SPEECH_RATE)
    item = _one(read_conversations(tmp_path))
    assert "desk_user.wav holds the agent alone" in "; ".join(item.caveats)


def test_sessions_of_a_log_lay_no_fault_with_sound_or_without(tmp_path: Path) -> None:
    """By its log the agent starts inside each turn of the user; nobody hears that."""
    log = [("user", 1.0, 4.0), ("agent", 2.0, 5.0), ("user", 5.5, 8.0)]
    log += [("agent", 6.0, 9.0)]
    apart = {"user": [(1.0, 1.8), (5.5, 5.9)], "agent": [(2.0, 5.0), (6.2, 9.0)]}
    with_sound, without = (write_eva(tmp_path / name, log) for name in ("a", "b"))
    write_sides(with_sound, sides(apart), ("user.wav", "assistant.wav"))
    options = TurnsOptions(definitions="eva")
    (heard,), (unheard,) = (
        time_turns(folder, options).conversations for folder in (with_sound, without)
    )
    (by_default,) = time_turns(without).conversations
    assert (
        sum(one.kind == "agent_interruption" for one in by_default.measured.events) == 2
    )
    assert unheard.fault is None
    assert heard.fault is None


def test_words_of_a_record_without_spans_are_said_to_be_unused(tmp_path: Path) -> None:
    folder = write_eva(tmp_path / "r1", LOGGED)
    write_sides(folder, sides(SOUND), ("user.wav", "assistant.wav"))
    file = folder / "user_simulator_events.jsonl"
    lines = [one for one in file.read_text().splitlines() if "audio_" not in one]
    file.write_text("\n".join(lines) + "\n")
    assert "the words of 2 turns without a span are not used" in _caveats(folder)


def test_a_table_beside_one_side_or_without_times_is_held_against_it(
    tmp_path: Path,
) -> None:
    """A table of turns, beside the agent's recording alone, then beside both sides."""
    rows = [f"c1,{who},{start},{end},{text}" for who, start, end, text in SAID]
    table = tmp_path / "turns.csv"
    write_sheet(table, "conversation,speaker,start,end,text", rows)
    agent = tmp_path / "c1_agent.wav"
    soundfile.write(agent, sides(SOUND)[:, 1], SPEECH_RATE)
    item = _one(read_conversations(tmp_path))
    assert "there is no recording of the user, only c1_agent.wav" in item.caveats
    assert item.conversation.clock.kind == "recording"
    agent.unlink()
    _stereo(tmp_path / "c1.wav", sides(SOUND))
    rows = [f"c1,{who},{text}" for who, _, _, text in SAID]
    write_sheet(table, "conversation,speaker,text", rows)
    item = _one(read_conversations(tmp_path))
    _is_timed_by(item.conversation, SOUND)
    assert [turn.text for turn in item.conversation.turns] == [
        text for *_, text in SAID
    ]


@pytest.mark.parametrize(
    ("user_first", "agent_first", "first"),
    [
        ((0.1, 0.95), (-2.5, 0.80), "user"),
        ((-2.5, 0.80), (0.1, 0.95), "agent"),
        ((2.5, 0.95), (-2.5, 0.80), None),
        ((0.1, 0.55), (-2.5, 0.50), None),
        ((3.0, 0.50), (4.0, 0.80), "agent"),
    ],
)
def test_the_order_of_two_voices_is_that_in_which_the_log_fits_at_once(
    user_first: tuple[float, float], agent_first: tuple[float, float], first: str | None
) -> None:
    """Calls that repeat themselves fit a moved log in the other order, too."""
    assert better_fitting(LogFit(*user_first), LogFit(*agent_first)) == first


def test_a_table_among_recordings_is_held_against_them(tmp_path: Path) -> None:
    rows = ["conversation,speaker,start,end,text"]
    rows += ["call,agent,0.5,2.0,hello", "call,user,2.9,4.6,a table for two"]
    rows += ["call,agent,6.8,8.0,for when"]
    (tmp_path / "turns.csv").write_text("\n".join(rows))
    soundfile.write(tmp_path / "call.wav", sides(SOUND), SPEECH_RATE)
    soundfile.write(tmp_path / "other.wav", sides(SOUND), SPEECH_RATE)
    reading = read_conversations(tmp_path)
    assert reading.layout == "turns"
    call, other = reading.items
    assert [turn.text for turn in call.conversation.turns] == [
        "hello",
        "a table for two",
        "for when",
    ]
    assert call.conversation.clock.kind == "recording"
    assert other.id == "other"

    # What a table without times says of recordings is not known.
    (tmp_path / "turns.csv").write_text("file,speaker\ncall.wav,ada\nother.wav,bob\n")
    assert read_conversations(tmp_path).layout == "stereo"
