"""White noise on one answer of a pair, to see whether a verdict holds.

The noise is Gaussian, at a signal-to-noise ratio over the mean power of the whole clip. Which
answer gets it is decided by the item's id alone, and the noise by a seed and the clip, so a
run can be repeated; where the sum would pass full scale it is scaled down instead of clipped.
"""

from __future__ import annotations

import numpy as np

from extractors import Clip


def with_noise(clip: Clip, snr_db: float, seed: int = 0) -> Clip:
    """The clip with white noise; a silent clip has no ratio and stays as it is.

    Args:
        clip: its channels get independent noise of the same power.
        snr_db: ratio of the clip's mean power to that of the noise, dB.
        seed: together with the clip it decides the noise.
    """
    samples = clip.samples.astype(np.float64)
    power = float(np.mean(np.square(samples)))
    if power == 0:
        return clip
    draw = np.random.default_rng([seed, int(clip.sha256[:16], 16)])
    sigma = np.sqrt(power * 10 ** (-snr_db / 10))
    mixed = samples + sigma * draw.standard_normal(samples.shape)
    peak = float(np.abs(mixed).max())
    if peak > 1:
        mixed /= peak
    return Clip(mixed.astype(np.float32), clip.rate, clip.name)
