"""Steps of a review: what is asked, undone, mapped back and gone on with."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from blueprints import UserError
from fusion import DIMENSIONS, RATINGS, Rating
from tests.support import reviewed as support
from trace_eval.data.outcome import Order
from trace_eval.data.rubrics.load import load_protocol
from trace_eval.opinions.labels import read_labels
from trace_eval.review.exports import write_exports
from trace_eval.review.forms import (
    NAME_LIMIT,
    check_name,
    form_of,
    phases,
    rating,
    shown_rating,
)
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions

HCOT = load_protocol("hcot")
FORM = form_of(HCOT)

ORDERS: tuple[Order, ...] = get_args(Order)

#: (first acceptable, second acceptable, which is better) as shown -> typed tie as
#: shown.
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
def test_a_block_gives_a_typed_tie(
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
    form, blocks = form_of(HCOT, overall_first), phases(overall_first)
    for said in product(
        TIES, repeat=2
    ):  # the first two blocks vary, the others are bad
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


def test_answers_are_mapped_back_whatever_was_shown_first(run: Path) -> None:
    review = support.open_at(run)
    for rater in ("ada", "bob", "cyd", "dan"):
        for given in (*RATINGS, Rating.A, Rating.B):
            support.say(review, rater, given)
    rows = review.labelled()
    assert {row.view.shown for row in rows} == {"ab", "ba"}
    wanted = [*RATINGS, Rating.A, Rating.B] * 4
    for row, given in zip(rows, wanted, strict=True):
        assert row.ratings == dict.fromkeys((*DIMENSIONS, "overall"), given)


def test_all_raters_see_the_same_pairs_in_the_same_order(run: Path) -> None:
    review = support.open_at(run, budget=4, repeat=1)
    seen = {}
    for rater in "ab":
        seen[rater] = [support.say(review, rater, Rating.A) for _ in range(5)]
    assert seen["a"] == seen["b"] == [*review.plan.items, *review.plan.repeats]
    assert review.position("a") is None
    assert review.progress("a") == (5, 5)
    assert sorted(row.view.repeat for row in review.labelled()) == [0] * 8 + [1] * 2


def test_undo_goes_back_across_pairs_and_keeps_the_rest(run: Path) -> None:
    review = support.open_at(run)
    first = support.say(review, "ada", Rating.BOTH_BAD, "odd")
    position = review.position("ada")
    assert (position.task, position.answers) == (1, {})
    review.answer("ada", 1, position.step.key, "yes")
    assert review.undo("ada", 1, "half a comment")
    back = review.position("ada")
    assert (back.task, back.answers, back.view.comment) == (1, {}, "half a comment")
    assert review.undo("ada", 1, "half a comment")  # the last step of the pair before
    back = review.position("ada")
    assert (back.task, back.view.item, back.step.kind) == (0, first, "comment")
    assert back.view.comment == "odd"
    assert review.labelled() == []  # not finished any more
    for _ in range(8):  # both bad on four dimensions: two answers each
        assert review.undo("ada", 0, "odd")
    assert not review.undo("ada", 0, "odd")
    back = review.position("ada")
    assert back.answers == {}


def test_a_second_press_and_an_old_tab_store_nothing(run: Path) -> None:
    review = support.open_at(run)
    position = review.position("ada")
    assert review.answer("ada", 0, position.step.key, "yes")
    assert not review.answer("ada", 0, position.step.key, "no")
    assert not review.answer("ada", 3, "content.a", "no")
    assert review.store.answers(position.view) == {position.step.key: "yes"}
    following = review.position("ada")
    with pytest.raises(UserError, match="use yes, no"):
        review.answer("ada", 0, following.step.key, "maybe")


def test_after_the_judges_opinion_an_answer_is_final(run: Path) -> None:
    review = support.open_at(run, show_judge=True)
    support.say(review, "ada", Rating.A)
    position = review.position("ada")
    assert (position.task, position.step) == (0, None)  # the opinion is on show
    assert not review.undo("ada", 0, "")
    review.go_on("ada", 0)
    position = review.position("ada")
    assert position.task == 1
    assert not review.undo("ada", 1, "")
    assert review.answer("ada", 1, position.step.key, "yes")
    assert review.undo("ada", 1, "")  # of the new pair
    assert not review.undo("ada", 1, "")


def test_a_review_goes_on_with_its_own_plan(run: Path) -> None:
    given = {"budget": 3, "seed": 5, "repeat": 1, "overall_first": True}
    review = open_review(run, given)
    support.say(review, "ada", Rating.A)
    again = open_review(run)
    assert again.plan == review.plan
    assert again.progress("ada") == (1, 4)
    assert len(open_review(run, {"budget": 5}).plan.items) == 5
    assert len(open_review(run).plan.items) == 5
    with pytest.raises(
        UserError, match="has --seed 5, not 6; start another one with --db"
    ):
        open_review(run, {"seed": 6})
    with pytest.raises(UserError, match="--overall-first True, not False"):
        open_review(run, {"overall_first": False})
    elsewhere = ReviewOptions(database=run / "other.sqlite")
    assert open_review(run, {"seed": 6}, elsewhere).plan.seed == 6


def test_a_review_of_pairs_may_ask_how_sure_a_rater_is(
    run: Path, tmp_path: Path
) -> None:
    review, sure = support.open_at(run, confidence=True), iter("1231")
    asked = []
    while (position := review.position("ada")) and position.task == 0 and position.step:
        step = position.step
        asked.append(step.key)
        value = next(sure) if step.kind == "confidence" else "no"
        assert review.answer("ada", 0, step.key, value)
    names = (*DIMENSIONS, "overall")
    assert [key for key in asked if key.endswith(".confidence")] == [
        f"{name}.confidence" for name in names
    ]
    (row,) = review.labelled()
    assert set(row.ratings.values()) == {Rating.BOTH_BAD}
    write_exports(review, tmp_path / "labels")
    for name in ("labels.csv", "labels.jsonl"):
        assert read_labels(tmp_path / "labels" / name).ids.tolist() == [
            row.view.item
        ], name
    with (tmp_path / "labels" / "labels.csv").open(newline="") as file:
        (record,) = csv.DictReader(file)
    assert [record[f"{name}_confidence"] for name in names] == list("1231")


def test_names_and_nothing_to_review(tmp_path: Path) -> None:
    assert check_name("  Ada   L. ") == "Ada L."
    for name in ("", "   ", "x" * (NAME_LIMIT + 1), "a\x00b", "\u202eadA"):
        with pytest.raises(UserError, match="give a name"):
            check_name(name)
    for path, why in (
        (tmp_path, "no run here"),
        (tmp_path / "pairs.jsonl", "no such file"),
    ):
        with pytest.raises(UserError, match=why):
            open_review(path)
