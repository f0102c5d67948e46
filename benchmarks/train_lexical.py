"""Train the model of the embedded scorer `lexical` and write its coefficients.

    TRACE_EVAL_DATA=... python -m benchmarks.train_lexical [--meaning] [--out FILE]

With --meaning: the model of words and meaning, by the packages of all-MiniLM-L6-v2. One
sample per human rating of the split train. The strength of the regularisation is chosen
by cross-validation on that split, grouped by question; dev and test are only measured.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import arguments, data_folder, table_of
from trace_eval.data.measures.lexical import FEATURES, LexicalModel, features, words
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
    """rho, MAE and CRPS on some rows."""
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
        "crps": round(float(crps.mean()), 4),
    }


def train(
    path: Path, meaning: bool = False
) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """Train; return the coefficients' file, and its figures by split."""
    raw = path.read_bytes()
    records = [json.loads(line) for line in raw.splitlines()]
    splits = {}
    for name in ("train", "dev", "test"):
        of_split = [record for record in records if record["split"] == name]
        splits[name] = Rows(of_split, meaning)
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
            "sha256": hashlib.sha256(raw).hexdigest(),
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


def main() -> None:
    """Train, write, print."""
    options = arguments(__doc__, out=Path(), meaning=False)
    started = time.process_time()
    result, reached = train(data_folder() / "orca" / "ratings.jsonl", options.meaning)
    answers = sum(int(row["answers"]) for row in reached.values())
    spent = time.process_time() - started
    out = options.out if options.out.name else FOLDER / NAMES[options.meaning]
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    table_of(f"lexical, strength {result['strength']}", "split", reached)
    print(
        f"{1000 * spent / answers:.1f} ms of one processor per answer, training"
        " included"
    )
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
