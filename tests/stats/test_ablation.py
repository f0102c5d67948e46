from __future__ import annotations

import numpy as np
import pytest

from blueprints import UserError
from fusion import DIMENSIONS
from tests.support.label_tables import QUICK, codes, table
from trace_eval.decide.ablation import ablation_view
from trace_eval.stats.agreement.ablation import (
    ablation_table,
    consensus,
    mode_policy_table,
)

TRUTH = table("labels", {"overall": "1212121212"})


def test_differences_and_tests_by_hand() -> None:
    conditions = {
        "full": table("full", {"overall": "1212121211"}),  # 9 of 10
        "no emotion": table("x", {"overall": "1212111111"}),  # 7 of 10
        "no accent": table("y", {"overall": "2121121211"}),  # 5 of 10
    }
    full, emotion, accent = ablation_table(conditions, TRUTH, options=QUICK).rows
    assert (full.accuracy, full.mcnemar, full.difference.value) == (0.9, None, None)
    assert emotion.difference.value == pytest.approx(-0.2, abs=1e-12)
    # discordant: p5, p7 only by full: p = 2 / 2^2; accent p0-p3 only by full: 2 / 2^4
    assert emotion.mcnemar is not None
    assert emotion.mcnemar.p == pytest.approx(1 / 2, abs=1e-12)
    assert accent.mcnemar is not None
    assert (accent.mcnemar.only_first, accent.mcnemar.p) == (4, 1 / 8)
    assert accent.p_holm == pytest.approx(1 / 4, abs=1e-12)
    assert emotion.p_holm == pytest.approx(1 / 2, abs=1e-12)
    low, high = emotion.difference.interval or (0, 0)
    assert low <= -0.2 <= 0 < high  # two of ten show nothing


def test_repeats_show_their_noise() -> None:
    runs = [
        table("0", {"overall": "1212121212"}),
        table("1", {"overall": "1212121211"}),
    ]
    full, other = ablation_table(
        {"full": runs, "none": table("x", {"overall": "1212121212"})}, TRUTH, options=QUICK
    ).rows
    assert full.repeats == 2
    assert full.accuracy == pytest.approx(0.95, abs=1e-12)
    assert full.run_to_run == pytest.approx(0.9, abs=1e-12)
    # accuracies 1.0 and 0.9: standard deviation 0.1 / sqrt(2)
    assert full.spread == pytest.approx(0.1 / 2**0.5, abs=1e-12)
    assert other.difference.value == pytest.approx(0.05, abs=1e-12)
    # equal votes go to the earliest repeat, which is right everywhere
    assert other.mcnemar is not None
    assert other.mcnemar.p == 1


def test_consensus_by_hand() -> None:
    votes = [codes("11g-"), codes("122-"), codes("22b-")]
    assert consensus(np.stack(votes)).tolist() == codes("12g-").tolist()


def test_a_condition_may_carry_its_repeats_in_a_column() -> None:
    both = table("x", {"overall": "1212"}, id=["p0", "p1"] * 2, repeat=["0", "0", "1", "1"])
    labels = table("labels", {"overall": "12"})
    assert ablation_table({"full": both}, labels, options=QUICK).rows[0].repeats == 2


def test_modes_and_policies() -> None:
    # content decides the tree; the two others outvote it
    judged = {"content": "1111", "voice_quality": "2222", "paralinguistics": "2222"}
    labels = table("labels", {"overall": "1112"})
    result = mode_policy_table(
        {"blueprint": table("b", judged), "transcript": table("t", dict.fromkeys(judged, "1111"))},
        labels,
        options=QUICK,
    )
    found = {row.condition: row.accuracy for row in result.rows}
    assert result.reference == "blueprint / tree"
    assert found == {
        "blueprint / tree": 0.75,
        "blueprint / vote": 0.25,
        "transcript / tree": 0.75,
        "transcript / vote": 0.75,
    }
    assert len(ablation_view(result).rows) == 4


def test_all_dimensions_are_reported_and_clusters_work() -> None:
    columns = dict.fromkeys(DIMENSIONS, "1212121212")
    labels = table("labels", columns, instruction_id=[f"i{n // 2}" for n in range(10)])
    other = table("y", dict.fromkeys(DIMENSIONS, "1111111111"))
    result = ablation_table(
        {"full": table("x", columns), "other": other}, labels, cluster=True, options=QUICK
    )
    assert len(result.rows) == 2 * len(DIMENSIONS)
    # every instruction has one right and one wrong, and five of them do not show that all have
    found = result.rows[1].difference
    assert found.value == pytest.approx(-0.5, abs=1e-12)
    assert found.interval is not None
    assert found.interval[0] < -0.8 < 0.1 < found.interval[1]


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UserError, match="reference 'x' is not among full"):
        ablation_table({"full": TRUTH}, TRUTH, reference="x")
    with pytest.raises(UserError, match="no dimension that all conditions"):
        ablation_table({"full": table("f", {"content": "1" * 10})}, TRUTH)
    with pytest.raises(UserError, match="at least one condition"):
        ablation_table({}, TRUTH)


def test_preference_labels_are_compared() -> None:
    labels = table("labels", {"preference": "12t"})
    conditions = {
        "full": table("f", {"overall": "12g"}),
        "other": table("o", {"overall": "11b"}),
    }
    result = ablation_table(conditions, labels, options=QUICK)
    assert [(row.dimension, row.accuracy) for row in result.rows] == [
        ("preference", 1.0),
        ("preference", pytest.approx(2 / 3, abs=1e-12)),
    ]
    judged = dict.fromkeys(DIMENSIONS, "12g")
    modes = mode_policy_table({"m": table("m", judged)}, labels, options=QUICK)
    assert {row.dimension for row in modes.rows} == {"preference"}


def test_a_condition_without_items_is_no_test() -> None:
    conditions = {
        "full": table("f", {"overall": "1212121212"}),
        "worse": table("w", {"overall": "1212111111"}),
        "nothing": table("n", {"overall": "----------"}),
    }
    _, worse, nothing = ablation_table(conditions, TRUTH, options=QUICK).rows
    assert (nothing.items, nothing.mcnemar, nothing.p_holm) == (0, None, None)
    assert worse.mcnemar is not None
    assert worse.p_holm == worse.mcnemar.p  # a family of one
