"""Seconds or milliseconds: what a table's numbers are, where nobody says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.cli import trace_eval
from trace_eval.conversations.layouts import read_conversations
from trace_eval.conversations.layouts.units import Said, unit_of
from trace_eval.turns.agree import read_event_labels

#: Speaker, start and end in seconds, words.
SAID = (
    ("user", 3.2, 5.1, "Move my appointment to Monday please"),
    ("agent", 5.9, 8.0, "Done, see you on Monday then"),
    ("user", 9.0, 11.0, "Thank you very much"),
    ("agent", 11.8, 14.0, "You are welcome"),
)


TIMES = [at for _, start, end, _ in SAID for at in (start, end)]


def _table(folder: Path, scale: float, words: bool = True) -> Path:
    path = folder / "calls.csv"
    rows = ["call,speaker,start,end" + (",text" if words else "")]
    for who, start, end, text in SAID:
        cells = [who, f"{start * scale:.10g}", f"{end * scale:.10g}"]
        rows.append(",".join(["c1", *cells, *([f'"{text}"'] if words else [])]))
    path.write_text("\n".join(rows) + "\n")
    return path


def _times(path: Path) -> list[float | None]:
    """Start and end of each turn, one after the other."""
    (item,) = read_conversations(path).items
    return [at for turn in item.conversation.turns for at in (turn.start_s, turn.end_s)]


@pytest.mark.parametrize("words", [True, False])
def test_milliseconds_without_a_name_are_read_as_such_and_said(
    tmp_path: Path, words: bool
) -> None:
    path = _table(tmp_path, 1_000, words)
    assert _times(path) == pytest.approx(TIMES)
    (item,) = read_conversations(path).items
    assert any("milliseconds" in caveat for caveat in item.caveats)
    assert "read as milliseconds" in trace_eval("turns", path, ends=0).out


def test_a_log_of_whole_seconds_says_so_beside_its_figures(tmp_path: Path) -> None:
    """A latency of .50 s in the median was that of a clock with steps of a second."""
    path = tmp_path / "calls.csv"
    lines = ["call,speaker,start,end,text"]
    for who, start, end, text in SAID:
        lines.append(f"c1,{who},{start:.0f},{end:.0f},{text.replace(',', '')}")
    path.write_text("\n".join(lines) + "\n")
    assert "coarse: the clock's steps are 1 s" in trace_eval("turns", path, ends=0).out
    assert "coarse" not in trace_eval("turns", _table(tmp_path, 1), ends=0).out


def test_a_table_in_two_units_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    lines = ["call,speaker,start,end,text", "c1,user,0,1.9,I would like to book a"]
    path.write_text(
        "\n".join([*lines, "c1,agent,2500,4100,Sure which day would you like"]) + "\n"
    )
    with pytest.raises(
        UserError, match=r"lasts 1600, and a turn of 22 letters lasts 1\.9"
    ):
        read_conversations(path)


def test_milliseconds_in_json_lines_and_of_platforms_are_read_too(
    tmp_path: Path,
) -> None:
    path = tmp_path / "turns.jsonl"
    rows = [
        {"role": who, "start": 1_000 * start, "end": 1_000 * end, "text": text}
        for who, start, end, text in SAID
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert _times(path) == pytest.approx(TIMES)
    spoken = [
        {
            "role": who,
            "content": text,
            "words": [{"word": text, "start": 1_000 * start, "end": 1_000 * end}],
        }
        for who, start, end, text in SAID
    ]
    call = {"call_id": "c1", "agent_id": "a1", "transcript_object": spoken}
    path = tmp_path / "retell.json"
    path.write_text(json.dumps(call))
    assert _times(path) == pytest.approx(TIMES)


def test_characters_that_are_syllables_count_as_such(tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    path.write_text(
        "speaker,start,end,text\nuser,500,2900,请帮我改到星期一\nagent,3500,4500,好的\n"
    )
    assert _times(path) == pytest.approx([0.5, 2.9, 3.5, 4.5])


def test_seconds_stay_seconds(tmp_path: Path) -> None:
    """Short words in a long session, a monologue without words, and plain calls."""
    assert _times(_table(tmp_path, 1)) == TIMES
    path = tmp_path / "long.csv"
    path.write_text(
        "speaker,start,end,text\nuser,0,33.7,Yes okay\nagent,40,52,Thanks a lot\n"
    )
    assert _times(path) == [0, 33.7, 40, 52]
    path.write_text("speaker,start,end\nuser,0,180\nagent,190,300\n")
    assert _times(path) == [0, 180, 190, 300]


@pytest.mark.parametrize(
    ("scale", "words", "says"),
    [
        (200, False, "seconds or milliseconds"),
        (1e6, True, "neither seconds nor milliseconds"),  # microseconds
        (8_000, True, "neither seconds nor milliseconds"),  # samples
        (100, True, "no call has such seconds"),  # frames of 10 ms
        (50, True, "no call has such seconds"),  # frames of 20 ms
        (1 / 60, True, "no call has such seconds"),  # minutes
    ],
)
def test_what_may_be_both_or_neither_is_refused_with_a_remedy(
    tmp_path: Path, scale: float, words: bool, says: str
) -> None:
    path = _table(tmp_path, scale, words)
    with pytest.raises(UserError, match=says):
        read_conversations(path)
    path.write_text(path.read_text().replace("start,end", "start_ms,end_ms"))
    assert _times(path)[:2] == pytest.approx([3.2e-3 * scale, 5.1e-3 * scale])


def test_a_caller_on_hold_makes_no_frames_of_seconds() -> None:
    held = Said(300.0, "please hold the line while I look that up for you")
    calls = [held, Said(3.0, "ok thanks a lot"), Said(2.0, "Thank you for waiting.")]
    assert unit_of(calls * 2) == (1.0, None)


@pytest.mark.parametrize("unit", [1, 1e3, 1e6, 1e9])
def test_unix_times_are_read_whatever_their_unit(tmp_path: Path, unit: float) -> None:
    """Microseconds were read as milliseconds: a reply took 800 s."""
    path = tmp_path / "turns.jsonl"
    rows = []
    for who, start, end, text in SAID:
        times = {"start": (1.7e9 + start) * unit, "end": (1.7e9 + end) * unit}
        rows.append({"role": who, **times, "text": text})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert _times(path) == pytest.approx([at - 3 for at in TIMES], abs=1e-5)


@pytest.mark.parametrize("between", ["T", " "])
def test_calendar_times_of_a_table_are_read(tmp_path: Path, between: str) -> None:
    path = tmp_path / "turns.csv"
    lines = ["speaker,start,end,text"]
    for who, start, end, text in SAID:
        cells = [f"2026-05-01{between}10:00:{at:06.3f}Z" for at in (start, end)]
        lines.append(f'{who},{",".join(cells)},"{text}"')
    path.write_text("\n".join(lines) + "\n")
    assert _times(path) == pytest.approx([at - 3 for at in TIMES], abs=1e-3)


def test_a_time_that_is_no_number_has_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text('{"role": "user", "start": "0,5", "end": "1,5", "text": "Yes."}\n')
    with pytest.raises(UserError, match=r"'0,5'\); write seconds, or hh:mm:ss"):
        read_conversations(path)


def test_labels_in_milliseconds_are_refused_and_the_remedy_reads_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "conversation,kind,start,end\nc1,response,5100,5900\nc1,pause,9000,11000\n"
    )
    with pytest.raises(UserError, match="call the columns start_ms and end_ms"):
        read_event_labels(path)
    path.write_text(path.read_text().replace("start,end", "start_ms,end_ms"))
    events = read_event_labels(path)["c1"]
    assert [(one.start_s, one.end_s) for one in events] == [(5.1, 5.9), (9.0, 11.0)]
