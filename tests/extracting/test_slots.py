"""One worker process: what it keeps of the memory that a clip took."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from pathlib import Path

import pytest

from blueprints import Extension
from tests.support.audio import tone, write
from tests.support.fakes import Wasteful
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.source import ClipSource
from trace_eval.extracting.start import extract
from trace_eval.extracting.workers import TRIM_AFTER_S, Slot, Task, WorkerDevice


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
    nothing = dict.fromkeys(("transcript", "quality", "pitch", "loudness", "rate"), "none")
    (done,) = extract([clip], ExtractOptions("screen", nothing, tmp_path / "cache", workers=1))
    assert done.error is None
    # Python's exit closes what such a thread still writes to.
    assert [t for t in threading.enumerate() if "ExecutorManager" in type(t).__name__] == []
    assert multiprocessing.active_children() == []
