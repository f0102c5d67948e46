"""The number of labels in a sentence shows the difference in eight of ten cases.

The condition of the sentence is kept: labels of the first look stay, and what is added
is drawn from pairs like those that were seen.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.coverage.next_look import BesideRule, Systems, next_looks, worlds
from benchmarks.report import stored
from tests.support.cli import ROOT, trace_eval

#: Draws with a number, of each world; .7 is 2.7 standard errors below .8. Where few
#: labels are missing, whole labels make it up to .88.
DRAWS = 120


@pytest.mark.parametrize("world", worlds()[:7], ids=lambda world: world.name)
def test_labels_that_are_named_tell_the_difference(world: Systems | BesideRule) -> None:
    looks, _ = next_looks(world, DRAWS, as_it_is=False)
    assert 0.7 <= np.mean(looks) <= 0.93


def test_the_chance_is_lower_where_the_difference_looks_larger_than_it_is() -> None:
    looks, truths = next_looks(Systems(0.52, 40), DRAWS)
    assert (
        np.mean(truths) < 0.65 < 0.7 <= np.mean(looks)
    )  # why the sentence names its condition


def test_the_number_that_agree_prints_is_that_of_a_paired_test(tmp_path: Path) -> None:
    """A rule's accuracy, taken as exact, halves the labels, and tells half of them."""
    truth = np.arange(60) % 2
    wrong = (
        np.arange(60) % 5 < 2
    )  # right on 60 %, where always saying A is right on 50 %
    _write(tmp_path / "people.csv", truth)
    _write(tmp_path / "judge.csv", np.where(wrong, 1 - truth, truth))
    typed = ("agree", tmp_path / "judge.csv", "--labels", tmp_path / "people.csv")
    said = " ".join(trace_eval(*typed, ends=0).out.split())
    assert "not told apart from the best simple rule, majority class at 50 %" in said
    named = re.search(r"bout ([\d,]+) more pairs with a label", said)
    assert named
    more = int(named[1].replace(",", ""))
    judge_alone = float(
        np.mean(~wrong & (truth == 1))
    )  # the judge is right, the rule is not
    rule_alone = float(np.mean(wrong & (truth == 0)))
    chances = (judge_alone, rule_alone, 1 - judge_alone - rule_alone)
    added = np.random.default_rng(0).multinomial(more, chances, 4_000)[:, :2]
    seen = np.array([60 * judge_alone, 60 * rule_alone])
    higher, lower = (seen + added).T
    p = 2 * binom.cdf(np.minimum(higher, lower), higher + lower, 0.5)
    assert 0.7 <= np.mean(p <= 0.025) <= 0.9


def _write(path: Path, labels: np.ndarray) -> None:
    with path.open("w", newline="") as file:
        rows = [(f"p{number}", "AB"[label]) for number, label in enumerate(labels)]
        csv.writer(file).writerows([("id", "preference"), *rows])


def test_the_page_has_the_shares_of_the_stored_worlds() -> None:
    rows = stored("coverage_next_look")["worlds"]
    assert rows.keys() == {world.name for world in worlds()}
    page = " ".join((ROOT / "docs" / "reference" / "statistics.md").read_text().split())
    words = {
        "as it looks": "with the difference as it looked",
        "as it is": "with the true",
    }
    for about, said in words.items():
        shares = [row[about]["share"] for row in rows.values()]
        assert f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % {said}" in page
    for row in rows.values():
        assert row["as it looks"]["to"] >= 0.8
        assert row["as it looks"]["from"] <= 0.9
