"""Scores of four judges of known noise, and what a fused judge makes of them."""

from __future__ import annotations

import numpy as np

from trace_eval.stats.agreement.fit_fusion import FusionRows

NOISE = (0.1, 0.2, 0.4)

JUDGES = (*(f"noise {sd}" for sd in NOISE), "always 3")


def draw(seed: int, items: int, questions: int) -> FusionRows:
    """Draw truth from Beta(.5, .6), and three judges' noisy ratings 1-5, on [0, 1]."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(0.5, 0.6, items)
    seen = [
        np.round(np.clip(truth + rng.normal(0, sd, items), 0, 1) * 4) / 4
        for sd in NOISE
    ]
    scores = np.stack([*seen, np.full(items, 0.5)], axis=1)
    return FusionRows(scores, truth, np.arange(items) % questions)
