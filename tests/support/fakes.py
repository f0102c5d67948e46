"""Small real extractors and judges for tests of everything around them."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Counting(Extractor):
    """Measures the peak, and logs every clip that it is given.

    Marks in the samples make it misbehave: a peak of 0.11 raises, 0.22 kills the process,
    0.33 gives a lasting absence, 0.44 a passing one.
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
        with self.log.open("a") as file:
            file.write(clip.sha256 + "\n")
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
    batch_size: ClassVar[int] = 4

    def parameters(self) -> dict[str, JsonValue]:
        return {}

    def extract_batch(self, items: Sequence[Item]) -> list[Present | Absent]:
        with self.log.open("a") as file:
            file.write(f"batch {len(items)}\n")
        values: list[Present | Absent] = []
        for item in items:
            peak = item.known.group("peak")
            if isinstance(peak, Extension):
                values.append(Extension(values={"twice": 2 * float(str(peak.values["peak"]))}))
            else:
                raise TypeError("no peak")
        return values
