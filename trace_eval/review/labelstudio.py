"""Label Studio: blind tasks with four choices per dimension, and its results back.

A task names recordings by opaque ids and shows A and B in a drawn order, which is not in the
file: both are drawn again from the review's secret and seed when results are read. Results
are the JSON export of Label Studio (not JSON_MIN): a list of tasks with ``annotations``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from blueprints import UserError
from fusion import DIMENSIONS, RATINGS, Rating
from trace_eval.data import Order, make_folder, replace_file, strict_json
from trace_eval.review.audio import Clips, keyed
from trace_eval.review.checks import check_for_pairs, check_name
from trace_eval.review.protocol import COMMENT, COMMENT_LIMIT, TYPED, Phase, shown_rating
from trace_eval.review.queue import shown_order
from trace_eval.review.session import Review
from trace_eval.review.store import View

#: Where Label Studio serves local files from; the folder is relative to its document root.
AUDIO_URL = "/data/local-files/?d=audio/"

#: What is asked, in this order.
PHASES: tuple[Phase, ...] = (*DIMENSIONS, "overall")

#: What annotators read; the results hold the rating itself.
CHOICES: dict[Rating, str] = {
    Rating.A: "1 is better",
    Rating.B: "2 is better",
    Rating.BOTH_GOOD: "both are good",
    Rating.BOTH_BAD: "both are bad",
}

QUESTIONS: dict[Phase, str] = {
    "content": "Content: what is said",
    "voice_quality": "Voice quality: how clean and natural it sounds",
    "paralinguistics": "Paralinguistics: how it is delivered",
    "overall": "Overall",
}


@dataclass(frozen=True)
class Imported:
    """What reading results came to; a bad annotation costs itself only."""

    stored: int
    known: int
    problems: tuple[str, ...]


def _task_id(review: Review, item: str) -> str:
    return keyed(review.store.secret, "task", item)


def _order(review: Review, item: str) -> Order:
    return shown_order(review.plan.seed, "label-studio", item, 0)


def tasks(review: Review, audio_url: str = AUDIO_URL) -> list[dict[str, Any]]:
    """The queue as tasks.

    Args:
        review: whose queue.
        audio_url: put before ``ID.wav``.
    """
    clips = Clips(review.material.pairs, review.store.secret)
    records = []
    for item in review.plan.items:
        first, second = _order(review, item)
        text = review.material.by_id[item].instruction.text
        data = {
            "trace_task": _task_id(review, item),
            "instruction": text or "(spoken, see below)",
            "first": f"{audio_url}{clips.clip_id(item, first)}.wav",
            "second": f"{audio_url}{clips.clip_id(item, second)}.wav",
        }
        spoken = clips.clip_id(item, "instruction")
        # Without a spoken instruction the player has the first answer, and says so.
        data["spoken"] = f"{audio_url}{spoken}.wav" if spoken in clips else data["first"]
        data["spoken_note"] = "Instruction" if spoken in clips else "(no spoken instruction)"
        records.append({"data": data})
    return records


def config() -> str:
    """The labelling interface for these tasks."""
    lines = [
        "<View>",
        '  <Header value="Instruction"/>',
        '  <Text name="instruction" value="$instruction"/>',
        '  <Header value="$spoken_note"/>',
        '  <Audio name="spoken" value="$spoken"/>',
        '  <Header value="Answer 1"/>',
        '  <Audio name="first" value="$first"/>',
        '  <Header value="Answer 2"/>',
        '  <Audio name="second" value="$second"/>',
    ]
    for phase in PHASES:
        lines += [
            f"  <Header value={quoteattr(QUESTIONS[phase])}/>",
            f'  <Choices name="{phase}" toName="first" choice="single" required="true">',
            *(
                f"    <Choice value={quoteattr(CHOICES[rating])} alias={quoteattr(rating)}/>"
                for rating in RATINGS
            ),
            "  </Choices>",
        ]
    comment = '  <TextArea name="comment" toName="first" placeholder="Comment" maxSubmissions="1"/>'
    return "\n".join([*lines, comment, "</View>"]) + "\n"


def write_tasks(review: Review, folder: Path, audio_url: str = AUDIO_URL) -> None:
    """Write ``tasks.json``, ``config.xml`` and ``audio/ID.wav`` for all recordings of the queue.

    A recording that cannot be decoded any more is a UserError that names it.
    """
    check_for_pairs(["label_studio"] if review.material.rubric else [])
    clips = Clips(review.material.pairs, review.store.secret)
    audio = folder / "audio"
    make_folder(audio)
    for item in review.plan.items:
        for role in ("instruction", "a", "b"):
            clip = clips.clip_id(item, role)
            if clip in clips:
                replace_file(audio / f"{clip}.wav", clips.wav(clip))
    text = json.dumps(tasks(review, audio_url), indent=2, ensure_ascii=False)
    replace_file(folder / "tasks.json", text + "\n")
    replace_file(folder / "config.xml", config())


def read_results(review: Review, path: Path) -> Imported:
    """Store the annotations of a Label Studio export as views of their annotators.

    Annotators become raters ``label-studio:ID``. An annotation that is stored already is
    left as it is, so that a file may be read twice.

    Raises:
        UserError: the file is no such export, or the review is not of pairs.
    """
    check_for_pairs(["import"] if review.material.rubric else [])
    try:
        export = strict_json.read_list(path)
    except (OSError, strict_json.BadJson) as error:
        raise UserError(
            f"{path}: expected a list of tasks ({error}); export as JSON, not JSON_MIN"
        ) from error
    items = {_task_id(review, item): item for item in review.plan.items}
    stored = known = 0
    problems = []
    for number, task in enumerate(export, start=1):
        where = f"{path}, task {number}"
        if isinstance(task, strict_json.BadJson):
            problems.append(f"{where}: {task}")
            continue
        try:
            item = _item(task, items)
        except UserError as error:
            problems.append(f"{where}: {error}")
            continue
        for annotation in _annotations(task):
            try:
                view, answers = _view(review, item, annotation)
            except UserError as error:
                problems.append(f"{where}: {error}")
                continue
            new = review.store.insert_finished(view, answers)
            stored, known = stored + new, known + (not new)
    return Imported(stored, known, tuple(problems))


def _item(task: Any, items: Mapping[str, str]) -> str:
    if not isinstance(task, Mapping) or not isinstance(task.get("data"), Mapping):
        raise UserError("no 'data'; export as JSON, not JSON_MIN")
    item = items.get(str(task["data"].get("trace_task")))
    if item is None:
        raise UserError("its trace_task is not of this review; export its tasks again")
    return item


def _annotations(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = task.get("annotations")
    return [
        annotation
        for annotation in (found if isinstance(found, list) else ())
        if isinstance(annotation, Mapping) and not annotation.get("was_cancelled")
    ]


def _view(review: Review, item: str, annotation: Mapping[str, Any]) -> tuple[View, dict[str, str]]:
    order = _order(review, item)
    ratings, comment = _values(annotation.get("result"))
    answers = {f"{p}.{TYPED}": str(shown_rating(ratings[p], order)) for p in PHASES}
    now = time.time()
    rater = _annotator(annotation.get("completed_by"))
    view = View(rater, item, 0, order, now, now, comment, "hidden")
    return view, answers | {COMMENT: ""}


def _values(result: Any) -> tuple[dict[Phase, Rating], str]:
    ratings: dict[Phase, Rating] = {}
    comment = ""
    for region in result if isinstance(result, list) else ():
        name = region.get("from_name") if isinstance(region, Mapping) else None
        value = region.get("value") if name else None
        if not isinstance(value, Mapping):
            continue
        if name == "comment":
            text = value.get("text")
            comment = "\n".join(map(str, text)) if isinstance(text, list) else str(text or "")
        for phase in PHASES:
            if name == phase:
                ratings[phase] = _choice(phase, value.get("choices"))
    missing = [phase for phase in PHASES if phase not in ratings]
    if missing:
        raise UserError(f"no choice for {missing[0]}; finish the annotation")
    return ratings, comment[:COMMENT_LIMIT]


def _choice(phase: Phase, choices: Any) -> Rating:
    if not isinstance(choices, list) or len(choices) != 1:
        raise UserError(f"{phase}: expected one choice, got {choices!r:.60}")
    for rating, text in CHOICES.items():
        if choices[0] in (rating, text):
            return rating
    raise UserError(f"{phase}: {choices[0]!r:.60} is none of {', '.join(RATINGS)}")


def _annotator(completed_by: Any) -> str:
    if isinstance(completed_by, Mapping):
        completed_by = completed_by.get("email") or completed_by.get("id")
    return check_name(f"label-studio:{completed_by or 'unknown'}")
