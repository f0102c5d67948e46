"""Raters to look at, by published rules, and one rater left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import raters
from blueprints import UserError
from tests.support.cli import refused, trace_eval
from trace_eval.decide.agree import agree
from trace_eval.stats.agreement.suspects import check_raters


def _scores(rng: np.random.Generator) -> tuple[list[str], list[str], np.ndarray]:
    """Draw nine raters of 30 items who hear the same, and one who types numbers."""
    truth = rng.uniform(1, 5, 30)
    names, items, values = [], [], []
    for rater in range(10):
        for item in range(30):
            heard = (
                truth[item] + rng.normal(0, 0.4) if rater else rng.choice((0.5, 5.5))
            )
            names.append(f"L{rater}")
            items.append(f"s{item}")
            values.append(float(heard))
    return names, items, np.array(values)


def test_a_rater_who_types_numbers_is_flagged_by_both_rules_and_nobody_else() -> None:
    names, items, values = _scores(np.random.default_rng(2))
    rows = check_raters(names, items, values, of_scores=True)
    assert rows[0].rater == "L0"
    assert rows[0].reasons == ("rejected by BT.500", "agrees far less than the others")
    assert not any(row.flagged for row in rows[1:])


@pytest.mark.parametrize("study", ["cs401", "cs501"])
def test_of_real_listeners_those_are_flagged_whom_published_rules_flag(
    data: Path, study: str
) -> None:
    """The rules are written down a second time, vote by vote, in the benchmark."""
    votes = raters.read(data / "votes" / f"{study}.csv")
    names, items, values = zip(*votes, strict=True)
    rows = check_raters(list(names), list(items), np.array(values), of_scores=True)
    rejected = raters.rejected(votes)
    outliers = raters.outliers(dict(raters.correlations(votes)))
    assert rejected
    assert outliers
    assert {row.rater for row in rows if row.flagged} == rejected | outliers


def test_agreement_of_labels_is_the_share_of_the_others_with_the_same_one() -> None:
    # five items, three raters: L2 says what both others say in 3 of 5, what one says in
    # none
    values = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    names = [f"L{rater}" for rater in range(3) for _ in range(5)]
    items = [f"p{item}" for _ in range(3) for item in range(5)]
    rows = {
        row.rater: row
        for row in check_raters(names, items, np.array(values, float), False)
    }
    assert rows["L2"].agreement == pytest.approx(3 / 5)
    assert rows["L0"].agreement == pytest.approx((3 + 2 * 0.5) / 5)
    limits = rows["L2"].interval
    assert limits is not None
    assert limits == pytest.approx((0.2307, 0.8824), abs=2e-4)  # Wilson, of 3 in 5


def test_repeated_items_and_traps_are_counted() -> None:
    names, items = ["L0"] * 6, ["a", "a", "b", "b", "t", "u"]
    values = np.array([0, 0, 0, 1, 1, 1], float)
    (row,) = check_raters(
        names, items, values, of_scores=False, traps={"t": 1.0, "u": 0.0}
    )
    assert (row.repeats, row.same) == (2, 0.5)
    assert (row.traps, row.right) == (2, 0.5)
    traps = {f"t{number}": 0.0 for number in range(12)}
    (fails,) = check_raters(
        ["L0"] * 12, list(traps), np.ones(12), of_scores=False, traps=traps
    )
    assert fails.reasons == ("falls for traps",)


def test_one_label_of_a_rater_says_nothing_of_him() -> None:
    (row,) = check_raters(["L0"], ["p"], np.array([1.0]), of_scores=False)
    assert row.agreement is None
    assert not row.flagged


def test_agree_names_whom_to_look_at_and_leaves_one_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(1, 3, 40)
    judged, labels = tmp_path / "judged.csv", tmp_path / "labels.csv"
    judged.write_text(
        "id,preference\n" + "".join(f"p{n},{one}\n" for n, one in enumerate(truth))
    )
    lines = ["id,rater,preference"]
    for rater in range(6):
        for number, one in enumerate(truth):
            slip = rng.random() < (0.5 if rater == 5 else 0.1)
            lines.append(f"p{number},L{rater},{3 - one if slip else one}")
    labels.write_text("\n".join(lines) + "\n")
    told = " ".join(trace_eval("agree", judged, "--labels", labels).err.split())
    assert "look at 1 of 6 raters: L5 (agrees far less than the others)" in told
    left = trace_eval("agree", judged, "--labels", labels, "--leave-out", "L5")
    assert "look at" not in left.err
    refused("no such rater", "agree", judged, "--labels", labels, "--leave-out", "L9")


@pytest.mark.parametrize("label", ["preference", "score"])
def test_a_column_says_who_fell_for_traps(tmp_path: Path, label: str) -> None:
    """Rows of traps have no label; a hidden reference may have one and stays data."""
    lines = [f"id,rater,system,{label},trap"]
    for rater, word in (("ann", "right"), ("bob", "right"), ("eve", "wrong")):
        lines += [f"p{n},{rater},s{n % 2},{1 + n % 2}," for n in range(10)]
        lines += [f"t{n},{rater},s0,,{word}" for n in range(8)]
        lines.append(f"h,{rater},s0,1,{word}")
    file = tmp_path / "labels.csv"
    file.write_text("\n".join(lines) + "\n")
    judged = tmp_path / "judged.csv"
    rows = [f"p{n},s{n % 2},{1 + n % 2}" for n in range(10)]
    judged.write_text("\n".join([f"id,system,{label}", "h,s0,1", *rows]) + "\n")
    report = agree(judged, file)
    assert [(row.rater, row.traps, row.right) for row in report.checked] == [
        ("eve", 9, 0.0),
        ("ann", 9, 1.0),
        ("bob", 9, 1.0),
    ]
    assert report.checked[0].reasons == ("falls for traps",)
    assert [row.votes for row in report.checked] == [11, 11, 11]
    file.write_text("\n".join(lines).replace("wrong", "maybe") + "\n")
    with pytest.raises(UserError, match="trap is 'maybe'; write right or wrong"):
        agree(judged, file)
