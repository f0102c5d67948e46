from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from fusion import DIMENSIONS, Rating
from trace_eval.data.outcome import Order
from trace_eval.review.forms import TieForm, phases, rating, shown_rating

FORM = TieForm(overall_first=False)

ORDERS: tuple[Order, ...] = get_args(Order)

#: (first acceptable, second acceptable, which is better) as shown -> typed tie as shown.
TIES = [
    (("no", "no"), Rating.BOTH_BAD),
    (("yes", "no"), Rating.A),
    (("no", "yes"), Rating.B),
    (("yes", "yes", "1"), Rating.A),
    (("yes", "yes", "2"), Rating.B),
    (("yes", "yes", "equal"), Rating.BOTH_GOOD),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("said", "tie"), TIES)
def test_a_block_gives_the_typed_tie_of_the_pairs_own_order(
    order: Order, said: tuple[str, ...], tie: Rating
) -> None:
    answers: dict[str, str] = {}
    for value in said:
        assert rating(answers, "content") is None
        step = FORM.next_step(None, answers, order)
        assert step.phase == "content"
        answers[step.key] = FORM.stored(step, value, order)
    # what was shown first is the pair's B in the order "ba"
    assert rating(answers, "content") == (tie if order == "ab" else tie.swapped)
    assert shown_rating(rating(answers, "content") or Rating.A, order) == tie
    following = FORM.next_step(None, answers, order)
    assert following.phase == "voice_quality"
    # the first question is about what is shown first
    assert FORM.next_step(None, {}, order).key == f"content.{order[0]}"


@pytest.mark.parametrize("overall_first", [False, True])
def test_every_way_through_an_item_ends_with_the_comment(overall_first: bool) -> None:
    form, blocks = TieForm(overall_first), phases(overall_first)
    for said in product(TIES, repeat=2):  # the first two blocks vary, the others are bad
        answers: dict[str, str] = {}
        order: Order = "ba"
        asked = []
        script = [*said[0][0], *said[1][0], *("no", "no") * (len(blocks) - 2)]
        while step := form.next_step(None, answers, order):
            asked.append(step)
            if step.kind == "comment":
                answers[step.key] = ""
                continue
            answers[step.key] = form.stored(step, script.pop(0), order)
        assert script == []
        assert asked[-1].kind == "comment"
        assert len(asked) <= form.longest(None)
        assert list(dict.fromkeys(step.phase for step in asked)) == [*blocks, None]
        assert all(rating(answers, phase) is not None for phase in blocks)


def test_overall_first_and_a_typed_tie_from_elsewhere() -> None:
    assert phases(True) == ("overall_first", *DIMENSIONS, "overall")
    answers = {"overall_first.a": "yes", "overall_first.b": "no"}
    assert rating(answers, "overall_first") is Rating.A
    assert rating(answers, "overall") is None
    whole = {"content.rating": "both_bad"}  # counts as a whole block
    assert rating(whole, "content") is Rating.BOTH_BAD
    assert FORM.next_step(None, whole, "ab").phase == "voice_quality"


def test_an_answer_that_was_not_offered_is_refused() -> None:
    step = FORM.next_step(None, {}, "ab")
    with pytest.raises(ValueError, match=r"content\.a.*'1'.*yes, no"):
        FORM.stored(step, "1", "ab")
    better = FORM.next_step(None, {"content.a": "yes", "content.b": "yes"}, "ab")
    with pytest.raises(ValueError, match="1, 2, equal"):
        FORM.stored(better, "yes", "ab")
