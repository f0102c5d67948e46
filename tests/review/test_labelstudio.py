"""Label Studio: tasks of pairs, single answers and whole calls, and their results."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import soundfile

from blueprints import UserError
from fusion import RATINGS, Rating
from tests.support import calls
from tests.support import reviewed as support
from tests.support.audio import tone, write
from tests.support.reviewed import annotation
from trace_eval.review.audio import Clips
from trace_eval.review.forms import PHASES
from trace_eval.review.labelstudio import config, read_results, tasks, write_tasks
from trace_eval.review.labelstudio_tasks import Imported
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.session import Review


def review_of(folder: Path, records: Any, rubric: str) -> Review:
    path = calls.manifest(folder, records)
    return open_review(path, options=ReviewOptions(rubric=rubric))


def call_of(folder: Path, rubric: str) -> Review:
    """Review a call, rated as a whole or turn by turn."""
    calls.sound(folder, "secret-file")
    record = {
        "id": "secret-id",
        "system": "secret-system",
        "labels": {"scores": {"x": 2}},
    }
    call = calls.conversation("secret-file.wav", meta={"note": "secret-note"})
    return review_of(folder, [{**record, "conversation": call}], rubric)


def read(review: Review, folder: Path, export: Any) -> Imported:
    path = folder / "export.json"
    path.write_text(json.dumps(export))
    return read_results(review, path)


def said(review: Review) -> list[tuple[str, str, str, str]]:
    given = review.store.stored()
    return [(one.rater, one.step, one.value, one.comment) for one in given]


def test_a_whole_call_is_one_blind_task(tmp_path: Path) -> None:
    review = call_of(tmp_path, "handling")
    assert write_tasks(review, tmp_path / "ls").problems == ()
    text = (tmp_path / "ls" / "tasks.json").read_text()
    assert "secret" not in text
    (task,) = json.loads(text)
    sound = tmp_path / "ls" / "audio" / task["data"]["answer"].rpartition("/")[2]
    assert soundfile.info(sound).channels == 2
    view = ElementTree.fromstring((tmp_path / "ls" / "config.xml").read_text())
    (player,) = view.iter("Audio")
    assert (player.get("name"), player.get("splitchannels")) == ("answer", "true")
    chosen = {"from_name": "score", "type": "choices", "value": {"choices": ["2"]}}
    export = [{**task, "annotations": [annotation([chosen])]}]
    assert (
        read(review, tmp_path, export).stored,
        read(review, tmp_path, export).known,
    ) == (1, 1)
    changed = {**chosen, "value": {"choices": ["1"]}}
    again = read(review, tmp_path, [{**task, "annotations": [annotation([changed])]}])
    assert "1 now, 2 when it was read before; that stays" in again.problems[0]
    deep: Any = "x"
    for _ in range(90):
        deep = [deep]
    hostile = [
        annotation([None, 5, "x", {"from_name": "score", "value": []}]),
        annotation([{**chosen, "value": {"choices": ["9"]}}], who=8),
        annotation([{**chosen, "value": {"choices": deep}}], who=9),
        annotation([chosen, chosen], who=10),
        annotation([chosen], who="x" * 100),
    ]
    spoilt = read(review, tmp_path, [{**task, "annotations": hostile}])
    assert (spoilt.stored, len(spoilt.problems)) == (0, len(hostile))


def test_turns_are_not_asked_of_label_studio(tmp_path: Path) -> None:
    review = call_of(tmp_path, "conciseness")
    for ask in (config, tasks):
        with pytest.raises(UserError, match=r"turns one by one.*the review's pages"):
            ask(review)


def test_single_answers_are_rated_and_corrected_ones_anew(tmp_path: Path) -> None:
    spoken = write(tmp_path / "secret.wav", tone(0.3, hz=300))
    records = [
        {"id": "a", "question": "Q?", "reference": "r", "candidate": "c", "system": "secret-x"},
        {"id": "b", "instruction": {"audio": str(spoken)}, "reference": "r", "rationale": "why",
         "candidate": "d"},
    ]  # fmt: skip
    review = review_of(tmp_path, records, "correctness")
    assert write_tasks(review, tmp_path / "ls").problems == ()
    made = json.loads((tmp_path / "ls" / "tasks.json").read_text())
    assert "secret" not in json.dumps(made)
    assert made[0]["data"]["shown"] == "Q?\n\nReference: r\n\nAnswer: c"
    assert made[0]["data"]["instruction_note"] == "(Instruction: no sound)"
    for task in made:
        name = task["data"]["instruction"].rpartition("/")[2]
        assert (tmp_path / "ls" / "audio" / name).read_bytes()[:4] == b"RIFF"
        choice = {"from_name": "score", "type": "choices", "value": {"choices": ["4"]}}
        task["annotations"] = [annotation([{**choice, "id": "x"}])]
    view = ElementTree.fromstring(config(review))
    (choices,) = view.iter("Choices")
    assert [one.get("alias") for one in choices] == ["5", "4", "3", "2", "1", "none"]
    assert (choices.get("toName"), choices.get("perRegion")) == ("shown", None)
    made[1]["annotations"].append(annotation([], who=8))
    found = read(review, tmp_path, made)
    assert (found.stored, found.known) == (2, 0)
    assert "task 2: no choice for score; finish the annotation" in found.problems[0]
    assert said(review) == [("label-studio:7", "correctness", "4.0", "")] * 2
    assert all(view.finished for view in review.store.views())
    review.correct("eve", 0, {"reference": "better"})
    found = read(
        review, tmp_path, made[:1]
    )  # what was said of it before does not come back
    assert (found.stored, found.known) == (0, 0)
    assert "its item was corrected" in found.problems[0]
    again = [{**tasks(review)[0], "annotations": made[0]["annotations"]}]
    assert read(review, tmp_path, again).stored == 1
    assert read(review, tmp_path, again).known == 1


def _annotated(review: Review, said: dict[str, Rating]) -> list[dict[str, object]]:
    """Annotate as somebody who hears tones: B of a pair is higher."""
    export: list[dict[str, object]] = []
    for item, task in zip(review.plan.items, tasks(review), strict=True):
        shown = said[item] if _first(review, task) == "a" else said[item].swapped
        choice = {
            "to_name": "first",
            "type": "choices",
            "value": {"choices": [str(shown)]},
        }
        result = [{**choice, "from_name": phase} for phase in PHASES]
        result.append(
            {"from_name": "comment", "type": "textarea", "value": {"text": ["hm"]}}
        )
        export.append({"id": 1, **task, "annotations": [annotation(result)]})
    return export


def _first(review: Review, task: dict[str, object]) -> str:
    """Tell by listening which answer a task plays first: A is 300 Hz, B 600."""
    data = task["data"]
    clip = str(data["first"]).rpartition("/")[2].removesuffix(".wav")
    sound = Clips(review.material.pairs, review.store.secret).wav(clip)
    samples, rate = soundfile.read(io.BytesIO(sound))
    hz = np.abs(np.fft.rfft(samples)).argmax() * rate / len(samples)
    return "a" if abs(hz - 300) < 20 else "b"


def test_pairs_go_there_and_back(run: Path, tmp_path: Path) -> None:
    review = support.open_at(run)
    ratings = dict(zip(review.plan.items, [*RATINGS, Rating.A, Rating.B], strict=True))
    export = _annotated(review, ratings)
    assert {_first(review, task) for task in tasks(review)} == {
        "a",
        "b",
    }  # the order is drawn
    assert read(review, tmp_path, export).stored == 6
    rows = {row.view.item: row for row in review.labelled()}
    for item, rating in ratings.items():
        assert (rows[item].view.rater, rows[item].view.comment) == (
            "label-studio:7",
            "hm",
        )
        assert {rows[item].ratings[phase] for phase in PHASES} == {rating}
    again = read(review, tmp_path, export)
    assert (again.stored, again.known, again.problems) == (0, 6, ())


def test_tasks_of_pairs_are_blind(run: Path, tmp_path: Path) -> None:
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
    found = read(review, tmp_path, [*export, {"content": "1"}, 5])
    assert found.stored == 1
    words = (
        "task 2: no choice for paralinguistics",
        "task 3: content: expected one choice",
        "task 4: content: 'tie' is not one of 1, 2, both_good, both_bad",
        "task 5: its trace_task is not of this review",
        "task 7: no 'data'",
        "task 8: no 'data'",
    )
    for problem, word in zip(found.problems, words, strict=True):
        assert word in problem
    with pytest.raises(UserError, match="expected a list of tasks"):
        read(review, tmp_path, {})
