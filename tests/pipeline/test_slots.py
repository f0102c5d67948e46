"""One worker process: what it keeps of the memory that a clip took."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from blueprints import Extension
from tests.support.audio import tone, write
from tests.support.fakes import Wasteful
from trace_eval.extracting.clip import ClipSource
from trace_eval.extracting.plan import Plan
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
        found = []
        for source in sources:
            [outcome] = await slot.run([Task(source)])
            assert outcome.blueprint, outcome.error
            group = outcome.blueprint.group("memory")
            assert isinstance(group, Extension)
            found.append(group.values)
        return found

    try:
        first, _, last = asyncio.run(values())
    finally:
        slot.close()
    assert first["pid"] == last["pid"]
    grown = last["before_mb"] - first["before_mb"]  # type: ignore[operator]
    assert grown < 30 if seconds > TRIM_AFTER_S else grown > 60
