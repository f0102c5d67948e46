"""Labels out of a review, as files that ``trace-eval agree`` reads.

Files of pairs hold the first view of every (rater, pair); repeated views are in a file
of their own, because they measure a rater's noise and must not count as more raters. Of
single answers there are the scores, those that do not count any more, and the answers
with their scores, which ``train`` reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trace_eval.data.answers import Recording, turn_role
from trace_eval.data.csv_cells import table_text
from trace_eval.data.items import ScoreLabels, Single
from trace_eval.data.outputs import claimed, write_file
from trace_eval.review.estimate import Accuracy, accuracies
from trace_eval.review.forms import PHASES, SURE, Phase, score_of, scored_step, turn_of
from trace_eval.review.labelstudio_tasks import Imported
from trace_eval.review.protocol_files import (
    ANSWER_COLUMNS,
    PAIR_COLUMNS,
    PROTOCOL_FILES,
    training_csv,
)
from trace_eval.review.protocol_results import decided_csv
from trace_eval.review.session import Review
from trace_eval.review.views import Labelled, StoredAnswer

#: Columns of the CSV file of pairs.
COLUMNS = (
    "id",
    "rater",
    *PHASES,
    "overall_first",
    *PAIR_COLUMNS,
)

#: Fields of a record that the HCoT layout does not have; ours hold them, too.
_BESIDE = ("instruction_id", "rater", "overall_first", "shown", "inclusion", "comment")

#: Name of the file of events; of calls only, and once somebody has looked at some.
EVENTS = "events.csv"


@dataclass(frozen=True)
class ReviewFiles:
    """The files that a review wrote, and the annotations that it read."""

    files: tuple[Path, ...] = ()
    accuracy: Mapping[Phase, Accuracy] = field(default_factory=dict)
    imported: Imported | None = None


def records(review: Review, repeats: bool = False) -> list[dict[str, Any]]:
    """Return finished views as flat records: the first view of every (rater, pair).

    With ``repeats`` all views of the pairs that a rater saw more than once, in a column
    ``repeat``.
    """
    rows = [row for row in review.labelled() if row.view.item not in review.plan.traps]
    chosen = review.plan.inclusion({row.view.item for row in rows})
    if not repeats:
        return [_record(review, row, chosen) for row in rows if row.view.repeat == 0]
    repeated = {(row.view.rater, row.view.item) for row in rows if row.view.repeat}
    records: list[dict[str, Any]] = []
    for row in rows:
        if (row.view.rater, row.view.item) in repeated:
            record = _record(review, row, chosen)
            record["repeat"] = str(row.view.repeat)
            records.append(record)
    return records


def _record(
    review: Review, row: Labelled, chosen: Mapping[str, float | None]
) -> dict[str, Any]:
    view, pair = row.view, review.material.by_id[row.view.item]
    seconds = None
    took = (view.finished or 0.0) - view.started
    if took >= 0:  # else the clock went back, and nobody knows how long it took
        seconds = round(took, 1)
    record: dict[str, Any] = {"id": view.item, "rater": view.rater}
    for phase in PHASES:
        record[phase] = row.ratings.get(phase)
    if review.plan.confidence:
        for phase in PHASES:
            record[f"{phase}_confidence"] = row.answers.get(f"{phase}{SURE}")
    return record | {
        "overall_first": row.ratings.get("overall_first"),
        "instruction_id": pair.instruction_id,
        "system_a": pair.a.system,
        "system_b": pair.b.system,
        "shown": view.shown,
        "seconds": seconds,
        "inclusion": chosen.get(view.item),
        "comment": view.comment,
        "answers": {step: value for step, value in row.answers.items() if value},
    }


def to_jsonl(rows: Iterable[dict[str, Any]]) -> str:
    """Write one JSON object per line, with the answers behind the ratings."""
    return "".join(
        json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows
    )


def to_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Export a table for spreadsheets, see :mod:`trace_eval.data.csv_cells`."""
    columns = list(COLUMNS)
    if rows:
        columns.extend(name for name in rows[0] if name.endswith("_confidence"))
    return table_text(columns, (map(row.__getitem__, columns) for row in rows))


def to_hcot(review: Review) -> str:
    """Export a list in the HCoT annotation layout, with nested labels per opinion."""
    annotations = []
    for row in records(review):
        pair = review.material.by_id[row["id"]]
        annotation: dict[str, Any] = {
            "index": pair.id,
            "instruction_text": pair.instruction.text,
            "model_a": pair.a.system,
            "model_b": pair.b.system,
            "instruction_path": _where(pair.instruction),
            "audio1_path": _where(pair.a),
            "audio2_path": _where(pair.b),
            "label": {phase: row[phase] for phase in PHASES},
        }
        for name in _BESIDE:
            annotation[name] = row[name]
        annotations.append(annotation)
    text = json.dumps(annotations, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


def _where(recording: Recording) -> str | None:
    """Return its path, or its URL without what gives access: labels are sent around."""
    if recording.data or not recording.has_audio:
        return None
    return recording.source_id


def to_accuracy(review: Review) -> str:
    """Export the corrected accuracy of the judge, with the plan behind it."""
    result = accuracies(review, review.labelled())
    content = {
        "accuracy": {phase: vars(accuracy) for phase, accuracy in result.items()},
        "plan": review.plan.model_dump(mode="json"),
        "left_out": dict(review.material.left_out),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _score_table(review: Review, answers: Sequence[StoredAnswer]) -> str:
    rubric = review.material.rubric
    columns = list(ANSWER_COLUMNS)
    if rubric and rubric.confidence:
        columns.append("confidence")
    sure: dict[tuple[str, str, str], StoredAnswer] = {}
    for answer in answers:
        step = scored_step(answer.step)
        if step:
            sure[answer.rater, answer.item, step] = answer

    def row(answer: StoredAnswer) -> tuple[object, ...]:
        turn, score = turn_of(answer.step), score_of(answer.value)
        confidence = sure.get((answer.rater, answer.item, answer.step))
        comments = [answer.comment]
        if confidence:
            comments.append(confidence.comment)
        cells = (
            # As ``agree`` calls it.
            answer.item if turn is None else turn_role(answer.item, turn),
            answer.rater,
            review.form.name,
            "" if score is None else f"{score:g}",
            " ".join(answer.codes),
            " ".join(filter(None, comments)),
            f"{answer.at:.0f}",
            answer.set_aside or "",
            confidence.value if confidence else "",
        )
        return cells[: len(columns)]

    return table_text(columns, map(row, _scores_among(answers)))


def _scores_among(answers: Iterable[StoredAnswer]) -> list[StoredAnswer]:
    return [answer for answer in answers if scored_step(answer.step) is None]


def to_rated_items(review: Review) -> str:
    """Export the items as corrected, with every score that counts: their own, and ours.

    What annotators said of an item before it was corrected is left out.
    """
    answers: dict[str, list[StoredAnswer]] = {}
    for answer in _scores_among(review.store.stored()):
        answers.setdefault(answer.item, []).append(answer)
    corrections = review.corrections
    assert corrections is not None
    lines: list[str] = []
    for item in corrections.items.values():
        if corrections.of(item.id):
            item = item.model_copy(update={"labels": None})
        rated = _rated(item, answers.get(item.id, ()))
        lines.append(f"{rated.model_dump_json(exclude_none=True)}\n")
    return "".join(lines)


def _rated(item: Single, answers: Iterable[StoredAnswer]) -> Single:
    """Return an item with the scores and codes of a review beside its own."""
    own = item.labels or ScoreLabels()
    codes: dict[str, list[str]] = {}
    scores = dict(own.scores)
    turns = {number: dict(by_rater) for number, by_rater in own.turns.items()}
    for answer in answers:
        score, turn = score_of(answer.value), turn_of(answer.step)
        if answer.codes:
            of_rater = codes.setdefault(answer.rater, [])
            of_rater.extend(code for code in answer.codes if code not in of_rater)
        if turn is None:
            scores[answer.rater] = score
        elif score is not None:
            turns.setdefault(str(turn), {})[answer.rater] = score
    feedback = {**own.feedback, **codes}
    labels = ScoreLabels(scores=scores, feedback=feedback, turns=turns)
    return item.model_copy(update={"labels": labels})


Exporters = Mapping[str, Callable[[Review], str]]

#: File name -> its content, of pairs.
FILES: Exporters = {
    "labels.json": to_hcot,
    "labels.jsonl": lambda review: to_jsonl(records(review)),
    "labels.csv": lambda review: to_csv(records(review)),
    "retest.jsonl": lambda review: to_jsonl(records(review, repeats=True)),
    "accuracy.json": to_accuracy,
}

#: File name -> its content, of single answers.
SCORE_FILES: Exporters = {
    "labels.csv": lambda review: _score_table(review, review.store.stored()),
    "set_aside.csv": lambda review: _score_table(
        review,
        [answer for answer in review.store.stored(all_=True) if answer.set_aside],
    ),
    "ratings.jsonl": to_rated_items,
}


def files_of(review: Review) -> Exporters:
    """Return the files to which a review of this kind can be exported."""
    if review.is_hcot:
        files = dict(FILES)
        if review.plan.training:
            files["training.csv"] = training_csv
    elif review.has_protocol:
        files = dict(PROTOCOL_FILES)
    else:
        files = dict(SCORE_FILES)
    if review.listening.third_rater:
        files["decided.csv"] = decided_csv
    log = review.events
    if log is not None and log.looked_at:
        files[EVENTS] = lambda _: log.csv()
    return files


def without_rows(review: Review) -> set[str]:
    """Name the files of a protocol that would hold a header alone."""
    if review.is_hcot or not review.has_protocol:
        return set()
    empty: set[str] = set()
    if not any(view.repeat and view.finished for view in review.store.views()):
        empty.add("retest.csv")
    if not review.listening.traps:
        empty.add("traps.csv")
    if not review.plan.training:
        empty.add("training.csv")
    if not review.material.pairs and not review.material.pages:
        empty.add("loudness.csv")
    return empty


def write_exports(review: Review, folder: Path) -> Sequence[Path]:
    """Write all files of a review; files of pairs without a record are left out."""
    empty: set[str] = set()
    if review.is_hcot:
        if not records(review):
            empty.update(name for name in FILES if name.startswith("labels"))
        if not records(review, repeats=True):
            empty.add("retest.jsonl")
        if not review.material.judged:
            empty.add("accuracy.json")
    else:
        empty = without_rows(review)
    written = []
    with claimed(folder, option="--export "):
        for name, make in files_of(review).items():
            if name not in empty:
                write_file(folder / name, make(review))
                written.append(folder / name)
    return written
