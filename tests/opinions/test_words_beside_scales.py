"""Words beside the numbers of a comparison scale: what ``--map`` makes of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.cli import code_and_words
from tests.support.exported import scores_of, write_rows
from trace_eval.data.columns import Columns, parse_ends, read_mapping
from trace_eval.opinions.codes import LABELS
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.rating_files import read_ratings

ROWS = "id,overall\nq1,-2\nq2,first best\nq3,1\nq4,second best\nq5,0\n"


def _read(
    tmp_path: Path, rows: str, scale: str, mapping: Mapping[str, str]
) -> list[str]:
    path = tmp_path / "people.csv"
    path.write_text(rows)
    labels = read_labels(path, mapping=mapping, scale=parse_ends(scale))
    codes = labels.codes["overall"].tolist()
    return [LABELS[code] if code >= 0 else "-" for code in codes]


@pytest.mark.parametrize(
    ("first", "second", "read"),
    [
        ("A", "B", ["1", "1", "2", "2", "tie"]),
        ("-3", "3", ["1", "1", "2", "2", "tie"]),
        ("-1", "2", ["1", "1", "2", "2", "tie"]),
        ("tie", "missing", ["1", "tie", "2", "-", "tie"]),
        ("both_good", "B", ["1", "both_good", "2", "2", "tie"]),
        ("+1", "+2", ["1", "2", "2", "2", "tie"]),
    ],
)
def test_a_side_or_a_number_of_the_scale_is_read_as_such(
    tmp_path: Path, first: str, second: str, read: list[str]
) -> None:
    mapping = {"first best": first, "second best": second}
    assert _read(tmp_path, ROWS, "-3..3", mapping) == read


@pytest.mark.parametrize(
    ("scale", "side", "why"),
    [
        ("-3..3", "1", "says something else on the scale"),
        ("3..7", "1", "is not on the scale"),
        ("7..1", "1", "says something else on the scale"),
        ("1..7", "2", "says something else on the scale"),
    ],
)
def test_a_1_or_2_that_is_another_number_of_the_scale_is_asked_for(
    tmp_path: Path, scale: str, side: str, why: str
) -> None:
    rows = "id,overall\nq1,3\nq2,first best\n"
    with pytest.raises(UserError, match=why):
        _read(tmp_path, rows, scale, {"first best": side})


def test_numbers_of_a_whole_scale_are_taken_as_such(tmp_path: Path) -> None:
    rows = "id,overall\nq1,much\nq2,a bit\nq3,less\n"
    words = {"much": "1", "a bit": "2", "less": "5"}
    assert _read(tmp_path, rows, "1..5", words) == ["1", "1", "2"]


@pytest.mark.usefixtures("here")
def test_numbers_of_the_labels_scale_are_none_of_the_judge_beside_them() -> None:
    Path("judged.csv").write_text("id,overall\nq1,1\nq2,1\nq3,2\nq4,2\nq5,tie\n")
    Path("people.csv").write_text(ROWS)
    options = ("--scale", "-3..3", "--map", "first best=-3", "--map", "second best=3")
    code, said = code_and_words(
        "agree", "judged.csv", "--labels", "people.csv", *options
    )
    assert code == 0, said
    assert "100 %" in said


def test_what_matches_has_no_letters_beside_a_scale(tmp_path: Path) -> None:
    rows = "id,overall,match\nq1,-2,perhaps\nq2,1,true\n"
    with pytest.raises(UserError, match="labels are true, false;"):
        _read(tmp_path, rows, "-3..3", {})


def test_scores_whose_least_is_the_best_are_turned_round_as_typed(
    tmp_path: Path,
) -> None:
    """The one remedy was the other order of the ends, by which the worst system won."""
    path = write_rows(
        tmp_path / "grades.csv",
        ["id", "rater", "system", "score"],
        ["p", "ann", "old", 5],
        ["p", "ann", "new", 1.5],
    )
    with pytest.raises(UserError) as refused:
        read_ratings(path, columns=Columns(scale=parse_ends("6..1:0.5")))
    said = str(refused.value)
    assert "--scale 1..6:0.5 where 6 is the best; where 1 is, turn them round" in said
    turned = read_mapping(re.findall(r"--map (\S+)", said))
    typed = Columns(scale=parse_ends("1..6:0.5"), mapping=turned)
    table = read_ratings(path, columns=typed)
    assert scores_of(table) == [("ann", "old", 2.0), ("ann", "new", 5.5)]
    rows = [["p", f"r{number}", "old", number] for number in range(30)]
    write_rows(path, ["id", "rater", "system", "score"], *rows)
    with pytest.raises(UserError, match="subtract each from 100 in the file"):
        read_ratings(path, columns=Columns(scale=parse_ends("100..0")))
