"""Rules to beat: forecasts that know the training ratings, or the words, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.scores.text_match import exact_match, token_f1, words
from trace_eval.stats.agreement.scores.nll import BETA_CLIP
from trace_eval.stats.agreement.scores.study import JudgeScores, People, Study

Array = NDArray[Any]

#: Log-parameters of Beta are kept within this, as those of trained heads; ratings that are all
#: equal would drive them to infinity.
_MAX_LOG = 10.0


def baselines(study: Study, train: NDArray[np.bool_], with_beta: bool = False) -> list[JudgeScores]:
    """All baselines of some items; those of words only where the texts are known.

    Args:
        study: items and ratings.
        train: items whose ratings the constants are fitted on [shape=(items,)].
        with_beta: a constant Beta forecast as well, for likelihoods of its kind.
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
    if with_beta:
        alpha, beta = fit_beta(study.people, train)
        middle = alpha / (alpha + beta)
        spread = middle * (1 - middle) / (alpha + beta + 1)
        found.append(
            JudgeScores(
                "constant Beta",
                np.full(items, middle),
                np.full(items, spread),
                beta=np.tile([alpha, beta], (items, 1)),
                baseline=True,
            )
        )
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
        alpha, beta = np.exp(np.clip(log_parameters, -_MAX_LOG, _MAX_LOG))
        return float(betaln(alpha, beta) - (alpha - 1) * log_y - (beta - 1) * log_rest)

    found = minimize(
        loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    alpha, beta = np.exp(np.clip(found.x, -_MAX_LOG, _MAX_LOG))
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
