from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import pytest

from fusion import DIMENSIONS, RATINGS, Rating
from tests.support import reviewed as support
from trace_eval.decide.agree import agree
from trace_eval.opinions.labels import read_labels
from trace_eval.review.exports import records, write_exports
from trace_eval.review.session import Review
from trace_eval.runs.opinions import read_opinions
from trace_eval.stats.options import AgreeOptions


@pytest.fixture
def review(run: Path) -> Review:
    """Six pairs, two raters, one repeat; nasty comments."""
    review = support.open_at(run, repeat=1, overall_first=True)
    for rater in ("ada", "bob"):
        for rating in (*RATINGS, Rating.A, Rating.A, Rating.B):
            support.say(review, rater, rating, '=HYPERLINK("x")\nsecond, "line"')
    return review


@pytest.fixture
def out(review: Review, tmp_path: Path) -> Path:
    """Export the files of that review."""
    names = [path.name for path in write_exports(review, tmp_path / "out")]
    assert names == [
        "labels.json",
        "labels.jsonl",
        "labels.csv",
        "retest.jsonl",
        "accuracy.json",
    ]
    return tmp_path / "out"


@pytest.mark.parametrize("name", ["labels.json", "labels.jsonl", "labels.csv"])
def test_labels_are_read_and_go_into_agree(
    review: Review, run: Path, out: Path, name: str
) -> None:
    table = read_labels(out / name)
    assert len(table) == 12  # six pairs, two raters; the repeats are elsewhere
    assert set(table.raters()) == {"ada", "bob"}
    for rater, rows in table.raters().items():
        mine = {row.view.item: row for row in review.labelled()
                if row.view.rater == rater and row.view.repeat == 0}  # fmt: skip
        for column in (*DIMENSIONS, "overall"):
            said = [RATINGS[code] for code in rows.codes[column]]
            assert said == [mine[item].ratings[column] for item in rows.ids]
    assert set(table.facts["system_a"]) == {"secret-one"}
    options = AgreeOptions()
    assert len(agree([read_opinions(run)], table, options).scores) >= len(DIMENSIONS)


def test_no_time_is_given_where_the_clock_went_back(run: Path) -> None:
    review = support.open_at(run)
    support.say(review, "ada", Rating.A)
    with sqlite3.connect(review.store.path) as database:
        database.execute("UPDATE views SET finished = started - 3600")
    database.close()
    (record,) = records(review)
    assert record["content"] == "1"
    assert record["seconds"] is None


def test_repeats_are_apart_and_a_comment_is_no_formula(out: Path) -> None:
    table = read_labels(out / "retest.jsonl")
    assert sorted(table.repeat.tolist() if table.repeat is not None else []) == list(
        "0011"
    )
    with (out / "labels.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["comment"] == '\'=HYPERLINK("x")\nsecond, "line"'
    assert rows[0]["overall_first"] == rows[0]["overall"]
    assert rows[0]["shown"] in ("ab", "ba")
    record = json.loads((out / "labels.jsonl").read_text().splitlines()[0])
    assert record["comment"].startswith("=HYPERLINK")
    assert record["answers"]["content.a"] in ("yes", "no")
    found = json.loads((out / "accuracy.json").read_text())
    assert found["accuracy"]["overall"]["population"] == 6
    assert len(found["plan"]["population"]) == 6


def test_nothing_reviewed_writes_no_empty_labels(run: Path, tmp_path: Path) -> None:
    written = write_exports(support.open_at(run), tmp_path / "out")
    assert [path.name for path in written] == ["accuracy.json"]
