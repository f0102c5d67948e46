"""Multinomial logistic regression on one-hot ratings, by scikit-learn (L2, C = 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blueprints import require
from fusion import DIMENSIONS, RATINGS

#: Inverse strength of the L2 penalty.
C = 1.0


def learn_logistic(counts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Fit on counts (C, VQ, P, true overall); the predicted label of every cell
    [shape=(4, 4, 4)].

    Equal pairs are one weighted row: the penalised likelihood is the same.
    """
    linear_model = require(
        "sklearn.linear_model", "scikit-learn", "agree", "the logistic regression"
    )
    shape = counts.shape[:3]
    cells = np.stack([axis.ravel() for axis in np.indices(shape)], 1)
    features = np.eye(len(RATINGS))[cells].reshape(len(cells), len(DIMENSIONS) * len(RATINGS))
    cell, label = np.nonzero(counts.reshape(len(cells), -1))
    weights = counts.reshape(len(cells), -1)[cell, label]
    if len(set(label.tolist())) == 1:
        return np.full(shape, label[0], np.int8)
    model = linear_model.LogisticRegression(C=C, max_iter=2000)
    model.fit(features[cell], label, sample_weight=weights)
    return np.asarray(model.predict(features), np.int8).reshape(shape)
