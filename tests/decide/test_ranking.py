from __future__ import annotations

import pytest

from trace_eval.data.items import Single
from trace_eval.decide.best.candidates import Candidate, TextGroup, groups_of
from trace_eval.decide.best.ranking import by_comparisons, by_scores
from trace_eval.decide.best.schemes import Scheme, SchemeVerdict, bracket
from trace_eval.decide.best.summary import gain_by_scores, random_other


def single(name: str, **more: object) -> Single:
    given = {"id": f"g/{name}", "question_id": "g", "answer": {"audio": f"{name}.wav"}, **more}
    return Single.model_validate(given)


def group(*names: str) -> TextGroup:
    members = tuple(Candidate(single(name), f"hash-{name}") for name in names)
    return TextGroup("g", members, (), {})


def test_equal_scores_share_a_rank_and_the_smallest_hash_wins() -> None:
    found = by_scores(group("b", "a", "c", "d"), {"g/a": 3, "g/b": 3, "g/c": 1, "g/d": None}, {})
    assert [(row.candidate, row.rank) for row in found.ranking] == [
        ("g/a", 1),
        ("g/b", 1),
        ("g/c", 3),
    ]
    assert (found.winner, found.tied) == ("g/a", True)
    assert [gone.candidate for gone in found.unscored] == ["g/d"]
    assert by_scores(group("a", "b"), {"g/a": 3, "g/b": 1}, {}, lower=True).winner == "g/b"
    nobody = by_scores(group("a"), {}, {"g/a": "no speech"})
    assert (nobody.status, nobody.winner) == ("unscored", None)
    assert nobody.unscored[0].reason == "no speech"


@pytest.mark.parametrize("scheme", ["all", "knockout"])
def test_a_group_in_which_nothing_could_be_told_has_no_winner(scheme: Scheme) -> None:
    names = ["g/a", "g/b", "g/c"]
    verdicts: dict[tuple[str, str], SchemeVerdict] = {}
    while matches := bracket(scheme, names, verdicts).matches:
        verdicts |= {match: SchemeVerdict(None, why="evidence_missing") for match in matches}
    found = by_comparisons(group(*"abc"), bracket(scheme, names, verdicts), verdicts)
    assert (found.status, found.winner, found.ranking) == ("unscored", None, [])
    assert found.comparisons == found.undecided == len(verdicts)
    (why,) = {gone.reason for gone in found.unscored}
    assert why == f"none of {len(verdicts)} comparisons could be judged: evidence_missing"
    assert [gone.candidate for gone in found.unscored] == names
    verdicts[next(iter(verdicts))] = SchemeVerdict("1", 1.0)
    one = by_comparisons(group(*"abc"), bracket(scheme, names, verdicts), verdicts)
    assert (one.status, one.unscored) == ("scored", [])


def test_finalists_come_before_those_knocked_out() -> None:
    names = [f"g/{letter}" for letter in "abcdef"]
    verdicts: dict[tuple[str, str], SchemeVerdict] = {}
    while matches := bracket("knockout", names, verdicts).matches:
        verdicts |= {
            match: SchemeVerdict("1", 1.0) for match in matches
        }  # the earlier one is better
    found = by_comparisons(group(*"abcdef"), bracket("knockout", names, verdicts), verdicts)
    assert [row.candidate for row in found.ranking] == ["g/a", "g/b", "g/c", "g/e", "g/d", "g/f"]
    assert [row.rank for row in found.ranking] == [1, 2, 3, 4, 5, 5]
    assert [row.knocked_out for row in found.ranking] == [None] * 4 + [1, 1]
    assert found.comparisons == 8


def test_copies_are_one_candidate_and_the_bracket_knows_no_names() -> None:
    clips = {"x": ("1", None), "y": ("2", None), "z": ("1", None), "w": (None, "no such file")}
    made = [Candidate(single(name), *clip) for name, clip in clips.items()]
    (found,) = groups_of(made, seed=0)
    assert {c.id for c in found.candidates} == {"g/x", "g/y"}
    assert found.same == {"g/z": "g/x"}
    assert [c.id for c in found.unscored] == ["g/w"]
    (again,) = groups_of(made[::-1], seed=0)
    assert [c.clip for c in again.candidates] == [c.clip for c in found.candidates]


def test_gains_are_those_of_somebody_else() -> None:
    rankings = [
        by_scores(group("a", "b", "c"), {"g/a": 3.0, "g/b": 2.0, "g/c": 1.0}, {}),
        by_scores(group("a", "b"), {"g/a": 1.0, "g/b": 2.0}, {}),
    ]
    # Winners a and b score 5 and 1; means of the groups are (5 + 1 + 3) / 3 and (5 + 1) / 2.
    found = gain_by_scores("other", rankings, {"g/a": 5.0, "g/b": 1.0, "g/c": 3.0}, seed=0)
    assert (found.winner, found.all) == (3, 3)
    assert found.gain == pytest.approx(0)
    assert found.wins + found.losses == 2
    assert found.losses == 1
    lower = gain_by_scores("o", rankings[:1], {"g/a": 5.0, "g/b": 1.0, "g/c": 3.0}, 0, lower=True)
    assert (lower.gain, lower.wins, lower.losses) == (-2, 0, 1)
    assert random_other(rankings[1], 3) == "g/a"
    assert gain_by_scores("nobody", rankings, {}, 0).groups == 0
