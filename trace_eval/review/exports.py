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
    again = {(row.view.rater, row.view.item) for row in rows if row.view.repeat}
    return [
        _record(review, row, chosen) | {"repeat": str(row.view.repeat)}
        for row in rows
        if (row.view.rater, row.view.item) in again
    ]


def _record(
    review: Review, row: Labelled, chosen: Mapping[str, float | None]
) -> dict[str, Any]:
    view, pair = row.view, review.material.by_id[row.view.item]
    # Nobody knows how long it took where the clock went back.
    took = (view.finished or 0.0) - view.started
    results: dict[str, Any] = {"id": view.item, "rater": view.rater}
    results |= {phase: row.ratings.get(phase) for phase in PHASES}
    if review.plan.confidence:
        results |= {
            f"{name}_confidence": row.answers.get(f"{name}{SURE}") for name in PHASES
        }
    return results | {
        "overall_first": row.ratings.get("overall_first"),
        "instruction_id": pair.instruction_id,
        "system_a": pair.a.system,
        "system_b": pair.b.system,
        "shown": view.shown,
        "seconds": round(took, 1) if took >= 0 else None,
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
    extra = [name for row in rows[:1] for name in row if name.endswith("_confidence")]
    columns = (*COLUMNS, *extra)
    return table_text(columns, (map(row.__getitem__, columns) for row in rows))


def to_hcot(review: Review) -> str:
    """Export a list in the HCoT annotation layout, with nested labels per opinion."""
    results = []
    for row in records(review):
        pair = review.material.by_id[row["id"]]
        results.append(
            {
                "index": pair.id,
                "instruction_text": pair.instruction.text,
                "model_a": pair.a.system,
                "model_b": pair.b.system,
                "instruction_path": _where(pair.instruction),
                "audio1_path": _where(pair.a),
                "audio2_path": _where(pair.b),
                "label": {phase: row[phase] for phase in PHASES},
                **{name: row[name] for name in _BESIDE},
            }
        )
    return json.dumps(results, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _where(recording: Recording) -> str | None:
    """Return its path, or its URL without what gives access: labels are sent around."""
    return None if recording.data or not recording.has_audio else recording.source_id


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
    asked = ("confidence",) if rubric and rubric.confidence else ()
    columns = (*ANSWER_COLUMNS, *asked)
    sure: dict[tuple[str, str, str], StoredAnswer] = {}
    for one in answers:
        step = scored_step(one.step)
        if step:
            sure[one.rater, one.item, step] = one

    def row(answer: StoredAnswer) -> tuple[object, ...]:
        score, how = (
            score_of(answer.value),
            sure.get((answer.rater, answer.item, answer.step)),
        )
        turn = turn_of(answer.step)
        cells = (
            answer.item
            if turn is None
            else turn_role(answer.item, turn),  # as ``agree`` calls it
            answer.rater,
            review.form.name,
            "" if score is None else f"{score:g}",
            " ".join(answer.codes),
            " ".join(filter(None, (answer.comment, how.comment if how else ""))),
            f"{answer.at:.0f}",
            answer.set_aside or "",
            how.value if how else "",
        )
        return cells[: len(columns)]

    return table_text(columns, map(row, _scores_among(answers)))


def _scores_among(answers: Iterable[StoredAnswer]) -> list[StoredAnswer]:
    return [answer for answer in answers if scored_step(answer.step) is None]


def to_rated_items(review: Review) -> str:
    """Export the items as corrected, with every score that counts: their own, and ours.

    What annotators said of an item before it was corrected is left out.
    """
    provided: dict[str, list[StoredAnswer]] = {}
    for answer in _scores_among(review.store.stored()):
        provided.setdefault(answer.item, []).append(answer)
    corrections = review.corrections
    assert corrections is not None
    lines = (
        _rated(
            item.model_copy(update={"labels": None})
            if corrections.of(item.id)
            else item,
            provided.get(item.id, ()),
        ).model_dump_json(exclude_none=True)
        for item in corrections.items.values()
    )
    return "".join(f"{line}\n" for line in lines)


def _rated(item: Single, provided: Iterable[StoredAnswer]) -> Single:
    present = item.labels or ScoreLabels()
    codes: dict[str, list[str]] = {}
    scores = dict(present.scores)
    turns = {number: dict(scores) for number, scores in present.turns.items()}
    for answer in provided:
        score, turn = score_of(answer.value), turn_of(answer.step)
        if answer.codes:
            kept = codes.setdefault(answer.rater, [])
            kept.extend(code for code in answer.codes if code not in kept)
        if turn is None:
            scores[answer.rater] = score
        elif score is not None:
            turns.setdefault(str(turn), {})[answer.rater] = score
    labels = ScoreLabels(
        scores=scores, feedback={**present.feedback, **codes}, turns=turns
    )
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
    files = FILES
    if not review.is_hcot:
        files = PROTOCOL_FILES if review.has_protocol else SCORE_FILES
    if review.is_hcot and review.plan.training:
        files = {**files, "training.csv": training_csv}
    if review.listening.third_rater:
        files = {**files, "decided.csv": decided_csv}
    log = review.events
    return (
        {**files, EVENTS: lambda _: log.csv()}
        if log is not None and log.looked_at
        else files
    )


def without_rows(review: Review) -> set[str]:
    """Name the files of a protocol that would hold a header alone."""
    if review.is_hcot or not review.has_protocol:
        return set()
    repeated = any(view.repeat and view.finished for view in review.store.views())
    empty = set() if repeated else {"retest.csv"}
    empty |= set() if review.listening.traps else {"traps.csv"}
    empty |= set() if review.plan.training else {"training.csv"}
    return empty | (
        set() if review.material.pairs or review.material.pages else {"loudness.csv"}
    )


def write_exports(review: Review, folder: Path) -> Sequence[Path]:
    """Write all files of a review; files of pairs without a record are left out."""
    empty: set[str] = set()
    if review.is_hcot:
        rows, again = records(review), records(review, repeats=True)
        empty = {name for name in FILES if name.startswith("labels") and not rows}
        empty |= set() if again else {"retest.jsonl"}
        empty |= set() if review.material.judged else {"accuracy.json"}
    else:
        empty = without_rows(review)
    written = []
    with claimed(folder, option="--export "):
        for name, make in files_of(review).items():
            if name not in empty:
                write_file(folder / name, make(review))
                written.append(folder / name)
    return written
