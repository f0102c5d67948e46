"""Votes of arenas, and tables that name the winner of each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from blueprints import InputError, counted
from trace_eval.data import names
from trace_eval.data.spelling import is_missing, label_of
from trace_eval.opinions.survey_cells import (
    NO,
    YES,
    Records,
    SurveyRecord,
    SurveyTable,
    cell_text,
    without,
)

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


def is_arena(table: SurveyTable) -> bool:
    """Tell whether some records are votes for one of two models."""
    return any(map(_is_vote, table.records))


def arena(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each vote; other events of the log are left out."""
    records = table.records
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
        opinion = without(vote, ("type", "models"))
        opinion["system_a"], opinion["system_b"] = _models(vote) or ("", "")
        opinion[column] = _VOTES[str(vote["type"])]
        yield opinion


# ---- the winner and the loser by their names


_DRAWS = ("draw", "tie", "is_draw", "is_tie", "drawn", "tied")


def has_loser(table: SurveyTable) -> bool:
    """Tell whether each row names a winner and a loser, and no sides."""
    columns = set(table.columns)
    names_of_sides = names.LABELS["system_a"] + names.LABELS["system_b"]
    return {"winner", "loser"} <= columns and columns.isdisjoint(names_of_sides)


def won(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A and B by the alphabet, so that a system's place does not tell who won."""
    draw = next((name for name in _DRAWS if name in table.columns), None)
    for number, record in enumerate(table.records, start=1):
        opinion = without(record, ("winner", "loser", draw))
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
        if drawn not in YES | NO:
            raise InputError(
                f"record {number}: {draw} is {drawn!r}; write true or false"
            )
        a, b = sorted((winner, loser))
        opinion["system_a"] = a
        opinion["system_b"] = b
        if drawn in YES:
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


def _named_sides(table: SurveyTable) -> tuple[str, str] | None:
    """Find columns A and B of which each label that is no tie names one."""
    if table.fields.keys() & {"system_a", "system_b", "system"}:
        return None
    label = table.fields.get("preference") or table.fields.get("overall")
    if label is None:
        return None
    deciding: list[Mapping[str, Any]] = []
    for record, text in zip(table.records, table.texts(label), strict=True):
        if text and label_of(text) is None:
            deciding.append(record)
    if not deciding:
        return None
    columns = [name for name in table.columns if name != label]
    of_texts = [name for name in columns if _is_text(name, table.records)]
    for a, b in product(of_texts, repeat=2):
        if a < b and _hold_the_winners(deciding, a, b, label=label):
            first, second = sorted((a, b), key=table.columns.index)
            return first, second
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


def has_sides(table: SurveyTable) -> bool:
    """Tell whether the labels name what stands in two of the columns."""
    return _named_sides(table) is not None


def sides(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A and B what stands in the columns that the labels name."""
    a, b = _named_sides(table.start) or ("", "")
    notes.append(
        f"the columns {a} and {b} are read as the systems of A and B, by the labels"
    )
    for record in table.records:
        opinion = dict(record)
        opinion["system_a"] = record.get(a)
        opinion["system_b"] = record.get(b)
        yield opinion
