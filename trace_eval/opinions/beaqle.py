"""Results of BeaqleJS: a record for each test, and one of who took them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from blueprints import InputError
from trace_eval.opinions.survey_cells import (
    Records,
    SurveyRecord,
    cell_text,
)

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
