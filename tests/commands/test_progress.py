from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from tests.support.calls import sound
from trace_eval.commands import progress as module
from trace_eval.commands.progress import Pace, counting, progress
from trace_eval.conversations.layouts import read_conversations
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.extracting.clip import Extracted
from trace_eval.judges.base import Activity
from trace_eval.runs.events import RunEvent
from trace_eval.runs.standing import Standing

_CLIP = RunEvent(clip=Extracted("a.wav", audio_s=6.0), activity=Activity(3, 0.125))
_PAIR = RunEvent(outcomes=(Judgement.unscored("1", "x", Reason.JUDGE_FAILED, "told"),))


def test_the_pace_is_what_was_done_over_the_time_it_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module.time, "monotonic", lambda: 104.0)
    pace = Pace(started=100.0)
    pace.count(_CLIP)
    pace.count(_CLIP)
    # 2 clips, 12 s of audio, in 4 s
    assert (
        pace.summary() == "2 clips, 0.5/s, 3.0 x real time, 3 calls in flight, US$ 0.12"
    )
    pace = Pace(started=100.0)
    pace.count(_PAIR)  # of a judge without calls and price
    assert pace.summary() == "15 a minute, 1 failed"


def test_logs_get_a_line_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    pace, lines = Pace(total=9, started=0.0, printed=0.0), []
    for seconds, event in (
        (0.0, RunEvent(pending=120)),
        (30.0, _PAIR),
        (61.0, _PAIR),
        (100.0, _CLIP),
    ):
        clock[0] = seconds
        pace.count(event)
        lines.append(pace.line())
    line = "judging: 2 of 120; 2 a minute, 2 failed, 60 min left"
    assert lines == [None, None, line, None]


def test_a_line_of_a_cluster_tells_of_all_its_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module.time, "monotonic", lambda: 120.0)
    pace = Pace(total=0, started=0.0, printed=0.0)
    pace.count(RunEvent(pending=9000))
    pace.count(RunEvent(job=Standing(done=1000, failed=3, calls=40, cost_usd=1.5)))
    pace.count(RunEvent(job=Standing(done=3000, failed=4, calls=41, cost_usd=2.5)))
    expected = "1,500 a minute, 4 failed, 41 calls in flight, US$ 2.50, 4 min left"
    assert pace.line() == f"judging: 3000 of 9000; {expected}"


def _console(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> io.StringIO:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=140, color_system=None)
    monkeypatch.setattr(module, "messages", lambda: console)
    return out


@pytest.mark.parametrize("terminal", [True, False])
def test_a_continued_run_counts_what_is_left_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    out = _console(monkeypatch, terminal)
    with progress(100) as listen:
        for event in (RunEvent(pending=2), _CLIP, _PAIR):
            listen(event)
    line = (
        r"judging .* 1/2 .* a minute, 1 failed, 1 clip, .*/s, .* x real time .* left "
    )
    assert re.search(line if terminal else r"\A\s*\Z", out.getvalue()), out.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_calls_are_counted_while_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    out = _console(monkeypatch, terminal)
    for name in ("a", "b"):
        sound(tmp_path, name)
    told: list[tuple[int, int | None]] = []
    with counting("reading calls") as tick:

        def both(done: int, total: int | None) -> None:
            told.append((done, total))
            tick(done, total)

        read_conversations(tmp_path, None, ReadOptions(tick=both))
    assert told == [(1, 2), (2, 2)]
    assert re.search(
        r"reading calls.*2/2" if terminal else r"\A\Z", out.getvalue(), re.S
    )
