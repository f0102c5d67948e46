"""Records of survey tools and arenas as one record per opinion, under our names.

A layout is a row of :data:`LAYOUTS`. What differs in the names of its columns alone is
none: those names stand in :mod:`trace_eval.data.names`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from blueprints import InputError, counted
from fusion import DIMENSIONS
from trace_eval.data import names
from trace_eval.data.spelling import PLAIN, is_missing
from trace_eval.opinions import survey_forms, survey_tools, webmushra
from trace_eval.opinions.cells import number_of
from trace_eval.opinions.survey_cells import (
    Records,
    SurveyRecord,
    cell_text,
    columns_of,
    label_of,
)

#: A column of one rater, whatever it holds.
RATER = re.compile(
    r"(r|rater|annotator|listener|worker|participant|evaluator|subject|judge|assessor|user|p|l)"
    r"[\s_-]*\d+",
    re.I,
)

#: Records that are looked at for a layout.
_LOOKED_AT = 50


class SurveyLayout(NamedTuple):
    """One layout of many records."""

    fits: Callable[[Records], bool]  # of the first records
    ours: Callable[
        [Records, list[str]], Iterator[SurveyRecord]
    ]  # adds what a reader must know of it


def unfolded(records: Records, notes: list[str]) -> Records:
    """Unfold records to one per opinion; ``notes`` takes what was read or left out."""
    for layout in LAYOUTS:
        if layout.fits(records[:_LOOKED_AT]):
            records = list(layout.ours(records, notes))
    return records


def fits_any(records: Records) -> bool:
    """Whether the first records of a table are of one of these layouts."""
    return any(layout.fits(records) for layout in LAYOUTS)


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
    groups: dict[str, dict[str, str]] = {}
    for name in _flag_columns(records):
        parts = _STEM.fullmatch(name)
        if parts and number_of(parts["choice"]) is not None:
            groups.setdefault(parts["stem"], {})[name] = parts["choice"]
    return next((of for of in groups.values() if len(of) > 2), {})


def _choices(records: Records) -> dict[str, str]:
    """Map flag columns to the labels they stand for; empty if not of both sides."""
    groups: dict[str, dict[str, str]] = {}
    places = _places(records)
    for name in _flag_columns(records):
        if name in places:
            continue
        parts = _STEM.fullmatch(name)
        for stem, choice in (
            ("", name),
            *([(parts["stem"], parts["choice"])] if parts else []),
        ):
            label = label_of(choice)
            if label is not None:
                groups.setdefault(stem, {})[name] = label
                break
    return next((of for of in groups.values() if {"1", "2"} <= {*of.values()}), {})


def _has_flags(records: Records) -> bool:
    if _LABEL_FIELDS & names.first_of(names.LABELS, columns_of(records)).keys():
        return False
    choices = _choices(records) or _places(records)
    checks: list[int] = []
    for record in records:
        checks.append(
            sum(cell_text(record, name).casefold() in _YES for name in choices)
        )
    return any(checks) and max(checks) < 2


def _flags(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    choices = _choices(records)
    column = "overall" if {*choices.values()} - PLAIN else "preference"
    if not choices:
        choices, column = _places(records), "score"
    notes.append(f"the columns {', '.join(choices)} are read as one choice")
    for number, record in enumerate(records, start=1):
        chosen = [n for n in choices if cell_text(record, n).casefold() in _YES]
        if len(chosen) > 1:
            raise InputError(
                f"record {number}: {' and '.join(chosen)} are both checked; keep"
                " one of them"
            )
        rest = {name: value for name, value in record.items() if name not in choices}
        yield {**rest, column: choices[chosen[0]] if chosen else None}


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


def _is_arena(records: Records) -> bool:
    return any(_models(record) and record.get("type") in _VOTES for record in records)


def _arena(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    votes = [
        record for record in records if record.get("type") in _VOTES and _models(record)
    ]
    if len(votes) < len(records):
        others = sorted({str(record.get("type")) for record in records} - _VOTES.keys())
        left_out = len(records) - len(votes)
        notes.append(
            f"{counted(left_out, 'record is no vote', 'records are no votes')} and left"
            f" out (type {', '.join(others)})"
        )
    column = (
        "overall" if any("both" in str(one["type"]) for one in votes) else "preference"
    )
    for vote in votes:
        rest = {
            name: value
            for name, value in vote.items()
            if name not in ("type", "models")
        }
        a, b = _models(vote) or ("", "")
        yield {**rest, "system_a": a, "system_b": b, column: _VOTES[str(vote["type"])]}


# ---- the winner and the loser by their names


_DRAWS = ("draw", "tie", "is_draw", "is_tie", "drawn", "tied")


def _has_loser(records: Records) -> bool:
    columns = {*columns_of(records)}
    sides = {*names.LABELS["system_a"], *names.LABELS["system_b"]}
    return {"winner", "loser"} <= columns and not columns & sides


def _won(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Name A and B by the alphabet, so that a system's place does not tell who won."""
    draw = next((name for name in _DRAWS if name in columns_of(records)), None)
    for number, record in enumerate(records, start=1):
        rest = {n: v for n, v in record.items() if n not in ("winner", "loser", draw)}
        winner, loser = cell_text(record, "winner"), cell_text(record, "loser")
        if is_missing(winner) and is_missing(loser):
            yield rest
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
        label = "tie" if drawn in _YES else "1" if winner == a else "2"
        yield {**rest, "system_a": a, "system_b": b, "preference": label}


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
    texts = [name for name in columns if name != label and _is_text(name, records)]
    values = [(record, cell_text(record, label)) for record in records]
    named = [
        (record, value) for record, value in values if label_of(value) is None and value
    ]
    if not named:
        return None
    for a, b in ((a, b) for a in texts for b in texts if a < b):
        sides = [
            (cell_text(record, a), cell_text(record, b), value)
            for record, value in named
        ]
        hits = {x == value for x, _, value in sides if value in (x, _)}
        if all(value in (x, y) for x, y, value in sides) and hits == {True, False}:
            first = min((a, b), key=columns.index)
            return first, b if first == a else a, label
    return None


def _has_sides(records: Records) -> bool:
    return _named_sides(records) is not None


def _sides(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    a, b, _ = _named_sides(list(islice(records, _LOOKED_AT))) or ("", "", "")
    notes.append(
        f"the columns {a} and {b} are read as the systems of A and B, by the labels"
    )
    for record in records:
        yield {**record, "system_a": record.get(a), "system_b": record.get(b)}


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
    return next(
        (name for name in columns if names.bare(name) in ("score", "rating")), None
    )


def _comparison(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    score = _score_of_pair(columns_of(records)) or ""
    notes.append(f"the column {score} is read as a comparison of A with B")
    for record in records:
        rest = {name: value for name, value in record.items() if name != score}
        yield {**rest, "preference": record.get(score)}


def _is_wide_comparison(records: Records) -> bool:
    """Whether columns of raters hold numbers, some of which are no labels."""
    columns = columns_of(records)
    raters = [name for name in columns if RATER.fullmatch(name)]
    fields = names.first_of(names.LABELS, columns)
    if len(raters) < 2 or not fields.keys() >= {"system_a", "system_b"}:
        return False
    cells = {cell_text(record, name) for record in records for name in raters}
    present = {cell for cell in cells if not is_missing(cell)}
    return all(number_of(cell) is not None for cell in present) and bool(
        present - {"1", "2"}
    )


def _wide_comparison(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    raters = [name for name in columns_of(records) if RATER.fullmatch(name)]
    notes.append(
        f"each of the columns {', '.join(raters)} is read as a rater, and its numbers"
        " as comparisons of A with B"
    )
    for record in records:
        rest = {name: value for name, value in record.items() if name not in raters}
        for name in raters:
            yield {**rest, "rater": name, "preference": record.get(name)}


#: Each is tried in turn; several may fit one table (a batch with a column of flags).
LAYOUTS: tuple[SurveyLayout, ...] = (
    SurveyLayout(survey_tools.is_studio, survey_tools.studio),
    SurveyLayout(survey_tools.is_qualtrics, survey_tools.qualtrics),
    SurveyLayout(survey_tools.is_batch, survey_tools.batch),
    SurveyLayout(_has_flags, _flags),
    SurveyLayout(survey_forms.is_form, survey_forms.form),
    SurveyLayout(_is_arena, _arena),
    SurveyLayout(_has_loser, _won),
    SurveyLayout(_has_sides, _sides),
    SurveyLayout(webmushra.is_paired, webmushra.paired),
    SurveyLayout(webmushra.is_graded, webmushra.graded),
    SurveyLayout(_is_comparison, _comparison),
    SurveyLayout(_is_wide_comparison, _wide_comparison),
)
