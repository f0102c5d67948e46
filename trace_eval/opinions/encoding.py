"""Columns of labels as codes, in any accepted spelling or on a scale of comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from blueprints import InputError
from fusion import PREFERENCE
from trace_eval.data.columns import Ends
from trace_eval.data.spelling import (
    LETTERS,
    MAY_BE_NEGATIVE,
    NO_LABEL,
    Declared,
    SideNames,
    is_missing,
    names_are_words,
    negative_numbers,
    spelled,
)
from trace_eval.opinions.cells import Texts, map_option, number_of
from trace_eval.opinions.codes import LABEL_COLUMNS, LABELS, MATCHES, MISSING, Codes
from trace_eval.opinions.opinions import Opinions, no_common_ids
from trace_eval.opinions.unread import UnreadValues


@dataclass(frozen=True)
class RowSystems:
    """Each row's systems, which labels may name; an empty column is unknown.

    Attributes:
        a, b: systems of both sides.
        won_or_lost: the system that a win or a loss is of.
    """

    a: Sequence[object] | Texts = ()
    b: Sequence[object] | Texts = ()
    won_or_lost: Sequence[object] | Texts = ()

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[Any]],
        ids: Texts | None = None,
        about: Sequence[Opinions] = (),
    ) -> RowSystems:
        """Take a table's own systems, or else those of judgements of its items."""
        a = columns.get("system_a", ())
        b = columns.get("system_b", ())
        won_or_lost = columns.get("system", ())
        if ids is None or len(a) or len(b):
            return cls(a, b, won_or_lost)
        judged_a = np.full(len(ids), None)
        judged_b = np.full(len(ids), None)
        for judged in about:
            if not {"system_a", "system_b"} <= judged.facts.keys():
                continue
            row = judged.find(ids)
            is_judged = row >= 0
            row_of_judged = row[is_judged]
            judged_a[is_judged] = judged.facts["system_a"][row_of_judged]
            judged_b[is_judged] = judged.facts["system_b"][row_of_judged]
        return cls(judged_a, judged_b, won_or_lost)

    def at(self, row: int) -> SideNames:
        """Return the names of a row."""
        return (
            _cell(self.a, row),
            _cell(self.b, row),
            _cell(self.won_or_lost, row),
        )


def _cell(column: Sequence[object] | Texts, row: int) -> object | None:
    """Return a cell of a column; None of one that is not there."""
    if not len(column):
        return None
    cell: object = column[row]
    return cell


def mapped(
    columns: Mapping[str, Sequence[Any]],
    mapping: Mapping[str, str],
    scale: Ends | None = None,
) -> dict[str, Sequence[Any]]:
    """Replace the values of labels that a user maps to others, or to nothing.

    Raises:
        UserError: a label is mapped to a number that is none, where no scale is
            declared; or to one that is a side, and says something else on the scale.
    """
    replaced = dict(columns)
    if not mapping:
        return replaced
    if scale is not None:
        _refuse_either_number(mapping, scale)
        _refuse_number_beside(mapping, scale)
    allowed = (*LABELS, *LETTERS, NO_LABEL)
    meanings: dict[str, Declared | None] = {}
    for value, label in mapping.items():
        if label not in allowed and scale is None:
            raise InputError(
                f"--map {value}={label}: numbers are scores, and these are labels:"
                f" write one of {', '.join((*LABELS, NO_LABEL))}, or declare the scale with"
                " --scale"
            )
        meanings[value] = None if label == NO_LABEL else Declared(label)
    for name in LABEL_COLUMNS:
        if name in columns:
            replaced[name] = [
                meanings.get(str(value), value) for value in columns[name]
            ]
    return replaced


def _refuse_either_number(mapping: Mapping[str, str], scale: Ends) -> None:
    """Refuse a 1 or 2 that may be a side, or another opinion on the scale.

    Where a value is mapped to a number that is no side, all are numbers of the scale.
    """
    numbers = {number_of(label) for label in mapping.values()} - {None}
    if not numbers <= {1.0, 2.0}:
        return
    for value, label in mapping.items():
        if label not in LETTERS.values():
            continue
        number = float(label)
        if scale.holds(number) and scale.label(number) == label:
            continue
        letter = next(name for name, side in LETTERS.items() if side == label)
        said = "is not on the scale"
        if scale.holds(number):
            said = "says something else on the scale"
        raise InputError(
            f"--map {value}={label}: as a label {label} means that {letter} is better,"
            f" and {said} {scale}; write {', '.join(LETTERS)} or tie, e.g."
            f" {map_option(value, letter)}, or a number of the scale with its sign, e.g."
            f" {map_option(value, f'{scale.first:+g}')}"
        )


def _refuse_number_beside(mapping: Mapping[str, str], scale: Ends) -> None:
    """Refuse a number that is not on the scale, which would be no label of any row."""
    for value, label in mapping.items():
        number = number_of(label)
        if number is not None and not scale.holds(number):
            raise InputError(
                f"--map {value}={label}: is not on the scale {scale}; write"
                f" {', '.join(LETTERS)}, tie or a number of the scale, e.g."
                f" {map_option(value, f'{scale.first:+g}')}"
            )


class LabelReading(NamedTuple):
    """What labels may mean beyond the usual."""

    # judgements of the same items, whose systems a label may name
    about: Sequence[Opinions] = ()
    mappable: bool = False  # the command has --map, for values that are not understood
    # of comparisons, which numbers are on; None: numbers are sides
    scale: Ends | None = None


def codes_of(
    source: str, columns: Mapping[str, Sequence[Any]], ids: Texts, reading: LabelReading
) -> dict[str, Codes]:
    """Encode the columns of labels.

    Raises:
        UserError: a label is unknown, or no item is among those of judgements whose
            systems it may name.
    """
    systems = RowSystems.of(columns, ids, reading.about)
    unread = UnreadValues(source, ids)
    codes: dict[str, Codes] = {}
    for name in LABEL_COLUMNS:
        if name in columns:
            codes[name] = encode(
                columns[name], name, systems, unread, scale=reading.scale
            )
    if unread and reading.about:
        is_judged = any((judged.find(ids) >= 0).any() for judged in reading.about)
        if not is_judged:
            raise InputError(no_common_ids(reading.about[0], source, ids))
    unread.refuse(reading.mappable)
    return codes


def encode(
    values: Sequence[Any],
    column: str,
    systems: RowSystems,
    unread: UnreadValues,
    called: str | None = None,
    scale: Ends | None = None,
) -> Codes:
    """Encode a column of labels in any accepted spelling; ``unread`` takes the rest.

    Args:
        column: the dimension, which decides what labels there may be.
        called: the column's name in the file; None: the dimension's.
        scale: whose numbers the values are; None: they are labels.
    """
    if column == "match":
        values = [_in_small_letters(value) for value in values]
    elif scale is not None:
        values = [on_scale(value, scale) for value in values]
    code_of_label = _codes_by_label(column)
    codes = _codes_of_plain(values, code_of_label, systems)
    negative = negative_numbers(values)
    for row in np.flatnonzero(codes == _UNKNOWN).tolist():
        value = values[row]
        why = "it is no label"
        if value in negative:
            why = MAY_BE_NEGATIVE
        elif column != "match" and isinstance(value, str):
            try:
                label = spelled(
                    value, systems.at(row), typed="both_bad" in code_of_label
                )
                codes[row] = code_of_label.get(label, _UNKNOWN)
            except ValueError as error:
                why = str(error)
        if codes[row] != _UNKNOWN:
            continue
        if is_missing(value):
            codes[row] = MISSING
            continue
        if isinstance(value, OutsideScale):
            why = value.why
        unread.add(
            called or column,
            values,
            value=value,
            row=row,
            why=why,
            allowed=labels_beside_scale(tuple(code_of_label), scale),
        )
    return codes


#: Stands for a value that is not a label as it is stored.
_UNKNOWN = MISSING - 1


def _in_small_letters(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _codes_of_plain(
    values: Sequence[Any], code_of_label: Mapping[str, int], systems: RowSystems
) -> Codes:
    """Encode values that are labels as they are stored; others are unknown.

    Where systems have names that are words of labels, all are unknown: labels are told
    from names row by row.
    """
    code_of: dict[Any, int] = {**code_of_label, None: MISSING, "": MISSING}
    codes = np.fromiter(
        (code_of.get(value, _UNKNOWN) for value in values),
        dtype=np.int8,
        count=len(values),
    )
    names = set(systems.a)
    names.update(systems.b)
    if any(map(names_are_words, names)):
        codes[codes >= 0] = _UNKNOWN
    return codes


def _codes_by_label(column: str) -> dict[str, int]:
    """Return the labels that a dimension may have, with their codes."""
    if column == "match":
        return dict(MATCHES)
    codes = {label: code for code, label in enumerate(LABELS)}
    if column == "preference":
        return {label: codes[label] for label in LABELS if label in PREFERENCE.labels}
    return codes


def labels_beside_scale(labels: tuple[str, ...], scale: Ends | None) -> tuple[str, ...]:
    """Return what may stand in a column: sides by letters if numbers are a scale's."""
    if scale is None or labels[: len(LETTERS)] != tuple(LETTERS.values()):
        return labels
    return (*LETTERS, *labels[len(LETTERS) :])


@dataclass(frozen=True)
class OutsideScale:
    """A number that is not on the declared scale: no label, even if it is 1 or 2."""

    text: str
    scale: Ends

    def __str__(self) -> str:
        return self.text

    @property
    def why(self) -> str:
        """Why it is no label."""
        return f"it is not on the scale {self.scale}"


def on_scale(value: object, scale: Ends) -> object:
    """Return the label of a number on a comparison scale; what is no number stays."""
    number = number_of(value)
    if number is None:
        return value
    if not scale.holds(number):
        return OutsideScale(str(value), scale)
    return scale.label(number)
