"""Small real extractors and judges for tests of everything around them."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from pydantic import JsonValue

from blueprints import Absent, Blueprint, Extension, Present, Status
from extractors.audio import Clip
from extractors.base import Extractor, Item
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.engine import LocalEngine
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.source import ClipSource


@dataclass(frozen=True)
class Counting(Extractor):
    """Measures the peak, and logs every clip that it is given.

    Marks in the samples make it misbehave: a peak of 0.11 raises, 0.22 kills the
    process, 0.33 gives a lasting absence, 0.44 a passing one. While it works it holds a
    lock between processes, as libraries with progress bars do.
    """

    log: Path
    delay_s: float = 0.0
    gain: float = 1.0

    name: ClassVar[str] = "counting"
    group: ClassVar[str] = "peak"
    version: ClassVar[str] = "1"

    def parameters(self) -> dict[str, JsonValue]:
        return {"gain": self.gain}

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        with multiprocessing.RLock():
            with self.log.open("a") as file:
                file.write(clip.sha256 + "\n")
            return self._measured(clip)

    def _measured(self, clip: Clip) -> Present | Absent:
        if self.delay_s:  # a sleep of 0 s gives up the core
            time.sleep(self.delay_s)
        peak = float(np.abs(clip.samples).max())
        if round(peak, 2) == 0.11:
            raise RuntimeError("this clip is cursed")
        if round(peak, 2) == 0.22:
            os.kill(os.getpid(), signal.SIGKILL)
        if round(peak, 2) == 0.33:
            return Absent(status=Status.TOO_SHORT, reason="marked")
        if round(peak, 2) == 0.44:
            return Absent(status=Status.FAILED, reason="marked")
        return Extension(values={"peak": peak * self.gain})


@dataclass(frozen=True)
class Derived(Extractor):
    """Needs ``peak``; works in batches and cannot stand a bad clip in one."""

    log: Path

    name: ClassVar[str] = "derived"
    group: ClassVar[str] = "twice"
    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[str, ...]] = ("peak",)

    @property
    def batch_size(self) -> int:
        return 4

    def parameters(self) -> dict[str, JsonValue]:
        return {}

    def extract_batch(self, items: Sequence[Item]) -> list[Present | Absent]:
        with self.log.open("a") as file:
            file.write(f"batch {len(items)}\n")
        values: list[Present | Absent] = []
        for item in items:
            peak = item.known.group("peak")
            if isinstance(peak, Extension):
                values.append(
                    Extension(values={"twice": 2 * float(str(peak.values["peak"]))})
                )
            else:
                raise TypeError("no peak")
        return values


@dataclass(frozen=True)
class Placed(Extractor):
    """Logs where it ran: process, visible GPU and threads; for stages of an engine."""

    log: Path
    fills: str = "placed"
    uses: tuple[str, ...] = ()
    device: str = "cpu"
    batch: int = 1

    name: ClassVar[str] = "placed"
    version: ClassVar[str] = "1"

    @property
    def group(self) -> str:  # type: ignore[override]
        return self.fills

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.uses

    @property
    def runs_on(self) -> str:
        return self.device

    @property
    def batch_size(self) -> int:
        return self.batch

    def parameters(self) -> dict[str, JsonValue]:
        return {"fills": self.fills}

    def extract_batch(self, items: Sequence[Item]) -> list[Present | Absent]:
        time.sleep(0.02)
        where = {
            "group": self.fills,
            "pid": os.getpid(),
            "gpu": os.environ.get("CUDA_VISIBLE_DEVICES"),
            "threads": os.environ.get("OMP_NUM_THREADS"),
            "clips": len(items),
        }
        with self.log.open("a") as file:
            file.write(json.dumps(where) + "\n")
        values: list[Present | Absent] = []
        for item in items:
            known = [item.known.group(name) for name in self.uses]
            assert all(isinstance(value, Extension) for value in known), known
            values.append(
                Extension(values={"peak": float(np.abs(item.clip.samples).max())})
            )
        return values


@dataclass(frozen=True)
class Wasteful(Extractor):
    """An extractor that leaves 80 MB behind: free, but under a block in use.

    After a clip at full scale only; every clip has the memory from before as its value.
    """

    name: ClassVar[str] = "wasteful"
    group: ClassVar[str] = "memory"
    version: ClassVar[str] = "1"

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        before = resident_mb()
        if np.abs(clip.samples).max() > 0.9:
            blocks = [bytes([1]) * 64_000 for _ in range(1250)]
            _KEPT.append(blocks.pop())
        return Extension(values={"before_mb": before, "pid": os.getpid()})


_KEPT: list[bytes] = []


def resident_mb() -> float:
    """Memory of this process that is in RAM."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def extracted(
    plan: Plan, paths: Sequence[Path], workers: int, gpus: Sequence[str | None] = ()
) -> list[Extracted]:
    """Extract recordings that are all asked for at once by an engine of its own."""

    async def work() -> list[Extracted]:
        engine = LocalEngine(plan, workers, gpus)
        try:
            sources = [ClipSource(str(path), path=path) for path in paths]
            return await asyncio.gather(*map(engine.extract, sources))
        finally:
            await engine.close()

    return asyncio.run(work())
