from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from fusion import Rating
from tests.support import reviewed as support
from tests.support.audio import tone, write
from trace_eval.data.judgement import Judgement
from trace_eval.review.material import load_material
from trace_eval.review.orders import shown_order
from trace_eval.review.queue import (
    Need,
    Needed,
    QueueOptions,
    check_same_items,
    make_plan,
    need_of,
    plan_from_needs,
)

SPLIT = {Rating.A: 0.5, Rating.B: 0.5}
SLOW = {"findings": [{"check": "slow", "a": {"strength": -0.4}, "b": {"strength": 3}}]}


def _needs(needed: int, others: int) -> dict[str, Needed]:
    found = {
        f"n{n}": Needed((Need.LOW_CONFIDENCE,), 1.0 + n / 100) for n in range(needed)
    }
    return found | {f"o{n}": Needed((), 0.0) for n in range(others)}


def test_pairs_come_by_need(tmp_path: Path) -> None:
    judgements: dict[str, Judgement] = {
        "p0": support.scored("p0"),
        "p1": support.scored(
            "p1", evidence={"a": {"ovrl": 2.1}, "thresholds": {"min_ovrl": 2.0}}
        ),
        "p2": support.scored("p2", consistent=False),
        "p3": support.scored(
            "p3", distribution={Rating.A: 0.6, Rating.B: 0.4}
        ),  # 0.971 bits
        "p4": support.scored("p4", distribution=SPLIT),  # 1 bit
        "p5": support.unscored("p5"),
        "p6": support.scored(
            "p6", distribution={Rating.A: 0.75, Rating.B: 0.25}
        ),  # 0.811 bits
    }
    run = support.write_run(tmp_path / "run", support.pairs(tmp_path, 7), judgements)
    plan = make_plan(load_material(run), QueueOptions())
    assert plan.needed == ["p5", "p4", "p3", "p2", "p1"]
    assert sorted(plan.others[: plan.drawn]) == ["p0", "p6"]
    assert plan.reasons["p2"] == [Need.INCONSISTENT]


@pytest.mark.parametrize(
    ("evidence", "near"),
    [
        ({"a": {"ovrl": 2.19}, "thresholds": {"min_ovrl": 2.0}}, True),
        (
            {"a": {"ovrl": 2.3}, "b": {"ovrl": 1.7}, "thresholds": {"min_ovrl": 2.0}},
            False,
        ),
        ({"b": {"bandwidth_hz": 2100}, "thresholds": {"min_bandwidth_hz": 2000}}, True),
        (SLOW, False),
        (SLOW | {"thresholds": {}}, True),
        ({"thresholds": "odd", "a": None}, False),
        ({"thresholds": {"min_ovrl": None}, "a": "text", "findings": [1]}, False),
    ],
)
def test_near_thresholds_by_the_evidence(
    evidence: dict[str, object], near: bool
) -> None:
    needed = need_of(support.scored("p", evidence=evidence), None)
    assert (Need.NEAR_THRESHOLD in needed.reasons) is near


def test_the_budget_keeps_its_random_slice() -> None:
    plan = plan_from_needs(_needs(30, 70), QueueOptions(budget=20))
    # half of 20 is kept for the random slice; the 10 most doubtful come first
    assert plan.needed == [f"n{n}" for n in range(29, 19, -1)]
    assert plan.drawn == 10
    # the needed pairs that found no room are in the random part's population
    assert set(plan.others) == {f"n{n}" for n in range(20)} | {
        f"o{n}" for n in range(70)
    }
    few = plan_from_needs(_needs(3, 97), QueueOptions(budget=20))
    assert (len(few.needed), few.drawn) == (3, 17)
    one = plan_from_needs(_needs(30, 70), QueueOptions(budget=20, random_share=0))
    assert (len(one.needed), one.drawn) == (19, 1)
    all_ = plan_from_needs(_needs(30, 70), QueueOptions())
    assert (len(all_.needed), all_.drawn) == (30, 70)
    assert len(plan_from_needs(_needs(3, 4), QueueOptions(budget=50)).items) == 7


def test_every_other_pair_is_drawn_equally_often() -> None:
    # 2,000 seeds, 5 of 20: expected 500 each, binomial sd 19.4; 5 sd allowed
    counts = dict.fromkeys((f"o{n}" for n in range(20)), 0)
    for seed in range(2000):
        plan = plan_from_needs(_needs(5, 20), QueueOptions(budget=10, seed=seed))
        assert len(plan.needed) == 5
        for item in plan.others[: plan.drawn]:
            counts[item] += 1
    assert all(abs(count - 500) < 5 * 19.4 for count in counts.values())


def test_a_larger_budget_extends_the_same_sample() -> None:
    plan = plan_from_needs(_needs(5, 20), QueueOptions(budget=10, repeat=2))
    more = plan.extended(18)
    assert more.items[:10] == plan.items
    assert len(more.items) == 18
    assert more.repeats == plan.repeats
    assert [repeat for _, repeat in plan.tasks()] == [0] * 10 + [1] * 2
    assert len(set(plan.repeats) & set(plan.items)) == 2
    assert len(plan.extended(1000).items) == 25
    with pytest.raises(UserError, match=r"--budget 9.*10 pairs"):
        plan.extended(9)


def test_the_order_is_a_fair_coin_for_every_rater_and_item() -> None:
    drawn = [shown_order(0, f"r{n % 7}", f"i{n}", n % 2) for n in range(4000)]
    assert drawn == [shown_order(0, f"r{n % 7}", f"i{n}", n % 2) for n in range(4000)]
    assert abs(drawn.count("ab") - 2000) < 5 * 31.6  # binomial sd: sqrt(4000) / 2
    by_rater = {shown_order(0, f"r{n}", "i", 0) for n in range(20)}
    assert by_rater == {"ab", "ba"}


@pytest.mark.parametrize(
    ("name", "value"), [("budget", 0), ("random_share", 1.2), ("repeat", -1)]
)
def test_options_out_of_range(name: str, value: float) -> None:
    chosen = {name: value}
    with pytest.raises(UserError, match=f"--{name.replace('_', '-')} {value}"):
        plan_from_needs(_needs(1, 1), QueueOptions(**chosen))


def test_a_manifest_is_all_random_and_bad_audio_is_left_out(tmp_path: Path) -> None:
    good = support.pairs(tmp_path, 3)
    broken = good[0].model_copy(update={"id": "broken", "b": good[0].b.model_copy(update={
        "audio": tmp_path / "missing.wav"})})  # fmt: skip
    manifest = tmp_path / "pairs.jsonl"
    lines = [pair.model_dump_json(exclude_none=True) + "\n" for pair in (*good, broken)]
    manifest.write_text("".join(lines))
    material = load_material(manifest)
    assert "no such file" in material.left_out["broken"]
    plan = make_plan(material, QueueOptions(budget=2))
    assert plan.needed == []
    assert plan.drawn == 2
    manifest.write_text("".join(lines[:2]))
    with pytest.raises(UserError, match="'p2' is gone"):
        check_same_items(plan, load_material(manifest))


def test_clips_that_the_run_could_not_decode_are_left_out(tmp_path: Path) -> None:
    pairs = support.pairs(tmp_path, 2)
    bad = write(tmp_path / "nan.wav", tone(0.3, hz=100))
    pairs[1] = pairs[1].model_copy(
        update={"a": pairs[1].a.model_copy(update={"audio": bad})}
    )
    record = support.ClipRecord(source=str(bad), error="3 of 9 samples are NaN")
    run = support.write_run(tmp_path / "run", pairs, clips=[record])
    material = load_material(run)
    assert [pair.id for pair in material.pairs] == ["p0"]
    assert material.left_out == {"p1": "3 of 9 samples are NaN"}


def test_inclusion_probabilities_of_what_was_reviewed() -> None:
    needs = {f"n{n}": Needed((Need.UNSCORED,), 0.0) for n in range(2)}
    needs |= {f"p{n}": Needed((), 0.0) for n in range(8)}
    plan = plan_from_needs(needs, QueueOptions(budget=6))
    drawn = plan.others[: plan.drawn][:2]
    assert plan.inclusion([*plan.needed, *drawn]) == {
        **dict.fromkeys(plan.needed, 1.0),
        **dict.fromkeys(drawn, 2 / 8),
    }
    # one needed pair is open: the other is no sample of them
    assert plan.inclusion([plan.needed[0], *drawn])[plan.needed[0]] is None
    # nothing of the random slice is done: the needed pairs stand for themselves alone
    assert set(plan.inclusion(plan.needed).values()) == {None}
    whole = plan_from_needs(
        {f"n{n}": Needed((Need.UNSCORED,), 0.0) for n in range(2)}, QueueOptions()
    )
    assert set(whole.inclusion(whole.needed).values()) == {1.0}
