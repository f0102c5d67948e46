"""Results of two tools for listening tests, BeaqleJS and webMUSHRA."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from blueprints import InputError
from trace_eval.opinions.survey_cells import (
    Records,
    SurveyRecord,
    cell_text,
    columns_of,
)

# ---- BeaqleJS: a record for each test, and one of who took them


#: What it writes of each test, and once of whoever took them.
_TEST, _PERSON = "TestID", "UserName"


def is_beaqle(records: Records) -> bool:
    """Tell whether records are tests of BeaqleJS, behind which stands who took them."""
    if not records:
        return False
    test = records[0]
    is_mushra = isinstance(test.get("rating"), Mapping)
    has_answer = is_mushra or isinstance(test.get("result"), bool)
    return has_answer and {_TEST, "Runtime"} <= test.keys() and _PERSON not in test


def beaqle(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each score of a MUSHRA; systems are called like its sliders.

    Raises:
        UserError: the tests are of ABX.
    """
    people = [cell_text(record, _PERSON) for record in records]
    rater = next(filter(None, people), None)
    tests = [record for record in records if cell_text(record, _TEST)]
    if isinstance(tests[0].get("result"), bool):
        raise InputError(
            "is a test of ABX, which says whether a difference was heard and prefers no"
            " answer; of BeaqleJS give the results of MUSHRA"
        )
    notes.append("each slider of a test is read as a system, called like in the test")
    for test in tests:
        for system, score in (test.get("rating") or {}).items():
            yield {
                "id": f"{cell_text(test, _TEST)}/{system}",
                "question_id": cell_text(test, _TEST),
                "system": system,
                "rater": rater,
                "score": score,
            }


# ---- paired_comparison.csv of webMUSHRA: which of two recordings is the better one


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
    return set(_PAIRED) <= set(columns_of(records))


def paired(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A the reference and B the other."""
    answers = {cell_text(record, "choice_answer").casefold() for record in records}
    if answers & {"correct", "incorrect"}:
        notes.append(
            "correct is read as a choice of choice_reference, incorrect as one of"
            " choice_non_reference"
        )
    for record in records:
        opinion = {name: value for name, value in record.items() if name not in _PAIRED}
        answer = cell_text(record, "choice_answer")
        opinion["system_a"] = cell_text(record, "choice_reference")
        opinion["system_b"] = cell_text(record, "choice_non_reference")
        opinion["preference"] = _ANSWERS.get(answer.casefold(), answer)
        yield opinion


# ---- bs1116.csv of webMUSHRA: a score of the hidden reference and one of the other recording


#: Column of a recording's name -> that of its score.
_GRADED = {
    "rating_reference": "rating_reference_score",
    "rating_non_reference": "rating_non_reference_score",
}


def is_graded(records: Records) -> bool:
    """Tell whether each row scores the reference and another recording."""
    columns = set(columns_of(records))
    return columns.issuperset(_GRADED) and columns.issuperset(_GRADED.values())


def graded(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each of the two scores."""
    notes.append(
        "each row holds two scores: of the hidden reference, and of the other recording"
    )
    for record in records:
        shared = dict(record)
        for name, score in _GRADED.items():
            shared.pop(name, None)
            shared.pop(score, None)
        trial = cell_text(record, "trial_id")
        for name, score in _GRADED.items():
            system = cell_text(record, name)
            yield shared | {
                "id": f"{trial}/{system}",
                "question_id": trial,
                "system": system,
                "score": record.get(score),
            }
