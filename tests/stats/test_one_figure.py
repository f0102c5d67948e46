"""One fact, one figure: the same unit, ties, test and digits wherever it is shown."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.support.cli import trace_eval
from tests.support.datasets_made import write_rows
from tests.support.judged import judged_run
from tests.support.label_tables import QUICK, table
from trace_eval.decide.agree import agree, agree_read
from trace_eval.decide.answers import agree_answer
from trace_eval.decide.card import make_cards
from trace_eval.decide.rank import rank
from trace_eval.decide.rank_answer import rank_answer
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.share import digits
from trace_eval.show.table import NOTHING, p_value
from trace_eval.show.table import grid as shown_table
from trace_eval.stats.agreement.score import INSTRUCTIONS
from trace_eval.stats.options import AgreeOptions, RankOptions
from trace_eval.stats.report import ITEMS


@pytest.mark.parametrize(
    ("number", "decimals"),
    [(1, 2), (13, 2), (100, 2), (101, 3), (1_000, 3), (1_001, 4), (None, 4)],
)
def test_no_digit_is_finer_than_one_item(number: int | None, decimals: int) -> None:
    assert digits(number) == decimals
    rows = [("j", number, 9 / 13, IntervalEstimate(9 / 13, (0.4, 0.9)))]
    (row,) = shown_table("t", ("judge", "items", "share", "accuracy"), rows).rows
    assert row[2] == f"{9 / 13:.{decimals}f}"
    ends = min(decimals, 3)
    assert row[3] == f"{9 / 13:.{ends}f} [{0.4:.{ends}f}, {0.9:.{ends}f}]"


def test_one_item_tests_nothing() -> None:
    assert p_value(1.0, 1) == NOTHING
    assert p_value(0.5, 2) == "0.5000"
    assert p_value(0.5) == "0.5000"


def test_judge_and_people_have_one_test_on_the_same_pairs(tmp_path: Path) -> None:
    """30 wins of 44: exact p .0226; the score test that annotators had gives .016."""
    rows = [(f"p{n}", "x", "y", "1" if n < 30 else "2") for n in range(44)]
    judged = write_rows(
        tmp_path / "j.csv", ("id", "system_a", "system_b", "preference"), rows
    )
    labels = write_rows(
        tmp_path / "l.csv", ("id", "preference"), ((r[0], r[3]) for r in rows)
    )
    by_judge, by_people, *_ = trace_eval(
        "rank", judged, "--labels", labels
    ).out.splitlines()
    tests = [re.search(r"\((.*test, p .*)\)", line) for line in (by_judge, by_people)]
    assert [got and got[1] for got in tests] == ["exact sign test, p = 0.023"] * 2
    report = rank(judged, labels, RankOptions(QUICK))
    assert report.judged[0].rate.p == report.labelled[0].rate.p
    # of few labels beside all judgements, the difference of two systems asks the same
    few = write_rows(
        tmp_path / "few.csv", ("id", "preference"), ((r[0], r[3]) for r in rows[:12])
    )
    powered = rank(judged, few, RankOptions(QUICK)).powered
    assert powered.differences[0].difference.p == powered.systems[0].rate.p
    named = ("id", "system_a", "system_b", "preference", "instruction_id")
    together = [(*row, f"i{n // 2}") for n, row in enumerate(rows)]
    path = write_rows(tmp_path / "i.csv", named, together)
    (first, *_) = rank_answer(rank(path, None, RankOptions(QUICK, cluster=True)))
    assert "score test" in first


def test_report_and_card_draw_the_same_unit(tmp_path: Path) -> None:
    facts = {"instruction_id": [f"i{row // 3}" for row in range(36)]}
    source = table("judge", {"preference": "12" * 18}, **facts)
    labels = table("labels", {"preference": "12" * 12 + "1" * 12}, **facts)
    together = agree_read(source, labels, AgreeOptions())
    alone = agree([source], labels, AgreeOptions())
    assert together.drawn == alone.drawn == INSTRUCTIONS
    assert "(preference; interval over instructions" in agree_answer(together)[0]
    rows = ((f"p{n}", "12"[n % 2], f"i{n // 3}") for n in range(36))
    path = write_rows(
        tmp_path / "judge.csv", ("id", "preference", "instruction_id"), rows
    )
    (card,) = make_cards([path], labels)
    assert card.accuracy[1] == together.scores[0].metrics["accuracy_3way"].interval
    # no instruction is known: pairs are drawn
    unknown = table("labels", {"preference": "1" * 36})
    bare = table("judge", {"preference": "12" * 18})
    assert agree_read(bare, unknown, AgreeOptions()).drawn == ITEMS


def test_the_pages_of_a_run_have_one_interval(tmp_path: Path) -> None:
    """Instructions have three pairs; the report drew pairs, the card instructions."""
    labels = {f"p{n}": "12"[n % 5 < 2] for n in range(36)}
    run = judged_run(tmp_path / "run", labels)
    pairs = [
        json.loads(line) for line in (run / "pairs.jsonl").read_text().splitlines()
    ]
    for n, pair in enumerate(pairs):
        pair["instruction"]["text"] = f"Say {n // 3}."
        pair["labels"] = {"overall": "12"[n % 3 == 0]}
    (run / "pairs.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
    assert trace_eval("report", run).code == 0
    assert trace_eval("card", run).code == 0
    text = re.findall(r"on preference is [^<]*", (run / "report.html").read_text())
    assert text
    assert html.unescape(text[0]).strip() in (run / "card.md").read_text()


@pytest.mark.parametrize(
    ("people", "judge", "words"),
    [
        # 20 of 40 ties against none: .5 over all, and 1 where both name a winner
        (
            "12" * 20,
            "12" * 10 + "t" * 20,
            "The judge ties on 20 of 40 pairs and annotators on none",
        ),
        (
            "12" * 10 + "t" * 20,
            "12" * 20,
            "Annotators tie on 20 of 40 pairs and the judge on none",
        ),
        (
            "12" * 20,
            "12" * 19 + "tt",
            "The judge ties on 2 of 40 pairs and annotators on none",
        ),
        ("12" * 20, "12" * 19 + "1t", None),  # under 5 %
        ("12" * 19 + "t1", "12" * 10 + "t" * 20, None),  # both may tie
        ("12" * 20, "12" * 20, None),
    ],
)
def test_ties_that_one_side_alone_has_are_said_beside_the_figure(
    people: str, judge: str, words: str | None
) -> None:
    for column in ("overall", "preference"):
        source = table("judge", {column: judge})
        report = agree(
            [source], table("labels", {"preference": people}), AgreeOptions()
        )
        (score,) = report.scores
        sentences = agree_answer(report)
        if words is None:
            assert score.ties == ""
            assert not any("on none" in one for one in sentences)
            continue
        both = int(
            np.sum(
                [one != "t" != other for one, other in zip(people, judge, strict=True)]
            )
        )
        assert sentences[1] == score.ties
        assert sentences[1].startswith(
            f"{words}: where both name a winner, in {both}, they agree"
        )
        assert "they agree on 100 % [" in sentences[1]
        assert len(sentences) <= 3
        assert score.verdict.endswith(score.ties)
