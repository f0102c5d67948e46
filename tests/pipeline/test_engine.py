from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.audio import tone, write
from tests.support.fakes import Counting
from trace_eval.extracting.clip import Extracted, Source
from trace_eval.extracting.engine import LocalEngine
from trace_eval.extracting.plan import Plan


def _extract(paths: list[Path], log: Path, cache: Path, workers: int) -> list[Extracted]:
    async def work() -> list[Extracted]:
        engine = LocalEngine(Plan((Counting(log),), cache), workers)
        try:
            sources = [Source(str(path), path=path) for path in paths]
            return await asyncio.gather(*(engine.extract(source) for source in sources))
        finally:
            await engine.close()

    return asyncio.run(work())


@pytest.mark.parametrize("workers", [0, 2])
def test_outcomes_come_back_to_who_asked(workers: int, tmp_path: Path) -> None:
    peaks = [0.5, 0.6, 0.7, 0.8]
    paths = [write(tmp_path / f"{peak}.wav", tone(peak=peak)) for peak in peaks]
    found = _extract(paths, tmp_path / "log", tmp_path / "cache", workers)
    values = [f.blueprint and f.blueprint.extensions["peak"] for f in found]
    assert [round(v.values["peak"], 3) for v in values if v] == peaks  # type: ignore[union-attr, arg-type, misc]


def test_a_clip_that_kills_its_worker_is_one_error(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}.wav", tone(peak=p)) for n, p in enumerate((0.5, 0.22, 0.6))]
    good, deadly, also_good = _extract(paths, tmp_path / "log", tmp_path / "cache", 1)
    assert good.blueprint
    assert also_good.blueprint
    assert deadly.error is not None
    assert "1.wav: the worker process died on it" in deadly.error


def test_equal_clips_under_two_names_are_extracted_once_by_two_workers(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n}" / "a.wav", tone(peak=0.5)) for n in range(8)]
    found = _extract(paths, tmp_path / "log", tmp_path / "cache", 2)
    assert len({f.blueprint.clip for f in found if f.blueprint}) == 1
    assert len((tmp_path / "log").read_text().splitlines()) == 1


_PARENT = """
import asyncio, sys
from pathlib import Path
from tests.support.fakes import Counting
from trace_eval.extracting.engine import LocalEngine
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.clip import Source

async def work():
    clip, log, cache = map(Path, sys.argv[1:])
    engine = LocalEngine(Plan((Counting(log, delay_s=60),), cache), 1)
    await engine.extract(Source("x", path=clip))

if __name__ == "__main__":
    asyncio.run(work())
"""


def test_workers_die_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    log = tmp_path / "log"
    clip = write(tmp_path / "a.wav", tone())
    root = Path(__file__).resolve().parents[2]
    parent = subprocess.Popen(
        [sys.executable, str(script), str(clip), str(log), str(tmp_path / "cache")],
        env={**os.environ, "PYTHONPATH": str(root)},
        start_new_session=True,
    )
    _wait_for(log.exists, "the worker to start")
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    _wait_for(lambda: not _group_alive(parent.pid), "the worker to notice")


def _group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _wait_for(condition, what: str, seconds: float = 20) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.05)
