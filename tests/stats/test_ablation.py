from __future__ import annotations

import numpy as np
import pytest

from blueprints import UserError
from fusion import DIMENSIONS
from tests.support.label_tables import QUICK, codes, table, votes_of
from trace_eval.decide.ablation import (
    AblationReport,
    AblationRow,
    ablation_table,
    consensus,
    mode_policy_table,
)
from trace_eval.decide.ablation_answer import ablation_answer, ablation_views
from trace_eval.opinions.opinions import Opinions

TRUTH = table("labels", {"overall": "1212121212"})
TRUTH_OF_MODES = table("labels", {"overall": "1112"})


def compared(labels: Opinions = TRUTH, **overall: str) -> tuple[AblationRow, ...]:
    """Conditions by their labels, the first of which is the reference."""
    conditions = {
        name: [table(name, {"overall": picks})] for name, picks in overall.items()
    }
    return ablation_table(conditions, labels, QUICK).rows


def test_differences_and_tests_by_hand() -> None:
    full, emotion, accent = compared(
        full="1212121211",  # 9 of 10
        emotion="1212111111",  # 7 of 10
        accent="2121121211",  # 5 of 10
    )
    assert (full.accuracy, full.mcnemar, full.difference.value) == (0.9, None, None)
    assert emotion.difference.value == pytest.approx(-0.2, abs=1e-12)
    # discordant: p5, p7 only by full: p = 2 / 2^2; accent p0-p3 only by full: 2 / 2^4
    assert emotion.mcnemar.p == pytest.approx(1 / 2, abs=1e-12)
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
    full, other = ablation_table({"full": runs, "none": runs[:1]}, TRUTH, QUICK).rows
    assert full.repeats == 2
    assert full.accuracy == pytest.approx(0.95, abs=1e-12)
    assert full.run_to_run == pytest.approx(0.9, abs=1e-12)
    # accuracies 1.0 and 0.9: standard deviation 0.1 / sqrt(2)
    assert full.spread == pytest.approx(0.1 / 2**0.5, abs=1e-12)
    assert other.difference.value == pytest.approx(0.05, abs=1e-12)
    # equal votes go to the earliest repeat, which is right everywhere
    assert other.mcnemar.p == 1


def test_consensus_by_hand() -> None:
    votes = [codes("11g-"), codes("122-"), codes("22b-")]
    assert consensus(np.stack(votes)).tolist() == codes("12g-").tolist()


def test_modes_and_policies() -> None:
    # content decides the tree; the two others outvote it
    judged = {"content": "1111", "voice_quality": "2222", "paralinguistics": "2222"}
    modes = {"blueprint": [table("b", judged)]}
    modes["transcript"] = [table("t", dict.fromkeys(judged, "1111"))]
    result = mode_policy_table(modes, TRUTH_OF_MODES, QUICK)
    assert result.reference == "blueprint / content_first"
    accuracy = {row.condition: row.accuracy for row in result.rows}
    assert accuracy.pop("blueprint / majority_vote") == 0.25
    others = (
        "blueprint / content_first",
        "transcript / content_first",
        "transcript / majority_vote",
    )
    assert accuracy == dict.fromkeys(others, 0.75)
    groups = ablation_table({"full": modes["blueprint"]}, TRUTH_OF_MODES, QUICK)
    views = ablation_views(AblationReport(groups, result))
    assert [len(view.rows) for view in views] == [1, 4]


def answer_of(labels: Opinions = TRUTH, **overall: str) -> tuple[str, ...]:
    """Return the sentences on conditions, the first of which is the reference."""
    conditions = {
        name: [table(name, {"overall": picks})] for name, picks in overall.items()
    }
    return ablation_answer(AblationReport(ablation_table(conditions, labels, QUICK)))


def test_the_first_sentence_names_the_group_that_matters_most() -> None:
    picks = {
        "full": "1212121212",
        "without rate": "1212121211",
        "without quality": "12--------",
    }
    assert answer_of(**picks) == (
        "quality matters most: without it 2 of 10 labelled pairs keep a verdict.",
    )
    del picks["without quality"]
    assert answer_of(**picks) == (
        "rate matters most: without it 9 of 10 labelled pairs are judged right, with"
        " all 10; that is not shown to be more than chance.",
    )
    equal = {**picks, "without pitch": picks["without rate"]}
    assert answer_of(**equal)[0].startswith(
        "rate and pitch matter most: without any one of them 9"
    )
    better = dict.fromkeys(("without rate", "without pitch"), "1212121212")
    (nothing,) = answer_of(full="1212121211", **better)
    assert nothing.startswith("No single group matters on these 10 labelled pairs")


def test_pairs_that_annotators_split_on_are_named() -> None:
    """Annotators split on the third of four pairs, so no label can be right."""
    labels = votes_of("11", "22", "12", "11", column="overall")
    conditions = {
        name: [table(name, {"overall": picks})]
        for name, picks in (("full", "1211"), ("without rate", "2211"))
    }
    report = AblationReport(ablation_table(conditions, labels, QUICK))
    matters, left = ablation_answer(report)
    assert matters.startswith("rate matters most: without it 2 of 3 labelled pairs")
    assert left == "1 more pair is left out, as annotators split on the label."
    nobody = votes_of("12", "12", "12", "12", column="overall")
    (unknown,) = ablation_answer(
        AblationReport(ablation_table(conditions, nobody, QUICK))
    )
    assert unknown.startswith("Annotators split on the label of 4 labelled pairs")


def test_copies_of_a_pair_are_drawn_together() -> None:
    clips = {
        "clip_a": [f"a{n // 2}" for n in range(10)],
        "clip_b": [f"b{n // 2}" for n in range(10)],
    }
    alone = compared(full="1212121212", other="1111111111")[1].difference
    labels = table("labels", {"overall": "1212121212"}, **clips)
    copied = compared(labels, full="1212121212", other="1111111111")[1].difference
    assert copied.value == alone.value == pytest.approx(-0.5, abs=1e-12)
    # five pairs that are each half right do not show that all are
    assert copied.interval[0] < alone.interval[0]
    assert alone.interval[1] < 0 < copied.interval[1]


def test_without_a_common_dimension_nothing_is_compared() -> None:
    with pytest.raises(UserError, match="no dimension that all conditions"):
        ablation_table({"full": [table("f", {"content": "1" * 10})]}, TRUTH, QUICK)


def test_preference_labels_are_compared() -> None:
    labels = table("labels", {"preference": "12t"})
    assert [
        (row.dimension, row.accuracy)
        for row in compared(labels, full="12g", other="11b")
    ] == [
        ("preference", 1.0),
        ("preference", pytest.approx(2 / 3, abs=1e-12)),
    ]
    judged = dict.fromkeys(DIMENSIONS, "12g")
    modes = mode_policy_table({"m": [table("m", judged)]}, labels, QUICK)
    assert {row.dimension for row in modes.rows} == {"preference"}


def test_a_condition_without_items_is_no_test() -> None:
    _, worse, nothing = compared(
        full="1212121212", worse="1212111111", nothing="-" * 10
    )
    assert (nothing.items, nothing.mcnemar, nothing.p_holm) == (0, None, None)
    assert worse.p_holm == worse.mcnemar.p  # a family of one
