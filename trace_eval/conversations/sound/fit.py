"""Where two rows of who speaks when fit each other best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Step and farthest delay of a call as a whole, seconds.
STEP_S, FARTHEST_S = 0.02, 10.0


def fit(
    pairs: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]], step_s: float = STEP_S
) -> tuple[float, float]:
    """Return the delay where pairs of rows correlate best together, and their likeness.

    The likeness is Pearson's correlation of both rows at that delay.

    Args:
        pairs: two rows of who speaks when, of each speaker.
        step_s: from a place in a row to the next one.
    """
    from scipy.signal import correlate

    reach = round(FARTHEST_S / step_s)
    still = _joined([one for one, _ in pairs], reach)
    moved = np.pad(_joined([two for _, two in pairs], reach), reach)
    size = len(still)
    shape = still - still.mean()
    ones_before = np.cumsum(np.concatenate(([0.0], moved)))
    ones_under = ones_before[size:] - ones_before[:-size]
    spread = np.maximum(ones_under - ones_under**2 / size, 1e-9)
    norm = np.sqrt(spread * (shape @ shape) + 1e-9)
    likeness = correlate(moved, shape, "valid", "fft") / norm
    best = int(np.argmax(likeness))
    return (best - reach) * step_s, float(likeness[best])


def _joined(rows: list[NDArray[np.bool_]], reach: int) -> NDArray[np.float64]:
    """Return rows one behind the other, with silence of the farthest delay around."""
    return np.concatenate([np.pad(row.astype(float), reach) for row in rows])
