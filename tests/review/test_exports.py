from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import soundfile

from blueprints import UserError
from fusion import DIMENSIONS, RATINGS, Rating
from tests.support import reviewed as support
from trace_eval.decide.agree import agree
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.labels import read_labels
from trace_eval.review.audio import Clips
from trace_eval.review.exports import records, write_exports
from trace_eval.review.forms import PHASES
from trace_eval.review.labelstudio import read_results, tasks, write_tasks
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
    """The files of that review."""
    names = [path.name for path in write_exports(review, tmp_path / "out")]
    assert names == ["labels.json", "labels.jsonl", "labels.csv", "retest.jsonl", "accuracy.json"]
    return tmp_path / "out"


@pytest.mark.parametrize("name", ["labels.json", "labels.jsonl", "labels.csv"])
def test_labels_load_strictly_and_go_into_agree(
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
    options = AgreeOptions(BootstrapOptions(resamples=0))
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
    assert sorted(table.repeat.tolist() if table.repeat is not None else []) == list("0011")
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


# --- Label Studio -------------------------------------------------------------------


def _annotated(review: Review, said: dict[str, Rating]) -> list[dict[str, object]]:
    """What Label Studio gives back, by an annotator who hears tones: B of a pair is higher."""
    export: list[dict[str, object]] = []
    for item, task in zip(review.plan.items, tasks(review), strict=True):
        shown = said[item] if _first(review, task) == "a" else said[item].swapped
        result = [
            {"from_name": phase, "to_name": "first", "type": "choices",
             "value": {"choices": [str(shown)]}}
            for phase in PHASES
        ]  # fmt: skip
        result.append({"from_name": "comment", "type": "textarea", "value": {"text": ["hm"]}})
        annotation = {"completed_by": 7, "was_cancelled": False, "result": result}
        export.append({"id": 1, **task, "annotations": [annotation]})
    return export


def _first(review: Review, task: dict[str, object]) -> str:
    """Which answer a task plays first, by listening: A is a tone of 300 Hz, B of 600."""
    data = task["data"]
    clip = str(data["first"]).rpartition("/")[2].removesuffix(".wav")
    samples, rate = soundfile.read(
        io.BytesIO(Clips(review.material.pairs, review.store.secret).wav(clip))
    )
    hz = np.abs(np.fft.rfft(samples)).argmax() * rate / len(samples)
    return "a" if abs(hz - 300) < 20 else "b"


def test_label_studio_there_and_back(run: Path, tmp_path: Path) -> None:
    review = support.open_at(run)
    items = review.plan.items
    said = dict(zip(items, [*RATINGS, Rating.A, Rating.B], strict=True))
    export = _annotated(review, said)
    assert {_first(review, task) for task in tasks(review)} == {"a", "b"}  # the order is drawn
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export))
    assert read_results(review, path).stored == 6
    rows = {row.view.item: row for row in review.labelled()}
    for item, rating in said.items():
        assert rows[item].view.rater == "label-studio:7"
        assert rows[item].view.comment == "hm"
        assert {rows[item].ratings[phase] for phase in PHASES} == {rating}
    again = read_results(review, path)
    assert (again.stored, again.known, again.problems) == (0, 6, ())


def test_tasks_are_blind(run: Path, tmp_path: Path) -> None:
    review = support.open_at(run)
    write_tasks(review, tmp_path / "ls")
    text = (tmp_path / "ls" / "tasks.json").read_text()
    for secret in ("secret-one", "secret-two", "p0", "because of", str(tmp_path)):
        assert secret not in text
    for task in json.loads(text):
        for role in ("first", "second"):
            name = task["data"][role].rpartition("/")[2]
            assert (tmp_path / "ls" / "audio" / name).read_bytes()[:4] == b"RIFF"
    view = ElementTree.fromstring((tmp_path / "ls" / "config.xml").read_text())
    for choices in view.iter("Choices"):
        assert [choice.get("alias") for choice in choices] == [str(r) for r in RATINGS]
    assert [choices.get("name") for choices in view.iter("Choices")] == list(PHASES)


def test_a_bad_annotation_costs_itself_only(run: Path, tmp_path: Path) -> None:
    review = support.open_at(run)
    export = _annotated(review, dict.fromkeys(review.plan.items, Rating.A))
    annotations = [task["annotations"][0] for task in export]
    annotations[0]["was_cancelled"] = True
    annotations[1]["result"] = annotations[1]["result"][:2]
    annotations[2]["result"][0]["value"] = {"choices": ["1", "2"]}
    annotations[3]["result"][0]["value"] = {"choices": ["tie"]}
    export[4]["data"] = {"trace_task": "unknown"}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([*export, {"content": "1"}, 5]))
    found = read_results(review, path)
    assert found.stored == 1
    words = (
        "task 2: no choice for paralinguistics",
        "task 3: content: expected one choice",
        "task 4: content: 'tie' is none of 1, 2, both_good, both_bad",
        "task 5: its trace_task is not of this review",
        "task 7: no 'data'",
        "task 8: no 'data'",
    )
    for problem, word in zip(found.problems, words, strict=True):
        assert word in problem
    path.write_text("{}")
    with pytest.raises(UserError, match="expected a list of tasks"):
        read_results(review, path)
