"""Scales: labels, parsing, swapping, means and variances, reconciliation."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

from fusion import (
    BINARY,
    DIMENSIONS,
    PREFERENCE,
    RATINGS,
    TRACE,
    TYPED_TIE,
    OffScale,
    Rubric,
    Scale,
    from_steps,
    likert,
    numbers,
    points,
)
from fusion.plain import collapse, mean_points

A, B, GOOD, BAD = RATINGS
FIVE = likert(1, 5)
SCALES: tuple[Scale, ...] = (TYPED_TIE, PREFERENCE, FIVE, BINARY, points(1, 10))


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: scale.name)
def test_every_label_reads_as_itself_and_is_in_the_schema(scale: Scale) -> None:
    assert [scale.parse(label) for label in scale.labels] == list(scale.labels)
    assert [scale.parse(str(label)) for label in scale.labels] == list(scale.labels)
    assert scale.schema()["enum"] == list(scale.labels)
    assert scale.shares(scale.labels) == {
        x: 1 / len(scale.labels) for x in scale.labels
    }


@pytest.mark.parametrize(
    ("scale", "value", "label"),
    [
        (FIVE, 4.0, 4),
        (FIVE, " 4 ", 4),
        (FIVE, "4.0", 4),
        (BINARY, 0, 0),
        (points(), 10, 10),
        (numbers([0, 0.5, 1]), 0.5, 0.5),
        (PREFERENCE, 1, "1"),
        (PREFERENCE, "tie", "tie"),
        (TYPED_TIE, 2, B),
        *(
            (FIVE, bad, None)
            for bad in (
                0,
                6,
                4.5,
                "4/5",
                "3-4",
                "four",
                "",
                True,
                None,
                [4],
                math.nan,
                math.inf,
            )
        ),
        (FIVE, "nan", None),
        (FIVE, "9" * 400, None),
        (FIVE, 10**400, None),
        (BINARY, True, None),
        (BINARY, 0.5, None),
        (PREFERENCE, "both_good", None),
        (TYPED_TIE, "tie", None),
        (TYPED_TIE, True, None),
    ],
)
def test_values_are_labels_or_off_the_scale(
    scale: Scale, value: object, label: Any
) -> None:
    if label is None:
        with pytest.raises(OffScale, match="is not one of") as caught:
            scale.parse(value)
        assert len(str(caught.value)) < 120
    else:
        assert scale.parse(value) == label
        assert type(scale.parse(value)) is type(label)


@pytest.mark.parametrize("scale", [TYPED_TIE, PREFERENCE], ids=lambda scale: scale.name)
def test_swapping_twice_is_nothing(scale: Scale) -> None:
    assert [scale.swap(scale.swap(x)) for x in scale.labels] == list(scale.labels)
    assert scale.swap(scale.labels[0]) == scale.labels[1]
    with pytest.raises(ValueError, match="rates one answer"):
        FIVE.swap(3)


def test_mean_and_variance_of_five_points() -> None:
    # correctness.md, section 4: logits (0, 0, 0, 0, ln 4) are (1, 1, 1, 1, 4) / 8.
    shares = dict(
        zip((1, 2, 3, 4, 5), (1 / 8, 1 / 8, 1 / 8, 1 / 8, 1 / 2), strict=True)
    )
    assert FIVE.mean(shares) == pytest.approx(0.6875, abs=1e-12)
    assert FIVE.variance(shares) == pytest.approx(0.13671875, abs=1e-12)
    assert FIVE.value(0.6875) == pytest.approx(3.75, abs=1e-12)
    assert [FIVE.position(k) for k in FIVE.labels] == [0, 0.25, 0.5, 0.75, 1]
    # A fair coin has the largest variance there is.
    assert (BINARY.mean({0: 0.5, 1: 0.5}), BINARY.variance({0: 0.5, 1: 0.5})) == (
        0.5,
        0.25,
    )
    assert PREFERENCE.mean({"1": 0.75, "tie": 0.25}) == 0.875
    with pytest.raises(ValueError, match="square"):
        TYPED_TIE.position("1")


def test_numbers_decide_by_majority_and_never_round_up() -> None:
    assert BINARY.decide({0: 0.2, 1: 0.8}) == 1
    assert BINARY.decide({0: 0.5, 1: 0.5}) is None
    assert FIVE.decide({3: 0.4, 4: 0.4, 5: 0.2}) is None
    assert FIVE.reconcile([{4: 1.0}]) == (4, {4: 1.0}, None)


def test_orders_weigh_the_same() -> None:
    many = PREFERENCE.shares(["1", "1", "1", "tie"])
    one = PREFERENCE.shares(["2"])
    label, pooled, consistent = PREFERENCE.reconcile([many, one])
    assert (label, consistent) == ("2", False)
    assert pooled == {"1": 0.375, "2": 0.5, "tie": 0.125}
    assert PREFERENCE.reconcile([{"1": 1.0}, {"2": 1.0}])[0] == "tie"
    assert PREFERENCE.reconcile([{"1": 1.0}, {"1": 1.0}]) == ("1", {"1": 1.0}, True)


@pytest.mark.parametrize("values", [(1,), (1, 1), (2, 1), (1, math.inf)])
def test_a_scale_is_two_or_more_rising_numbers(values: tuple[float, ...]) -> None:
    from fusion.scales import Numbers

    with pytest.raises(ValueError, match="scale mine"):
        Numbers("mine", values)


def test_a_rubric_fits_its_items() -> None:
    assert (TRACE.dimensions, TRACE.scale, TRACE.item) == (
        DIMENSIONS,
        TYPED_TIE,
        "pair",
    )
    with pytest.raises(
        OffScale, match=r"^content: 'tie' is not one of 1, 2, both_good"
    ):
        TRACE.parse("content", "tie")
    with pytest.raises(ValueError, match="does not rate a pair"):
        Rubric(
            name="mine", version="1", dimensions=("overall",), scale=FIVE, item="pair"
        )
    with pytest.raises(ValueError, match="one or more different dimensions"):
        Rubric(name="mine", version="1", dimensions=(), scale=FIVE, item="single")


def test_an_unacceptable_answer_cannot_win() -> None:
    for a, b, better in product((True, False), (True, False), (A, B, GOOD, None)):
        rating = from_steps(a, b, better)
        if a and b:
            assert rating is (better if better in (A, B) else GOOD)
        else:
            assert rating.acceptability == (a, b)


def test_labels_and_scales_refuse_nothing() -> None:
    assert collapse("both_bad") == "tie"
    with pytest.raises(ValueError, match="not a plain label"):
        collapse("perhaps")
    with pytest.raises(ValueError, match="there is no vote"):
        mean_points([])
    assert len({likert(), PREFERENCE, likert()}) == 2
