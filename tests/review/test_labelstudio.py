"""Label Studio: tasks of scores of answers and of whole calls, and their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import soundfile

from blueprints import UserError
from tests.support import calls, studio
from tests.support.audio import tone, write
from trace_eval.review.labelstudio import config, read_results, tasks, write_tasks
from trace_eval.review.labelstudio_tasks import Imported
from trace_eval.review.options import ReviewOptions
from trace_eval.review.session import Review, open_review


def review_of(folder: Path, records: Any, rubric: str) -> Review:
    path = calls.manifest(folder, records)
    return open_review(path, options=ReviewOptions(rubric=rubric))


def call_of(folder: Path, rubric: str) -> Review:
    """A call, rated as a whole or turn by turn."""
    calls.sound(folder, "secret-file")
    record = {"id": "secret-id", "system": "secret-system", "labels": {"scores": {"x": 2}}}
    call = calls.conversation("secret-file.wav", meta={"note": "secret-note"})
    return review_of(folder, [{**record, "conversation": call}], rubric)


def read(review: Review, folder: Path, export: Any) -> Imported:
    path = folder / "export.json"
    path.write_text(export if isinstance(export, str) else json.dumps(export))
    return read_results(review, path)


def said(review: Review) -> list[tuple[str, str, str, str]]:
    given = review.store.stored()
    return [(one.rater, one.step, one.value, one.comment) for one in given]


def test_a_whole_call_is_one_blind_task(tmp_path: Path) -> None:
    review = call_of(tmp_path, "handling")
    assert write_tasks(review, tmp_path / "ls") == ()
    text = (tmp_path / "ls" / "tasks.json").read_text()
    assert "secret" not in text
    (task,) = json.loads(text)
    sound = tmp_path / "ls" / "audio" / task["data"]["answer"].rpartition("/")[2]
    assert soundfile.info(sound).channels == 2
    view = ElementTree.fromstring((tmp_path / "ls" / "config.xml").read_text())
    (player,) = view.iter("Audio")
    assert (player.get("name"), player.get("splitchannels")) == ("answer", "true")
    chosen = {"from_name": "score", "type": "choices", "value": {"choices": ["2"]}}
    export = [{**task, "annotations": [studio.annotation([chosen])]}]
    assert (read(review, tmp_path, export).stored, read(review, tmp_path, export).known) == (1, 1)
    changed = {**chosen, "value": {"choices": ["1"]}}
    again = read(review, tmp_path, [{**task, "annotations": [studio.annotation([changed])]}])
    assert "1 now, 2 when it was read before; that stays" in again.problems[0]
    deep: Any = "x"
    for _ in range(90):
        deep = [deep]
    hostile = [
        studio.annotation([None, 5, "x", {"from_name": "score", "value": []}]),
        studio.annotation([{**chosen, "value": {"choices": ["9"]}}], who=8),
        studio.annotation([{**chosen, "value": {"choices": deep}}], who=9),
        studio.annotation([chosen, chosen], who=10),
        studio.annotation([chosen], who="x" * 100),
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
    assert write_tasks(review, tmp_path / "ls") == ()
    made = json.loads((tmp_path / "ls" / "tasks.json").read_text())
    assert "secret" not in json.dumps(made)
    assert made[0]["data"]["shown"] == "Q?\n\nReference: r\n\nAnswer: c"
    assert made[0]["data"]["instruction_note"] == "(Instruction: no sound)"
    for task in made:
        name = task["data"]["instruction"].rpartition("/")[2]
        assert (tmp_path / "ls" / "audio" / name).read_bytes()[:4] == b"RIFF"
        choice = {"from_name": "score", "type": "choices", "value": {"choices": ["4"]}}
        task["annotations"] = [studio.annotation([{**choice, "id": "x"}])]
    view = ElementTree.fromstring(config(review))
    (choices,) = view.iter("Choices")
    assert [one.get("alias") for one in choices] == ["5", "4", "3", "2", "1", "none"]
    assert (choices.get("toName"), choices.get("perRegion")) == ("shown", None)
    made[1]["annotations"].append(studio.annotation([], who=8))
    found = read(review, tmp_path, made)
    assert (found.stored, found.known) == (2, 0)
    assert "task 2: no choice for score; finish the annotation" in found.problems[0]
    assert said(review) == [("label-studio:7", "correctness", "4.0", "")] * 2
    assert all(view.finished for view in review.store.views())
    review.correct("eve", 0, {"reference": "better"})
    found = read(review, tmp_path, made[:1])  # what was said of it before does not come back
    assert (found.stored, found.known) == (0, 0)
    assert "its item was corrected" in found.problems[0]
    again = [{**tasks(review)[0], "annotations": made[0]["annotations"]}]
    assert read(review, tmp_path, again).stored == 1
    assert read(review, tmp_path, again).known == 1
