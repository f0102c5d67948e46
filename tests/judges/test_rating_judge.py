"""The rating judge over scripts: samples, spread, what is not asked, pooled judges."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from blueprints import Absent, Status
from tests.support.cases import blueprint
from tests.support.rating import case_of, rate, say, scripted, single
from tests.support.style_ratings import STYLE
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Score
from trace_eval.judges.base import JudgeUnreachable
from trace_eval.judges.combine.panel import Panel
from trace_eval.judges.lexical.judge import LexicalJudge
from trace_eval.judges.options.judge_options import JudgeOptions


@pytest.mark.parametrize(("samples", "value", "sd"), STYLE, ids=str)
def test_five_samples_are_a_mean_with_its_spread(
    samples: Any, value: float, sd: float
) -> None:
    outcome = rate(scripted(replies_of(samples), samples=5))
    usable = [score for score in samples if score is not None]
    assert outcome.status == "scored"
    assert outcome.value == pytest.approx(value, abs=1e-12)
    assert outcome.sd == pytest.approx(sd, abs=1e-6)
    assert (outcome.used, outcome.samples) == (len(usable), 5)
    assert outcome.distribution == {
        str(k): usable.count(k) / len(usable) for k in range(1, 6)
    }
    assert outcome.estimate.mean == pytest.approx((value - 1) / 4, abs=1e-12)
    # Variance of the shares themselves: (n - 1) / n of the samples' on [0, 1].
    assert outcome.estimate.variance == pytest.approx(
        (outcome.sd or 0) ** 2 / 16 * (len(usable) - 1) / len(usable), abs=1e-12
    )
    if None in samples:
        assert outcome.caveats == ["1 of 5 samples failed: 1 unparseable"]
        assert outcome.opinions[4].reason is Reason.UNPARSEABLE


@pytest.mark.parametrize(
    ("samples", "share", "majority"),
    [
        ((1, 1, 1, 0, 1), 0.8, 1),
        ((0, 0, 1, 0, 0), 0.2, 0),
        ((1, 1, 1, 1, 1), 1, 1),
        ((0, 1, None, 1, 0), 0.5, None),
    ],
)
def test_realism_is_a_share_and_a_majority(
    samples: Any, share: float, majority: Any
) -> None:
    judge = scripted(replies_of(samples), "role_realism", samples=5)
    score = rate(judge, case_of(single(None)))
    assert (score.value, score.majority) == (share, majority)
    undecided = "undecided: exactly half of the samples say each"
    assert (undecided in score.caveats) is (majority is None)


def test_three_of_five_unusable_is_unscored_with_the_commonest_reason() -> None:
    replies = [say(4), say(9), say(9), "no", "no", say(0), say(0), say(4)]
    score = rate(scripted(replies, samples=5))
    assert (score.status, score.reason, score.value, score.sd) == (
        "unscored",
        "off_label",
        None,
        None,
    )
    assert score.detail.startswith(
        "2 of 5 samples are usable: score: '9' is not one of"
    )
    assert (score.used, score.samples, score.estimate) == (2, 5, None)
    fewer = rate(scripted(replies, samples=5, min_samples=2))
    assert (fewer.status, fewer.value) == ("scored", 4)


def test_one_sample_has_no_variance() -> None:
    score = rate(scripted([say(3)]))
    assert (score.value, score.sd) == (3, None)
    assert (score.estimate.variance, score.estimate.within, score.estimate.between) == (
        None,
    ) * 3
    assert "NaN" not in score.model_dump_json()


@pytest.mark.parametrize(
    ("reduce", "value"), [("mean", 3.2), ("median", 4), ("mode", 4)]
)
def test_the_rubric_says_how_samples_reduce(reduce: str, value: float) -> None:
    rubric = load_rubric("correctness").model_copy(update={"reduce": reduce})
    score = rate(scripted(replies_of((4, 4, 5, 2, 1)), rubric, samples=5))
    assert score.value == pytest.approx(value)
    assert score.estimate.mean == pytest.approx(0.55)


def test_an_empty_candidate_is_not_sent() -> None:
    for words in ("", "  \n "):
        judge = scripted([])
        score = rate(judge, case_of(single(words)))
        assert (score.status, score.reason, score.value) == (
            "scored",
            "empty_candidate",
            1,
        )
        assert (score.estimate.mean, score.estimate.variance) == (0, 0)
        assert "empty_candidate" in score.caveats[0]
        assert judge.calls(case_of(single(words))) == []


def test_silence_is_the_lowest_score_and_said_before_the_call() -> None:
    silent = blueprint(
        None,
        signal=blueprint().signal.model_copy(update={"peak_dbfs": None}),  # type: ignore[union-attr]
    )
    case = case_of(single(None), answer=silent)
    score = rate(scripted([], "style"), case)
    assert (score.status, score.reason, score.value, score.silent) == (
        "scored",
        "silent",
        1,
        True,
    )
    assert rate(scripted([], "role_realism"), case).value == 0
    asked = load_rubric("style").model_copy(update={"silent": "ask"})
    assert rate(scripted([say(2)], asked), case).value == 2
    unscored = load_rubric("style").model_copy(update={"silent": "unscored"})
    score = rate(scripted([], unscored), case)
    assert (score.status, score.value) == ("unscored", None)


def test_what_our_tools_left_out_is_never_the_lowest_score() -> None:
    absent = blueprint(transcript=Absent(status=Status.FAILED, reason="no model"))
    score = rate(scripted([]), case_of(single(None), answer=absent))
    assert (score.status, score.reason) == ("unscored", "evidence_missing")
    without = rate(scripted([]), case_of(single(reference=[])))
    assert (without.reason, without.value) == ("evidence_missing", None)
    assert "no reference" in str(without.detail)
    unheard = rate(scripted([], "style"), case_of(single("only words")))
    assert "no recording" in str(unheard.detail)


def test_seeds_differ_and_everything_is_kept() -> None:
    judge = scripted(replies_of((5, 4, 5)), samples=3, seed=7)
    score = rate(judge)
    assert [opinion.seed for opinion in score.opinions] == [7, 8, 9]
    assert [request.seed for request in judge.client.history] == [7, 8, 9]  # type: ignore[attr-defined]
    assert len({call.key for call in judge.calls(case_of())}) == 3
    assert (score.item, score.question_id, score.system) == ("i1", "q1", "SYSTEM-ALPHA")
    assert score.rubric_sha256 == load_rubric("correctness").sha256
    assert Score.model_validate_json(score.model_dump_json()) == score


def test_several_judges_are_pooled() -> None:
    one, two = (
        scripted(replies_of((5, 5, 4)), samples=3),
        scripted(replies_of((2, 3, 2)), samples=3),
    )
    two.spec = "scripted:y"
    (found,) = asyncio.run(Panel([one, two]).outcomes(case_of()))
    means = [(14 / 3 - 1) / 4, (7 / 3 - 1) / 4]
    assert found.judge == "scripted:x + scripted:y"
    assert found.estimate.mean == pytest.approx(math.fsum(means) / 2)
    assert found.value == pytest.approx(3.5)
    assert found.estimate.between == pytest.approx(((means[0] - means[1]) / 2) ** 2)
    # Each judge's shares: two of three on one label, its neighbour one step of .25
    # away.
    assert found.estimate.within == pytest.approx(2 / 9 / 16)
    assert found.estimate.variance == pytest.approx(
        found.estimate.within + found.estimate.between  # type: ignore[operator]
    )
    assert [(part.judge, part.weight, part.used) for part in found.parts] == [
        ("scripted:x", 0.5, 3),
        ("scripted:y", 0.5, 3),
    ]
    assert {opinion.judge for opinion in found.opinions} == {"scripted:x", "scripted:y"}


def test_a_judge_that_fails_leaves_its_weight_to_the_others() -> None:
    one, two = scripted([say(4)]), scripted(["no", "no"])
    two.spec = "scripted:y"
    (found,) = asyncio.run(Panel([one, two]).outcomes(case_of()))
    assert (found.status, found.value) == ("scored", 4)
    assert (
        found.caveats[-1]
        == "pooled without scripted:y: no score; the others weigh more"
    )
    three = scripted(["no", "no"])
    (none,) = asyncio.run(Panel([three]).outcomes(case_of()))
    assert (none.status, none.reason) == ("unscored", "unparseable")


def test_no_judge_goes_on_alone_where_one_ends_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, two = scripted([say(4)]), scripted([say(4)])
    two.spec, ended = "scripted:y", []

    async def ends(_: object) -> None:
        await asyncio.sleep(0)
        raise JudgeUnreachable("nobody is there")

    async def goes_on(_: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    monkeypatch.setattr(one, "judge", ends)
    monkeypatch.setattr(two, "judge", goes_on)
    monkeypatch.setattr(Panel, "concurrency", 2)
    with pytest.raises(JudgeUnreachable):
        asyncio.run(_ended_while_open(Panel([one, two]), ended))


async def _ended_while_open(panel: Panel, ended: list[bool]) -> None:
    try:
        await panel.outcomes(case_of())
    finally:
        assert ended  # the other call is over before the session closes its clients


def test_lexical_says_what_it_is() -> None:
    outcomes = asyncio.run(
        LexicalJudge(load_rubric("correctness")).judge(case_of(single("South")))
    )
    assert outcomes.status == "scored"
    assert outcomes.value
    assert outcomes.value > 4
    assert outcomes.sd is None
    assert outcomes.estimate.variance is not None
    assert sum((outcomes.distribution or {}).values()) == pytest.approx(1)
    assert any("does not understand meaning" in caveat for caveat in outcomes.caveats)
    two = case_of(single("South", reference=["", "North", "South"]))
    best = asyncio.run(LexicalJudge(load_rubric("correctness")).judge(two))
    assert best.estimate.reference == 2


def replies_of(samples: Any) -> list[Any]:
    """One reply per sample; an unusable one is unusable twice."""
    return [
        reply for s in samples for reply in (["no", "no"] if s is None else [say(s)])
    ]


def test_a_rating_may_have_1024_tokens_and_a_judgement_2048() -> None:
    rater = scripted([say(4)])
    assert [call.request.max_tokens for call in rater.calls(case_of())] == [1024]
    assert rater.parameters()["max_tokens"] == 1024
    assert scripted([], max_tokens=300).options.reply_tokens == 300
    # What runs of pairs recorded before there were raters is what they record now.
    assert JudgeOptions().deciding(["max_tokens"]) == {"max_tokens": 2048}
