"""A judge that answers by place is found out and said so, wherever its ratings go."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from fusion import DIMENSIONS, POLICIES, TYPED_TIE, Rating
from tests.support.cli import trace_eval
from tests.support.reviewed import pairs, write_run
from trace_eval.data.items import Labels
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.decide.agree import agree
from trace_eval.judges.combine.orders import labelled_judgement
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.outcomes import VerdictRow, first_position_test
from trace_eval.runs.run import Run


def votes(pair: str, *by_order: Rating, elsewhere: Rating | None = None) -> Judgement:
    """Judge by ratings of content in the orders ab and ba, in the pair's own A and B.

    The other dimensions are rated alike, or ``elsewhere``.
    """
    opinions = [
        VerdictOpinion(
            order=order,
            ratings={
                **dict.fromkeys(DIMENSIONS, elsewhere or rating),
                "content": rating,
            },
            reasoning={},
        )
        for order, rating in zip(("ab", "ba"), by_order, strict=True)
    ]
    dimensions = {name: name for name in DIMENSIONS}
    return labelled_judgement(
        pair, "openai:m", opinions=opinions, scale=TYPED_TIE, questions=dimensions
    )


ALWAYS_FIRST = (Rating.A, Rating.B)  # the first shown wins: A in ab, B in ba
HONEST = (Rating.B, Rating.B)


def test_ratings_by_place_are_counted_per_pair() -> None:
    outcomes = [VerdictRow.of(votes(f"p{n}", *ALWAYS_FIRST)) for n in range(7)]
    got = first_position_test(outcomes)
    assert (got.pairs, got.consistent, got.ratings) == (7, 0, 21)
    assert (got.first, got.second) == (21, 0)
    # Seven pairs that all lean one way: 2 / 2**7. The three ratings of one are no three
    # proofs.
    assert got.p == pytest.approx(2 / 2**7)
    assert got.warning is None
    outcomes.append(VerdictRow.of(votes("p7", *ALWAYS_FIRST)))
    warned = first_position_test(outcomes)
    assert warned.p == pytest.approx(2 / 2**8)
    assert "answers by position" in warned.warning
    assert "must not be used" in warned.warning


def test_honest_and_silent_judges_are_not_accused() -> None:
    honest = first_position_test(
        VerdictRow.of(votes(f"p{n}", *HONEST)) for n in range(20)
    )
    assert (honest.consistent, honest.first + honest.second, honest.p) == (20, 0, 1.0)
    silent = VerdictRow.of(Judgement.unscored("p", "x", "unreachable", "down"))
    assert first_position_test([silent]) is None


def run_of(folder: Path, label: Rating, judged: list[Judgement]) -> Path:
    """Write a run of these judgements of p0, p1, ..., which annotators label alike."""
    labels = Labels(**dict.fromkeys((*DIMENSIONS, "overall"), label))
    # each to an instruction of its own, as pairs of one are no trials of their own
    items = [
        pair.model_copy(update={"labels": labels, "instruction_id": pair.id})
        for pair in pairs(folder, len(judged))
    ]
    return write_run(folder / "run", items, {one.pair: one for one in judged})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return run_of(tmp_path, Rating.A, [votes(f"p{n}", *ALWAYS_FIRST) for n in range(9)])


def test_it_is_said_beside_results_agreement_and_ranking(run: Path) -> None:
    shown = trace_eval("show", run, ends=0)
    row = next(line for line in shown.out.splitlines() if line.startswith("p0"))
    assert row.split()[1:5] == ["both_good!"] * 4
    assert "! inconsistent: the two orders contradict each other" in shown.out
    assert "0 of 9 pairs consistent under swap (0%)" in shown.out
    for command in ("show", "agree", "rank"):
        done = trace_eval(command, run)
        text = " ".join(done.err.split())
        assert "this judge answers by position, not by content" in text, (command, done)
    report = agree([read_opinions(run)])
    assert report.warnings[0].check == "place"


def test_the_report_hatches_and_warns(run: Path, tmp_path: Path) -> None:
    from trace_eval.report.write import write_report

    path = write_report(run, tmp_path / "report.html")
    html = Path(path or tmp_path / "report.html").read_text()
    assert "Do not use these ratings:" in html
    assert "Do not use this ranking:" in html
    assert 'class="part g hatched"' in html
    assert "both good: 9 (9 inconsistent)" in html
    assert Run.open(run).outcomes()["p0"].inconsistent == DIMENSIONS


@pytest.fixture
def bound(tmp_path: Path) -> Path:
    """Write a run whose content goes to the first place in 12 of 15 pairs, else to A.

    The other three are B, honestly.
    """
    judged = [votes(f"p{n}", *ALWAYS_FIRST, elsewhere=Rating.A) for n in range(12)]
    judged += [votes(f"p{n}", *HONEST) for n in range(12, 15)]
    return run_of(tmp_path, Rating.B, judged)


def test_what_it_contradicts_itself_on_wins_nothing(
    bound: Path, tmp_path: Path
) -> None:
    def row(*options: str) -> tuple[list[str], str]:
        done = trace_eval("rank", bound, "--full", *options, ends=0)
        lines = [line.split() for line in done.out.splitlines()]
        rows = (
            line for line in lines if line[:1] == ["secret-one"] and "wins" not in line
        )
        return next(rows), " ".join(done.err.split())

    text, words = row()
    assert text[1:4] == ["3", "0", "3"]  # comparisons, wins, losses
    assert "12 of 15 comparisons are left out: this judge answers by position" in words
    assert "--keep-inconsistent keeps them" in words
    text, words = row("--keep-inconsistent")
    assert text[1:4] == ["15", "12", "3"]
    assert "left out: this judge" not in words
    # a dimension on which the orders agree is not contradicted
    text, words = row("--dimension", "voice_quality")
    assert text[1:4] == ["15", "12", "3"]
    # rows of a file that show the same answers both ways round are the same two orders
    path = tmp_path / "twice.csv"
    lines = ["id,overall,system_a,system_b,clip_a,clip_b"]
    for n in range(12):
        lines += [f"p{n},1,x,y,a{n},b{n}", f"q{n},1,y,x,b{n},a{n}"]
    path.write_text("\n".join([*lines, "z,1,x,y,a,b"]) + "\n")
    told = " ".join(trace_eval("rank", path).err.split())
    assert "24 of 25 comparisons are left out" in told
    assert "first wins in both orders of 12 of 12 pairs, p = 0.00049" in told


def test_every_table_names_the_policy(bound: Path, tmp_path: Path) -> None:
    from trace_eval.report.write import write_report

    other = tmp_path / "other"
    shutil.copytree(bound, other)
    policies = [*(POLICIES[name] for name in ("majority_vote", "content_first_strict"))]
    own = dataclasses.replace(
        policies[1], name="mine"
    )  # by a name that nobody else knows
    for folder, policy in ((bound, policies[0]), (other, own)):
        fuse_again(folder, policy)
    for command in (
        ("agree", bound, "--full"),
        ("rank", bound, "--keep-inconsistent", "--full"),
        ("card", bound, "--full"),
    ):
        done = trace_eval(*command, ends=0)
        tables = [part for part in done.out.split("\n\n") if "secret-one" in part]
        assert "majority_vote" in done.out, command
        assert all("majority_vote" in part for part in tables), command
    again = trace_eval("agree", bound, "--policy", "content_first", "--full")
    assert "overall label: content_first" in again.out
    assert "majority_vote" not in again.out
    both = trace_eval("compare", bound, other, "--full")
    assert "overall labels: majority_vote of run, mine of other" in " ".join(
        both.out.split()
    )
    assert "Policy of the overall label: majority" in (bound / "card.md").read_text()
    html = Path(write_report(bound, tmp_path / "page.html") or "").read_text()
    assert html.count("Overall label: majority_vote.") == 2
    # calls are not fused with a policy that nobody asked for
    report = agree([read_opinions(other)])
    assert {row.dimension for row in report.position if row.basis == "calls"} == set(
        DIMENSIONS
    )
    assert report.policies == {"openai:m": "mine"}
