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

    Args:
        pairs: two rows of who speaks when, of each speaker.
        step_s: from a place in a row to the next one.
    """
    from scipy.signal import correlate

    reach = round(FARTHEST_S / step_s)
    still = np.concatenate([np.pad(one.astype(float), reach) for one, _ in pairs])
    moved = np.concatenate([np.pad(two.astype(float), reach) for _, two in pairs])
    moved = np.pad(moved, reach)
    size = len(still)
    shape = still - still.mean()
    ones_before = np.cumsum(np.concatenate(([0.0], moved)))
    ones_under = ones_before[size:] - ones_before[:-size]
    spread = np.maximum(ones_under - ones_under**2 / size, 1e-9)
    norm = np.sqrt(spread * (shape @ shape) + 1e-9)
    like = correlate(moved, shape, "valid", "fft") / norm
    best = int(np.argmax(like))
    return (best - reach) * step_s, float(like[best])
