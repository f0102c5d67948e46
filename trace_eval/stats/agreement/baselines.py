"""What a judge has to beat: guesses that look at nothing, at length, level, MOS or content.

Of scores: forecasts that know the training ratings, or the words, and nothing else.

A judge whose number stands alone says little: on HCoT the majority class is right in 37 %
and 58 % of the pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.scores.text_match import exact_match, token_f1, words
from trace_eval.stats.agreement.counts import Counts
from trace_eval.stats.agreement.nll import BETA_CLIP
from trace_eval.stats.agreement.number_rules import NumberRule
from trace_eval.stats.agreement.study import JudgeScores, People, Study

Array = NDArray[Any]

#: Rules that stand beside every judge whose run knows these numbers.
RULES = (
    NumberRule("longer answer", "duration"),
    NumberRule("louder answer", "loudness"),
    NumberRule("higher MOS", "mos"),
)


@dataclass(frozen=True)
class Majority:
    """The most frequent true label; several where counts are equal.

    An item on which raters split counts in part for each of their labels.
    """

    labels: tuple[str, ...]
    count: float
    items: int

    @property
    def accuracy(self) -> float:
        """Accuracy of always saying it, 0 to 1."""
        return float(self.count / self.items) if self.items else float("nan")


#: Sums of thirds differ by rounding.
_ROUNDING = 1e-9


def majority(counts: Counts, labels: tuple[str, ...]) -> Majority:
    """The majority class of ``counts[truth, predicted]``, on exactly the items judged."""
    truth = counts.sum(1)
    top = truth.max().item()
    return Majority(
        tuple(label for label, n in zip(labels, truth, strict=True) if n >= top - _ROUNDING),
        top,
        round(truth.sum()),
    )


def random_uniform(counts: Counts) -> float:
    """Expected accuracy of a uniform guess: ``sum_l p(l) / k = 1 / k``, exactly."""
    return 1 / len(counts)


def random_matched(counts: Counts) -> float:
    """Expected accuracy of a guess with the truth's own shares: ``sum_l p(l)^2``, exactly."""
    truth = counts.sum(1)
    total = float(truth.sum())
    return float((truth * truth).sum() / (total * total)) if total else float("nan")


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
    scores = [
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
        scores.append(
            JudgeScores(
                "constant Beta",
                np.full(items, middle),
                np.full(items, spread),
                beta=np.tile([alpha, beta], (items, 1)),
                baseline=True,
            )
        )
    if study.texts is not None:
        scores += _of_words(study.texts)
    return scores


def rating_shares(study: Study, train: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Share of each label among the training ratings [shape=(labels,)]."""
    provided = study.people.of(train).value
    counts = np.bincount(study.nearest(provided), minlength=len(study.levels))
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

    result = minimize(
        loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    alpha, beta = np.exp(np.clip(result.x, -_MAX_LOG, _MAX_LOG))
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

    results = [
        JudgeScores("exact match", best(exact_match), baseline=True),
        JudgeScores("token F1", best(token_f1), baseline=True),
        JudgeScores(
            "longer answer",
            np.array([float(len(said)) for said, _ in split]),
            baseline=True,
            unitless=True,
        ),
    ]
    return [rule for rule in results if rule.scored.any()]
