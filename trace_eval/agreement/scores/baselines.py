"""Rules to beat: forecasts that know the training ratings, or the words, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.agreement.scores.nll import BETA_CLIP
from trace_eval.agreement.scores.study import JudgeScores, People, Study
from trace_eval.scores.text_match import exact_match, token_f1, words

Array = NDArray[Any]


def baselines(study: Study, train: NDArray[np.bool_]) -> list[JudgeScores]:
    """All baselines of some items; those of words only where the texts are known.

    Args:
        study: items and ratings.
        train: items whose ratings the constants are fitted on [shape=(items,)].
    """
    shares = rating_shares(study, train)
    items = len(study.ids)
    mean = float(np.nanmean(study.people.mean[train]))
    middle = float(shares @ study.levels)
    spread = float(shares @ (study.levels - middle) ** 2)
    found = [
        JudgeScores(
            "constant",
            np.full(items, mean),
            np.full(items, spread),
            np.tile(shares, (items, 1)),
            baseline=True,
        ),
        JudgeScores(
            "majority rating", np.full(items, study.levels[shares.argmax()]), baseline=True
        ),
    ]
    if study.texts is not None:
        found += _of_words(study.texts)
    return found


def rating_shares(study: Study, train: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Share of each label among the training ratings [shape=(labels,)]."""
    given = study.people.of(train).value
    counts = np.bincount(study.nearest(given), minlength=len(study.levels))
    return np.asarray(counts / max(counts.sum(), 1))


def fit_beta(people: People, train: NDArray[np.bool_]) -> tuple[float, float]:
    """(alpha, beta) of one Beta distribution for all training ratings, by maximum likelihood.

    Ratings are clipped to [.01, .99], as in the likelihood of Beta forecasts.
    """
    from scipy.optimize import minimize
    from scipy.special import betaln

    y = np.clip(people.of(train).value, BETA_CLIP, 1 - BETA_CLIP)
    log_y, log_rest = float(np.log(y).mean()), float(np.log1p(-y).mean())

    def loss(log_parameters: Array) -> float:
        alpha, beta = np.exp(log_parameters)
        return float(betaln(alpha, beta) - (alpha - 1) * log_y - (beta - 1) * log_rest)

    found = minimize(
        loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    alpha, beta = np.exp(found.x)
    return float(alpha), float(beta)


def _of_words(texts: Sequence[tuple[str, Sequence[str]]]) -> list[JudgeScores]:
    split = [
        (words(candidate), [words(reference) for reference in references])
        for candidate, references in texts
    ]

    def best(rule: Callable[[Sequence[str], Sequence[str]], float]) -> NDArray[np.float64]:
        return np.array(
            [
                max((rule(said, one) for one in references), default=np.nan)
                for said, references in split
            ]
        )

    found = [
        JudgeScores("exact match", best(exact_match), baseline=True),
        JudgeScores("token F1", best(token_f1), baseline=True),
        JudgeScores(
            "longer answer",
            np.array([float(len(said)) for said, _ in split]),
            baseline=True,
            unitless=True,
        ),
    ]
    return [rule for rule in found if rule.scored.any()]
