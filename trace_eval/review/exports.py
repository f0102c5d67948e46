"""Labels out of a review: the HCoT JSON layout, JSON lines and CSV.

All three are read by :func:`trace_eval.data.labels.read_labels` and so by ``trace-eval agree``.
They hold the first view of every (rater, pair); repeated views are in a file of their own,
because they measure a rater's noise and must not count as more raters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fusion import DIMENSIONS
from trace_eval.data import Recording, make_folder, replace_file, table_lines
from trace_eval.review.estimate import Accuracy
from trace_eval.review.labelstudio import Imported
from trace_eval.review.protocol import Phase
from trace_eval.review.results import accuracies
from trace_eval.review.session import Labelled, Review


@dataclass(frozen=True)
class ReviewFiles:
    """What went out of a review, or came into it.

    Attributes:
        files: that were written.
        accuracy: of the judge, by dimension, where the pairs were judged.
        imported: annotations that were read.
    """

    files: tuple[Path, ...] = ()
    accuracy: Mapping[Phase, Accuracy] = field(default_factory=dict)
    imported: Imported | None = None


#: The ratings of a record, in the order of the columns.
LABELS: tuple[Phase, ...] = (*DIMENSIONS, "overall")

#: Columns of the CSV file.
COLUMNS = (
    "id",
    "rater",
    *LABELS,
    "overall_first",
    "instruction_id",
    "system_a",
    "system_b",
    "shown",
    "seconds",
    "inclusion",
    "comment",
)

#: A spreadsheet takes a cell that starts with one of these for a formula.


def records(review: Review, repeats: bool = False) -> list[dict[str, Any]]:
    """Finished views as flat records.

    Args:
        review: where they are.
        repeats: all views of the pairs that a rater saw more than once, with a ``repeat``
            column, instead of the first view of every pair.
    """
    rows = review.labelled()
    chosen = review.plan.inclusion({row.view.item for row in rows})
    if not repeats:
        return [_record(review, row, chosen) for row in rows if row.view.repeat == 0]
    again = {(row.view.rater, row.view.item) for row in rows if row.view.repeat}
    return [
        _record(review, row, chosen) | {"repeat": str(row.view.repeat)}
        for row in rows
        if (row.view.rater, row.view.item) in again
    ]


def _record(review: Review, row: Labelled, chosen: Mapping[str, float | None]) -> dict[str, Any]:
    view, pair = row.view, review.material.by_id[row.view.item]
    # Nobody knows how long it took where the clock went back.
    known = view.finished is not None and view.finished >= view.started
    seconds = round((view.finished or 0) - view.started, 1) if known else None
    found: dict[str, Any] = {"id": view.item, "rater": view.rater}
    found |= {phase: row.ratings.get(phase) for phase in LABELS}
    return found | {
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
    """One JSON object per line, with the answers behind the ratings."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def to_csv(rows: Iterable[dict[str, Any]]) -> str:
    """A table for spreadsheets, see :mod:`trace_eval.data.csv_cells`."""
    cells = ([row[name] for name in COLUMNS] for row in rows)
    return "".join(f"{told}\n" for told in table_lines(COLUMNS, cells))


def to_hcot(review: Review) -> str:
    """The layout of the HCoT annotations: a list with nested labels, one per opinion."""
    found = []
    for row in records(review):
        pair = review.material.by_id[row["id"]]
        paths = {
            "instruction_path": _where(pair.instruction),
            "audio1_path": _where(pair.a),
            "audio2_path": _where(pair.b),
        }
        found.append(
            {
                "index": pair.id,
                "instruction_text": pair.instruction.text,
                "model_a": pair.a.system,
                "model_b": pair.b.system,
                **paths,
                "label": {phase: row[phase] for phase in LABELS},
                "instruction_id": pair.instruction_id,
                "rater": row["rater"],
                "overall_first": row["overall_first"],
                "shown": row["shown"],
                "inclusion": row["inclusion"],
                "comment": row["comment"],
            }
        )
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _where(recording: Recording) -> str | None:
    """Its path, or its URL without what gives access: labels are sent around."""
    return None if recording.data or not recording.has_audio else recording.source_id


def to_accuracy(review: Review) -> str:
    """The corrected accuracy of the judge, with the plan behind it."""
    found = accuracies(review, review.labelled())
    content = {
        "accuracy": {phase: vars(accuracy) for phase, accuracy in found.items()},
        "plan": review.plan.model_dump(mode="json"),
        "left_out": dict(review.material.left_out),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


#: File name -> its content.
FILES: dict[str, Callable[[Review], str]] = {
    "labels.json": to_hcot,
    "labels.jsonl": lambda review: to_jsonl(records(review)),
    "labels.csv": lambda review: to_csv(records(review)),
    "retest.jsonl": lambda review: to_jsonl(records(review, repeats=True)),
    "accuracy.json": to_accuracy,
}


def write_exports(review: Review, folder: Path) -> Sequence[Path]:
    """Write all files of a review; files without a record are left out."""
    make_folder(folder)
    written = []
    for name, make in FILES.items():
        if name == "accuracy.json" and not review.material.judged:
            continue
        if name == "retest.jsonl" and not records(review, repeats=True):
            continue
        if name.startswith("labels") and not records(review):
            continue
        path = folder / name
        replace_file(path, make(review))
        written.append(path)
    return written
