"""Is a fused judge better than its judges, where the truth is known? Over many seeds.

800 items of 200 questions with a truth from Beta(.5, .6). Three judges see it with independent
noise (standard deviation .1, .2, .4), rounded to 1-5; a fourth always says 3. Weights and
calibrations are fitted on 60 % of the questions, the last map on 20 %, errors measured on the
rest.

Run: python -m benchmarks.fusion_recipe [--seeds 100]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from benchmarks.report import save, table
from trace_eval.scores.fusion_fit import FusionRows, average, fit_blend, fit_map

NOISE = (0.1, 0.2, 0.4)

JUDGES = (*(f"noise {sd}" for sd in NOISE), "always 3")

ITEMS, QUESTIONS = 800, 200


@dataclass(frozen=True)
class Result:
    """Weights, and squared errors on unseen questions."""

    weights: tuple[float, ...]
    fused: float
    average: float
    single: tuple[float, ...]


def draw(seed: int, items: int = ITEMS, questions: int = QUESTIONS) -> FusionRows:
    """Truth and the four judges' scores, on [0, 1]."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(0.5, 0.6, items)
    seen = [np.round(np.clip(truth + rng.normal(0, sd, items), 0, 1) * 4) / 4 for sd in NOISE]
    scores = np.stack([*seen, np.full(items, 0.5)], axis=1)
    return FusionRows(scores, truth, np.arange(items) % questions)


def fused_on_unseen(seed: int) -> Result:
    """Fit on some questions, measure on others."""
    rows = draw(seed)
    order = np.random.default_rng(seed + 10_000).permutation(QUESTIONS)
    place = order[rows.question] / QUESTIONS
    masks = (place < 0.6, (place >= 0.6) & (place < 0.8), place >= 0.8)
    train, dev, test = (rows.take(mask) for mask in masks)
    blend = fit_blend(train)
    last = fit_map(blend.apply(dev.scores), dev.truth)
    fused = np.interp(blend.apply(test.scores), last.x, last.y)

    def error(predicted: np.ndarray) -> float:
        return float(((predicted - test.truth) ** 2).mean())

    return Result(
        blend.weights,
        error(fused),
        error(average(test.scores)),
        tuple(error(column) for column in test.scores.T),
    )


def main() -> None:
    """All seeds, one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    arguments = parser.parse_args()
    results = [fused_on_unseen(seed) for seed in range(arguments.seeds)]
    better = sum(r.fused < min(*r.single, r.average) for r in results)
    ordered = sum(r.weights[0] > r.weights[1] > r.weights[2] >= r.weights[3] for r in results)
    collected = {
        "seeds": len(results),
        "fused below best judge and average": better,
        "weights fall with noise": ordered,
        "mean weights": [round(float(w), 3) for w in np.mean([r.weights for r in results], 0)],
        "squared error, fused": round(float(np.mean([r.fused for r in results])), 5),
        "squared error, best judge": round(float(np.mean([min(r.single) for r in results])), 5),
        "squared error, average": round(float(np.mean([r.average for r in results])), 5),
    }
    table(
        "fused judge", ["what", "value"], [[what, str(value)] for what, value in collected.items()]
    )
    save("fusion_recipe", collected)


if __name__ == "__main__":
    main()
