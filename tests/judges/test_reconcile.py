"""Two orders and k samples -> one rating: the whole table, by hand; scores -> votes."""

import csv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fusion import DIMENSIONS, POLICIES, PREFERENCE, RATINGS, TYPED_TIE, Rating, entropy
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.outcome import Order, Reason, Usage
from trace_eval.data.scores import ScoreOpinion
from trace_eval.judges.combine.orders import (
    frame,
    labelled_judgement,
    preference,
    voted_judgement,
)
from trace_eval.judges.read.two_scores import NATURALNESS
from trace_eval.runs.fuse import overall_distribution

A, B, GOOD, BAD = RATINGS

# Rows: what order ab says; columns: what order ba says, mapped back. An answer is
# acceptable when at least one of the two accepts it: unacceptability must be seen from
# both places. 1 against 2 cancels to a tie, in which each was accepted once.
TABLE = {
    (ab, ba): rating
    for ab, row in {
        A: (A, GOOD, GOOD, A),
        B: (GOOD, B, GOOD, B),
        GOOD: (GOOD, GOOD, GOOD, GOOD),
        BAD: (A, B, GOOD, BAD),
    }.items()
    for ba, rating in zip(RATINGS, row, strict=True)
}


def reconcile(
    votes: dict[Order, Sequence[Rating]],
) -> tuple[Any, dict[Any, float], bool | None]:
    return TYPED_TIE.reconcile([TYPED_TIE.shares(labels) for labels in votes.values()])


def judgement(*opinions: VerdictOpinion) -> Judgement:
    return labelled_judgement(
        "p",
        "j",
        opinions=opinions,
        scale=TYPED_TIE,
        questions={name: name for name in DIMENSIONS},
    )


@pytest.mark.parametrize(("ab", "ba"), TABLE)
def test_two_orders(ab: Rating, ba: Rating) -> None:
    rating, distribution, consistent = reconcile({"ab": [ab], "ba": [ba]})
    assert rating is TABLE[ab, ba]
    assert consistent is (ab is ba)
    assert distribution == ({ab: 1.0} if ab is ba else {ab: 0.5, ba: 0.5})
    # As acceptability: the union of what the two orders accept.
    union = tuple(
        x or y for x, y in zip(ab.acceptability, ba.acceptability, strict=True)
    )
    assert rating.acceptability == union
    # Answers and orders are treated alike.
    assert (
        reconcile({"ab": [ba.swapped], "ba": [ab.swapped]})[0] is TABLE[ab, ba].swapped
    )
    assert reconcile({"ab": [ba], "ba": [ab]})[0] is TABLE[ab, ba]


@pytest.mark.parametrize(
    ("ab", "ba", "rating", "shares", "consistent"),
    [
        # 5 of 6 votes for 1.
        ([A, A, A], [A, A, B], A, {A: 5 / 6, B: 1 / 6}, True),
        # 1 has 3 of 6, 2 has 2 of 6: a plurality is enough; the modes of the orders
        # differ.
        ([A, A, A], [B, B, BAD], A, {A: 0.5, B: 1 / 3, BAD: 1 / 6}, False),
        # 3 : 3 between 1 and 2 goes by answer, each accepted by half: both_good.
        ([A, A, A], [B, B, B], GOOD, {A: 0.5, B: 0.5}, False),
        # Equal modes by the tie rule count as agreement: {1, both_bad} -> 1.
        ([A, BAD], [A, A], A, {A: 0.75, BAD: 0.25}, True),
        # One order lost two of three calls; it still weighs a half:
        # P(2) = 1/2, P(1) = 1/2 * 2/3 = 1/3, P(both_bad) = 1/6.
        ([A, A, BAD], [B], B, {A: 1 / 3, B: 0.5, BAD: 1 / 6}, False),
        # Without a second order there is nothing to be consistent with.
        ([A, B, B], None, B, {A: 1 / 3, B: 2 / 3}, None),
    ],
)
def test_samples(
    ab: list[Rating],
    ba: list[Rating] | None,
    rating: Rating,
    shares: dict[Rating, float],
    consistent: bool | None,
) -> None:
    votes: dict[Order, Sequence[Rating]] = {"ab": ab}
    if ba:
        votes["ba"] = ba
    found, distribution, agree = reconcile(votes)
    assert found is rating
    assert distribution == pytest.approx(shares, abs=1e-12)  # sums of a few thirds
    assert agree is consistent


def opinion(
    order: Order,
    content: Rating | None,
    sample: int = 0,
    reason: Reason = Reason.UNPARSEABLE,
) -> VerdictOpinion:
    usage = Usage(input_tokens=10, output_tokens=2, cost_usd=0.5)
    if content is None:
        return VerdictOpinion(
            order=order, sample=sample, reason=reason, detail="why", usage=usage
        )
    return VerdictOpinion(
        order=order,
        sample=sample,
        ratings={"content": content, "voice_quality": GOOD, "paralinguistics": A},
        reasoning={name: f"{order}{sample} {name}" for name in DIMENSIONS},
        usage=usage,
    )


def test_a_judgement_keeps_both_opinions_and_says_where_they_differ() -> None:
    merged = judgement(opinion("ab", A), opinion("ba", B))
    assert merged.status == "scored"
    content = merged.dimensions["content"]
    assert (content.rating, content.consistent) == (GOOD, False)
    assert content.distribution == {A: 0.5, B: 0.5}
    assert "1: ab0 content" in content.reasoning
    assert "2: [here answer 1 is B and answer 2 is A] ba0 content" in content.reasoning
    assert merged.dimensions["voice_quality"].consistent is True
    assert merged.dimensions["voice_quality"].reasoning == "ab0 voice_quality"
    assert len(merged.opinions) == 2
    assert merged.usage == Usage(input_tokens=20, output_tokens=4, cost_usd=1.0)


def test_a_failed_order_is_unscored_and_never_a_tie() -> None:
    merged = judgement(opinion("ab", A), opinion("ba", None))
    assert (merged.status, merged.reason) == ("unscored", Reason.UNPARSEABLE)
    assert merged.dimensions == {}
    assert merged.detail == "no usable opinion with order ba: why"
    assert merged.usage.input_tokens == 20  # what failed was paid for too


def test_some_failed_samples_are_a_caveat() -> None:
    opinions = [
        opinion("ab", A),
        opinion("ab", None, 1),
        opinion("ba", A),
        opinion("ba", A, 1),
    ]
    merged = judgement(*opinions)
    assert merged.status == "scored"
    assert merged.caveats == ["1 of 4 opinions failed: 1 unparseable"]

    reasons = (Reason.UNREACHABLE, Reason.REPLY_CUT, Reason.REPLY_CUT)
    failed = [opinion("ab", None, n, reason) for n, reason in enumerate(reasons)]
    assert judgement(*failed).reason is Reason.REPLY_CUT  # the commonest


@pytest.mark.parametrize(
    "opinion", [partial(VerdictOpinion, order="ab"), partial(ScoreOpinion, score=3)]
)
def test_verdicts_and_scores_have_one_frame(opinion: Callable[..., Any]) -> None:
    paid = Usage(input_tokens=2)
    good = opinion(usage=paid)
    cut = opinion(reason=Reason.REPLY_CUT, detail="too long", usage=paid)
    refused = opinion(reason=Reason.REFUSED, detail="no key", usage=paid, cached=True)
    fields, usable = frame(
        [good, cut, refused], [("too few", [good, cut, refused], 1)], "calls"
    )
    assert usable == [good]
    assert fields["caveats"] == ["2 of 3 calls failed: 1 refused, 1 reply_cut"]
    assert (fields["status"], fields["usage"].input_tokens) == ("scored", 4)
    # Of equally frequent reasons the first one is given.
    fields, usable = frame([good, cut, refused], [("1 of 3", [good, cut, refused], 2)])
    told = (fields["status"], fields["reason"], fields["detail"])
    assert (told, usable) == (("unscored", Reason.REPLY_CUT, "1 of 3: too long"), [])
    assert len(fields["opinions"]) == 3


def test_what_came_from_the_cache_is_not_counted_as_spent() -> None:
    held = opinion("ba", A).model_copy(update={"cached": True})
    merged = judgement(opinion("ab", A), held)
    assert merged.usage == Usage(input_tokens=10, output_tokens=2, cost_usd=0.5)


def test_the_overall_distribution_goes_through_the_policy() -> None:
    merged = judgement(opinion("ab", A), opinion("ba", GOOD))
    # content_first: content 1 (1/2) -> 1; content both_good (1/2) -> paralinguistics 1
    # -> 1.
    assert overall_distribution(merged, POLICIES["content_first"])[A] == pytest.approx(
        1.0
    )
    merged = judgement(opinion("ab", A), opinion("ba", B))
    distribution = overall_distribution(merged, POLICIES["content_first"])
    assert (distribution[A], distribution[B]) == (0.5, 0.5)
    assert entropy(distribution) == pytest.approx(1.0)  # one bit
    lost = judgement(opinion("ab", None))
    assert overall_distribution(lost, POLICIES["content_first"]) is None


# --- scores of both answers: votes decide ---------------------------------------------


def voted(*by_order: Sequence[tuple[float, float]]) -> Judgement:
    orders: tuple[Order, ...] = ("ab", "ba")
    opinions = [
        VerdictOpinion(
            order=order,
            score_a=a,
            score_b=b,
            ratings={"overall": preference(a, b)},
            reasoning={},
        )
        for order, replies in zip(orders, by_order, strict=False)
        for a, b in replies
    ]
    return voted_judgement("p", "j", opinions, NATURALNESS)


@pytest.mark.parametrize(
    ("by_order", "label", "p_a", "consistent"),
    [
        # Two of three replies prefer B; the means are 20/3 and 19/3.
        ([[(6, 7), (7, 9), (7, 3)]], "2", 1 / 3, None),
        # Order ab: one reply for A; order ba: three for B: shares 1/2 and 1/2, which is
        # a tie.
        ([[(8, 7)], [(7, 8), (7, 8), (7, 8)]], "tie", 0.5, False),
        # Thirds are equal in exact arithmetic.
        ([[(2, 1), (1, 2), (1, 1)], [(2, 1), (1, 2), (1, 1)]], "tie", 0.5, True),
        ([[(6, 7), (7, 7)], [(9, 2)]], "1", 0.625, False),
    ],
)
def test_votes_decide_and_mirror(
    by_order: list[list[tuple[float, float]]],
    label: str,
    p_a: float,
    consistent: bool | None,
) -> None:
    votes = voted(*by_order)
    swapped = []
    for replies in by_order:
        swapped.append([(b, a) for a, b in replies])
    mirrored = voted(*swapped)
    for made, ours, share in (
        (votes, label, p_a),
        (mirrored, PREFERENCE.swap(label), 1 - p_a),
    ):
        assert made.pair_scores.p_a == pytest.approx(share)
        assert made.dimensions["overall"].rating == ours
        assert made.dimensions["overall"].consistent is consistent
    assert votes.pair_scores is not None
    scores = [reply for replies in by_order for reply in replies]
    assert votes.pair_scores.mean_a == pytest.approx(
        sum(a for a, _ in scores) / len(scores)
    )
    assert votes.pair_scores.margin == pytest.approx(
        sum(a - b for a, b in scores) / len(scores)
    )


def test_a_margin_makes_ties() -> None:
    assert preference(1.0, 1.4) == "2"
    assert preference(1.0, 1.4, margin=0.5) == "tie"
    assert preference(1.0, 1.5, margin=0.5) == "2"


def test_published_replies(data: Path) -> None:
    """The figures that the specification derives from nine published replies."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    human: dict[str, str] = {}
    with (data / "speechjudge" / "votes.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            pairs.setdefault(row["pair"], []).append(
                (float(row["score_a"]), float(row["score_b"]))
            )
            human[row["pair"]] = {"A": "1", "B": "2"}[row["human"]]
    single = [
        preference(*scores) == human[key]
        for key, replies in pairs.items()
        for scores in replies
    ]
    votes = {key: voted(replies) for key, replies in pairs.items()}
    means = {key: made.pair_scores for key, made in votes.items() if made.pair_scores}
    by_mean = [preference(v.mean_a, v.mean_b) == human[key] for key, v in means.items()]
    assert (sum(single), len(single)) == (7, 9)
    assert [made.dimensions["overall"].rating for made in votes.values()] == list(
        human.values()
    )
    assert (sum(by_mean), len(by_mean)) == (2, 3)
