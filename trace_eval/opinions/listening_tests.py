"""Listening tests: results of BeaqleJS and webMUSHRA, and numbers of comparisons."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from blueprints import InputError
from trace_eval.data import names
from trace_eval.data.spelling import is_missing
from trace_eval.opinions.cells import number_of
from trace_eval.opinions.column_words import RATER
from trace_eval.opinions.survey_cells import (
    OPINIONS_OF_PAIRS,
    SurveyRecord,
    SurveyTable,
    cell_text,
    without,
)

# ---- BeaqleJS: a record for each test, and one of who took them


#: What it writes of each test, and once of whoever took them.
_TEST, _PERSON = "TestID", "UserName"


def is_beaqle(table: SurveyTable) -> bool:
    """Tell whether records are tests of BeaqleJS, behind which stands who took them."""
    if not table.records:
        return False
    test = table.records[0]
    is_mushra = isinstance(test.get("rating"), Mapping)
    has_answer = is_mushra or isinstance(test.get("result"), bool)
    return has_answer and {_TEST, "Runtime"} <= test.keys() and _PERSON not in test


def beaqle(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each score of a MUSHRA; systems are called like its sliders.

    Raises:
        UserError: the tests are of ABX.
    """
    rater = next(filter(None, table.texts(_PERSON)), None)
    tests = [record for record in table.records if cell_text(record, _TEST)]
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


def is_paired(table: SurveyTable) -> bool:
    """Tell whether each row compares a recording with the reference."""
    return set(_PAIRED) <= set(table.columns)


def paired(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A the reference and B the other."""
    answers = {text.casefold() for text in table.texts("choice_answer")}
    if answers & {"correct", "incorrect"}:
        notes.append(
            "correct is read as a choice of choice_reference, incorrect as one of"
            " choice_non_reference"
        )
    for record in table.records:
        opinion = without(record, _PAIRED)
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


def is_graded(table: SurveyTable) -> bool:
    """Tell whether each row scores the reference and another recording."""
    columns = set(table.columns)
    return columns.issuperset(_GRADED) and columns.issuperset(_GRADED.values())


def graded(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each of the two scores."""
    notes.append(
        "each row holds two scores: of the hidden reference, and of the other recording"
    )
    for record in table.records:
        shared = without(record, (*_GRADED.keys(), *_GRADED.values()))
        trial = cell_text(record, "trial_id")
        for name, score in _GRADED.items():
            system = cell_text(record, name)
            yield shared | {
                "id": f"{trial}/{system}",
                "question_id": trial,
                "system": system,
                "score": record.get(score),
            }


# ---- comparisons whose number is called a score


def is_comparison(table: SurveyTable) -> bool:
    """Tell whether two systems have one number, and no label."""
    if not {"system_a", "system_b"} <= table.fields.keys():
        return False
    has_opinion = not OPINIONS_OF_PAIRS.isdisjoint(table.fields)
    return not has_opinion and _score_of_pair(table.columns) is not None


def _score_of_pair(columns: Collection[str]) -> str | None:
    for name in columns:
        if names.bare(name) in ("score", "rating"):
            return name
    return None


def comparison(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Read the number as a comparison of A with B."""
    score = _score_of_pair(table.columns) or ""
    notes.append(f"the column {score} is read as a comparison of A with B")
    for record in table.records:
        opinion = without(record, (score,))
        opinion["preference"] = record.get(score)
        yield opinion


def is_wide_comparison(table: SurveyTable) -> bool:
    """Tell whether columns of raters hold numbers, some of which are no labels."""
    raters = list(filter(RATER.fullmatch, table.columns))
    if len(raters) < 2 or not {"system_a", "system_b"} <= table.fields.keys():
        return False
    present: set[str] = set()
    for name in raters:
        present.update(text for text in table.texts(name) if not is_missing(text))
    if None in map(number_of, present):
        return False
    return bool(present - {"1", "2"})


def wide_comparison(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each rater's number, a comparison of A with B."""
    raters = list(filter(RATER.fullmatch, table.columns))
    notes.append(
        f"each of the columns {', '.join(raters)} is read as a rater, and its numbers"
        " as comparisons of A with B"
    )
    for record in table.records:
        shared = without(record, raters)
        for name in raters:
            yield shared | {"rater": name, "preference": record.get(name)}
