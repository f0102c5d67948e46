"""Label Studio: blind tasks of whatever a review asks, and its results back.

A task names recordings by opaque ids, and which answer came first is not in the file:
the review's secret and seed decide it again when results are read. Results are the JSON
export of Label Studio (not JSON_MIN): a list of tasks with ``annotations``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from markupsafe import Markup

from blueprints import UserError
from extractors import SPEECH_RATE
from trace_eval.data import strict_json
from trace_eval.data.files import make_folder, replace_file
from trace_eval.data.items import Pair, Single
from trace_eval.data.outputs import claimed, write_file
from trace_eval.review.audio import keyed, wav_file
from trace_eval.review.forms import COMMENT, check_name
from trace_eval.review.labelstudio_tasks import (
    SILENCE,
    Entries,
    Imported,
    PairTasks,
    ScoreTasks,
    Tasks,
    clip_of,
    url,
)
from trace_eval.review.session import Review
from trace_eval.show.pages import environment


def _tasks(review: Review) -> Tasks:
    rubric = review.material.rubric
    if rubric is None:
        if not review.is_hcot:
            raise UserError(
                f"protocol {review.form.name}: has no tasks of Label Studio, where"
                " pairs are labelled as HCoT does; rate them on the review's pages"
            )
        return PairTasks(review)
    if review.listening.together:
        raise UserError(
            f"protocol {rubric.name}: rates several answers together, as no task of"
            " Label Studio here can; rate them on the review's pages"
        )
    if rubric.unit == "turn":
        raise UserError(
            f"rubric {rubric.name}: asks about turns one by one, as no task of Label"
            " Studio can; rate them on the review's pages"
        )
    return ScoreTasks(review)


def _task_id(review: Review, item: str) -> str:
    """Return a task's id, which every correction changes.

    Earlier answers were about other words.
    """
    made = review.corrections.of(item) if review.corrections else ()
    return keyed(
        review.store.secret, "task", item, *(f"{one.field}={one.after}" for one in made)
    )


def _task(review: Review, kind: Tasks, item: Pair | Single) -> dict[str, Any]:
    return {"data": {"trace_task": _task_id(review, item.id), **kind.data(item)}}


def tasks(review: Review) -> list[dict[str, Any]]:
    """Export the queue as tasks; raises UserError where turns are rated."""
    kind = _tasks(review)
    return [_task(review, kind, item) for item in kind.items]


def config(review: Review) -> str:
    """Write the labelling interface for these tasks."""
    templates = environment("trace_eval.review")
    templates.filters["quoted"] = lambda text: Markup(quoteattr(text))
    template = templates.get_template("labelstudio.xml.j2")
    return template.render(_tasks(review).interface(), comment=COMMENT) + "\n"


@dataclass(frozen=True)
class WrittenTasks:
    """How many tasks were written, and what is left out with its reason."""

    tasks: int
    problems: tuple[str, ...] = ()


def write_tasks(review: Review, folder: Path) -> WrittenTasks:
    """Write ``tasks.json``, ``config.xml`` and the queue's sound, ``audio/ID.wav``.

    Raises UserError where there can be no task of any item.
    """
    records, problems = [], []
    with claimed(folder, option="--label-studio "):
        kind, audio = _tasks(review), folder / "audio"
        make_folder(audio)
        for item in kind.items:
            try:
                task = _task(review, kind, item)
                for clip in (clip_of(value) for value in task["data"].values()):
                    if clip in kind.clips:
                        replace_file(audio / f"{clip}.wav", kind.clips.wav(clip))
                records.append(task)
            except UserError as error:
                problems.append(f"{review.form.unit} {item.id} is left out: {error}")
        if not records:
            why = problems[0] if problems else "there is nothing to review"
            raise UserError(f"no tasks: {why}")
        text = json.dumps(records, indent=2, ensure_ascii=False) + "\n"
        if url(SILENCE) in text:
            silence = wav_file(np.zeros(SPEECH_RATE // 2, np.float32), SPEECH_RATE)
            replace_file(audio / f"{SILENCE}.wav", silence)
        write_file(folder / "tasks.json", text)
        write_file(folder / "config.xml", config(review))
    return WrittenTasks(len(records), tuple(problems))


def read_results(review: Review, path: Path) -> Imported:
    """Store the annotations of a Label Studio export as answers of its annotators.

    Annotators become raters ``label-studio:ID``. What is stored already is left as it
    is, so that a file may be read twice. A file that is no such export raises a
    UserError.
    """
    try:
        export = strict_json.read_list(path)
    except (OSError, strict_json.BadJson) as error:
        raise UserError(
            f"{path}: expected a list of tasks ({error}); export as JSON, not JSON_MIN"
        ) from error
    kind = _tasks(review)
    items = {_task_id(review, item.id): item for item in kind.items}
    result, problems = [], []
    for number, task in enumerate(export, start=1):
        where = f"{path}, task {number}"
        try:
            item, annotations = _item_of(task, items)
        except (UserError, strict_json.BadJson) as error:
            problems.append(f"{where}: {error}")
            continue
        for annotation in annotations:
            who = ""
            try:
                if isinstance(annotation, strict_json.BadJson):
                    raise annotation
                rater = _annotator(annotation)
                who = f" ({rater})"
                read = kind.read(rater, item, _entries(annotation))
            except (UserError, strict_json.BadJson) as error:
                read = Imported(problems=(str(error),))
            result.append(read)
            problems += [f"{where}: {problem}{who}" for problem in read.problems]
    stored, available = (
        sum(one.stored for one in result),
        sum(one.known for one in result),
    )
    return Imported(stored, available, tuple(problems))


def _annotator(annotation: Mapping[str, Any]) -> str:
    """Name the annotator as a rater of the review."""
    who = annotation.get("completed_by")
    if isinstance(who, Mapping):
        who = who.get("email") or who.get("id")
    return check_name(f"label-studio:{who or 'unknown'}")


def _entries(annotation: Mapping[str, Any]) -> Entries:
    """Return the entries of an annotation that say something."""
    entries: list[tuple[str, Mapping[str, Any]]] = []
    results = annotation.get("result")
    if not isinstance(results, list):
        return entries
    for number, one in enumerate(results, start=1):
        if isinstance(one, strict_json.BadJson):
            raise UserError(f"result {number}: {one}")
        if isinstance(one, Mapping) and one.get("from_name"):
            field, value = str(one["from_name"]), one.get("value")
            if isinstance(value, strict_json.BadJson):
                raise UserError(f"{field}: {value}")
            if isinstance(value, Mapping):
                entries.append((field, value))
    return entries


def _item_of(
    task: Any, items: Mapping[str, Pair | Single]
) -> tuple[Pair | Single, list[Mapping[str, Any] | strict_json.BadJson]]:
    """Return the item of a task, and its annotations that were not cancelled."""
    if isinstance(task, strict_json.BadJson):
        raise task
    data = task.get("data") if isinstance(task, Mapping) else None
    if not isinstance(data, Mapping):
        raise UserError("no 'data'; export as JSON, not JSON_MIN")
    item = items.get(str(data.get("trace_task")))
    if item is None:
        raise UserError(
            "its trace_task is not of this review, or its item was corrected;"
            " export tasks again"
        )
    annotations: list[Mapping[str, Any] | strict_json.BadJson] = []
    listed = task.get("annotations")
    if not isinstance(listed, list):
        return item, annotations
    for one in listed:
        is_cancelled = isinstance(one, Mapping) and one.get("was_cancelled")
        if isinstance(one, strict_json.BadJson | Mapping) and not is_cancelled:
            annotations.append(one)
    return item, annotations
