"""Records of survey tools and arenas as one record per opinion, under our names.

A layout is a row of :data:`LAYOUTS`. What differs in the names of its columns alone is
none: those names stand in :mod:`trace_eval.data.names`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from blueprints import InputError, counted
from fusion import DIMENSIONS
from trace_eval.data import names
from trace_eval.data.spelling import PLAIN, is_missing
from trace_eval.opinions import listening_tests, survey_forms, survey_tools
from trace_eval.opinions.cells import number_of
from trace_eval.opinions.column_words import RATER
from trace_eval.opinions.survey_cells import (
    Records,
    SurveyRecord,
    cell_text,
    columns_of,
    label_of,
)

#: Records that are looked at for a layout.
_LOOKED_AT = 50


class SurveyLayout(NamedTuple):
    """One layout of many records."""

    fits: Callable[[Records], bool]  # of the first records
    # adds what a reader must know of it to the notes
    ours: Callable[[Records, list[str]], Iterator[SurveyRecord]]


def unfolded(records: Records, notes: list[str]) -> Records:
    """Unfold records to one per opinion; ``notes`` takes what was read or left out."""
    for layout in LAYOUTS:
        if layout.fits(records[:_LOOKED_AT]):
            records = list(layout.ours(records, notes))
    return records


def fits_any(records: Records) -> bool:
    """Whether the first records of a table are of one of these layouts."""
    return any(layout.fits(records) for layout in LAYOUTS)


# ---- several columns that may name the raters, of which the first are empty


#: What columns of raters are called, without what does not count in a name.
_RATERS = frozenset(map(names.bare, names.NAMES["rater"]))


def _empty_raters(records: Records) -> list[str]:
    """List columns of raters without a cell, where another one names them."""
    of_raters = [name for name in columns_of(records) if names.bare(name) in _RATERS]
    if len(of_raters) < 2:
        return []
    empty: list[str] = []
    for name in of_raters:
        if all(is_missing(cell_text(record, name)) for record in records):
            empty.append(name)
    return empty if len(empty) < len(of_raters) else []


def _has_empty_raters(records: Records) -> bool:
    return bool(_empty_raters(records))


def _named_raters(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    empty = _empty_raters(records)
    for record in records:
        yield _without(record, empty)


# ---- one column of flags for each choice


#: A table that has one of these needs no flags.
_LABEL_FIELDS = {*DIMENSIONS, "overall", "preference", "match", "score_a"}

_YES = frozenset(("true", "1", "yes", "x", "on", "checked", "✓", "1.0", "t", "y"))
_NO = frozenset(("false", "0", "no", "off", "unchecked", "", "0.0", "f", "n"))
_STEM = re.compile(r"\A(?P<stem>.+[.:_\s\-/\[])(?P<choice>[^.:]+?)\]?")


def _flag_columns(records: Records) -> list[str]:
    """List columns of yes and no that have no meaning by their name."""
    found: list[str] = []
    for name in columns_of(records):
        cells = {cell_text(record, name).casefold() for record in records}
        is_known = names.bare(name) in names.KNOWN
        if not is_known and cells <= _YES | _NO and not cells <= {""}:
            found.append(name)
    return found


def _places(records: Records) -> dict[str, str]:
    """Map flag columns to places on a scale; empty if there is no scale.

    A scale is a question with three or more numbers.
    """
    questions: dict[str, dict[str, str]] = {}
    for name in _flag_columns(records):
        parts = _STEM.fullmatch(name)
        if parts and number_of(parts["choice"]) is not None:
            questions.setdefault(parts["stem"], {})[name] = parts["choice"]
    for places in questions.values():
        if len(places) > 2:
            return places
    return {}


def _choices(records: Records) -> dict[str, str]:
    """Map flag columns to the labels they stand for; empty if not of both sides."""
    questions: dict[str, dict[str, str]] = {}
    places = _places(records)
    for name in _flag_columns(records):
        if name in places:
            continue
        stem = ""
        label = label_of(name)
        parts = _STEM.fullmatch(name)
        if label is None and parts:
            stem = parts["stem"]
            label = label_of(parts["choice"])
        if label is not None:
            questions.setdefault(stem, {})[name] = label
    for labels in questions.values():
        if {"1", "2"} <= set(labels.values()):
            return labels
    return {}


def _checked(record: Mapping[str, Any], choices: Collection[str]) -> list[str]:
    """List the flag columns that a record says yes in."""
    return [name for name in choices if cell_text(record, name).casefold() in _YES]


def _without(
    record: Mapping[str, Any], columns: Collection[str | None]
) -> SurveyRecord:
    """Copy a record without some of its columns."""
    return {name: value for name, value in record.items() if name not in columns}


def _has_flags(records: Records) -> bool:
    fields = names.first_of(names.LABELS, columns_of(records))
    if not fields.keys().isdisjoint(_LABEL_FIELDS):
        return False
    choices = _choices(records) or _places(records)
    checks = [len(_checked(record, choices)) for record in records]
    return any(checks) and max(checks) < 2


def _flags(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    choices = _choices(records)
    if not choices:
        choices = _places(records)
        column = "score"
    elif PLAIN.issuperset(choices.values()):
        column = "preference"
    else:
        column = "overall"
    notes.append(f"the columns {', '.join(choices)} are read as one choice")
    for number, record in enumerate(records, start=1):
        checked = _checked(record, choices)
        if len(checked) > 1:
            raise InputError(
                f"record {number}: {' and '.join(checked)} are both checked; keep"
                " one of them"
            )
        opinion = _without(record, choices)
        opinion[column] = choices[checked[0]] if checked else None
        yield opinion


# ---- arenas: a log of chats and votes


#: What an event says -> the label.
_VOTES: Mapping[str, str] = {
    "leftvote": "1",
    "rightvote": "2",
    "tievote": "tie",
    "bothbad_vote": "both_bad",
    "bothbadvote": "both_bad",
    "bothgood_vote": "both_good",
}


def _models(record: Mapping[str, Any]) -> list[Any] | None:
    models = record.get("models")
    return models if isinstance(models, list) and len(models) == 2 else None


def _is_vote(record: Mapping[str, Any]) -> bool:
    return record.get("type") in _VOTES and bool(_models(record))


def _is_arena(records: Records) -> bool:
    return any(map(_is_vote, records))


def _arena(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    votes = list(filter(_is_vote, records))
    left_out = len(records) - len(votes)
    if left_out:
        events = {str(record.get("type")) for record in records}
        others = sorted(events - _VOTES.keys())
        notes.append(
            f"{counted(left_out, 'record is no vote', 'records are no votes')} and left"
            f" out (type {', '.join(others)})"
        )
    column = "preference"
    if any("both" in str(vote["type"]) for vote in votes):
        column = "overall"
    for vote in votes:
        opinion = _without(vote, ("type", "models"))
        opinion["system_a"], opinion["system_b"] = _models(vote) or ("", "")
        opinion[column] = _VOTES[str(vote["type"])]
        yield opinion


# ---- the winner and the loser by their names


_DRAWS = ("draw", "tie", "is_draw", "is_tie", "drawn", "tied")


def _has_loser(records: Records) -> bool:
    columns = set(columns_of(records))
    has_sides = any(
        not columns.isdisjoint(names.LABELS[side]) for side in ("system_a", "system_b")
    )
    return {"winner", "loser"} <= columns and not has_sides


def _won(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A and B by the alphabet, so that a system's place does not tell who won."""
    columns = columns_of(records)
    draw = next((name for name in _DRAWS if name in columns), None)
    for number, record in enumerate(records, start=1):
        opinion = _without(record, ("winner", "loser", draw))
        winner = cell_text(record, "winner")
        loser = cell_text(record, "loser")
        if is_missing(winner) and is_missing(loser):
            yield opinion
            continue
        if is_missing(winner) or is_missing(loser):
            raise InputError(
                f"record {number}: winner or loser is empty; name both systems"
            )
        drawn = cell_text(record, draw).casefold() if draw else ""
        if drawn not in _YES | _NO:
            raise InputError(
                f"record {number}: {draw} is {drawn!r}; write true or false"
            )
        a, b = sorted((winner, loser))
        opinion["system_a"] = a
        opinion["system_b"] = b
        if drawn in _YES:
            opinion["preference"] = "tie"
        else:
            opinion["preference"] = "1" if winner == a else "2"
        yield opinion


# ---- sides by name: two columns of which each label names one


#: Pairs of names of columns whose order is A, B; others count as they stand in the
#: table.
_LEFT_FIRST = ("left", "a", "1", "first")


def _is_text(column: str, records: Records) -> bool:
    """Tell whether every record has a text in a column."""
    return all(isinstance(record.get(column), str) for record in records)


def _named_sides(records: Records) -> tuple[str, str, str] | None:
    """Find columns A, B and label where each label is a tie or found in one of them."""
    columns = columns_of(records)
    fields = names.first_of(names.LABELS, columns)
    if fields.keys() & {"system_a", "system_b", "system"}:
        return None
    label = fields.get("preference") or fields.get("overall")
    if label is None:
        return None
    deciding: list[Mapping[str, Any]] = []
    for record in records:
        value = cell_text(record, label)
        if value and label_of(value) is None:
            deciding.append(record)
    if not deciding:
        return None
    texts = [name for name in columns if name != label and _is_text(name, records)]
    for a, b in product(texts, repeat=2):
        if a < b and _hold_the_winners(deciding, a, b, label=label):
            first, second = sorted((a, b), key=columns.index)
            return first, second, label
    return None


def _hold_the_winners(records: Records, a: str, b: str, label: str) -> bool:
    """Tell whether each label is the text in one of two columns, and both win."""
    a_wins: set[bool] = set()
    for record in records:
        text_a = cell_text(record, a)
        text_b = cell_text(record, b)
        winner = cell_text(record, label)
        if winner not in (text_a, text_b):
            return False
        a_wins.add(winner == text_a)
    return a_wins == {True, False}


def _has_sides(records: Records) -> bool:
    return _named_sides(records) is not None


def _sides(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    a, b, _ = _named_sides(records[:_LOOKED_AT]) or ("", "", "")
    notes.append(
        f"the columns {a} and {b} are read as the systems of A and B, by the labels"
    )
    for record in records:
        opinion = dict(record)
        opinion["system_a"] = record.get(a)
        opinion["system_b"] = record.get(b)
        yield opinion


# ---- comparisons whose number is called a score


def _is_comparison(records: Records) -> bool:
    columns = columns_of(records)
    fields = names.first_of(names.LABELS, columns)
    return (
        fields.keys() >= {"system_a", "system_b"}
        and not fields.keys() & _LABEL_FIELDS
        and _score_of_pair(columns) is not None
    )


def _score_of_pair(columns: Collection[str]) -> str | None:
    for name in columns:
        if names.bare(name) in ("score", "rating"):
            return name
    return None


def _comparison(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    score = _score_of_pair(columns_of(records)) or ""
    notes.append(f"the column {score} is read as a comparison of A with B")
    for record in records:
        opinion = _without(record, (score,))
        opinion["preference"] = record.get(score)
        yield opinion


def _is_wide_comparison(records: Records) -> bool:
    """Whether columns of raters hold numbers, some of which are no labels."""
    columns = columns_of(records)
    raters = [name for name in columns if RATER.fullmatch(name)]
    fields = names.first_of(names.LABELS, columns)
    if len(raters) < 2 or not fields.keys() >= {"system_a", "system_b"}:
        return False
    cells: set[str] = set()
    for record in records:
        cells.update(cell_text(record, name) for name in raters)
    present = {cell for cell in cells if not is_missing(cell)}
    if any(number_of(cell) is None for cell in present):
        return False
    return bool(present - {"1", "2"})


def _wide_comparison(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    raters = [name for name in columns_of(records) if RATER.fullmatch(name)]
    notes.append(
        f"each of the columns {', '.join(raters)} is read as a rater, and its numbers"
        " as comparisons of A with B"
    )
    for record in records:
        shared = _without(record, raters)
        for name in raters:
            yield shared | {"rater": name, "preference": record.get(name)}


#: Each is tried in turn; several may fit one table (a batch with a column of flags).
LAYOUTS: tuple[SurveyLayout, ...] = (
    SurveyLayout(survey_tools.is_studio, survey_tools.studio),
    SurveyLayout(survey_tools.is_qualtrics, survey_tools.qualtrics),
    SurveyLayout(survey_tools.is_batch, survey_tools.batch),
    SurveyLayout(_has_empty_raters, _named_raters),
    SurveyLayout(_has_flags, _flags),
    SurveyLayout(survey_forms.is_form, survey_forms.form),
    SurveyLayout(_is_arena, _arena),
    SurveyLayout(_has_loser, _won),
    SurveyLayout(_has_sides, _sides),
    SurveyLayout(listening_tests.is_beaqle, listening_tests.beaqle),
    SurveyLayout(listening_tests.is_paired, listening_tests.paired),
    SurveyLayout(listening_tests.is_graded, listening_tests.graded),
    SurveyLayout(_is_comparison, _comparison),
    SurveyLayout(_is_wide_comparison, _wide_comparison),
)
