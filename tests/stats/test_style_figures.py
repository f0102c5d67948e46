"""Six items, four annotators, five samples: speaking_style.md, 9, items 1, 2 and 7.

The expected figures have six digits; tolerance half of the last one, doubled.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from fusion import BINARY, likert
from tests.support.scored import figure, judge, judge_of_labels, rated_items
from tests.support.style_ratings import STYLE
from trace_eval.data.score_estimates import reduce_samples
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.records import plain
from trace_eval.stats.agree_scores import compare_scores
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.raters import (
    human_pairs,
    icc_columns,
    icc_of_sums,
    leave_one_out,
    mean_r,
)
from trace_eval.stats.agreement.scored import by_rater
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.report import ScoreReport
from trace_eval.stats.tables import score_tables

PEOPLE = {
    "P1": (5, 4, 2, 3, 1, 4),
    "P2": (4, 4, 1, 3, 2, 5),
    "P3": (5, 3, 2, 2, 1, 4),
    "P4": (4, 5, 3, 3, 1, 3),
}
SCALE = likert(1, 5)
SIX = 1e-6
OPTIONS = AgreeOptions()


def _items() -> Opinions:
    rows = [
        (f"i{n}", who, float(v)) for who, of in PEOPLE.items() for n, v in enumerate(of)
    ]
    ids = [f"i{n}" for n in range(6)]
    questions = [f"q{n}" for n in range(6)]
    return rated_items(ids, rows, SCALE, instruction_id=questions)


def _judge(how: str = "mean") -> JudgeOpinions:
    every = [list(samples) for samples, _, _ in STYLE]
    values = [reduce_samples(samples, SCALE, how).value for samples in every]
    return judge_of_labels("judge", _items(), values, samples=every)


@pytest.fixture(scope="module")
def report() -> ScoreReport:
    return compare_scores(_items(), [_judge()], OPTIONS)


def _value(report: ScoreReport, group: str, who: str, name: str) -> float | None:
    return figure(report, group, who, name).estimate.value


def test_human_human_and_judge_human(report: ScoreReport) -> None:
    assert _value(report, "raters", "people", "mean_r") == pytest.approx(
        0.738821, abs=SIX
    )
    assert _value(report, "raters", "judge", "mean_r") == pytest.approx(
        0.889955, abs=SIX
    )
    difference = figure(report, "raters", "judge - people", "mean_r").estimate
    assert difference.value == pytest.approx(0.889955 - 0.738821, abs=2 * SIX)
    assert difference.interval is not None


def test_each_pair_of_people_and_the_judge_with_each() -> None:
    ratings = by_rater(_items())
    pairs = [mean_r(x, [y]) for x, y in human_pairs(ratings)]
    between = [0.815385, 0.938462, 0.800762, 0.753846, 0.494087, 0.630387]
    assert pairs == pytest.approx(between, abs=SIX)
    score = _judge().joined.score
    each = [0.996732, 0.822853, 0.910671, 0.829565]
    assert [mean_r(score, [rater]) for rater in ratings.T] == pytest.approx(
        each, abs=SIX
    )


def test_against_the_mean_person(report: ScoreReport) -> None:
    assert _value(report, "agreement", "judge", "r") == pytest.approx(0.991765, abs=SIX)
    assert _value(report, "agreement", "judge", "rho") == pytest.approx(
        0.985611, abs=SIX
    )


def test_leave_one_out_is_fair(report: ScoreReport) -> None:
    assert _value(report, "raters", "people", "leave_one_out_r") == pytest.approx(
        0.819503, abs=SIX
    )
    assert _value(report, "raters", "judge", "leave_one_out_r") == pytest.approx(
        0.980046, abs=SIX
    )
    ratings = by_rater(_items())
    each = [
        mean_r(x, [y]) for x, y in zip(ratings.T, leave_one_out(ratings), strict=True)
    ]
    assert each == pytest.approx([0.982639, 0.747109, 0.868243, 0.680020], abs=SIX)


def test_single_samples_and_medians() -> None:
    samples, raters = _judge().joined.scores["samples"], list(by_rater(_items()).T)
    assert mean_r(samples[:, 0], raters) == pytest.approx(0.888652, abs=SIX)
    assert mean_r(samples[:, 1], raters) == pytest.approx(0.817933, abs=SIX)
    assert mean_r(_judge("median").joined.score, raters) == pytest.approx(
        0.888652, abs=SIX
    )


def test_growth_ends_at_all_samples(report: ScoreReport) -> None:
    [growth] = report.growth
    assert growth.by_samples[-1] == pytest.approx(0.889955, abs=SIX)
    one = figure(report, "raters", "judge", "one_sample_mean_r").estimate.value
    assert growth.by_samples[0] == pytest.approx(one, abs=1e-12)
    rising = [r for r in growth.by_samples if r is not None]
    assert rising == sorted(rising)


def test_icc_by_hand() -> None:
    """Rows (1, 2), (3, 4), (5, 6): between 8, within .5; (8 - .5) / 8.5 and 7.5 / 8."""
    _, columns = icc_columns(np.array([[1.0, 2], [3, 4], [5, 6]]))
    sums = np.array([column.sum() for column in columns])
    assert icc_of_sums(sums, of_mean=False) == pytest.approx(7.5 / 8.5)
    assert icc_of_sums(sums, of_mean=True) == pytest.approx(7.5 / 8)
    _, columns = icc_columns(np.array([[1.0, np.nan], [np.nan, 4]]))  # without repeats
    assert np.isnan(icc_of_sums(np.array([c.sum() for c in columns]), of_mean=False))


def test_realism_shares_and_majorities() -> None:
    """Shares .8 .2 1 .5 against 1 0 1 1: the undecided last item is left out."""
    samples = [(1, 1, 1, 0, 1), (0, 0, 1, 0, 0), (1, 1, 1, 1, 1), (0, 1, None, 1, 0)]
    values = [reduce_samples(row, BINARY).value for row in samples]
    rows = [(str(n), "P", value) for n, value in enumerate((1.0, 0, 1, 1))]
    items = rated_items(list("0123"), rows, BINARY)
    votes = judge_of_labels("judge", items, values)
    assert votes.joined.score.tolist() == [0.8, 0.2, 1.0, 0.5]
    [got] = compare_scores(items, [votes], OPTIONS).binary
    assert (got.items, got.undecided_judge, got.undecided_people) == (3, 1, 0)
    assert (got.accuracy, got.balanced_accuracy, got.phi) == (1, 1, pytest.approx(1))
    assert got.majority_baseline == pytest.approx(2 / 3)


def test_a_constant_judge_has_no_r_but_an_error() -> None:
    items = _items()
    constant = judge("constant judge", items, np.full(6, 0.5), variance=np.zeros(6))
    got = compare_scores(items, [constant], OPTIONS)
    for name in ("r", "rho", "tau_b"):
        one = figure(got, "agreement", "constant judge", name)
        assert one.estimate.value is None
        assert one.reason
    mse = ((items.score - 0.5) ** 2).mean()
    assert _value(got, "agreement", "constant judge", "mse") == pytest.approx(mse)
    text = json.dumps(plain(got), allow_nan=False)
    assert "NaN" not in text
    shown = [cell for one in score_tables(got) for row in one.rows for cell in row]
    assert not [cell for cell in shown if "nan" in cell.lower()]
    assert "no rho" in got.verdicts[0]
