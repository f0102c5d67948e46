"""How many human ratings does it save to ask first where the judge is unsure?

    TRACE_EVAL_DATA=... python -m benchmarks.active [--seeds 40] [--scorer 3]

Simulates the loop rate -> review -> train on the shared ratings: the pool is the train split,
asked for in rounds, whole answers with all their ratings at a time. One arm asks in random
order; the other for the answers with the largest predicted variance of the model trained so
far, which is the queue of ``review``. After each round the model is fitted anew and its CRPS on
the test rows is measured. The number of ratings that an arm needs for a CRPS is read off its
curve, the mean over seeds; intervals are over the seeds (percentile bootstrap), so over which
answers were asked about, not over the test rows.

Models: that of ``lexical``; with ``--scorer SEEDS`` also a trained scorer on a Llama of about
330,000 random parameters, which wants the extra ``scorer`` and minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import save, table
from benchmarks.train_lexical import LABELS, Rows, fit, predict
from trace_eval.stats.agreement.crps import crps_levels

Array = NDArray[Any]
Record = dict[str, Any]

#: From answers to distributions over the ratings [shape=(answers, 5)]; NaN rows: no forecast.
Forecast = Callable[[Sequence[Record]], Array]

#: From rated answers and a seed to a model.
Fit = Callable[[Sequence[Record], int], Forecast]

#: Answers that have been asked about when a round begins.
ROUNDS = (40, 60, 90, 130, 190, 280, 400, 560, 760)
SCORER_ROUNDS = (60, 150, 400)

#: Inverse strength of the penalty; that of the shipped model, so that no arm tunes it.
STRENGTH = 1.0

#: Shares of the way from the first CRPS to the last that are asked for.
WAY = (0.5, 0.75, 0.9)

RESAMPLES = 2000
STEPS = 45
LEVELS = np.linspace(0, 1, len(LABELS))


def lexical(chosen: Sequence[Record], seed: int) -> Forecast:
    """The model of ``lexical``, fitted on some answers."""
    del seed  # the fit has one optimum
    weights, bias = fit(Rows(list(chosen)), STRENGTH)

    def forecast(records: Sequence[Record]) -> Array:
        known = Rows(list(records))
        place = {id(record): n for n, record in enumerate(records)}
        found = np.full((len(records), len(LABELS)), np.nan)
        found[[place[id(r)] for r in known.records]] = predict(weights, bias, known.features)
        return found

    return forecast


def small_scorer(folder: Path, dev: Sequence[Record], train: Sequence[Record]) -> Fit:
    """Fits of a trained scorer on a small random base; ``dev`` chooses its checkpoint."""
    from tests.support.tiny_llama import write_base

    texts = [r[name] for r in train for name in ("rationale", "question", "reference", "candidate")]
    base = write_base(folder / "base", texts=texts, positions=1024)
    choose = written(folder / "dev.jsonl", dev)

    def fitted(chosen: Sequence[Record], seed: int) -> Forecast:
        from trace_eval.judges.scorer.checkpoint import locate
        from trace_eval.judges.scorer.model import load
        from trace_eval.judges.scorer.options import TrainOptions
        from trace_eval.judges.scorer.text import Fields
        from trace_eval.judges.scorer.train import train_scorer

        out = Path(tempfile.mkdtemp(dir=folder))
        options = TrainOptions(
            base=str(base),
            steps=STEPS,
            batch=16,
            learning_rate=2e-3,
            warmup=10,
            evaluate_every=STEPS // 3,
            device="cpu",
            seed=seed,
        )
        train_scorer(written(out / "asked.jsonl", chosen), out / "scorer", options, choose)
        scorer = load(locate(out / "scorer"), "cpu")

        def forecast(records: Sequence[Record]) -> Array:
            found = np.full((len(records), len(LABELS)), np.nan)
            fits = [
                (n, ids)
                for n, r in enumerate(records)
                if (
                    ids := scorer.fit(
                        Fields(r["question"], r["reference"], r["candidate"], r["rationale"] or "")
                    )
                )
            ]
            fits.sort(key=lambda entry: len(entry[1][0]))
            for start in range(0, len(fits), 16):
                part = fits[start : start + 16]
                for (n, _), told in zip(part, scorer.predict([i for _, i in part]), strict=True):
                    found[n] = told.distribution
            return found

        return forecast

    return fitted


def written(path: Path, records: Sequence[Record]) -> Path:
    """Records as a file of JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def crps(forecast: Forecast, records: Sequence[Record]) -> float:
    """Mean over the ratings of answers that have a forecast."""
    shares = forecast(records)
    rated = [
        (n, rating - LABELS[0])
        for n, record in enumerate(records)
        for rating in record["ratings"]
        if rating is not None and not np.isnan(shares[n, 0])
    ]
    row, label = np.array(rated, np.int64).T
    return float(crps_levels(shares[row], label, LEVELS).mean())


def arm(
    model: Fit,
    train: Sequence[Record],
    test: Sequence[Record],
    rounds: Sequence[int],
    seed: int,
    unsure_first: bool,
) -> list[tuple[int, float]]:
    """(ratings asked for, CRPS on the test rows) at each round."""
    rng = np.random.default_rng(seed)
    order = [train[i] for i in rng.permutation(len(train))]
    chosen, rest = order[: rounds[0]], order[rounds[0] :]
    curve = []
    for size in (*rounds[1:], len(train), None):
        forecast = model(chosen, seed)
        ratings = sum(rating is not None for record in chosen for rating in record["ratings"])
        curve.append((ratings, crps(forecast, test)))
        if size is None:
            break
        if unsure_first:
            shares = forecast(rest)
            mean = shares @ LEVELS
            variance = (shares * (LEVELS - mean[:, None]) ** 2).sum(1)
            ranked = np.argsort(-np.nan_to_num(variance), kind="stable")
            rest = [rest[i] for i in ranked]
        count = size - len(chosen)
        chosen, rest = [*chosen, *rest[:count]], rest[count:]
    return curve


def needed(curve: Array, goal: float) -> float:
    """Ratings at which a curve [shape=(rounds, 2)] first is at the goal, interpolated."""
    ratings, reached = curve.T
    below = np.flatnonzero(reached <= goal)
    if not len(below):
        return float("nan")
    last = int(below[0])
    if last == 0:
        return float(ratings[0])
    share = (reached[last - 1] - goal) / (reached[last - 1] - reached[last])
    return float(ratings[last - 1] + share * (ratings[last] - ratings[last - 1]))


@dataclass(frozen=True)
class Saving:
    """Ratings that each arm needs for a CRPS, and the share that is saved, with its interval."""

    crps: float
    random: float
    unsure_first: float
    saved: float
    interval: tuple[float, float] | None


def savings(random: Array, unsure: Array) -> list[Saving]:
    """What asking where the model is unsure saves [shape of both=(seeds, rounds, 2)]."""
    mean = random.mean(0)
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(random), size=(RESAMPLES, len(random)))
    found = []
    for way in WAY:
        goal = float(mean[0, 1] + way * (mean[-1, 1] - mean[0, 1]))
        one, two = needed(mean, goal), needed(unsure.mean(0), goal)
        shares = np.array(
            [1 - needed(unsure[d].mean(0), goal) / needed(random[d].mean(0), goal) for d in drawn]
        )
        low, high = np.nanpercentile(shares, [2.5, 97.5]) if not np.isnan(shares).all() else (0, 0)
        known = np.isnan(shares).mean() < 0.05
        found.append(Saving(goal, one, two, 1 - two / one, (low, high) if known else None))
    return found


def study(name: str, model: Fit, seeds: int, rounds: Sequence[int], rows: Any) -> dict[str, Any]:
    """Both arms of one model: printed, and as a record."""
    curves = [
        np.array([arm(model, rows["train"], rows["test"], rounds, s, u) for s in range(seeds)])
        for u in (False, True)
    ]
    random, unsure = curves
    table(
        f"{name}: CRPS on the test rows, mean of {seeds} seeds",
        ["answers", "ratings, random", "CRPS", "ratings, unsure first", "CRPS "],
        [
            [size, *random.mean(0)[n], *unsure.mean(0)[n]]
            for n, size in enumerate((*rounds, len(rows["train"])))
        ],
    )
    gain = random[:, 0, 1] - random[:, -1, 1]
    error = float(gain.std(ddof=1) / len(gain) ** 0.5)
    record: dict[str, Any] = {
        "seeds": seeds,
        "answers": [*rounds, len(rows["train"])],
        "random": random.mean(0).round(4).tolist(),
        "unsure_first": unsure.mean(0).round(4).tolist(),
        "gain_by_all_ratings": round(float(gain.mean()), 4),
        "gain_standard_error": round(error, 4),
    }
    if gain.mean() <= 2 * error:
        print(f"\n{name}: all ratings are no better than the first {rounds[0]} answers: none saved")
        return record | {"savings": None}
    found = savings(random, unsure)
    shown = [
        [
            s.crps,
            s.random,
            s.unsure_first,
            f"{s.saved:.0%}"
            + (f" [{s.interval[0]:.0%}, {s.interval[1]:.0%}]" if s.interval else ""),
        ]
        for s in found
    ]
    table(
        f"{name}: ratings needed",
        ["CRPS", "random order", "unsure first", "saved (95 % over seeds)"],
        shown,
    )
    record["savings"] = [
        {
            "crps": round(s.crps, 4),
            "random": _finite(s.random),
            "unsure_first": _finite(s.unsure_first),
            "saved": _finite(s.saved),
            "interval": None if s.interval is None else [round(float(v), 4) for v in s.interval],
        }
        for s in found
    ]
    return record


def _finite(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 4)


def main() -> None:
    """Simulate both arms over seeds; print and save the savings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--scorer", type=int, default=0, help="seeds of the small scorer; 0: none")
    options = parser.parse_args()
    source = Path(os.environ["TRACE_EVAL_DATA"]) / "orca" / "ratings.jsonl"
    records = [json.loads(line) for line in source.open(encoding="utf-8")]
    usable = [r for r in records if any(r["ratings"])]
    rows = {name: [r for r in usable if r["split"] == name] for name in ("train", "dev", "test")}
    found = {"lexical": study("lexical", lexical, options.seeds, ROUNDS, rows)}
    if options.scorer and find_spec("peft") is None:
        print("\nsmall scorer: skipped, peft is not installed; run: pip install '.[scorer]'")
    elif options.scorer:
        with tempfile.TemporaryDirectory() as name:
            model = small_scorer(Path(name), rows["dev"], rows["train"])
            found["small scorer"] = study(
                "small scorer", model, options.scorer, SCORER_ROUNDS, rows
            )
    save("active", found)


if __name__ == "__main__":
    main()
