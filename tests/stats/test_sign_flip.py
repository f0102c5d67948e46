"""Sign-flip permutation test: values by hand, by the binomial test, and drawn against exact."""

from __future__ import annotations

import numpy as np
import pytest

from trace_eval.estimate import paired as module
from trace_eval.estimate.paired import mcnemar, sign_flip, sign_test


def test_values_by_hand() -> None:
    # +1 +1 +2: of the 8 sums one is as large as 4, and one as small
    gap = np.array([1.0, 1.0, 2.0, 0.0])
    assert sign_flip(gap) == pytest.approx(2 / 8)
    assert sign_flip(gap, alternative="greater") == pytest.approx(1 / 8)
    assert sign_flip(gap, alternative="less") == 1.0
    # as one cluster of two and one of two: sums 2 and 2
    assert sign_flip(gap, np.array([7, 7, 9, 9])) == pytest.approx(2 / 4)
    assert sign_flip(np.zeros(5)) == 1.0
    assert sign_flip(np.zeros(0)) == 1.0


def test_differences_of_one_size_are_the_exact_mcnemar_test() -> None:
    gap = np.r_[np.full(47, -1.0), np.full(40, 1.0), np.zeros(911)]
    assert sign_flip(gap) == pytest.approx(mcnemar(gap).p)
    assert sign_flip(gap, alternative="less") == sign_test(47, 40, one_sided=True)
    assert sign_flip(-gap, alternative="greater") == sign_test(47, 40, one_sided=True)
    assert sign_test(5, 0, one_sided=True) == pytest.approx(0.5**5)


def test_drawn_p_values_are_near_the_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    gap = rng.choice([-1, -0.5, 0, 0.5, 1], 400, p=[0.1, 0.05, 0.75, 0.05, 0.05])
    exact = sign_flip(gap, alternative="less")
    monkeypatch.setattr(module, "_EXACT", 0)
    # standard error of 10,000 draws: at most .005
    assert sign_flip(gap, alternative="less") == pytest.approx(exact, abs=0.015)
    many = gap + rng.normal(0, 1e-6, 400)
    assert sign_flip(many, alternative="less") == pytest.approx(exact, abs=0.03)
    assert sign_flip(np.arange(1.0, 200.0)) == pytest.approx(1 / 10_001)
