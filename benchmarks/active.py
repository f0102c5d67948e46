"""How many human ratings does it save to ask first where the scorer is unsure?

    TRACE_EVAL_DATA=... python -m benchmarks.active [--seeds N]

Simulates the loop rate -> review -> train on the shared ratings: the pool is the train split,
asked for in rounds, whole answers with all their ratings at a time. One arm asks in random
order; the other for the answers with the largest predicted variance of the model trained so
far. After each round the model of ``lexical`` is fitted anew and its CRPS on the test rows is
measured. Reported is the number of ratings that each arm needs to reach a CRPS, honestly, also
where the random order needs fewer.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import save, table
from benchmarks.train_lexical import LABELS, Rows, fit, measure, predict

#: Answers in the pool when a round begins.
ROUNDS = (40, 60, 90, 130, 190, 280, 400, 560, 760)

#: Inverse strength of the penalty; that of the shipped model, so that no arm tunes it.
STRENGTH = 1.0

LEVELS = np.linspace(0, 1, len(LABELS))


def arm(train: list[dict[str, Any]], test: Rows, seed: int, unsure_first: bool) -> list[Any]:
    """(ratings asked for, CRPS on the test rows) after each round."""
    rng = np.random.default_rng(seed)
    order = [train[i] for i in rng.permutation(len(train))]
    chosen, rest = order[: ROUNDS[0]], order[ROUNDS[0] :]
    curve = []
    for size in (*ROUNDS[1:], len(train)):
        rows = Rows(chosen)
        weights, bias = fit(rows, STRENGTH)
        curve.append((len(rows.row), measure(weights, bias, test)["crps"]))
        if unsure_first:
            candidates = Rows(rest)
            shares = predict(weights, bias, candidates.features)
            mean = shares @ LEVELS
            variance = (shares * (LEVELS - mean[:, None]) ** 2).sum(1)
            ranked = np.argsort(-variance, kind="stable")
            kept = [candidates.records[i] for i in ranked]
            known = {id(record) for record in kept}
            rest = [*kept, *(record for record in rest if id(record) not in known)]
        count = size - len(chosen)
        chosen, rest = [*chosen, *rest[:count]], rest[count:]
    return curve


def needed(curve: list[Any], goal: float) -> float | None:
    """Ratings at which a curve first is at the goal or below, interpolated; null: never."""
    before: tuple[float, float] | None = None
    for ratings, crps in curve:
        if crps <= goal:
            if before is None or before[1] == crps:
                return float(ratings)
            share = (before[1] - goal) / (before[1] - crps)
            return before[0] + share * (ratings - before[0])
        before = (ratings, crps)
    return None


def main() -> None:
    """Simulate both arms over seeds; print and save the savings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    source = Path(os.environ["TRACE_EVAL_DATA"]) / "orca" / "ratings.jsonl"
    records = [json.loads(line) for line in source.open(encoding="utf-8")]
    train = [r for r in records if r["split"] == "train" and any(r["ratings"])]
    test = Rows([r for r in records if r["split"] == "test"])
    curves = {
        unsure: [arm(train, test, seed, unsure) for seed in range(options.seeds)]
        for unsure in (False, True)
    }
    final = statistics.fmean(curve[-1][1] for curve in curves[False])
    start = statistics.fmean(curve[0][1] for curve in curves[False])
    goals = [final + share * (start - final) for share in (0.5, 0.25, 0.1)]
    rows, kept = [], []
    for goal in goals:
        pairs = [
            (needed(one, goal), needed(two, goal))
            for one, two in zip(curves[False], curves[True], strict=True)
        ]
        both = [(one, two) for one, two in pairs if one is not None and two is not None]
        saved = [1 - two / one for one, two in both]
        spread = statistics.stdev(saved) / len(saved) ** 0.5 if len(saved) > 1 else 0.0
        random_needs = statistics.median(one for one, _ in both)
        unsure_needs = statistics.median(two for _, two in both)
        mean = statistics.fmean(saved)
        rows.append([goal, random_needs, unsure_needs, f"{mean:.0%} +- {1.96 * spread:.0%}"])
        kept.append(
            {
                "crps": round(goal, 4),
                "random": random_needs,
                "unsure_first": unsure_needs,
                "saved": round(mean, 4),
                "half_width": round(1.96 * spread, 4),
                "seeds": len(both),
            }
        )
    table(
        f"Ratings needed to reach a CRPS (medians over {options.seeds} seeds)",
        ["CRPS on the test rows", "random order", "unsure first", "saved (95 %)"],
        rows,
    )
    print(f"\nfrom {start:.4f} with the first {ROUNDS[0]} answers to {final:.4f} with all")
    save("active", {"seeds": options.seeds, "model": "lexical", "goals": kept})


if __name__ == "__main__":
    main()
