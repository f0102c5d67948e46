"""Results of webMUSHRA that name a reference and another stimulus in each row."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.opinions.survey_cells import (
    Records,
    SurveyRecord,
    cell_text,
    columns_of,
)

# ---- paired_comparison.csv: which of two recordings is the better one


_PAIRED = ("choice_reference", "choice_non_reference", "choice_answer")

#: What an answer says -> the label, where the reference is A. webMUSHRA itself writes
#: whether the reference was chosen; adapted copies name the column that was.
_ANSWERS = {
    "correct": "1",
    "incorrect": "2",
    "undecided": "tie",
    "unknown": "",
    "reference": "1",
    "non_reference": "2",
    "nonreference": "2",
}


def is_paired(records: Records) -> bool:
    """Tell whether each row compares a recording with the reference."""
    return {*_PAIRED} <= {*columns_of(records)}


def paired(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A the reference and B the other."""
    answers = {cell_text(record, "choice_answer").casefold() for record in records}
    if answers & {"correct", "incorrect"}:
        notes.append(
            "correct is read as a choice of choice_reference, incorrect as one of"
            " choice_non_reference"
        )
    for record in records:
        rest = {name: value for name, value in record.items() if name not in _PAIRED}
        first, second, answer = (cell_text(record, name) for name in _PAIRED)
        label = _ANSWERS.get(answer.casefold(), answer)
        yield {**rest, "system_a": first, "system_b": second, "preference": label}


# ---- bs1116.csv: a score of the hidden reference and one of the other recording


_GRADED = ("rating_reference", "rating_non_reference")


def is_graded(records: Records) -> bool:
    """Tell whether each row scores the reference and another recording."""
    scores = {f"{name}_score" for name in _GRADED}
    return {*_GRADED, *scores} <= {*columns_of(records)}


def graded(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each of the two scores."""
    notes.append(
        "each row holds two scores: of the hidden reference, and of the other recording"
    )
    own = {*_GRADED, *(f"{name}_score" for name in _GRADED)}
    for record in records:
        rest = {name: value for name, value in record.items() if name not in own}
        trial = cell_text(record, "trial_id")
        for name in _GRADED:
            system = cell_text(record, name)
            yield {
                **rest,
                "id": f"{trial}/{system}",
                "question_id": trial,
                "system": system,
                "score": record.get(f"{name}_score"),
            }
