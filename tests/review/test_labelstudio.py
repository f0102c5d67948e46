"""Label Studio: tasks of scores and of the turns of calls, and their results."""

from __future__ import annotations

import copy
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import soundfile

from blueprints import UserError
from tests.support import calls, studio
from tests.support import reviewed as support
from trace_eval.review.exports import write_exports
from trace_eval.review.labelstudio import Imported, config, read_results, tasks, write_tasks
from trace_eval.review.options import ReviewOptions
from trace_eval.review.session import Review, open_review

Change = Callable[[dict[str, Any]], object]


def review_of(folder: Path, records: Any, rubric: str) -> Review:
    path = calls.manifest(folder, records)
    return open_review(path, options=ReviewOptions(rubric=rubric))


@pytest.fixture
def review(tmp_path: Path) -> Review:
    """A call with three turns of the agent, 0, 2 and 4."""
    calls.sound(tmp_path, "secret-file")
    record = {"id": "secret-id", "system": "secret-system", "labels": {"scores": {"x": 2}}}
    call = calls.conversation("secret-file.wav", meta={"note": "secret-note"})
    return review_of(tmp_path, [{**record, "conversation": call}], "conciseness")


def read(review: Review, folder: Path, export: Any) -> Imported:
    path = folder / "export.json"
    path.write_text(export if isinstance(export, str) else json.dumps(export))
    return read_results(review, path)


def said(review: Review) -> list[tuple[str, str, str, str]]:
    given = review.store.stored()
    return [(one.rater, one.step, one.value, one.comment) for one in given]


def test_a_call_is_one_blind_task_with_its_turns_as_regions(review: Review, tmp_path: Path) -> None:
    assert write_tasks(review, tmp_path / "ls") == ()
    text = (tmp_path / "ls" / "tasks.json").read_text()
    for secret in ("secret", "caller", "bot", "rebook", str(tmp_path)):
        assert secret not in text
    (task,) = json.loads(text)
    regions = studio.turns_of(task)
    assert len({one["id"] for one in regions.values()}) == 5
    samples, rate = soundfile.read(
        tmp_path / "ls" / "audio" / task["data"]["answer"].rpartition("/")[2]
    )
    assert samples.shape[1] == 2
    for number, (speaker, start, end, words) in enumerate(calls.TURNS):
        region, lane = regions[number], int(speaker == "bot")
        assert region["original_length"] == pytest.approx(len(samples) / rate)
        # the sound begins with the first turn
        assert region["value"] == {
            "start": pytest.approx(start - 0.2),
            "end": pytest.approx(end - 0.2),
            "channel": lane,
            "labels": ["agent" if lane else "user"],
        }
        assert region["meta"]["text"] == [f"{number}: {words}"]
        assert region["readonly"] is not bool(lane)
        first, last = (round(region["value"][edge] * rate) for edge in ("start", "end"))
        heard = np.abs(samples[first + 10 : last - 10]).max(axis=0)
        assert heard[lane] > 0.2 > 0.01 > heard[1 - lane]
    view = ElementTree.fromstring((tmp_path / "ls" / "config.xml").read_text())
    (sound,), (choices,), (words_,) = (view.iter(n) for n in ("Audio", "Choices", "TextArea"))
    assert (sound.get("name"), sound.get("splitchannels")) == ("answer", "true")
    assert [label.get("value") for label in view.iter("Label")] == ["agent", "user"]
    assert [one.get("alias") for one in choices] == ["3", "2", "1", "none"]
    assert choices[0].get("value") == "3: As short as the moment allows."
    for field in (choices, words_):
        assert (field.get("toName"), field.get("perRegion")) == ("answer", "true")
        assert field.get("whenLabelValue") == "agent"
    assert tasks(review) == json.loads(text)  # all ids stay


def test_rated_turns_come_back_once(review: Review, tmp_path: Path) -> None:
    (task,) = tasks(review)
    words = "1: Too long or too much at once: a listener loses the thread."
    first = studio.rated(task, {0: "3", 2: words})  # they count as the label they stand for
    second = studio.rated(task, {0: "1", 2: "none", 4: "2"}, who={"id": 9, "email": "a@b"})
    first["annotations"] += second["annotations"]
    found = read(review, tmp_path, [first])
    assert (found.stored, found.known, found.unit) == (5, 0, "turn")
    (problem,) = found.problems
    said_of = "turn 4: no choice for score; finish the annotation (label-studio:7)"
    assert problem.endswith(f"task 1: {said_of}")
    before = [
        ("label-studio:7", "turn-0", "3.0", "=turn 0"),
        ("label-studio:7", "turn-2", "1.0", "=turn 2"),
        ("label-studio:a@b", "turn-0", "1.0", "=turn 0"),
        ("label-studio:a@b", "turn-2", "none", "=turn 2"),
        ("label-studio:a@b", "turn-4", "2.0", "=turn 4"),
    ]
    assert said(review) == before
    assert [view.finished is None for view in review.store.views()] == [True, False]
    found = read(review, tmp_path, [first, first])
    assert (found.stored, found.known) == (0, 10)
    # What was open comes later; what was changed is told, and stays.
    found = read(review, tmp_path, [studio.rated(task, {0: "2", 2: "1", 4: "1"})])
    assert (found.stored, found.known) == (1, 2)
    assert "turn-0: 2 now, 3 when it was read before; that stays" in found.problems[0]
    assert said(review) == [*before, ("label-studio:7", "turn-4", "1.0", "=turn 4")]
    labels, *_ = write_exports(review, tmp_path / "out")
    rows = list(csv.DictReader(labels.open()))
    assert [(r["id"], r["score"], r["comment"]) for r in rows[:2]] == [
        ("secret-id/turn-0", "3", "'=turn 0"),
        ("secret-id/turn-2", "1", "'=turn 2"),
    ]


#: How an entry of turn 2 is spoilt -> what is said of it.
SPOILT: dict[str, tuple[Change, str]] = {
    "moved": (lambda e: e["value"].update(start=5.0, end=6.0), "it was moved to 5 to 6 s, beyond"),
    "longer": (lambda e: e["value"].update(end=3.4), "beyond its 2 to 2.8 s"),
    "backwards": (lambda e: e["value"].update(start=2.5, end=2.1), "it was moved"),
    "no time": (lambda e: e["value"].update(start="2"), "are no times"),
    "true": (lambda e: e["value"].update(start=True), "are no times"),
    "NaN": (lambda e: e["value"].update(start=float("nan")), "NaN is not JSON"),
    "huge": (lambda e: e["value"].update(end=1e308), "it was moved to 2 to 1e+308 s"),
    "channel": (lambda e: e["value"].update(channel=0), "it is on channel 0, not 1"),
    "true channel": (lambda e: e["value"].update(channel=True), "it is on channel True"),
    "list channel": (lambda e: e["value"].update(channel=[1]), "it is on channel [1]"),
    "two": (lambda e: e["value"].update(choices=["1", "2"]), "expected one choice, got ['1', '2']"),
    "none": (lambda e: e["value"].update(choices=[]), "expected one choice, got []"),
    "no list": (lambda e: e["value"].update(choices={"1": 1}), "expected one choice"),
    "off": (lambda e: e["value"].update(choices=["4"]), "'4' is none of 3, 2, 1, none"),
    "number": (lambda e: e["value"].update(choices=[3]), "3 is none of 3, 2, 1, none"),
    "odd": (lambda e: e["value"].update(choices=[["3"]]), "['3'] is none of"),
}  # fmt: skip


def test_a_spoilt_region_costs_itself_only(review: Review, tmp_path: Path) -> None:
    (task,) = tasks(review)
    region, export = studio.turns_of(task)[2]["id"], copy.deepcopy({**task, "annotations": []})
    for who, (spoil, _) in SPOILT.items():
        told = copy.deepcopy(studio.rated(task, {0: "3", 2: "1", 4: "2"}, who))["annotations"]
        result = told[0]["result"]
        spoil(next(e for e in result if e["id"] == region and e["from_name"] == "score"))
        export["annotations"] += told
    found = read(review, tmp_path, [export])
    assert found.stored == 2 * len(SPOILT)
    for problem, (who, (_, words)) in zip(found.problems, SPOILT.items(), strict=True):
        assert "task 1: turn 2: " in problem
        assert words in problem
        assert problem.endswith(f"(label-studio:{who})")
    assert {step for _, step, _, _ in said(review)} == {"turn-0", "turn-4"}


def test_regions_that_are_no_turn_are_told(review: Review, tmp_path: Path) -> None:
    (task,) = tasks(review)
    told = studio.rated(task, {0: "3", 1: "1", 2: "1", 4: "2"})
    regions, result = studio.turns_of(task), told["annotations"][0]["result"]
    label = next(one for one in result if one["id"] == regions[2]["id"])
    label["value"] = {**label["value"], "labels": ["user"]}
    result.append(studio.in_region(regions[4], "score", choices=["1"]))
    result += [
        {**one, "id": "mine"}
        for one in (regions[0], studio.in_region(regions[0], "score", choices=["3"]))
    ]
    # within a quarter of a second it is still its turn
    nudged = next(one for one in result if one["id"] == regions[0]["id"])
    nudged["value"] = {**nudged["value"], "end": nudged["value"]["end"] + 0.2}
    found = read(review, tmp_path, [told])
    assert found.stored == 1
    words = (
        "turn 1: it is the user's; only the agent's are rated",
        "turn 2: its label is ['user'], not agent",
        "turn 4: score: expected one choice, got [['2'], ['1']]",
        "region 'mine': it was added, and is no turn of this call",
    )
    for problem, word in zip(found.problems, words, strict=True):
        assert word in problem
    assert [step for _, step, _, _ in said(review)] == ["turn-0"]


def test_hostile_annotations_cost_themselves_only(review: Review, tmp_path: Path) -> None:
    (task,) = tasks(review)
    good = studio.rated(task, {0: "3", 2: "1", 4: "2"})
    (one,) = good["annotations"]
    region = studio.turns_of(task)[0]
    deep: Any = []
    for _ in range(150):
        deep = [deep]
    bad: list[Any] = [
        studio.annotation([{"id": [1], "from_name": {"x": 1}, "value": {"choices": deep}}]),
        studio.annotation([None, 5, "x", {"from_name": "score", "value": []}, region]),
        studio.annotation([{**region, "score": float("inf")}], who=deep),
        studio.annotation([], who="x" * 100),
        {"result": {"a": 1}, "completed_by": 3},
        7,
    ]
    good["annotations"] = [*bad, one]
    strange = {**copy.deepcopy(good), "data": {"trace_task": "unknown"}}
    text = json.dumps([good, strange, {"data": []}])
    found = read(review, tmp_path, text)
    assert found.stored == 3
    assert len(said(review)) == 3
    for word in (
        "task 1: region '[1]': {'x': 1}: nested deeper",
        "turns 0, 2, 4: no choice for score; finish the annotation (label-studio:7)",
        "task 1: nested deeper",
        "give a name of 1 to 60 characters",
        "(label-studio:3)",
        "task 2: its trace_task is not of this review",
        "task 3: no 'data'",
    ):
        assert any(word in problem for problem in found.problems), word
    assert all(len(problem) < 400 for problem in found.problems)


def test_turns_without_a_place_are_left_out_and_told(tmp_path: Path) -> None:
    calls.sound(tmp_path)
    turns = list(calls.conversation()["turns"])
    turns[2] = {**turns[2], "start_s": None, "end_s": None}
    records = [
        {"id": "part", "conversation": calls.conversation(turns=()) | {"turns": turns}},
        {"id": "words", "conversation": calls.conversation(None)},
        {"id": "lost", "conversation": calls.conversation("gone.wav")},
    ]
    review = review_of(tmp_path, records, "conciseness")
    problems = write_tasks(review, tmp_path / "ls")
    (task,) = json.loads((tmp_path / "ls" / "tasks.json").read_text())
    assert sorted(studio.turns_of(task)) == [0, 1, 3, 4]
    told = "\n".join(sorted(problems))
    assert "answer part: turn 2: no place in the sound" in told
    assert "answer words is left out: its call has no sound" in told
    assert "answer lost is left out: " in told
    found = read(review, tmp_path, [studio.rated(task, {0: "3", 4: "2"})])
    assert (found.stored, found.problems) == (2, ())
    alone = review_of(tmp_path / "ls", records[1:2], "conciseness")
    with pytest.raises(UserError, match="no tasks: answer words is left out"):
        write_tasks(alone, tmp_path / "none")
    # as a whole it is rated by its words: without sound there is nothing to mark
    whole = review_of(tmp_path / "ls", records[1:2], "handling")
    assert write_tasks(whole, tmp_path / "whole") == ()
    (task,) = json.loads((tmp_path / "whole" / "tasks.json").read_text())
    assert task["data"]["shown"].startswith("0 agent: Hello, how can I help?\n1 user: Move me")
    assert "predictions" not in task
    assert not {"Labels", "Audio"} & {e.tag for e in ElementTree.fromstring(config(whole)).iter()}


def test_single_answers_are_rated_and_corrected_ones_anew(tmp_path: Path) -> None:
    spoken = support.tone(tmp_path / "secret.wav", 300)
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


def test_other_channels_and_drifting_clocks_keep_regions_on_their_sound(tmp_path: Path) -> None:
    calls.sound(tmp_path)
    call = calls.conversation()
    late = {"drift_ppm": 10_000, "offset_s": -0.1}
    call["channels"] = [{**one, **late} for one in call["channels"][::-1]]
    review = review_of(tmp_path, [{"id": "c", "conversation": call}], "conciseness")
    (task,) = tasks(review)
    region = studio.turns_of(task)[4]["value"]
    # (8.4 - 0.2) s of the conversation, on a clock that is slow by a hundredth
    assert region["start"] == pytest.approx(8.2 / 1.01, abs=1e-5)
    assert region["channel"] == 1
