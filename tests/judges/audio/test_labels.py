"""Labels, votes and policies: the acceptance numbers that need no sound."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from blueprints import UserError
from fusion import LABEL_SETS, PREFERENCE, TYPED_TIE, OffScale
from fusion.plain import PLAIN_POLICIES, collapse
from tests.support.audio_cases import case, judged, said, scripted
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.data.policies import any_policy
from trace_eval.runs.fuse import check_policy, fuse


@pytest.mark.parametrize(
    ("name", "items", "by_mean", "by_mode"),
    [("speakbench", 497, 435, 319), ("s2sarena", 314, 193, 241)],
)
def test_policies_on_what_people_said(
    data: Path, name: str, items: int, by_mean: int, by_mode: int
) -> None:
    records = json.loads((data / "hcot" / f"{name}.json").read_text())
    assert len(records) == items
    right = dict.fromkeys(PLAIN_POLICIES, 0)
    for record in records:
        label = record["label"]
        votes = [label[d] for d in ("content", "paralinguistics", "voice_quality")]
        for policy in PLAIN_POLICIES.values():
            right[policy.name] += policy(*votes) == collapse(label["overall"])
    assert right == {"mean_threshold": by_mean, "majority_plain": by_mode}


def test_mean_threshold_differs_from_a_mode_on_one_winner_and_two_ties() -> None:
    counts = {name: {"1": 0, "tie": 0, "2": 0} for name in PLAIN_POLICIES}
    differ = []
    for votes in product(("1", "tie", "2"), repeat=3):
        said = {name: policy(*votes) for name, policy in PLAIN_POLICIES.items()}
        for name, label in said.items():
            counts[name][label] += 1
        if len(set(said.values())) > 1:
            differ.append(sorted(votes))
    assert counts["mean_threshold"] == {"1": 10, "tie": 7, "2": 10}
    assert counts["majority_plain"] == {"1": 7, "tie": 13, "2": 7}
    assert sorted(differ) == [["1", "tie", "tie"]] * 3 + [["2", "tie", "tie"]] * 3


def test_two_rules_of_pooling_have_two_names_and_are_recorded(tmp_path: Path) -> None:
    votes = ["1", "1", "tie", "tie", "tie"]
    for scale, label in ((LABEL_SETS["plain"], "1"), (PREFERENCE, "tie")):
        assert scale.decide(scale.shares(votes)) == label
    assert LABEL_SETS["plain"].name != PREFERENCE.name
    judgement, _ = judged(
        case(tmp_path), list(map(said, votes)), task="s2s", swap="off", samples=5
    )
    assert (judgement.label("overall"), judgement.pooling) == ("1", "mean_threshold")
    scores = [(5, 4), (5, 4), (3, 3), (3, 3), (3, 3)]
    reason = dict.fromkeys(("prosody", "pacing", "articulation", "overall"), "r")
    replies = [json.dumps(reason | {"score_1": a, "score_2": b}) for a, b in scores]
    options = {"task": "naturalness", "transcripts": "asr", "swap": "off", "samples": 5}
    judgement, _ = judged(case(tmp_path), replies, **options)
    assert (judgement.label("overall"), judgement.pooling) == ("tie", "mode")
    assert judgement.label_set == "plain"


@pytest.mark.parametrize("name", ["plain", "forced", "binary"])
def test_a_scale_decides_as_exact_fractions_do(name: str) -> None:
    scale = LABEL_SETS[name]  # type: ignore[index]
    ones = {"1": Fraction(1), "true": Fraction(1), "tie": Fraction(1, 2)}
    halves = {"plain": "tie", "forced": "tie", "binary": None}
    first, second = scale.labels[:2]
    for there in product(scale.labels, repeat=3):
        for back in product(scale.labels, repeat=2):
            means = []
            for labels in (there, back):
                points = [ones.get(label, Fraction(0)) for label in labels]
                means.append(sum(points, Fraction(0)) / len(labels))
            mean = sum(means, Fraction(0)) / 2
            exact = (
                halves[name]
                if mean == Fraction(1, 2)
                else first
                if 2 * mean > 1
                else second
            )
            label, shares, _ = scale.reconcile(
                [scale.shares(there), scale.shares(back)]
            )
            assert label == exact
            assert sum(shares.values()) == pytest.approx(1)
    assert scale.reconcile([{second: 1}]) == (second, {second: 1.0}, None)
    _, shares, consistent = scale.reconcile([{first: 1}, {second: 1}])
    assert (shares, consistent) == ({first: 0.5, second: 0.5}, False)
    with pytest.raises(OffScale):
        scale.parse(1.0)
    assert TYPED_TIE.pooling == "mode"


def test_a_label_is_mapped_back_and_a_match_is_not(tmp_path: Path) -> None:
    # order ba shows B first: "1" there is B
    judgement, _ = judged(case(tmp_path), [said("1"), said("1")], task="s2s")
    assert [o.ratings for o in judgement.opinions] == [
        {"overall": "1"},
        {"overall": "2"},
    ]
    assert judgement.dimensions["overall"].rating == "tie"
    assert judgement.dimensions["overall"].consistent is False
    judgement, _ = judged(case(tmp_path), [said(True, key="match")] * 2, task="speaker")
    assert judgement.label_set == "binary"
    assert judgement.dimensions["match"].rating == "true"
    assert fuse(judgement, any_policy("content_first")).rating == "true"
    replies = [said(True, key="match"), said(False, key="match")]
    judgement, _ = judged(case(tmp_path), replies, task="speaker")
    assert (judgement.status, judgement.reason) == ("unscored", Reason.ORDERS_DISAGREE)


def test_an_unusable_reply_gets_one_second_chance_with_the_recordings(
    tmp_path: Path,
) -> None:
    judgement, client = judged(
        case(tmp_path), ["no idea", said("1"), "nonsense", "nonsense"], task="s2s"
    )
    assert judgement.status == "unscored"
    assert judgement.reason == Reason.UNPARSEABLE
    repaired = client.history[1].messages
    assert repaired[: len(client.history[0].messages)] == client.history[0].messages
    assert [o.repaired for o in judgement.opinions] == [True, True]


def aspects(tmp_path: Path, replies: list[str]) -> tuple[Judgement, list[object]]:
    judgement, client = judged(case(tmp_path), replies, task="aspects", repair=False)
    return judgement, list(client.history)


def test_aspects_are_three_questions_in_both_orders(tmp_path: Path) -> None:
    judgement, calls = aspects(
        tmp_path, [said(x) for x in ("1", "tie", "tie", "2", "tie", "tie")]
    )
    assert len(calls) == 6
    assert {n: str(v.rating) for n, v in judgement.dimensions.items()} == {
        "content": "1",
        "voice_quality": "tie",
        "paralinguistics": "tie",
    }
    assert [o.part for o in judgement.opinions][:2] == [
        "aspect_content",
        "aspect_voice_quality",
    ]
    overall = fuse(judgement, any_policy("mean_threshold"))
    assert (overall.rating, overall.policy) == ("1", "mean_threshold")
    assert overall.why.startswith("mean of the votes is 1/3")
    assert fuse(judgement, any_policy("majority_plain")).rating == "tie"


def test_a_missing_aspect_is_left_out_and_a_missing_order_is_not(
    tmp_path: Path,
) -> None:
    good = [said("1"), "?", said("2"), said("2"), said("tie"), said("1")]
    judgement, _ = aspects(tmp_path, good)
    assert judgement.status == "scored"
    assert set(judgement.dimensions) == {"content", "paralinguistics"}
    assert any("aspect_voice_quality" in caveat for caveat in judgement.caveats)
    judgement, _ = aspects(tmp_path, ["?"] * 3 + [said("1")] * 3)
    assert (judgement.status, judgement.reason) == ("unscored", Reason.UNPARSEABLE)


def test_typed_policies_refuse_plain_labels_by_name(tmp_path: Path) -> None:
    judge, _ = scripted([], task="aspects")
    with pytest.raises(
        UserError, match=r"content_first takes typed ties.*mean_threshold"
    ):
        check_policy(any_policy("content_first"), judge)
    check_policy(any_policy("mean_threshold"), judge)
    check_policy(any_policy("content_first"), scripted([], task="s2s")[0])
    typed, _ = scripted([], task="dimensions")
    check_policy(any_policy("content_first"), typed)
    judgement, _ = aspects(tmp_path, [said("1")] * 6)
    with pytest.raises(UserError, match="takes typed ties"):
        fuse(judgement, any_policy("content_first"))


def test_dimensions_are_typed_ties_as_in_the_text_judge(tmp_path: Path) -> None:
    from tests.support.cases import verdict

    replies = [
        verdict("1", "both_good", "both_bad"),
        verdict("2", "both_good", "both_bad"),
    ]
    judgement, _ = judged(case(tmp_path), replies)
    assert judgement.label_set == "typed"
    assert judgement.rating("content") == "1"
    assert judgement.rating("paralinguistics") == "both_bad"
    # a typed judgement through the plain policy: votes 1, tie, tie
    assert fuse(judgement, any_policy("mean_threshold")).rating == "1"


def _forced(tmp_path: Path, *replies: str) -> Judgement:
    """Judge by winners only, from these replies in both orders."""
    return judged(case(tmp_path), list(map(said, replies)), task="quality")[0]


def test_a_forced_choice_is_a_tie_only_where_its_own_votes_are_even(
    tmp_path: Path,
) -> None:
    """A tie comes about only if both orders name the first place."""
    even = _forced(tmp_path, "1", "1")
    assert even.label_set == "forced"
    assert even.dimensions["overall"].rating == "tie"
    assert Judgement.model_validate_json(even.model_dump_json()) == even
    record = _forced(tmp_path, "1", "2").model_dump(mode="json")
    verdict = record["dimensions"]["overall"]
    for made in (
        {"dimensions": {"overall": {**verdict, "rating": "tie"}}},
        {"dimensions": {"overall": {**verdict, "rating": "tie", "distribution": None}}},
        {"dimensions": {"overall": {**verdict, "distribution": {"tie": 1.0}}}},
        {"dimensions": {"overall": {**verdict, "rating": "both_good"}}},
        {"opinions": [{**record["opinions"][0], "ratings": {"overall": "tie"}}]},
    ):
        with pytest.raises(ValueError, match="forced labels are 1 and 2"):
            Judgement.model_validate({**record, **made})
