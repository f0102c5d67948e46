"""Pooled figures, intervals that draw calls, systems compared, events agreed on."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from blueprints import UserError
from tests.support.calls import spoken
from tests.support.sheets import write_sheet
from trace_eval.conversations.definitions import DEFINITIONS
from trace_eval.conversations.definitions.base import Event, Measured
from trace_eval.data.conversation import ConversationItem
from trace_eval.estimate.options import IntervalOptions
from trace_eval.turns.agree import agree_on_events, read_event_labels
from trace_eval.turns.compare import compare_systems
from trace_eval.turns.everything import call_rows
from trace_eval.turns.figures import figures_of
from trace_eval.turns.limits import failed, limited, undecided
from trace_eval.turns.options import FigureOptions, TimingLimits
from trace_eval.turns.report import TurnsReport, measure_items

OWN = DEFINITIONS["trace-eval/2"]


def _pool(values: Sequence[Sequence[float]], **options: int) -> dict[str, float | None]:
    measured = [Measured(values={"response": one}) for one in values]
    names = [str(n) for n in range(len(values))]
    figures = figures_of(OWN, measured, names, options=FigureOptions(**options))
    return {name: figure.value for name, figure in figures.items()}


def test_quantiles_are_numpy_s_over_all_events() -> None:
    rng = np.random.default_rng(3)
    values = [list(rng.lognormal(size=size)) for size in rng.integers(0, 9, 30)]
    pooled = [value for one in values for value in one]
    pool = _pool(values)
    for name, q in (
        ("response_p50_s", 0.5),
        ("response_p90_s", 0.9),
        ("response_p95_s", 0.95),
    ):
        assert pool[name] == pytest.approx(np.quantile(pooled, q), abs=1e-12)


def test_figures_of_few_events_are_hidden_and_say_so() -> None:
    # 4 events: under the 5 of a median; 5 events: shown; p90 needs 20
    assert _pool([[1, 2], [3, 4]])["response_p50_s"] is None
    assert _pool([[1, 2], [3, 4, 5]])["response_p50_s"] == 3
    assert _pool([[1, 2], [3, 4, 5]])["response_p90_s"] is None
    assert _pool([[1, 2], [3, 4, 5]], min_events=1)["response_p90_s"] is not None
    measured = [Measured(ratios={"reply_rate": (3, 9)})]
    figure = figures_of(OWN, measured, ["1"])["reply_rate"]
    assert (figure.value, figure.reason) == (None, "few")
    assert (figure.numerator, figure.denominator) == (3, 9)


def test_the_median_with_replies_that_never_came() -> None:
    inf = float("inf")

    def of(values: list[float]) -> tuple[float | None, str | None]:
        figures = figures_of(
            OWN, [Measured(values={"response_or_never": values})], ["1"]
        )
        figure = figures["response_or_never_p50_s"]
        return figure.value, figure.reason

    assert of([1, 2, 3, inf, inf])[0] == 3
    assert of([1, 2, inf, inf, inf]) == (None, "over half had no reply")


def test_intervals_draw_conversations_and_cover_what_was_planted() -> None:
    # Replies of a call share its own level; the truth is the median over many calls.
    # Drawing single replies would cover it in about half of the worlds.
    rng = np.random.default_rng(5)

    def world(calls: int) -> NDArray[np.float64]:
        return np.exp(
            0.5 * rng.normal(size=(calls, 1)) + 0.2 * rng.normal(size=(calls, 6))
        )

    only_the_median = dataclasses.replace(OWN, specs=OWN.specs[:1])
    truth = float(np.median(world(20_000)))
    covered = []
    for _ in range(60):
        measured = [Measured(values={"response": list(one)}) for one in world(40)]
        names = [str(n) for n in range(40)]
        figures = figures_of(only_the_median, measured, names)
        low_high = figures["response_p50_s"].interval
        covered.append(low_high[0] <= truth <= low_high[1])
    # 95 % of 60 worlds is 57; fewer than 51 has a probability of 1 in 1,000
    assert sum(covered) >= 51


def test_runs_of_one_scenario_are_drawn_together() -> None:
    values = [[float(n)] * 3 for n in range(20) for _ in range(2)]
    measured = [Measured(values={"response": one}) for one in values]
    together = figures_of(OWN, measured, [str(n // 2) for n in range(40)])[
        "response_mean_s"
    ]
    apart = figures_of(OWN, measured, [str(n) for n in range(40)])["response_mean_s"]
    # Twins are no news: the interval is wider by about the square root of two.
    ratio = np.ptp(together.interval) / np.ptp(apart.interval)
    assert ratio == pytest.approx(2**0.5, rel=0.1)


def test_domains_are_averaged_where_the_set_s_authors_do() -> None:
    tau = DEFINITIONS["tau-voice/1.0"]
    measured = [Measured(ratios={"response_rate": (said, 1)}) for said in (1, 1, 1, 0)]
    names = list("1234")
    by_domain = figures_of(tau, measured, names, list("aaab"))["response_rate"]
    assert by_domain.value == 0.5  # the plain mean of 1 and 0
    assert figures_of(tau, measured, names)["response_rate"].value == 0.75


def _report(replies: dict[str, float], runs: int = 1) -> TurnsReport:
    """Report on calls of scenarios: the user speaks from 0 to 1, then is answered."""
    calls = {
        n: spoken([(0.0, 1.0)], [(1 + gap, 6 + gap)], end=12.0)
        for n, gap in replies.items()
    }
    items = [
        ConversationItem(id=f"{name}-run{again}", question_id=name, conversation=call)
        for name, call in calls.items()
        for again in ("", "-again")[:runs]
    ]
    return measure_items(items, OWN)


DRAWS = IntervalOptions()

OLD = {f"s{n}": 0.5 + 0.2 * n for n in range(12)}


def _later(by: float, without: int = 0) -> dict[str, float]:
    return {name: gap + by for name, gap in list(OLD.items())[without:]}


def test_systems_are_compared_scenario_by_scenario() -> None:
    # The hard scenarios are slow for both; the new system is 0.3 s slower in each.
    comparison = compare_systems(
        _report(_later(0.3) | {"only": 1.0}), _report(OLD), DRAWS
    )
    mean = comparison.by_figure["response_mean_s"]
    assert (mean.scenarios, mean.higher, mean.lower) == (12, 12, 0)
    assert mean.median == pytest.approx(0.3)
    assert mean.p == pytest.approx(2 * 0.5**12)
    assert mean.median_interval == pytest.approx((0.3, 0.3))
    assert comparison.only_first == ("only",)
    assert comparison.sentence() == (
        "this system answers 0.30 s later than the other one [0.30, 0.30], in 12 of"
        " 12 calls"
    )
    back = compare_systems(_report(OLD), _report(_later(0.3)), DRAWS)
    assert (
        "0.30 s sooner than the other one [0.30, 0.30], in 12 of 12 calls"
        in back.sentence()
    )
    same = compare_systems(_report(OLD), _report(OLD), DRAWS)
    assert same.sentence().startswith("No difference in answering is shown between")
    few = compare_systems(_report(_later(0.3, 8)), _report(OLD), DRAWS)
    assert "too few calls for an interval (from 6 pairs on)" in few.sentence()


def test_scenarios_of_several_calls_are_not_counted_as_calls() -> None:
    old = _report(OLD)
    twice = compare_systems(_report(_later(0.3), runs=2), old, DRAWS).sentence()
    assert twice.endswith("in 12 of 12 scenarios")
    few = compare_systems(_report(_later(0.3, 8), runs=2), old, DRAWS).sentence()
    assert few.endswith(
        "in 4 of 4 scenarios; too few scenarios for an interval (from 6 pairs on)"
    )


def test_calls_of_other_scenarios_are_compared_unpaired() -> None:
    new = {f"x{name}": gap for name, gap in _later(4.0).items()}
    comparison = compare_systems(_report(new), _report(OLD), DRAWS)
    one = comparison.by_figure["response_p50_s"]
    assert (comparison.paired, one.scenarios, one.higher) == (False, 12, 0)
    assert one.median == pytest.approx(4.0)
    assert 2 < one.median_interval[0] < 4 < one.median_interval[1] < 6
    assert "none of one scenario" in comparison.sentence()


@pytest.mark.parametrize(
    ("by", "without", "verdict"),
    [
        (0.6, 0, "fail"),  # later by more than is allowed, in 12 of 12 calls
        (0.1, 0, "pass"),
        (0.6, 8, "cannot tell"),  # four calls
        (0.0, 8, "cannot tell"),  # too few to pass, too
        (-0.6, 0, "pass"),
    ],
)
def test_a_release_that_answers_later_is_stopped(
    by: float, without: int, verdict: str
) -> None:
    new, old = _report(_later(by, without)), _report(OLD)
    limits = TimingLimits(fail_over=("response_p90_s=+0.2", "response_p50_s=+0.2"))
    rows = limited(limits, new, compare_systems(new, old, DRAWS))
    assert [row.verdict for row in rows] == [verdict] * 2, rows
    assert (failed(rows), undecided(rows)) == (
        verdict == "fail",
        verdict == "cannot tell",
    )


def test_limits_without_a_sign_bound_the_figure_itself() -> None:
    new = _report(_later(0.6))  # response_p50_s is 1.1 + .6 = 2.2 s
    limits = TimingLimits(
        ("response_p50_s=2", "response_tool_p50_s=9"), ("reply_rate=0.98",)
    )
    over, unknown, rate = limited(limits, new)
    assert (over.verdict, unknown.verdict, rate.verdict) == ("fail", "fail", "pass")
    assert unknown.why == "not known: none"  # what was not measured did not pass
    for text, said in (
        ("response_p50_s=+0.2", "name its calls by --against"),
        ("response_p5_s=1", "no such figure; use one of response_p50_s"),
        ("response_p50_s=nan", "write NAME=NUMBER"),
        ("response_p50_s", "write NAME=NUMBER"),
    ):
        with pytest.raises(UserError, match=said):
            limited(TimingLimits((text,)), new)


def test_a_row_per_call_names_its_worst_event() -> None:
    rows = call_rows(_report({"quick": 0.5, "slow": 2.5}))
    assert [row["worst_event"] for row in rows] == ["response", "dead_air"]
    for name in ("worst_s", "response_p50_s"):
        assert [row[name] for row in rows] == pytest.approx([0.5, 2.5])


def test_measured_events_agree_with_labelled_ones(tmp_path: Path) -> None:
    report = _report({f"s{n}": 0.5 + 0.1 * n for n in range(10)})
    # The response of s<n> begins at 1 s. Labelled 0.1 s later in eight calls, 3 s later
    # in one, and not at all in the last: recall 8 of 9, precision 8 of 10.
    path = tmp_path / "labels.csv"
    rows = [f"s{n}-run,response,{1.1 if n < 8 else 4.0}" for n in range(9)]
    rows.append("s9-run,speech,0")
    write_sheet(path, "conversation,kind,start", rows)
    (found,) = agree_on_events(
        report, read_event_labels(path), options=IntervalOptions()
    )
    assert (found.labelled, found.measured, found.both) == (9, 10, 8)
    assert found.recall == pytest.approx(8 / 9)
    assert found.precision == pytest.approx(0.8)
    assert found.start_ms == pytest.approx(100)
    assert found.recall_interval[0] < 8 / 9 < found.recall_interval[1]
    with pytest.raises(UserError, match="no conversation of the report is among"):
        agree_on_events(report, {"other": [Event("response", 1, 2)]})
