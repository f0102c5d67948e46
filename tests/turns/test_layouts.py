"""Readers: what is understood, what is refused and how it is said."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from benchmarks.drill.mutate import odd
from benchmarks.drill.sets import layouts, reader_of_calls
from blueprints import UserError
from extractors import AUDIO_SUFFIXES
from extractors.audio import AudioError, decode
from tests.support.audio import container, tone
from tests.support.cli import trace_eval
from tests.support.sheets import write_sheet
from trace_eval.conversations.layouts import layout_of, read_conversations
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.conversation import ConversationItem
from trace_eval.turns.agree import read_event_labels
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns

ROWS = (
    # Out of order on purpose. The caller hums while the bot speaks; a third person ends
    # it.
    "c1,bot,agent,3.0,6.0,Which seat would you like?,",
    "c1,caller,user,1.0,2.5,I need a seat.,",
    "c1,caller,user,4.0,4.3,mm-hm,backchannel",
    "c1,caller,user,2.0,2.7,please,",
    "c1,clerk,,9.0,9.5,May I help?,",
    "c1,caller,user,5.0,5.2,,tic",
)
HEADER = "conversation,speaker,role,start,end,text,kind"


def _table(folder: Path, rows: Sequence[str], header: str = HEADER) -> Path:
    path = folder / "turns.csv"
    write_sheet(path, header, rows)
    return path


def _one(path: Path, options: ReadOptions | None = None) -> ConversationItem:
    (item,) = read_conversations(path, None, options).items
    return item


def test_a_table_of_turns_is_read_in_order_of_time(tmp_path: Path) -> None:
    item = _one(_table(tmp_path, ROWS))
    call = item.conversation
    roles = {speaker.name: speaker.role for speaker in call.speakers}
    assert roles == {"bot": "agent", "caller": "user", "clerk": "other"}
    assert [(t.speaker, t.start_s, t.end_s, t.text) for t in call.turns] == [
        ("caller", 1.0, 2.7, "I need a seat. please"),  # two rows that overlap
        ("bot", 3.0, 6.0, "Which seat would you like?"),
        ("caller", 4.0, 4.3, "mm-hm"),
        ("clerk", 9.0, 9.5, "May I help?"),
    ]
    assert call.turns[2].backchannel
    assert item.caveats == ("1 row that overlaps one of its speaker was merged",)
    assert [(e.kind, e.at_s) for e in call.events] == [
        ("backchannel", 4.0),
        ("vocal_tic", 5.0),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("c,user,,2,1,x,",), "row 1: the clock goes backwards, from 2 to 1"),
        (("c,user,,1,2,x,", "c,agent,,3,,x,"), "row 2: a turn without end"),
        (("c,user,,1,2,x,", "c,agent,,00:00:03,00:00:04,x,"), "use one kind"),
        (
            ("c,user,,1,2,x,", "c,agent,,1772403724647,1772403725000,x,"),
            "some times are Unix",
        ),
        (("c,user,,nan,2,x,",), "expected a number (got 'nan')"),
        (("c,user,,1,2,x,hum",), "kind 'hum'; use one of speech, backchannel"),
        (("c,ann,,1,2,x,", "c,bob,,3,4,x,"), "say --agent NAME"),
        (("c,ann,agent,1,2,x,", "c,ann,user,3,4,x,"), "'ann' has two roles"),
        (("c,,,1,2,x,",), "row 1: has no speaker"),
    ],
)
def test_bad_rows_name_the_remedy(
    tmp_path: Path, rows: Sequence[str], message: str
) -> None:
    path = _table(tmp_path, rows)
    with pytest.raises(UserError) as error:
        read_conversations(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_turns_under_names_of_others(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    for text in (
        "call_id,role,start_time,end_time,transcript\nc,User,0,1.5,Hi\nc,assistant,2,3,Yes\n",
        (
            "Conversation ID,Speaker,Start"
            " MS,end_ms,Text\nc,Customer,0,1500,Hi\nc,BOT,2000,3000,Yes\n"
        ),
    ):
        path.write_text(text)
        item = _one(path)
        assert item.id == "c"
        assert [one.role for one in item.conversation.speakers] == ["user", "agent"]
        said = [
            (turn.start_s, turn.end_s, turn.text) for turn in item.conversation.turns
        ]
        assert said == [(0.0, 1.5, "Hi"), (2.0, 3.0, "Yes")]
    # bad milliseconds cost their conversation
    path.write_text("call_id,speaker,start_ms,end_ms\nc,user,0,500\nd,user,soon,900\n")
    reading = read_conversations(path)
    assert [item.id for item in reading.items] == ["c"]
    assert "row 2: time: expected a number (got 'soon')" in str(reading.unread[0])
    path.write_text("call_id,kind,start_ms\nc,noise,250\n")
    assert read_event_labels(path)["c"][0].start_s == 0.25


def test_a_call_may_be_called_by_more_than_a_file_can_be(tmp_path: Path) -> None:
    """Its name is looked for beside the table, as that of a recording."""
    rows = [row.replace("c1", name) for name in ("n" * 300, "c1") for row in ROWS]
    names = [item.id for item in read_conversations(_table(tmp_path, rows)).items]
    assert sorted(map(len, names)) == [2, 300]


def test_a_bad_conversation_costs_itself_only(tmp_path: Path) -> None:
    path = _table(tmp_path, (*ROWS, "c2,bot,agent,3,1,x,"))
    reading = read_conversations(path)
    assert [item.id for item in reading.items] == ["c1"]
    assert "row 7" in str(reading.unread[0])
    done = trace_eval("turns", path, "--json", tmp_path / "out.json", ends=0)
    assert "row 7" in done.err
    assert json.loads((tmp_path / "out.json").read_text())["unread"][0][
        "name"
    ].endswith("c2")


@pytest.mark.parametrize(
    ("by_s", "scale"), [(1000.0, 1.0), (1.7e9, 1.0), (1.7e9, 1000.0)]
)
def test_the_clock_s_start_changes_no_figure(
    tmp_path: Path, by_s: float, scale: float
) -> None:
    reports = []
    for since, unit in ((0.0, 1.0), (by_s, scale)):
        cells = [row.split(",") for row in ROWS]
        for row in cells:
            row[3:5] = (repr((float(cell) + since) * unit) for cell in row[3:5])
        reports.append(time_turns(_table(tmp_path, [",".join(row) for row in cells])))
    here, there = reports
    events = here.conversations[0].measured.events
    moved = there.conversations[0].measured.events
    assert [event.kind for event in moved] == [event.kind for event in events]
    assert [event.value_s for event in moved] == pytest.approx(
        [event.value_s for event in events], abs=1e-6
    )
    figures = {name: figure.value for name, figure in here.figures.items()}
    moved_figures = {name: figure.value for name, figure in there.figures.items()}
    assert moved_figures == pytest.approx(figures, abs=1e-6)


def test_mono_is_read_with_given_turns(tmp_path: Path) -> None:
    rows = ("user,1,2,mix.wav,", "agent,3,4,mix.wav,")
    call = _one(_table(tmp_path, rows, "speaker,start,end,audio,text")).conversation
    assert [(one.name, one.audio) for one in call.channels] == [
        ("mix", tmp_path / "mix.wav")
    ]
    assert [turn.audio for turn in call.turns] == [None, None]
    rows = ("user,,,u.wav,Hello", "agent,,,a.wav,Hi")
    call = _one(_table(tmp_path, rows, "speaker,start,end,audio,text")).conversation
    assert call.clock.kind == "none"
    assert [turn.audio for turn in call.turns] == [
        tmp_path / "u.wav",
        tmp_path / "a.wav",
    ]


def test_records_of_our_own_are_read_back(tmp_path: Path) -> None:
    item = _one(_table(tmp_path, ROWS))
    path = tmp_path / "calls.jsonl"
    path.write_text(item.model_dump_json() + "\n")
    assert _one(path) == item
    broken = item.model_dump(mode="json")
    broken["conversation"]["turns"][0]["end_s"] = 0.0
    path.write_text(json.dumps(broken) + "\n")
    with pytest.raises(UserError, match="the clock goes backwards"):
        read_conversations(path)


def test_recordings_are_calls_and_what_nobody_knows_is_refused(tmp_path: Path) -> None:
    for suffix in AUDIO_SUFFIXES:
        path = tmp_path / f"call{suffix}"
        path.write_bytes(b"")
        assert layout_of(path).name == "stereo", suffix
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(
        UserError, match="looks like no known layout; name one by --layout: stereo"
    ):
        read_conversations(path)
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"transcript": [{"role": "user", "message": "hello"}]}))
    with pytest.raises(
        UserError, match="or write its turns to a CSV file with the col"
    ):
        read_conversations(path)
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "one.txt").write_text("hello")
    with pytest.raises(UserError, match=r"holds one\.txt\); .* for each \(two_files\)"):
        read_conversations(tmp_path / "text")
    with pytest.raises(UserError, match="layout 'x': use one of"):
        read_conversations(tmp_path / "text", "x")
    with pytest.raises(UserError, match="definitions 'fdb/9': use one of trace-eval/2"):
        time_turns(path, TurnsOptions(definitions="fdb/9"))


def test_tau2_ticks_need_a_length_and_booleans(tmp_path: Path) -> None:
    def tick(user: Any, agent: Any) -> dict[str, Any]:
        return {
            "user_chunk": {"contains_speech": user},
            "agent_chunk": {"contains_speech": agent},
        }

    path = tmp_path / "simulation.json"
    ticks = [tick(n < 5, 10 <= n < 15) for n in range(20)]
    ticks[3]["agent_chunk"] = None
    path.write_text(
        json.dumps({"id": "s", "ticks": ticks, "termination_reason": "user_stop"})
    )
    report = time_turns(path, TurnsOptions(definitions="tau-voice/1.0"))
    assert "taken as 0.2 s" in report.conversations[0].item.caveats[0]
    assert report.figures["response_latency_mean"].value == pytest.approx(1.0)
    path.write_text(
        json.dumps({"id": "s", "ticks": [tick("yes", False)], "user_chunk": 0})
    )
    with pytest.raises(UserError, match="expected true or false"):
        read_conversations(path, "tau2")
    path.write_text(
        json.dumps({"id": "s", "ticks": [], "termination_reason": "user_stop"})
    )
    report = time_turns(
        path, TurnsOptions("tau2", "tau-voice/1.0")
    )  # of text: it has no clock
    figures = report.record()["figures"]
    assert (
        figures["counts"] | {"n_simulations": 1, "response_total": 0}
        == figures["counts"]
    )
    assert figures["response_latency_mean"] is None
    assert any("no_clock" in caveat for caveat in report.conversations[0].caveats)


@pytest.mark.parametrize(
    ("name", "records", "labels"),
    [
        ("faithfulness", 67, {1: 28, 2: 11, 3: 28}),
        ("conversation_progression", 72, {1: 12, 2: 28, 3: 32}),
        ("conciseness", 43, {1: 43, 2: 23, 3: 137}),
        ("agent_speech_fidelity", 94, {0: 77, 1: 17}),
        ("key_entity_transcription", 17, {False: 87, True: 171}),
    ],
)
def test_labelled_files_of_eva_give_labels_and_hide_what_tells_them(
    data: Path, name: str, records: int, labels: dict[Any, int]
) -> None:
    path = data / "conversation" / "eva" / "judge_validation" / f"{name}.jsonl"
    reading = read_conversations(path)
    assert (len(reading.items), reading.unread) == (records, ())
    found: list[Any] = []
    for item in reading.items:
        given: Any = item.labels
        found += [given["rating"]] if "rating" in given else []
        found += given.get("turns", {}).values()
        found += [
            one["correct"]
            for turn in given.get("entities", {}).values()
            for one in turn
        ]
        assert item.conversation.clock.kind == "none"
    assert {label: found.count(label) for label in labels} == labels
    secret = (
        "description",
        "failure_mode",
        "sample_type",
        "analysis",
        "audio_id",
        "_faithful",
    )
    text = "".join(
        item.conversation.model_dump_json() + item.id for item in reading.items
    )
    text = text.replace(name, "")
    assert not [
        word
        for word in secret
        if f'"{word}' in text or (word[0] == "_" and word in text)
    ]


@pytest.mark.parametrize("name", layouts())
def test_an_odd_call_costs_itself(tmp_path: Path, name: str) -> None:
    """An odd value in one place of one file: other calls are measured, none crashes."""
    files = layouts()[name]
    read, seeds = reader_of_calls(tmp_path / "in", name, files)
    source = random.Random(name)
    for _ in range(40):
        with suppress(UserError):
            read(odd(source.choice(seeds), source), tmp_path)


@pytest.fixture
def eva(tmp_path: Path) -> Path:
    """Write records of two calls in the layout ``eva``."""
    for name, content in layouts()["eva"].items():
        path = tmp_path / "eva" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "eva"


def test_odd_values_of_one_call_leave_the_others(eva: Path, tmp_path: Path) -> None:
    events = eva / "r1" / "user_simulator_events.jsonl"
    stated = events.read_text()
    events.write_text(
        stated.replace('"timestamp": 1700000001000', '"timestamp": false')
    )
    rows = [
        json.loads(line)
        for line in layouts()["turns in JSON"]["turns.jsonl"].splitlines()
    ]
    rows[0]["audio"] = ["a.wav"]
    rows[1]["start"] = ["1"]
    (tmp_path / "turns.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows)
    )
    (tmp_path / "calls.jsonl").write_bytes(
        layouts()["records"]["calls.jsonl"] + b"{\n[1]\n"
    )
    for path, kept, why in (
        ("eva", ["r2"], "timestamp in ms: expected a number (got False)"),
        ("turns.jsonl", ["c2"], "row 2: time: expected a number (got ['1'])"),
        ("calls.jsonl", ["c1", "c2"], "line 3"),
    ):
        reading = read_conversations(tmp_path / path)
        assert [item.id for item in reading.items] == kept
        assert why in str(reading.unread[0])


def test_the_expected_end_of_a_call_is_not_how_it_ended(eva: Path) -> None:
    for name, result in (
        ("r1", {"expected": {"conversation_ended_reason": "goodbye"}}),
        ("r2", {"conversation_ended_reason": "timeout"}),
    ):
        (eva / name / "result.json").write_text(json.dumps(result))
    items = read_conversations(eva).items
    assert [item.conversation.end.reason for item in items] == [None, "timeout"]


def test_a_container_with_an_unknown_codec_costs_itself(tmp_path: Path) -> None:
    """FFmpeg knows the container, and nothing of what is in it."""
    good = container("alac", "mov", tone(0.2))
    (tmp_path / "a.mov").write_bytes(good.replace(b"alac", b"zzzz"))
    (tmp_path / "b.mov").write_bytes(b"\0\0\0\x14ftypqt  ")
    with pytest.raises(
        AudioError, match=r"a\.mov: cannot be decoded \(its codec is unknown"
    ):
        decode(tmp_path / "a.mov")
    soundfile.write(tmp_path / "c.wav", np.zeros((8_000, 2), np.float32), 16_000)
    assert layout_of(tmp_path).name == "stereo"
    reading = read_conversations(tmp_path)
    assert [item.id for item in reading.items] == ["c"]
    assert "its codec is unknown to this FFmpeg" in str(reading.unread[0])


@pytest.mark.parametrize(
    "url",
    [
        "http://u:PW@host/x.wav",
        "https://u:PW@host/calls.csv?X-Amz-Signature=PW",
        "s3://u:PW@bucket/calls",
        "ftp://u:PW@host:21/a/b.json",
    ],
)
def test_a_url_is_refused_without_its_password(url: str) -> None:
    for typed in (("turns", url), ("turns", "examples", "--against", url)):
        done = trace_eval(*typed)
        assert done.code == 2
        assert "PW" not in done.err + done.out
    assert "download it" in trace_eval("turns", url).err


def test_a_url_inside_a_table_is_told_without_its_password(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_text(
        "id,user,agent\n1,https://u:PW@host/u.wav,https://u:PW@host/a.wav\n"
    )
    done = trace_eval("turns", path, "--json", tmp_path / "out.json")
    assert done.code == 2
    assert "PW" not in done.err + done.out
    with pytest.raises(UserError, match=r"host/u\.wav") as refusal:
        read_conversations(path)
    assert "PW" not in str(refusal.value)
