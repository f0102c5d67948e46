"""The embedded scorer: its features by hand, its shipped model on shared ratings."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blueprints import UserError
from fusion import BINARY
from tests.support.rating import case_of, single
from trace_eval.data.measures.lexical import (
    FEATURES,
    LexicalModel,
    exact_match,
    features,
    lexical_score,
    shipped,
    token_f1,
    words,
)
from trace_eval.data.outcome import Outcome
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.rubrics.single import ScaleSpec
from trace_eval.data.scores import Score
from trace_eval.judges.base import Case
from trace_eval.judges.lexical.judge import WordJudge


def test_words_and_f1_by_hand() -> None:
    assert words("The dog's bark: LOUD, and... a cat") == [
        "dog",
        "s",
        "bark",
        "loud",
        "and",
        "cat",
    ]
    assert words("A") == ["a"]
    assert words("...") == []
    # two of three and two of four words in common: 2 * 2 / 7
    assert token_f1(words("red hat shop"), words("red hat big store")) == pytest.approx(
        4 / 7
    )
    assert exact_match(words("A hat!"), words("the hat")) == 1
    assert token_f1([], []) == 1
    assert token_f1([], ["x"]) == 0


def test_features_by_hand() -> None:
    values = features(
        words("Is it a cat or a dog?"),
        words("cat"),
        words("it barks like a cat today"),
        words("The cat purrs today."),
    )
    # candidate: it barks like cat today; question: is it cat or dog
    assert list(values) == list(FEATURES)
    assert values == {
        "exact": 0,
        "f1": pytest.approx(2 / 6),
        "recall": 1,
        "precision": pytest.approx(1 / 5),
        "contained": 1,
        "new_recall": 1,  # every word of the reference is in the question: plain recall
        "in_rationale": pytest.approx(2 / 5),
        "new_in_rationale": pytest.approx(1 / 3),
        "in_question": pytest.approx(2 / 5),
        "unsupported": pytest.approx(2 / 5),
        "candidate_length": pytest.approx(math.log(6)),
        "reference_length": pytest.approx(math.log(2)),
    }


@pytest.mark.parametrize("candidate", ["", "  \n", "?!"])
def test_an_answer_without_words_is_the_lowest_for_sure(candidate: str) -> None:
    score = lexical_score("What?", ["a cat"], candidate)
    assert score.distribution == {1: 1.0, 2: 0.0, 3: 0.0, 4: 0.0, 5: 0.0}


def test_of_several_references_the_best_counts() -> None:
    one = lexical_score("Which animal?", ["a parrot"], "a parrot")
    several = lexical_score(
        "Which animal?", ["some bird", "a parrot", "a fish"], "a parrot"
    )
    assert several.reference == 1
    assert several.distribution == one.distribution
    with pytest.raises(ValueError, match="reference"):
        lexical_score("Which?", [], "that")


def test_a_right_answer_is_better_than_a_wrong_one() -> None:
    def mean(candidate: str) -> float:
        shares = lexical_score(
            "Which animal is heard?", ["a dog"], candidate
        ).distribution
        assert sum(shares.values()) == pytest.approx(1)
        return sum(label * share for label, share in shares.items())

    assert (
        mean("a dog")
        > 4
        > 2.5
        > mean("it is the ringing of church bells in the evening")
    )


def test_text_cannot_crash_it() -> None:
    hostile = ["score: 5 " * 2000, "\x00\ud800", "好的，是狗", "٣ ٤", "{{ candidate }}"]
    for text in hostile:
        score = lexical_score(text, [text], text, text)
        assert sum(score.distribution.values()) == pytest.approx(1)


def test_a_file_of_other_features_is_refused() -> None:
    model = {
        "features": ["f1"],
        "labels": [1, 2],
        "weights": {},
        "bias": {},
        "data": {},
    }
    with pytest.raises(ValueError, match="features"):
        LexicalModel.from_json(json.dumps(model))


def test_the_licence_of_the_training_data_is_in_the_file() -> None:
    assert shipped().data["licence"] == "MIT"
    assert "Brno University of Technology" in shipped().data["copyright"]


def test_training_again_gives_the_shipped_model(data: Path) -> None:
    """Six digits agree; BLAS may differ in later ones, and the solver stops at 1e-8."""
    from benchmarks.train_lexical import Rows, fit

    path = data / "orca" / "ratings.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = Rows([r for r in records if r["split"] == "train"])
    weights, bias = fit(rows, 0.03)
    np.testing.assert_allclose(shipped().weights, weights, atol=1e-4)
    np.testing.assert_allclose(shipped().bias, bias, atol=1e-4)


def test_a_median_lies_where_half_of_a_distribution_is_below_it() -> None:
    from benchmarks.train_lexical import medians

    shares = np.array(
        [[0.1, 0.2, 0.4, 0.2, 0.1], [1, 0, 0, 0, 0], [0, 0, 0, 0.25, 0.75]]
    )
    # The last one: .25 below 3.5, and a third of the label 4 beyond it.
    expected = np.array([2, 0, 3.5 + 0.25 / 0.75]) / 4
    np.testing.assert_allclose(medians(shares), expected, atol=1e-9)


class ExactJudge(WordJudge):
    spec = "exact"
    scale = BINARY

    async def rate(self, case: Case, references: Sequence[tuple[int, str]]) -> Outcome:
        same = any(
            text.casefold() == self.words(case).casefold() for _, text in references
        )
        return self.score(case, {float(same): 1.0}, reference=0)


class PoliteJudge(ExactJudge):
    spec, inputs = "polite", frozenset({"candidate"})

    async def rate(self, case: Case, references: Sequence[tuple[int, str]]) -> Outcome:
        return self.score(case, {float("please" in self.words(case)): 1.0})


def test_a_judge_of_words_may_say_yes_or_no() -> None:
    """It names its scale, and needs no class between it and all judges of words."""
    correctness = load_rubric("correctness")
    scale = ScaleSpec(min=0, max=1)
    points = {"0": "other words", "1": "the same words"}
    yes_no = correctness.model_copy(update={"scale": scale, "points": points})

    def value(judge: WordJudge, **fields: Any) -> float | None:
        score = asyncio.run(judge.judge(case_of(single(**fields))))
        assert isinstance(score, Score)
        return score.value

    exact = ExactJudge(yes_no)
    assert value(exact, candidate="south") == 1  # the reference is South
    assert value(exact, candidate="north") == 0
    assert value(exact, candidate="") == 0  # nothing was said: the lowest score
    assert value(exact, candidate="south", reference=[]) is None
    assert value(PoliteJudge(yes_no), candidate="south, please", reference=[]) == 1
    with pytest.raises(
        UserError, match=r"exact: .* on 0-1, and rubric correctness is not"
    ):
        ExactJudge(correctness)
