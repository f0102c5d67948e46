"""The embedded scorer of answers: words in common, by a small logistic model.

It does not understand meaning: a paraphrase without the reference's words looks wrong
to it, a denial that repeats them looks right. It is there to make ``rate`` work without
a network, and as the baseline that every other judge should beat.

The model is multinomial logistic regression on :data:`FEATURES`, one sample per human
rating, trained by ``python -m benchmarks.train_lexical``; what it was trained on, and
that data's licence, is in the file of coefficients.

Words are runs of letters, digits and underscores in lower case, without the articles a,
an and the (the normalisation of SQuAD, Rajpurkar et al. 2016, but punctuation parts
words).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from trace_eval.data.measures.meaning import MEANING, meaning_features

_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"a", "an", "the"})


def words(text: str) -> list[str]:
    """Split into normalised words; a text of articles alone keeps them ("A").

    >>> words("The cat's hat (a red one)!"), words("A.")
    (['cat', 's', 'hat', 'red', 'one'], ['a'])
    """
    every = _WORD.findall(text.lower())
    return [word for word in every if word not in _ARTICLES] or every


def exact_match(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """Return 1.0 where the words are the same in the same order, else 0.0."""
    return float(candidate == reference)


def shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the words in common, each as often as in both."""
    return (Counter(one) & Counter(other)).total()


def token_f1(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """Return the F1 of words: the harmonic mean of precision and recall; empty is 1.

    >>> token_f1(words("a red hat"), words("the hat"))
    0.6666666666666666
    """
    if not candidate and not reference:
        return 1.0
    return 2 * shared(candidate, reference) / (len(candidate) + len(reference))


#: Said with every score.
CAVEAT = "lexical: compares words and does not understand meaning"

#: What the model sees of an answer; shares are 0 to 1, lengths are log(1 + words).
FEATURES: dict[str, str] = {
    "exact": "the candidate is the reference, word for word",
    "f1": "token F1 of candidate and reference",
    "recall": "share of the reference's words that the candidate has",
    "precision": "share of the candidate's words that the reference has",
    "contained": "the reference stands in the candidate as one phrase",
    "new_recall": "recall of the reference's words that the question has not",
    "in_rationale": "share of the candidate's words that the rationale has",
    "new_in_rationale": "the same of its distinct words that the question has not",
    "in_question": "share of the candidate's words that the question has",
    "unsupported": "share of its words in neither reference, rationale nor question",
    "candidate_length": "length of the candidate",
    "reference_length": "length of the reference",
}


@dataclass(frozen=True)
class LexicalModel:
    """Coefficients of the shipped model."""

    labels: tuple[int, ...]  # of the scale, ascending
    weights: tuple[tuple[float, ...], ...]  # one row per label
    bias: tuple[float, ...]  # one number per label
    features: tuple[str, ...]  # in the order of the weights
    data: Mapping[
        str, Any
    ]  # what it was trained on: name, licence, rows, ratings, hash
    sha256: str = ""  # of the file of coefficients

    @classmethod
    def from_json(cls, text: str) -> LexicalModel:
        """Read a file of coefficients, with the features and shapes of this version."""
        result = json.loads(text)
        if result["features"] not in (list(FEATURES), list(FEATURES) + list(MEANING)):
            raise ValueError(
                "lexical model: its features are not those of this version"
            )
        model = cls(
            labels=tuple(result["labels"]),
            weights=tuple(
                tuple(result["weights"][str(label)]) for label in result["labels"]
            ),
            bias=tuple(result["bias"][str(label)] for label in result["labels"]),
            features=tuple(result["features"]),
            data=result["data"],
            sha256=sha256(text.encode()).hexdigest(),
        )
        if any(len(row) != len(model.features) for row in model.weights):
            raise ValueError("lexical model: a row of weights has the wrong length")
        return model

    def shares(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return the distribution over the labels from the features' values."""
        logits: list[float] = []
        for row, bias in zip(self.weights, self.bias, strict=True):
            terms = [weight * value for weight, value in zip(row, values, strict=True)]
            logits.append(bias + math.fsum(terms))
        top = max(logits)
        odds = [math.exp(logit - top) for logit in logits]
        total = math.fsum(odds)
        return tuple(odd / total for odd in odds)


@dataclass(frozen=True)
class LexicalScore:
    """The model's score of one answer."""

    distribution: dict[int, float]  # label -> probability
    reference: int  # index of the reference that fitted best, the one that was used
    features: dict[
        str, float
    ]  # what it was computed from; empty for an empty candidate


@cache
def shipped(meaning: bool = False) -> LexicalModel:
    """Load the model of this version: of words alone, or of words and meaning."""
    name = "lexical_meaning.json" if meaning else "lexical.json"
    return LexicalModel.from_json(
        files("trace_eval.data.measures").joinpath(name).read_text(encoding="utf-8")
    )


def lexical_score(
    question: str,
    references: Sequence[str],
    candidate: str,
    rationale: str | None = None,
    meaning: bool = False,
) -> LexicalScore:
    """Score one answer; of one or more references that with the largest mean counts.

    An answer without a word is the lowest label for sure: annotators rated every such
    answer so.

    Args:
        meaning: beside the words, see :mod:`trace_eval.data.measures.meaning`.

    Raises:
        UserError: meaning is asked for, and its package is missing.
    """
    model = shipped(meaning)
    if not references:
        raise ValueError("a lexical score needs a reference")
    present = words(candidate)
    if not present:
        return LexicalScore(
            {label: float(label == model.labels[0]) for label in model.labels}, 0, {}
        )
    requested, material = words(question), words(rationale or "")
    scores = []
    for index, reference in enumerate(references):
        values = features(requested, words(reference), present, material)
        if meaning:
            values |= meaning_features(
                question, reference, candidate, rationale or "", values
            )
        shares = model.shares(list(values.values()))
        scores.append(
            LexicalScore(dict(zip(model.labels, shares, strict=True)), index, values)
        )
    return max(
        scores,
        key=lambda s: math.fsum(k * share for k, share in s.distribution.items()),
    )


def features(
    question: Sequence[str],
    reference: Sequence[str],
    candidate: Sequence[str],
    rationale: Sequence[str],
) -> dict[str, float]:
    """Compute ``FEATURES`` from normalised words; the candidate has one at least."""
    requested, material, truth = set(question), set(rationale), set(reference)
    present = set(candidate)
    size = len(candidate)
    common = shared(candidate, reference)
    recall = common / max(len(reference), 1)
    new_truth, new_present = truth - requested, present - requested
    new_recall = recall
    if new_truth:
        new_recall = len(new_truth & present) / len(new_truth)
    # Words hold no spaces; searching in a string takes linear time.
    text = f" {' '.join(candidate)} "
    is_contained = bool(reference) and f" {' '.join(reference)} " in text
    in_rationale = sum(word in material for word in candidate)
    in_question = sum(word in requested for word in candidate)
    supported = requested | material | truth
    unsupported = sum(word not in supported for word in candidate)
    return {
        "exact": exact_match(candidate, reference),
        "f1": token_f1(candidate, reference),
        "recall": recall,
        "precision": common / size,
        "contained": float(is_contained),
        "new_recall": new_recall,
        "in_rationale": in_rationale / size,
        "new_in_rationale": len(new_present & material) / max(len(new_present), 1),
        "in_question": in_question / size,
        "unsupported": unsupported / size,
        "candidate_length": math.log1p(size),
        "reference_length": math.log1p(len(reference)),
    }
