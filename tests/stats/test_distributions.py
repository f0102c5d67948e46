"""Tails and quantiles against scipy, and against exact sums."""

from __future__ import annotations

from fractions import Fraction
from math import comb, inf
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from tests.support.processes import python
from tests.support.reviewed import EXAMPLES
from trace_eval import judge
from trace_eval.estimate.distributions import (
    beta_below,
    binomial_above,
    binomial_at_most,
    binomial_quantile,
    f_quantile,
    normal_below,
    normal_quantile,
    student_below,
    student_quantile,
)
from trace_eval.estimate.elementwise import log_factorials, students_below

DEGREES = [1, 1.5, 2, 3, 7.25, 29, 100, 1_000, 54_321.5]
CHANCES = [1e-12, 1e-5, 0.001, 0.025, 0.2, 0.4999, 0.5, 0.7, 0.975, 0.99999]


def test_normal_tails() -> None:
    for z in np.linspace(-30, 8, 200).tolist():
        assert normal_below(z) == pytest.approx(special.ndtr(z), rel=1e-12)
    for chance in CHANCES:
        wanted = special.ndtri(chance)
        assert normal_quantile(chance) == pytest.approx(wanted, rel=1e-13, abs=1e-16)
    assert (normal_quantile(0), normal_quantile(1)) == (-inf, inf)


@pytest.mark.parametrize("degrees", DEGREES)
def test_student(degrees: float) -> None:
    for t in (-40.0, -6.0, -1.96, -0.3, 0.0, 1.0, 2.5, 12.0):
        wanted = special.stdtr(degrees, t)
        assert student_below(t, degrees) == pytest.approx(wanted, rel=1e-11)
    for chance in CHANCES:
        wanted = special.stdtrit(degrees, chance)
        ours = student_quantile(chance, degrees)
        assert ours == pytest.approx(wanted, rel=1e-11, abs=1e-12)


def test_student_of_arrays() -> None:
    t = np.array([[-1.0, 2.0], [0.0, -3.0]])
    degrees = np.array([[4, 5], [6, 7]])
    wanted = special.stdtr(degrees, t)
    np.testing.assert_allclose(students_below(t, degrees), wanted, rtol=1e-13)
    many = np.resize(t, (6_000, 2, 2))
    some = students_below(many, degrees)[-1]
    np.testing.assert_allclose(some, students_below(t, degrees), rtol=1e-13)


@pytest.mark.parametrize("above", [1, 2, 9.5, 400])
@pytest.mark.parametrize("below", [1, 3, 40, 9_000])
def test_f_quantile(above: float, below: float) -> None:
    for chance in (0.001, 0.1, 0.5, 0.9, 0.999):
        wanted = special.fdtri(above, below, chance)
        assert f_quantile(chance, above, below) == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("trials", [1, 2, 13, 400])
@pytest.mark.parametrize("chance", [0.5, 0.03125, 0.875])
def test_binomial_tails_are_sums(trials: int, chance: float) -> None:
    exact = Fraction(chance)
    total = Fraction(0)
    for count in range(trials + 1):
        ways = comb(trials, count)
        total += ways * exact**count * (1 - exact) ** (trials - count)
        at_most = binomial_at_most(count, trials, chance)
        assert at_most == pytest.approx(float(total), rel=1e-12)
        above = binomial_above(count, trials, chance)
        assert above == pytest.approx(float(1 - total), rel=1e-12)
    assert binomial_at_most(-1, trials, chance) == 0
    assert binomial_above(-1, trials, chance) == 1


@pytest.mark.parametrize("level", [0.001, 0.05, 0.5, 0.9, 0.9999])
def test_binomial_quantile_is_the_least_that_holds(level: float) -> None:
    for trials, chance in ((1, 0.5), (30, 0.9), (30, 1e-6), (5_000, 0.31)):
        count = binomial_quantile(level, trials, chance)
        assert binomial_at_most(count, trials, chance) >= level
        assert count == 0 or binomial_at_most(count - 1, trials, chance) < level


def test_ends_of_a_beta() -> None:
    assert beta_below(0.0, 1.0, 2, 3) == 0
    assert beta_below(1.0, 0.0, 2, 3) == 1
    assert beta_below(0.25, 0.75, 1, 1) == pytest.approx(0.25, rel=1e-15)


def test_log_factorials() -> None:
    numbers = np.array([-1, 0, 1, 5, 170, 100_000])
    ours = log_factorials(numbers)
    assert ours[0] == inf
    np.testing.assert_allclose(ours[1:], special.gammaln(numbers[1:] + 1), rtol=1e-14)


def test_commands_print_intervals_without_scipy(tmp_path: Path) -> None:
    run = tmp_path / "run"
    judge(EXAMPLES, run, progress=False)
    for command in ("agree", "compare", "screen"):
        arguments = [command, str(run)]
        if command == "compare":
            arguments.append(str(run))
        script = (
            "import sys; from trace_eval.commands.cli import app;"
            f"app({arguments!r}, standalone_mode=False);"
            "print('scipy' in sys.modules)"
        )
        assert python(script).splitlines()[-1] == "False"
