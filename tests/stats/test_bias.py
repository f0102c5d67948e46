from __future__ import annotations

import numpy as np
import pytest

from tests.support.label_tables import codes
from trace_eval.opinions.codes import TYPED
from trace_eval.opinions.units import units
from trace_eval.stats.agreement.baselines import majority, random_matched
from trace_eval.stats.agreement.bias import length_bias
from trace_eval.stats.agreement.checks import repeated
from trace_eval.stats.agreement.counts import joint_counts
from trace_eval.stats.agreement.position import join_orders, position_bias, self_comparisons
from trace_eval.stats.options import NumberRule


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
            name: np.array([None, *"abcd"], object)[rng.integers(0, 5, size)] for name in names
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
        repeats = [str(row) for group in groups.values() if len(group) > 1 for row in group]
        assert [row for warning in warnings for row in warning.rows] == repeats
        unit = units({name: facts[name] for name in names[1:]})
        together = [] if unit is None else [np.flatnonzero(unit == k) for k in np.unique(unit)]
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
    facts = {"duration_a": np.array([2, 1, 1, np.nan]), "duration_b": np.array([1, 2, 1, 1.0])}
    got = NumberRule("longer answer", "duration").codes(facts)
    assert got.tolist() == codes("12--").tolist()
    shorter = NumberRule("shorter answer", "duration", lower=True).codes(facts)
    assert shorter.tolist() == codes("21--").tolist()
    assert NumberRule("higher MOS", "mos").codes({}) is None
