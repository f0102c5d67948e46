from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from blueprints import Extension, UserError
from tests.support.audio import tone, write
from tests.support.fakes import Counting, Derived, Wasteful, extracted
from tests.support.forked import environment
from tests.support.processes import wait_for
from trace_eval.extracting.clip import ClipExtractor, Extracted
from trace_eval.extracting.event_loop import complete
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.source import ClipSource
from trace_eval.extracting.start import extract
from trace_eval.extracting.workers import (
    TRIM_AFTER_S,
    Slot,
    Task,
    WorkerDevice,
    WorkersError,
)


def _extract(
    paths: list[Path], log: Path, cache: Path, workers: int
) -> list[Extracted]:
    return extracted(Plan((Counting(log),), cache), paths, workers)


def _run(
    script: Path, code: str, *arguments: object
) -> subprocess.CompletedProcess[str]:
    """Run a script in a process group of its own."""
    script.write_text(code)
    return subprocess.run(
        [sys.executable, script, *map(str, arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("workers", [0, 2])
def test_outcomes_come_back_to_who_asked(workers: int, tmp_path: Path) -> None:
    peaks = [0.5, 0.6, 0.7, 0.8]
    paths = [write(tmp_path / f"{peak}.wav", tone(peak=peak)) for peak in peaks]
    result = _extract(paths, tmp_path / "log", tmp_path / "cache", workers)
    values = [f.blueprint and f.blueprint.extensions["peak"] for f in result]
    assert [round(v.values["peak"], 3) for v in values if v] == peaks  # type: ignore[union-attr, arg-type, misc]


def test_a_clip_that_kills_its_worker_is_one_error(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{n}.wav", tone(peak=p))
        for n, p in enumerate((0.5, 0.22, 0.6))
    ]
    good, deadly, also_good = _extract(paths, tmp_path / "log", tmp_path / "cache", 1)
    assert good.blueprint
    assert also_good.blueprint
    assert deadly.error is not None
    assert "1.wav: the worker process died on it" in deadly.error


def test_clips_that_were_sent_together_are_worked_on_in_batches(tmp_path: Path) -> None:
    peaks = [0.5, 0.6, 0.11, 0.8, 0.9]  # 0.11 raises
    tasks = [
        Task(ClipSource(f"{peak}", write(tmp_path / f"{peak}.wav", tone(peak=peak))))
        for peak in peaks
    ]
    log, added = tmp_path / "log", tmp_path / "added"
    plan = Plan((Counting(log), Derived(added)), tmp_path / "cache")
    slot = Slot(plan, None)
    outcomes = asyncio.run(slot.run(tasks, batch_size=2))
    slot.close()
    assert [outcome.source for outcome in outcomes] == [f"{peak}" for peak in peaks]
    found = [
        outcome.blueprint and outcome.blueprint.group("twice") for outcome in outcomes
    ]
    assert [isinstance(group, Extension) for group in found] == [1, 1, 0, 1, 1]
    assert len(log.read_text().splitlines()) == 5
    sizes = [int(line.split()[1]) for line in added.read_text().splitlines()]
    assert sizes == [2, 2, 1, 1, 1]  # two at a time; beside a bad one alone


def test_what_the_cache_has_needs_no_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [
        write(tmp_path / f"{n}.wav", tone(peak=p)) for n, p in enumerate((0.5, 0.6))
    ]
    before = _extract(paths, tmp_path / "log", tmp_path / "cache", 0)
    monkeypatch.setattr(
        Slot, "_start_process", lambda self, place: pytest.fail("a worker")
    )
    after = _extract(paths, tmp_path / "log", tmp_path / "cache", 2)
    assert [result.blueprint for result in after] == [
        result.blueprint for result in before
    ]
    assert all(result.work == {} and not result.error for result in after)


def test_equal_clips_under_two_names_are_extracted_once_by_two_workers(
    tmp_path: Path,
) -> None:
    paths = [write(tmp_path / f"{n}" / "a.wav", tone(peak=0.5)) for n in range(8)]
    result = _extract(paths, tmp_path / "log", tmp_path / "cache", 2)
    assert len({f.blueprint.clip for f in result if f.blueprint}) == 1
    assert len((tmp_path / "log").read_text().splitlines()) == 1


#: What the scripts below begin with.
_IMPORTS = """
import asyncio, os, signal, sys, threading, time
from pathlib import Path
from tests.support.fakes import Counting
from trace_eval.extracting.engine import LocalEngine
from trace_eval.extracting.event_loop import complete
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.source import ClipSource
"""

_PARENT = """
async def work():
    clip, log, cache = map(Path, sys.argv[1:])
    engine = LocalEngine(Plan((Counting(log, delay_s=600),), cache), 1)
    await engine.extract(ClipSource("x", path=clip))

if __name__ == "__main__":
    asyncio.run(work())
"""


def test_workers_die_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_IMPORTS + _PARENT)
    log = tmp_path / "log"
    clip = write(tmp_path / "a.wav", tone())
    parent = subprocess.Popen(
        [sys.executable, str(script), str(clip), str(log), str(tmp_path / "cache")],
        env=environment(),
        start_new_session=True,
    )
    wait_for(log.exists, "the worker to start")
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    wait_for(lambda: not _group_alive(parent.pid), "the worker to notice")


_UNGUARDED = """
import sys
from pathlib import Path
from trace_eval.extracting.start import extract
from trace_eval.extracting.options import ExtractOptions
extract([Path(sys.argv[1])] * 3, ExtractOptions(workers=2, cache=Path(sys.argv[2])))
print("ran")
"""


def test_a_script_without_a_main_guard_is_not_run_again_by_workers(
    tmp_path: Path,
) -> None:
    clip = write(tmp_path / "a.wav", tone())
    done = _run(tmp_path / "script.py", _UNGUARDED, clip, tmp_path / "cache")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n", "")


class _Unbuildable(Plan):
    def build(self) -> ClipExtractor:
        raise UserError("no room on this node")


def test_workers_that_cannot_start_are_one_error_with_its_cause(tmp_path: Path) -> None:
    plan = _Unbuildable((Counting(tmp_path / "log"),), tmp_path)
    with pytest.raises(
        WorkersError, match="cannot start: UserError: no room on this node"
    ):
        extracted(plan, [tmp_path / "x.wav"], 1)


_INTERRUPTED = """
from multiprocessing import util

clip, log, cache = map(Path, sys.argv[1:4])
half_started = threading.Event()

def start(path, arguments, handles, original=util.spawnv_passfds):
    process = original(path, arguments, handles)
    if "spawn_main" in str(arguments):  # a worker, which waits for what it is to do
        half_started.set()
        for _ in range(20):
            time.sleep(0.01)  # Python acts on a signal between two calls
    return process

if sys.argv[4] == "half started":
    util.spawnv_passfds = start

def interrupt():
    if sys.argv[4] == "half started":
        half_started.wait()
    while sys.argv[4] == "busy" and not log.exists():
        time.sleep(0.01)
    time.sleep(float(sys.argv[5]))
    for _ in range(3):  # to the whole group, as a terminal sends it
        os.killpg(0, signal.SIGINT)
        time.sleep(0.02)

async def work():
    engine = LocalEngine(Plan((Counting(log, delay_s=300),), cache), 2)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        await asyncio.gather(*(engine.extract(ClipSource(n, path=clip)) for n in "ab"))
    finally:
        await engine.close()

if __name__ == "__main__":
    try:
        complete(work)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("interrupted")
"""


@pytest.mark.parametrize(
    "when", [("starting", 0.05), ("half started", 0.0), ("busy", 0.0)]
)
def test_ctrl_c_ends_workers_at_once_and_quietly(
    when: tuple[str, float], tmp_path: Path
) -> None:
    clip = write(tmp_path / "a.wav", tone())
    started = time.monotonic()
    folders = (tmp_path / "log", tmp_path / "cache")
    done = _run(tmp_path / "parent.py", _IMPORTS + _INTERRUPTED, clip, *folders, *when)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)
    assert (
        time.monotonic() - started < 150
    )  # a clip takes 300; a busy machine starts slowly


_HALF_A_LOOP = """
import asyncio, os, signal
from trace_eval.extracting.event_loop import complete

def begin(loop, original=asyncio.BaseEventLoop.__init__):
    os.kill(os.getpid(), signal.SIGINT)
    original(loop)

async def work():
    await asyncio.sleep(60)

asyncio.BaseEventLoop.__init__ = begin
try:
    complete(work)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_while_a_loop_is_made_is_quiet(tmp_path: Path) -> None:
    done = _run(tmp_path / "loop.py", _HALF_A_LOOP)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)


#: Interrupts ``complete`` before every third line of it and of asyncio, one a turn.
_EVERY_LINE = """
import asyncio, gc, signal, sys
from trace_eval.extracting.engine import each
from trace_eval.extracting.event_loop import complete

async def work():
    await each(range(3), lambda _: asyncio.sleep(0), 2)

PACKAGES = ("asyncio", "trace_eval.extracting")

def interrupted(line):
    reached = 0

    def trace(frame, event, _):
        nonlocal reached
        package = frame.f_globals.get("__package__")
        names = frame.f_code.co_name, frame.f_back.f_code.co_name
        if "__del__" not in names:  # what is raised in there is lost
            reached += event == "line" and package in PACKAGES
        if reached == line:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
        return trace

    try:
        sys.settrace(trace)
        complete(work)
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
    gc.collect()
    return reached == line

complete(work)  # what is imported in it is imported now
line = 1
while interrupted(line):
    line += 3
print(line)
"""


def test_ctrl_c_before_any_line_is_quiet(tmp_path: Path) -> None:
    done = _run(tmp_path / "lines.py", _EVERY_LINE)
    assert (done.stderr, done.returncode) == ("", 0)
    assert int(done.stdout) > 500


def _group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("seconds", [TRIM_AFTER_S - 1, TRIM_AFTER_S + 1])
def test_what_a_long_clip_took_is_given_back(tmp_path: Path, seconds: float) -> None:
    clips = {"first": (0.1, 1), "long": (1.0, seconds), "last": (0.2, 1)}
    sources = [
        ClipSource(name, write(tmp_path / f"{name}.wav", tone(length, peak)))
        for name, (peak, length) in clips.items()
    ]
    slot = Slot(Plan((Wasteful(),), tmp_path / "cache"), WorkerDevice())

    async def values() -> list[dict[str, object]]:
        result = []
        for source in sources:
            [outcome] = await slot.run([Task(source)])
            assert outcome.blueprint, outcome.error
            group = outcome.blueprint.group("memory")
            assert isinstance(group, Extension)
            result.append(group.values)
        return result

    try:
        first, _, last = asyncio.run(values())
    finally:
        slot.close()
    assert first["pid"] == last["pid"]
    grown = last["before_mb"] - first["before_mb"]  # type: ignore[operator]
    assert grown < 30 if seconds > TRIM_AFTER_S else grown > 60


def test_no_thread_of_a_worker_is_left(tmp_path: Path) -> None:
    clip = write(tmp_path / "a.wav", tone(1))
    nothing = dict.fromkeys(
        ("transcript", "quality", "pitch", "loudness", "rate"), "none"
    )
    (done,) = extract(
        [clip], ExtractOptions("screen", nothing, tmp_path / "cache", workers=1)
    )
    assert done.error is None
    # Python's exit closes what such a thread still writes to.
    assert [
        t for t in threading.enumerate() if "ExecutorManager" in type(t).__name__
    ] == []
    assert multiprocessing.active_children() == []


def test_a_loop_that_was_interrupted_reports_no_torn_task(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def work() -> None:
        loops.append(asyncio.get_running_loop())
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        complete(work)
    loops[0].call_exception_handler(
        {"message": "Task was destroyed but it is pending!"}
    )
    assert caplog.text == ""
