from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from fusion import (
    CELLS,
    DIMENSIONS,
    POLICIES,
    RATINGS,
    Rating,
    load_policy,
    rating_min,
    read_policy,
)
from fusion.plain import PLAIN_POLICIES
from fusion.policies import Policy

A, B, GOOD, BAD = RATINGS


def test_rating_min_is_the_meet_of_acceptability() -> None:
    # Algorithm 3 written out: rows x, columns y, order 1, 2, both_good, both_bad.
    expected = {
        A: [A, BAD, A, BAD],
        B: [BAD, B, B, BAD],
        GOOD: [A, B, GOOD, BAD],
        BAD: [BAD, BAD, BAD, BAD],
    }
    for x, row in expected.items():
        assert [rating_min(x, y) for y in RATINGS] == row


# Each row by hand from the printed algorithms: C, VQ, P -> the five policies in
# POLICIES' order.
BY_HAND = [
    # content wins outright
    (A, B, B, [A, A, BAD, A, B]),  # cap = min(1, 2) = bad; majority 2
    (A, GOOD, GOOD, [A, A, A, A, GOOD]),
    (A, GOOD, BAD, [A, A, BAD, BAD, A]),  # A accepted by C and VQ
    # content ties: paralinguistics before voice quality
    (GOOD, B, A, [A, A, A, A, GOOD]),  # A: C and P; B: C and VQ
    (GOOD, B, GOOD, [B, B, B, B, GOOD]),
    (BAD, B, GOOD, [B, B, BAD, BAD, B]),  # B: VQ and P
    (BAD, B, BAD, [B, BAD, BAD, BAD, BAD]),  # the strict gate
    # no winner anywhere
    (GOOD, BAD, GOOD, [GOOD, GOOD, GOOD, GOOD, GOOD]),
    (GOOD, GOOD, BAD, [GOOD, GOOD, BAD, BAD, GOOD]),
    (BAD, GOOD, GOOD, [BAD, BAD, BAD, BAD, GOOD]),
]


@pytest.mark.parametrize(("c", "vq", "p", "expected"), BY_HAND)
def test_policies_by_hand(
    c: Rating, vq: Rating, p: Rating, expected: list[Rating]
) -> None:
    assert [policy(c, vq, p) for policy in POLICIES.values()] == expected


def _printed_content_first(c: Rating, vq: Rating, p: Rating) -> Rating:
    if c in (A, B):
        return c
    if p in (A, B):
        return p
    return vq if vq in (A, B) else c


def _printed_cap(c: Rating, vq: Rating, p: Rating) -> Rating:
    cap = rating_min(c, p)
    return rating_min(
        _printed_content_first(c, vq, p) if {A, B} & {c, vq, p} else c, cap
    )


def _plain_majority(c: Rating, vq: Rating, p: Rating) -> Rating | None:
    return next((r for r in RATINGS if [c, vq, p].count(r) >= 2), None)


@pytest.mark.parametrize("cell", CELLS)
def test_all_64_inputs_follow_the_printed_algorithms(
    cell: tuple[Rating, Rating, Rating],
) -> None:
    c, vq, p = cell
    ratings = {name: policy(*cell) for name, policy in POLICIES.items()}
    first, cap = _printed_content_first(*cell), _printed_cap(*cell)
    assert ratings["content_first"] is first
    assert ratings["content_first_strict"] is (BAD if c is BAD and p is BAD else first)
    assert ratings["acceptability_cap"] is cap
    lenient = first if {A, B} & {c, vq, p} and BAD not in (c, p) else cap
    assert ratings["acceptability_cap_lenient"] is lenient
    assert ratings["majority_vote"] is (
        _plain_majority(*cell) or ratings["majority_vote"]
    )
    assert all(policy.decide(*cell).why for policy in POLICIES.values())


def test_majority_tie_rule_goes_by_answer() -> None:
    vote = POLICIES["majority_vote"]
    # Three different ratings: which answers do two of the three accept?
    assert vote(A, B, GOOD) is GOOD
    assert vote(A, B, BAD) is BAD
    assert vote(A, GOOD, BAD) is A
    assert vote(GOOD, BAD, B) is B


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda policy: policy.name)
def test_swapping_the_answers_swaps_the_outcome(policy: Policy) -> None:
    table = policy.table()
    assert len(table) == 64
    for cell, overall in table.items():
        swapped = tuple(rating.swapped for rating in cell)
        assert table[swapped] is overall.swapped  # type: ignore[index]


def _rows(policy: Policy) -> list[dict[str, str]]:
    return [
        {**dict(zip(DIMENSIONS, map(str, cell), strict=True)), "overall": str(overall)}
        for cell, overall in policy.table().items()
    ]


def test_own_table_round_trips_through_csv_and_json(tmp_path: Path) -> None:
    policy = POLICIES["acceptability_cap"]
    rows = _rows(policy)
    (tmp_path / "mine.json").write_text(json.dumps(rows))
    with (tmp_path / "mine.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*DIMENSIONS, "overall"])
        writer.writeheader()
        writer.writerows(rows)
    for name in ("mine.csv", "mine.json"):
        assert load_policy(str(tmp_path / name)).table() == policy.table()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda rows: rows[:-1],
            "1 of 64 inputs are missing, first (both_bad, both_bad, both_bad)",
        ),
        (lambda rows: [*rows, rows[0]], "row 65: (1, 1, 1) is given twice"),
        (
            lambda rows: [{**rows[0], "overall": "tie"}, *rows[1:]],
            "row 1, overall: 'tie' is not",
        ),
        (lambda rows: [{"content": "1"}, *rows], "row 1: no 'voice_quality'"),
        (lambda rows: {"rows": rows}, "expected a list of objects"),
    ],
)
def test_broken_tables_say_file_row_and_remedy(
    change, message: str, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "t.json"
    path.write_text(json.dumps(change(_rows(POLICIES["content_first"]))))
    with pytest.raises(ValueError, match=str(path)) as caught:
        read_policy(path)
    assert message in str(caught.value)


def test_unknown_policy_lists_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match="'contentfirst' is unknown; did you mean content_first"
    ):
        load_policy("contentfirst")


# -- dimensions that are not known -----------------------------------------------------


def test_an_unknown_dimension_leaves_what_the_policy_says_in_any_case() -> None:
    first, cap = POLICIES["content_first"], POLICIES["acceptability_cap"]
    vote = POLICIES["majority_vote"]
    # C, VQ, P; content_first needs no other dimension where content prefers an answer.
    assert first.possible(A, None, None) == (A,)
    assert first.possible(GOOD, None, B) == (B,)
    assert first.possible(GOOD, A, None) == (
        A,
        B,
    )  # P's tie leaves it to VQ, which prefers A
    assert first.possible(None, A, A) == (A, B)
    assert first.possible(BAD, None, GOOD) == (A, B, BAD)
    # Nobody wins who is unacceptable in content; two equal votes of three stand.
    assert cap.possible(BAD, None, None) == (BAD,)
    assert vote.possible(None, B, B) == (B,)
    assert vote.possible(None, A, B) == (A, B, GOOD, BAD)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda policy: policy.name)
def test_a_known_rating_leaves_no_more_possible_than_an_unknown_one(
    policy: Policy,
) -> None:
    for c, vq, p in CELLS:
        assert policy.possible(c, vq, p) == (policy(c, vq, p),)
        for partly in ((None, vq, p), (c, None, p), (c, vq, None)):
            assert policy(c, vq, p) in policy.possible(*partly)
            swapped = (rating and rating.swapped for rating in partly)
            assert set(policy.possible(*swapped)) == {
                x.swapped for x in policy.possible(*partly)
            }


class _Entry:
    value = "plugin:policy"

    def __init__(self, found: object) -> None:
        self._found = found

    def load(self) -> object:
        return self._found


def test_policies_of_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = POLICIES["content_first"]
    offered: list[object] = [policy]
    monkeypatch.setattr(
        "fusion.policies.entry_points", lambda **_: [_Entry(offered[0])]
    )
    assert load_policy("mine") is policy
    offered[0] = "no policy"
    with pytest.raises(ValueError, match=r"plugin:policy is not a fusion\.Policy"):
        load_policy("mine")


def test_a_policy_needs_a_label() -> None:
    policy = next(iter(PLAIN_POLICIES.values()))
    with pytest.raises(ValueError, match="no dimension has a label"):
        policy.decide({})
