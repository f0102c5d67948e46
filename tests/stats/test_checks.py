"""Each check of the data finds its fault, and stays silent without it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.label_tables import QUICK, codes, table
from trace_eval.decide.agree import agree
from trace_eval.opinions.codes import TYPED, Codes
from trace_eval.opinions.units import units
from trace_eval.stats.agreement.baselines import codes_by, majority, random_matched
from trace_eval.stats.agreement.bias import length_bias
from trace_eval.stats.agreement.checks import (
    copied_ties,
    label_sets,
    other_column,
    repeated,
    swapped,
    two_opinions,
)
from trace_eval.stats.agreement.counts import joint_counts
from trace_eval.stats.agreement.position import (
    join_orders,
    position_bias,
    self_comparisons,
)
from trace_eval.stats.options import AgreeOptions, NumberRule, RankOptions
from trace_eval.stats.rank_labels import rank_labels

RNG = np.random.default_rng(11)


def names(number: int) -> np.ndarray:
    return np.array([f"p{row}" for row in range(number)], dtype=object)


def texts(*values: str) -> np.ndarray:
    return np.array(values, dtype=object)


def loop_bug(labels: Codes) -> Codes:
    """Write labels as a loop does that sets its variable for winners only."""
    out, last = [], 0
    for code in labels.tolist():
        last = code if code < 2 else last
        out.append(last)
    return np.array(out, np.int8)


def test_ties_overwritten_by_the_row_before() -> None:
    truth = RNG.choice(4, 200, p=[0.3, 0.3, 0.2, 0.2]).astype(np.int8)
    (got,) = copied_ties(
        names(200), loop_bug(truth), truth, who="judge", against="the labels"
    )
    assert got.check == "copied_ties"
    ties = np.flatnonzero(truth >= 2)
    assert got.rows == tuple(f"p{row}" for row in ties if row > 0)


def test_a_judge_that_never_ties_is_no_copy() -> None:
    truth = RNG.choice(4, 400, p=[0.3, 0.3, 0.2, 0.2]).astype(np.int8)
    winners = RNG.integers(0, 2, 400).astype(np.int8)
    assert not list(
        copied_ties(names(400), winners, truth, who="judge", against="the labels")
    )
    assert not list(
        copied_ties(names(400), truth, truth, who="judge", against="the labels")
    )
    # always saying 1 repeats the row before as well, but chance explains all of it
    constant = np.zeros(400, np.int8)
    assert not list(
        copied_ties(names(400), constant, truth, who="judge", against="the labels")
    )


def test_swapped_answers_with_unswapped_labels() -> None:
    truth = RNG.choice(4, 300, p=[0.35, 0.35, 0.15, 0.15]).astype(np.int8)
    right = RNG.random(300) < 0.8
    judged = np.where(right, truth, RNG.integers(0, 4, 300)).astype(np.int8)
    mirrored = np.where(judged < 2, 1 - judged, judged).astype(np.int8)
    assert not list(swapped(names(300), truth, judged, "judge"))
    (got,) = swapped(names(300), truth, mirrored, "judge")
    assert got.check == "swapped"
    wrong = (truth < 2) & (mirrored < 2) & (truth != mirrored)
    assert len(got.rows) == int(wrong.sum())
    # chance level is bad, but it is no swap
    assert not list(
        swapped(names(300), truth, RNG.integers(0, 2, 300).astype(np.int8), "judge")
    )


def test_repeated_recordings_and_triples() -> None:
    facts = {
        "instruction_id": texts("i", "i", "i", "j"),
        "system_a": texts("x", "x", "y", "x"),
        "system_b": texts("y", "y", "x", "y"),
        "clip_a": texts("1", "1", "2", "1"),
        "clip_b": texts("2", "2", "1", "2"),
    }
    got = {w.check: w for w in repeated(names(4), facts)}
    # rows 0 and 1 are the same in every way; row 2 is the mirror, row 3 another
    # instruction
    assert got["duplicate_items"].rows == ("p0", "p1")
    assert got["repeated_triples"].rows == ("p0", "p1")
    assert "3 distinct of 4" in got["repeated_triples"].text
    assert not list(repeated(names(4), {}))


def test_label_sets() -> None:
    ids = names(12)
    typed, untyped = codes("12gb12gb12gb"), codes("12t112t112t1")
    assert not list(label_sets(ids, typed, typed, "x"))
    assert (
        "only one side has typed ties"
        in next(label_sets(ids, typed, untyped, "x")).text
    )
    mixed = codes("12gt12gt12gt")
    got = next(label_sets(ids, mixed, typed, "x"))
    assert "mix plain ties" in got.text
    assert got.rows == ("p3", "p7", "p11")
    never = label_sets(ids, codes("bbbbbbbbbb12"), codes("111111111112"), "x")
    assert [w.text for w in never if "both_bad" in w.text] == [
        "x: the judge never says both_bad, the other side does 10 times"
    ]


def test_overall_on_one_side_and_preference_on_the_other() -> None:
    typed, plain = {"overall": "12gb" * 5}, {"preference": "12tt" * 5}
    for votes, truth, words in (
        (typed, plain, "the judge says overall, the labels preference alone"),
        (plain, typed, "the labels say overall, the judge preference alone"),
    ):
        got = agree([table("judge", votes)], table("labels", truth), AgreeOptions())
        (warning,) = [w for w in got.warnings if w.check == "label_sets"]
        assert words in warning.text
        assert "both are compared as preferences" in warning.text
        systems = {"system_a": ["x"] * 20, "system_b": ["y"] * 20}
        ranked = rank_labels(
            table("judge", votes, **systems),
            RankOptions(QUICK),
            labels=table("labels", truth, **systems),
        )
        assert [w.text for w in ranked.warnings if w.check == "label_sets"] == [
            warning.text
        ]
    both = {"overall": codes("12gb" * 5)}
    assert not list(other_column(both, both, "x"))


def test_overall_and_preference_in_one_file() -> None:
    ids = names(4)
    against, alone = two_opinions(
        ids, {"overall": codes("12g-"), "preference": codes("11tt")}, "labels"
    )
    assert against.rows == ("p1",)  # both_good is a tie: p2 is no contradiction
    assert alone.rows == ("p3",)
    assert not list(two_opinions(ids, {"overall": codes("12gb")}, "labels"))
    assert not list(
        two_opinions(ids, dict.fromkeys(("overall", "preference"), codes("12tt")), "x")
    )


def test_orders_are_joined_by_audio_and_instruction() -> None:
    a = ["x", "y", "x", "z", "y", "w", None]
    b = ["y", "x", "y", "z", "x", "x", "x"]
    # 0 meets 1, 2 meets 4; 3 is one recording twice, 5 has no mirror, 6 has no audio
    assert join_orders(a, b).tolist() == [[0, 1], [2, 4]]
    # the instruction must be the same as well
    assert join_orders(a, b, ["i", "j", "i", "i", "i", "i", "i"]).tolist() == [[0, 4]]


def test_rows_are_joined_repeated_and_copied_as_one_by_one() -> None:
    """What arrays find is what a row after row finds, unknown values included."""
    rng = np.random.default_rng(5)
    for size in (0, 1, 5, 40, 40, 200):
        names = ("instruction_id", "clip_a", "clip_b")
        facts = {
            name: np.array([None, *"abcd"], object)[rng.integers(0, 5, size)]
            for name in names
        }
        rows = list(zip(*(facts[name].tolist() for name in names), strict=True))
        waiting: dict[object, list[int]] = {}
        joined, groups, copies = [], {}, {}
        for row, (key, a, b) in enumerate(rows):
            if None not in (key, a, b):
                groups.setdefault((key, a, b), []).append(row)
            copies.setdefault(frozenset((a, b)) if a and b else row, []).append(row)
            if None in (a, b) or a == b:
                continue
            if waiting.get((key, b, a)):
                joined.append((waiting[key, b, a].pop(0), row))
            else:
                waiting.setdefault((key, a, b), []).append(row)
        got = join_orders(facts["clip_a"], facts["clip_b"], facts["instruction_id"])
        assert [tuple(rows) for rows in got.tolist()] == joined
        warnings = repeated(np.arange(size).astype(object), facts)
        repeats = [
            str(row) for group in groups.values() if len(group) > 1 for row in group
        ]
        assert [row for warning in warnings for row in warning.rows] == repeats
        unit = units({name: facts[name] for name in names[1:]})
        together = (
            [] if unit is None else [np.flatnonzero(unit == k) for k in np.unique(unit)]
        )
        expected = list(copies.values()) if len(copies) < size else []
        assert [group.tolist() for group in together] == expected


def test_position_bias_by_hand() -> None:
    # shown first is "1" in each order: both say 1 -> the first position won twice
    #           first first second stable stable tie tie+tie missing
    one = codes("1     1     2      1      2      1   g       -".replace(" ", ""))
    two = codes("1     1     2      2      1      b   b       1".replace(" ", ""))
    got = position_bias(one, two)
    assert (got.pairs, got.decided) == (7, 5)
    assert (got.stable, got.first, got.second) == (2, 2, 1)
    assert (got.tied, got.tied_both) == (2, 1)
    # 2 against 1 of 3: 2 * (C(3,2) + C(3,3)) / 8 = 1
    assert got.p == 1


def test_length_bias_counts_human_ties_only() -> None:
    truth, judged = codes("ggbbt1g"), codes("12g1121")
    a = np.array([2.0, 2, 2, 1, 5, 9, np.nan])
    b = np.array([1.0, 1, 1, 2, 5, 1, 1])
    # 0: 1 is longer; 1: 2 is shorter; 2: tie; 3: 1 is shorter; 4: equal lengths;
    # 5: annotators see a winner; 6: unknown length
    got = length_bias(truth, judged, a, b)
    assert (got.human_ties, got.longer, got.shorter, got.tied) == (4, 1, 2, 1)
    assert got.share_longer == pytest.approx(1 / 3, abs=1e-12)
    assert length_bias(codes("1"), codes("1"), a[:1], b[:1]).share_longer is None


def test_self_comparisons() -> None:
    got = self_comparisons(codes("112g"), np.array([True, True, True, True]))
    assert (got.pairs, got.tied, got.first, got.second) == (4, 1, 2, 1)


def test_baselines_by_hand() -> None:
    truth = codes("1112gb")
    counts = joint_counts(truth, codes("222222"), 4)
    best = majority(counts, TYPED)
    assert (best.labels, best.count, best.accuracy) == (("1",), 3, 0.5)
    # (3/6)^2 + 3 * (1/6)^2 = 12/36
    assert random_matched(counts) == pytest.approx(1 / 3, abs=1e-12)
    tied = majority(joint_counts(codes("12"), codes("11"), 4), TYPED)
    assert tied.labels == ("1", "2")


def test_a_rule_by_numbers_is_missing_where_equal_or_unknown() -> None:
    facts = {
        "duration_a": np.array([2, 1, 1, np.nan]),
        "duration_b": np.array([1, 2, 1, 1.0]),
    }
    got = codes_by(NumberRule("longer answer", "duration"), facts)
    assert got.tolist() == codes("12--").tolist()
    shorter = codes_by(NumberRule("shorter answer", "duration", lower=True), facts)
    assert shorter.tolist() == codes("21--").tolist()
    assert codes_by(NumberRule("higher MOS", "mos"), {}) is None
