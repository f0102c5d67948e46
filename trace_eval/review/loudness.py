"""How loud the recordings of an item are, and what makes them equally loud.

Whoever hears one answer louder than the other prefers it for that. Each recording has
the integrated loudness of ITU-R BS.1770-4. Matched recordings are all brought to one
level: -23 LUFS, or the highest below it that none of them has to be clipped for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import counted

#: The level of matched recordings, as of broadcasts (EBU R 128), LUFS.
TARGET_LUFS = -23.0

#: A difference that raters and whoever leads the review are told of, LU. One LU is just
#: heard.
TOLD_LU = 3.0


@dataclass(frozen=True)
class Level:
    """How loud a recording is as it came.

    Attributes:
        lufs: integrated loudness; None: it has none, as of silence or less than 0.4 s.
        peak: highest absolute sample, 1 is full scale.
    """

    lufs: float | None
    peak: float

    @property
    def highest(self) -> float:
        """The loudness that it can be brought to before it clips, LUFS."""
        if self.lufs is None or self.peak <= 0:
            return math.inf
        return self.lufs - 20 * math.log10(self.peak)


def gains(levels: Mapping[str, Level]) -> dict[str, float]:
    """Return the factor for each recording that makes all of them equally loud.

    A recording without a loudness stays as it is.
    """
    target = TARGET_LUFS
    for level in levels.values():
        target = min(target, level.highest)
    factors: dict[str, float] = {}
    for name, level in levels.items():
        if level.lufs is None:
            factors[name] = 1.0
        else:
            factors[name] = 10 ** ((target - level.lufs) / 20)
    return factors


def spread(levels: Iterable[Level]) -> float | None:
    """Return the loudest minus the quietest, LU; None if fewer than two are known."""
    known = [level.lufs for level in levels if level.lufs is not None]
    if len(known) < 2:
        return None
    return max(known) - min(known)


@dataclass(frozen=True)
class ItemLoudness:
    """The loudness of an item's answers, LUFS, in the item's own order."""

    item: str
    lufs: Mapping[str, float | None]
    spread: float | None

    @property
    def is_told(self) -> bool:
        """Whether they differ by so much that raters are told."""
        return self.spread is not None and self.spread >= TOLD_LU


def summary_of(
    measured: Iterable[ItemLoudness], matched: bool, *, is_whole: bool = True
) -> str | None:
    """Say how many items differ in loudness; None where none does.

    Args:
        is_whole: all items were measured, and not only those played so far.
    """
    rows = list(measured)
    known = [row for row in rows if row.spread is not None]
    differing = [row for row in known if row.is_told]
    if not differing:
        return None
    most = max(differing, key=lambda row: row.spread or 0.0)
    heard = "as they are, and see it"
    if matched:
        heard = "equally loud"
    items = counted(len(known), "item")
    if not is_whole:
        items = f"{items} measured so far"
    return (
        f"loudness: the answers of {len(differing)} of {items}"
        f" differ by {TOLD_LU:g} LU or more, the most {most.spread:.1f} LU"
        f" ({most.item}); raters hear them {heard}"
    )


def low_passed(samples: NDArray[np.float32], rate: int, hz: int) -> NDArray[np.float32]:
    """Remove what lies above a frequency, with a cosine edge a tenth as wide."""
    if rate <= 2 * hz:
        return samples
    spectrum = np.fft.rfft(samples, axis=0)
    frequency = np.fft.rfftfreq(len(samples), 1 / rate)
    above = np.clip((frequency - hz) / (0.1 * hz), 0.0, 1.0)
    kept: NDArray[Any] = 0.5 * (1 + np.cos(np.pi * above))
    filtered = np.fft.irfft(spectrum * kept[:, None], n=len(samples), axis=0)
    return filtered.astype(np.float32)
