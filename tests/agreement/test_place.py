"""A judge that answers by place is found out and said so, in words, wherever its ratings go."""

from __future__ import annotations

from pathlib import Path

import pytest

from fusion import DIMENSIONS, Rating
from tests.review.support import pairs, write_run
from tests.support.cli import trace_eval
from trace_eval import agreement
from trace_eval.agreement.bias.place import place_test
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.pairs import Labels
from trace_eval.judges.aggregate import typed_judgement
from trace_eval.runs.outcomes import VerdictRow
from trace_eval.runs.run import Run


def said(pair: str, *by_order: Rating) -> Judgement:
    """What comes of the ratings in the orders ab and ba, in the pair's own A and B."""
    opinions = [
        VerdictOpinion(order=order, ratings=dict.fromkeys(DIMENSIONS, rating), reasoning={})
        for order, rating in zip(("ab", "ba"), by_order, strict=True)
    ]
    return typed_judgement(pair, "openai:m", ("ab", "ba"), opinions)


ALWAYS_FIRST = (Rating.A, Rating.B)  # the first shown wins: A in ab, B in ba
HONEST = (Rating.B, Rating.B)


def test_ratings_by_place_are_counted_per_pair() -> None:
    outcomes = [VerdictRow.of(said(f"p{n}", *ALWAYS_FIRST)) for n in range(7)]
    found = place_test(outcomes)
    assert found
    assert (found.pairs, found.consistent, found.ratings) == (7, 0, 21)
    assert (found.first, found.second) == (21, 0)
    # Seven pairs that all lean one way: 2 / 2**7. The three ratings of one are no three proofs.
    assert found.p == pytest.approx(2 / 2**7)
    assert found.warning is None
    outcomes.append(VerdictRow.of(said("p7", *ALWAYS_FIRST)))
    warned = place_test(outcomes)
    assert warned
    assert warned.p == pytest.approx(2 / 2**8)
    assert warned.warning
    assert "answers by position" in warned.warning
    assert "must not be used" in warned.warning


def test_honest_and_silent_judges_are_not_accused() -> None:
    honest = place_test(VerdictRow.of(said(f"p{n}", *HONEST)) for n in range(20))
    assert honest
    assert (honest.consistent, honest.first + honest.second, honest.p) == (20, 0, 1.0)
    assert place_test([VerdictRow.of(Judgement.unscored("p", "x", "unreachable", "down"))]) is None  # type: ignore[arg-type]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    labels = Labels(**dict.fromkeys((*DIMENSIONS, "overall"), Rating.A))
    items = [pair.model_copy(update={"labels": labels}) for pair in pairs(tmp_path, 9)]
    judged = {pair.id: said(pair.id, *ALWAYS_FIRST) for pair in items}
    return write_run(tmp_path / "run", items, judged)


def test_it_is_said_beside_results_agreement_and_ranking(run: Path) -> None:
    shown = trace_eval("show", run)
    assert shown.code == 0, shown.err
    row = next(line for line in shown.out.splitlines() if line.startswith("p0"))
    assert row.split()[1:5] == ["both_good!"] * 4
    assert "! inconsistent: the two orders contradict each other" in shown.out
    assert "0 of 9 pairs consistent under swap (0%)" in shown.out
    for command in ("show", "agree", "rank"):
        done = trace_eval(command, run)
        told = " ".join(done.err.split())
        assert "this judge answers by position, not by content" in told, (command, done)
    report = agreement.agree([agreement.read_source(run)])
    assert report.warnings[0].check == "place"


def test_the_report_hatches_and_warns(run: Path, tmp_path: Path) -> None:
    from trace_eval.report import write_report

    path = write_report(run, tmp_path / "report.html")
    html = Path(path or tmp_path / "report.html").read_text()
    assert "Do not use:" in html
    assert "Do not use this ranking:" in html
    assert 'class="part g hatched"' in html
    assert "both good: 9 (9 inconsistent)" in html
    assert Run.open(run).outcomes()["p0"].inconsistent == DIMENSIONS
