"""Train the model of the embedded scorer `lexical` and write its coefficients.

    TRACE_EVAL_DATA=... python -m benchmarks.train_lexical [--meaning] [--out FILE]
    TRACE_EVAL_DATA=... python -m benchmarks.train_lexical [--meaning] --shipped

With --meaning: the model of words and meaning, by the packages of all-MiniLM-L6-v2.
With --shipped: the shipped model is measured on dev and test, and none is trained. One
sample per human rating of the split train. The strength of the regularisation is chosen
by cross-validation on that split, grouped by question; dev and test are only measured.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import arguments, data_folder, table_of
from trace_eval.data.measures.lexical import (
    FEATURES,
    LexicalModel,
    features,
    shipped,
    words,
)
from trace_eval.data.measures.meaning import MEANING, meaning_features
from trace_eval.estimate.ranks import spearman
from trace_eval.stats.agreement.forecasts import crps_levels

#: Folder of the models, and their names by whether meaning goes into them.
FOLDER = Path(__file__).parent.parent / "trace_eval" / "data" / "measures"
NAMES = {False: "lexical.json", True: "lexical_meaning.json"}

LABELS = (1, 2, 3, 4, 5)

#: Inverse strengths of the L2 penalty that are tried.
STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

FOLDS = 5

#: Where the solver stops: of the model, and while its strength is chosen.
FINAL, COARSE = 1e-8, 1e-4

LICENCE = {
    "name": "ORCA human ratings (BUTSpeechFIT/ORCA, data/seed_108), half of the questions",
    "licence": "MIT",
    "copyright": "Copyright (c) 2025 Speech@FIT, Brno University of Technology",
}

Array = NDArray[Any]


class Rows:
    """Features per answer, and its ratings one by one."""

    def __init__(self, records: list[dict[str, Any]], meaning: bool = False) -> None:
        self.records = [r for r in records if words(r["candidate"])]
        self.features = np.array(
            [list(_features(r, meaning).values()) for r in self.records]
        )
        rated = [
            (row, value - LABELS[0])
            for row, record in enumerate(self.records)
            for value in record["ratings"]
            if value is not None
        ]
        self.row, self.label = np.array(rated, np.int64).T
        questions = [r["question_id"] for r in self.records]
        self.question = np.unique(questions, return_inverse=True)[1]


def _features(record: dict[str, Any], meaning: bool) -> dict[str, float]:
    names = ("question", "reference", "candidate", "rationale")
    texts = {name: record[name] or "" for name in names}
    values = features(*map(words, texts.values()))
    return values | meaning_features(**texts, words=values) if meaning else values


def _model(strength: float, tolerance: float) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    regression = LogisticRegression(C=strength, max_iter=10_000, tol=tolerance)
    return make_pipeline(StandardScaler(), regression)


def fit(rows: Rows, strength: float) -> tuple[Array, Array]:
    """Weights [shape=(labels, features)] and bias on the features as they are."""
    scaler, regression = _model(strength, FINAL).fit(
        rows.features[rows.row], rows.label
    )
    weights = regression.coef_ / scaler.scale_
    bias = regression.intercept_ - weights @ scaler.mean_
    # Only differences between labels count; this choice of them is unique.
    return weights - weights.mean(0), bias - bias.mean()


def choose_strength(rows: Rows) -> float:
    """Choose the strength with the best cross-validated likelihood."""
    from sklearn.model_selection import GroupKFold, cross_val_score

    values, groups = rows.features[rows.row], rows.question[rows.row]
    how = {"groups": groups, "cv": GroupKFold(FOLDS), "scoring": "neg_log_loss"}
    return max(
        STRENGTHS,
        key=lambda one: cross_val_score(
            _model(one, COARSE), values, rows.label, **how
        ).mean(),
    )


def measure(weights: Array, bias: Array, rows: Rows) -> dict[str, float]:
    """Return rho, MAE and CRPS on some rows, and the MAE of the medians."""
    from scipy.special import softmax

    levels = np.linspace(0, 1, len(LABELS))
    shares = softmax(rows.features @ weights.T + bias, axis=1)  # [shape=(rows, labels)]
    mean = shares @ levels
    count = np.bincount(rows.row, minlength=len(mean))
    people = (
        np.bincount(rows.row, weights=levels[rows.label], minlength=len(mean)) / count
    )
    crps = crps_levels(shares[rows.row], rows.label, levels)
    return {
        "answers": len(mean),
        "rho": round(spearman(mean, people), 4),
        "mae": round(float(abs(mean - people).mean()), 4),
        "mae of medians": round(float(abs(medians(shares) - people).mean()), 4),
        "crps": round(float(crps.mean()), 4),
    }


def medians(shares: Array) -> Array:
    """Return interpolated medians of distributions, 0 to 1 [shape=(rows,)].

    Half of a distribution lies below its median; a label's share is spread evenly over
    the half step on either side of it. No statistic has a smaller absolute error.

    Args:
        shares: of the labels [shape=(rows, labels)].
    """
    every = np.arange(len(shares))
    below_next = shares.cumsum(axis=1)
    label = (below_next < 0.5).sum(axis=1)
    own = shares[every, label]
    missing = 0.5 - (below_next[every, label] - own)
    position = label - 0.5 + missing / own
    return np.asarray(np.clip(position / (shares.shape[1] - 1), 0, 1))


def read(path: Path) -> list[dict[str, Any]]:
    """Read the rated answers."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def rows_of(
    records: list[dict[str, Any]], names: Sequence[str], meaning: bool
) -> dict[str, Rows]:
    """Compute the features of some splits; prints what an answer costs."""
    chosen = [record for record in records if record["split"] in names]
    started = time.process_time()
    splits = {}
    for name in names:
        of_split = [record for record in chosen if record["split"] == name]
        splits[name] = Rows(of_split, meaning)
    spent = time.process_time() - started
    print(f"{1000 * spent / len(chosen):.1f} ms of one processor for an answer")
    return splits


def train(
    path: Path, meaning: bool = False
) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """Train; return the coefficients' file, and its figures by split."""
    splits = rows_of(read(path), ("train", "dev", "test"), meaning)
    rows = splits["train"]
    strength = choose_strength(rows)
    weights, bias = fit(rows, strength)
    weights_of, bias_of = {}, {}
    for label, row, number in zip(LABELS, weights, bias, strict=True):
        weights_of[str(label)] = [round(float(weight), 6) for weight in row]
        bias_of[str(label)] = round(float(number), 6)
    results = {
        "what": "multinomial logistic regression of human ratings on words in common"
        + (" and likeness of meaning" if meaning else ""),
        "data": {
            **LICENCE,
            "split": "train",
            "answers": len(rows.records),
            "ratings": len(rows.row),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        },
        "strength": strength,
        "features": [*FEATURES, *(MEANING if meaning else ())],
        "labels": list(LABELS),
        "weights": weights_of,
        "bias": bias_of,
    }
    LexicalModel.from_json(json.dumps(results))
    return results, {
        name: measure(weights, bias, part) for name, part in splits.items()
    }


def shipped_figures(path: Path, meaning: bool) -> dict[str, dict[str, float]]:
    """Return the figures of the shipped model on what it was not trained on."""
    model = shipped(meaning)
    weights, bias = np.array(model.weights), np.array(model.bias)
    splits = rows_of(read(path), ("dev", "test"), meaning)
    return {name: measure(weights, bias, rows) for name, rows in splits.items()}


def main() -> None:
    """Train the model, write its file and print its errors."""
    options = arguments(__doc__, out=Path(), meaning=False, shipped=False)
    path = data_folder() / "orca" / "ratings.jsonl"
    if options.shipped:
        table_of("lexical", "split", shipped_figures(path, options.meaning))
        return
    result, reached = train(path, options.meaning)
    out = options.out if options.out.name else FOLDER / NAMES[options.meaning]
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    table_of(f"lexical, strength {result['strength']}", "split", reached)
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
