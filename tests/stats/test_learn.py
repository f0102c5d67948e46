from __future__ import annotations

import numpy as np
import pytest

from blueprints import UserError
from fusion import POLICIES
from trace_eval.opinions.codes import Codes
from trace_eval.stats.agreement.learn import learn, learn_table
from trace_eval.stats.agreement.policies import cell_counts, cells_of, policy_codes

MAJORITY = POLICIES["majority_vote"]
RNG = np.random.default_rng(13)


def ratings(number: int) -> tuple[dict[str, Codes], Codes]:
    """Random dimensions, and an overall label that is majority_vote with 10 % noise."""
    columns = RNG.integers(0, 4, (3, number)).astype(np.int8)
    names = ("content", "voice_quality", "paralinguistics")
    overall = policy_codes(MAJORITY)[tuple(columns.astype(int))]
    noisy = np.where(RNG.random(number) < 0.1, RNG.integers(0, 4, number), overall)
    return dict(zip(names, columns, strict=True)), noisy.astype(np.int8)


def test_the_table_recovers_its_policy_and_falls_back() -> None:
    codes, overall = ratings(5000)
    counts = cell_counts(cells_of(codes), overall)
    table = learn_table(counts, policy_codes(POLICIES["content_first"]))
    assert (table == policy_codes(MAJORITY)).all()
    empty = learn_table(np.zeros((4, 4, 4, 4), np.int64), policy_codes(MAJORITY))
    assert (empty == policy_codes(MAJORITY)).all()


def test_a_tied_cell_follows_the_fallback_where_it_is_among_the_tied() -> None:
    counts = np.zeros((4, 4, 4, 4), np.int64)
    counts[0, 0, 0] = [0, 3, 3, 1]  # labels 2 and both_good are equal
    assert learn_table(counts, np.full((4, 4, 4), 2, np.int8))[0, 0, 0] == 2
    assert learn_table(counts, np.full((4, 4, 4), 0, np.int8))[0, 0, 0] == 1


def test_folds_never_share_an_instruction() -> None:
    pytest.importorskip("sklearn")
    # One label per instruction, unrelated to the ratings, which identify the
    # instruction: in sample the table knows all, across instructions it can know
    # nothing.
    instruction = np.repeat(np.arange(16), 20)
    codes = {
        "content": (instruction % 4).astype(np.int8),
        "voice_quality": (instruction // 4).astype(np.int8),
        "paralinguistics": np.zeros(320, np.int8),
    }
    overall = RNG.permutation(np.repeat(np.arange(4), 4))[instruction].astype(np.int8)
    got = learn(("x", codes), overall, instruction, POLICIES["content_first"])
    table = next(c for c in got.candidates if c.name == "best table")
    fallback = policy_codes(POLICIES["content_first"])[
        instruction % 4, instruction // 4, 0
    ]
    assert table.in_sample == 320
    assert table.cross_validated == int((fallback == overall).sum())


def test_learning_needs_instructions() -> None:
    codes, overall = ratings(10)
    with pytest.raises(UserError, match="instruction_id"):
        learn(("x", codes), overall, None, MAJORITY)
    with pytest.raises(UserError, match="at least 2 instructions"):
        learn(("x", codes), overall, np.zeros(10, np.int64), MAJORITY)
