"""Forms with an item in every column, as Google Forms and Qualtrics export them."""

from __future__ import annotations

from pathlib import Path

import pytest

from trace_eval.opinions.codes import LABELS
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.opinions.survey_cells import SurveyTable
from trace_eval.opinions.survey_forms import is_form

#: A question about each item, which stands before it; the comment is no item.
ASKED = [
    "Pair 1: which answer is better?",
    "Pair 2: which answer is better?",
    "Any comments?",
]

#: What Qualtrics writes in front of its questions, and in the two rows below the
#: header.
META = ["StartDate", "Finished", "ResponseId"]
TITLES = ["Start Date", "Finished", "Response ID"]


def _write(path: Path, *rows: list[str]) -> Path:
    lines = []
    for row in rows:
        cells = [f'"{cell}"' for cell in row]
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")
    return path


def _labels(path: Path) -> list[tuple[str, str | None, str]]:
    table = read_labels(path)
    assert table.rater is not None
    codes = [
        LABELS[code] if code >= 0 else None
        for code in table.codes["preference"].tolist()
    ]
    return list(zip(table.ids.tolist(), codes, table.rater.tolist(), strict=True))


def test_items_before_the_question_are_read_from_google_forms(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "form.csv",
        ["Timestamp", "Email Address", *ASKED],
        ["2026/11/02 10:12:33 AM GMT+1", "ann@x.org", "Answer A", "Both are equal", ""],
        ["2026/11/02 10:15:01 AM GMT+1", "bob@x.org", "Answer B", "", "nice"],
    )
    assert _labels(path) == [
        ("Pair 1", "1", "ann@x.org"),
        ("Pair 2", "tie", "ann@x.org"),
        ("Pair 1", "2", "bob@x.org"),
        ("Pair 2", None, "bob@x.org"),
    ]


@pytest.mark.parametrize("column", ["{} [{}]", "{} - {}", "{} ({})"])
def test_items_that_are_blocks_of_their_own_are_items(
    column: str, tmp_path: Path
) -> None:
    """Each column was read as a rater, and each row as a pair."""
    asked = [
        column.format(f"Pair {number}", "Which answer is better?") for number in (1, 2)
    ]
    path = _write(
        tmp_path / "form.csv",
        ["Timestamp", "Email Address", *asked],
        ["2026/11/02 10:12:33 AM GMT+1", "ann@x.org", "Answer A", "Both are equal"],
        ["2026/11/02 10:15:01 AM GMT+1", "bob@x.org", "Answer B", "Answer A"],
    )
    assert _labels(path) == [
        ("Pair 1", "1", "ann@x.org"),
        ("Pair 2", "tie", "ann@x.org"),
        ("Pair 1", "2", "bob@x.org"),
        ("Pair 2", "1", "bob@x.org"),
    ]


@pytest.mark.parametrize(
    "columns",
    [
        ["delay [ms]", "length [ms]"],
        ["ann (1, 2 or tie)", "bob (1, 2 or tie)"],
        ["ann - label", "bob - label"],
        ["Content (who wins)", "Delivery (who wins)"],
        ["file", "ann - better?", "bob - better?"],
        ["Rater 1 (A or B?)", "Rater 2 (A or B?)"],
        ["Content [who wins?]", "Delivery [who wins?]"],
        ["wav_a", "wav_b", "preference", "A 1 (clipped?)", "B 2 (clipped?)"],
        ["system_a", "system_b", "overall", "Note 1 (why?)", "Note 2 (why?)"],
    ],
)
def test_units_and_notes_behind_columns_are_no_questions(columns: list[str]) -> None:
    assert not is_form(SurveyTable.of([dict.fromkeys(columns, "1")]))


def test_items_before_the_question_are_read_below_three_headers_of_qualtrics(
    tmp_path: Path,
) -> None:
    imports = [
        f'{{""ImportId"":""{name}""}}'
        for name in ("startDate", "finished", "_recordId")
    ]
    asked = ['{""ImportId"":""QID1""}', '{""ImportId"":""QID2""}']
    path = _write(
        tmp_path / "qualtrics.csv",
        [*META, "Q1", "Q2"],
        [*TITLES, *ASKED[:2]],
        [*imports, *asked],
        ["2026-11-02 10:00:00", "True", "R_1a", "A is better", "No preference"],
    )
    assert _labels(path) == [("Pair 1", "1", "R_1a"), ("Pair 2", "tie", "R_1a")]


def test_places_of_a_scale_may_have_their_words(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "mos.csv",
        ["Timestamp", "Email Address", "How natural? [clip1]", "How natural? [clip2]"],
        ["2026/11/02 10:12:33 AM", "ann@x.org", "4 - Good", "1 (bad)"],
        ["2026/11/02 10:15:01 AM", "bob@x.org", "5 - Excellent", "2 - Poor"],
    )
    assert read_ratings(path).facts["score"].tolist() == [4, 1, 5, 2]
