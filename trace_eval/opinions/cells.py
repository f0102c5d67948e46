"""Checked columns of a table of labels: ids, texts, numbers, and what is no label."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError, counted
from trace_eval.data.spelling import EITHER_SIDE, NO_LABEL, is_missing, visible
from trace_eval.opinions.units import WholeNumbers

Texts = NDArray[np.object_]


def ids_of(
    source: str, columns: Mapping[str, Sequence[Any]], default_ids: bool
) -> Texts:
    """Return the ids; without such a column, row numbers if allowed, or recordings."""
    names = columns.get("id")
    if names is None and default_ids:
        rows = len(next(iter(columns.values()), ()))
        return texts_of([str(row + 1) for row in range(rows)])
    if names is None:
        names = columns.get("recording")
    if names is None:
        raise InputError(f"{source}: no column 'id' (or pair, item, index); add one")
    ids = texts_of(names)
    for row, id_ in enumerate(ids.tolist()):
        if id_ is None or not str(id_).strip():
            raise InputError(f"{source}, record {row + 1}: the id is empty; fill it in")
    return ids


def texts_of(values: Sequence[Any]) -> Texts:
    """Return a column of texts, or of other objects."""
    return np.fromiter(values, object, len(values))


#: A number with a decimal comma; three digits behind it may be thousands.
_DECIMAL_COMMA = re.compile(r"\A[+-]?[0-9]+,([0-9]{1,2}|[0-9]{4,})")


#: A number from here on is none of a study, and its square may be none of a computer.
_TOO_LARGE = 1e100


def number_of(value: object) -> float | None:
    """Read a cell's finite number, in any unambiguous form; None if it is no number.

    Signs may be those of typesetting, and a comma a decimal one. ``1,234`` may be
    either of two.
    """
    if isinstance(value, bool):
        return None
    text = visible(value).replace("\u2212", "-").replace("\u2013", "-")
    if _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return None
    return number if abs(number) < _TOO_LARGE else None


def numbers_of(
    values: Sequence[Any], source: str, column: str, mappable: bool = False
) -> NDArray[np.float64]:
    """Read a column of finite numbers; empty cells and words for missing ones are NaN.

    A number may stand as a percentage where all of them do.

    Args:
        mappable: the command has ``--map``, for values that are no numbers.
    """
    with suppress(TypeError, ValueError):  # of what is no number: see below
        numbers = np.fromiter(map(float, values), float, len(values))
        if (np.abs(numbers) < _TOO_LARGE).all():
            return numbers
    present = [value for value in values if not is_missing(value)]
    are_percentages = bool(present) and all(
        str(value).rstrip().endswith("%") for value in present
    )
    numbers = np.full(len(values), np.nan)
    wrong: dict[str, int] = {}
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        if are_percentages:
            number = number_of(str(value).rstrip().removesuffix("%"))
        else:
            number = number_of(value)
        if number is None:
            wrong.setdefault(str(value), row)
        else:
            numbers[row] = number
    if wrong:
        value, row = next(iter(wrong.items()))
        remedy = _number_remedy(list(wrong)) if mappable else ""
        raise InputError(
            f"{source}, record {row + 1}: {column} is {value!r:.60}; give a number with"
            f" a decimal point, e.g. 3.5, or nothing{remedy}"
        )
    return numbers


#: The five words of absolute category rating -> their score (ITU-T P.800, annex B).
CATEGORIES = {"excellent": 5, "good": 4, "fair": 3, "poor": 2, "bad": 1}


def _number_remedy(wrong: Sequence[str]) -> str:
    """Say how to give numbers for values that are none."""
    if CATEGORIES.keys() >= set(map(_category, wrong)):
        typed = [_map(value, str(CATEGORIES[_category(value)])) for value in wrong]
        return f"; if these are the words of P.800, say {' '.join(typed)}"
    typed = [_map(value, "NUMBER") for value in wrong[:_SHOWN]]
    return f"; or say what each means, a number or {NO_LABEL}: {' '.join(typed)}"


def _category(value: str) -> str:
    return visible(value).casefold()


def _map(value: str, meaning: str) -> str:
    """Write ``--map`` of a value as a shell takes it."""
    return f"--map {shlex.quote(f'{value}={meaning}')}"


def raters_of(
    values: Sequence[Any] | None, ids: Sequence[Any]
) -> tuple[Texts | None, tuple[str, ...]]:
    """Read a column of raters, with sentences on names that look alike.

    Names that differ in what nobody sees or types on purpose (forms of Unicode,
    invisible characters, blanks, capitals, letters of other alphabets that look the
    same) are one rater, called as it is spelt first. They stay apart where both rated
    one item. An empty cell is a rater without a name.
    """
    if values is None:
        return None, ()
    names = [
        "" if value is None or not str(value).strip() else value for value in values
    ]
    spellings: dict[str, list[Any]] = {}
    for name in dict.fromkeys(names):
        if name != "":
            spellings.setdefault(_look(name), []).append(name)
    first_spellings: dict[Any, Any] = {}
    notes: list[str] = []
    for alike in spellings.values():
        if len(alike) < 2:
            continue
        shown = ", ".join(map(_distinct, alike))
        if _share_an_item(alike, names, ids):
            notes.append(
                f"raters {shown} look alike and rated the same items: they are kept"
                " apart"
            )
        else:
            notes.append(f"raters {shown} look alike and are read as one")
            first_spellings.update(dict.fromkeys(alike, alike[0]))
    raters = [first_spellings.get(name, name) for name in names]
    return texts_of(raters), tuple(notes)


def _share_an_item(
    raters: Collection[Any], names: Sequence[Any], ids: Sequence[Any]
) -> bool:
    """Tell whether several of some raters gave an opinion of one item."""
    rater_of: dict[Any, Any] = {}
    for name, id_ in zip(names, ids, strict=True):
        if name in raters and rater_of.setdefault(id_, name) != name:
            return True
    return False


def _distinct(name: object) -> str:
    """Quote a name, with escapes for what nobody sees in it."""
    return repr(name) if str(name) == visible(name) else ascii(name)


#: Letters of Cyrillic and Greek that look like Latin ones, in small letters.
_ALIKE = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455"
    "\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba",
    "abekmhopctyxijsaopvik",
)


#: Quotes and hyphens of word processors -> those of keyboards.
_TYPED = str.maketrans("\u2018\u2019\u02bc\u00b4`\u2010\u2011\u2013\u2212", "'''''----")

#: A number as spreadsheets and data frames rewrite it: without its first zeros, or with
#: a fraction of zeros.
_WHOLE = re.compile(r"\A0*(\d+?)(?:\.0+)?\Z")


def _look(name: object) -> str:
    """Return how a name looks, without case; equal for indistinguishable names."""
    text = visible(name).casefold()
    text = _WHOLE.sub(r"\1", text.replace("i\u0307", "i").translate(_TYPED))
    mixed = any("a" <= letter <= "z" for letter in text)
    return text.translate(_ALIKE) if mixed else text


#: What a column ``trap`` says of an answer to an item whose answer is known.
TRAP_WORDS = {"right": True, "wrong": False}


def without_traps(
    source: str, columns: Mapping[str, Sequence[Any]], labels: Sequence[str]
) -> tuple[dict[str, list[Any]], dict[str, tuple[bool, ...]]]:
    """Return columns without rows that are only traps, and each rater's trap answers.

    A row of a trap with a label stays: a hidden reference is data, too.

    Args:
        labels: names of the columns of labels or scores.

    Raises:
        UserError: a trap is neither right nor wrong, or nobody says who answered it.
    """
    traps = list(columns.get("trap", ()))
    label_columns = [columns[name] for name in labels if name in columns]
    counts = [True] * len(traps)
    answers: dict[str, tuple[bool, ...]] = {}
    for row, text in enumerate(traps):
        if text is None or not str(text).strip():
            continue
        word = str(text).strip().lower()
        rater = columns["rater"][row] if "rater" in columns else None
        if word not in TRAP_WORDS:
            raise InputError(
                f"{source}, record {row + 1}: trap is {text!r}; write right or wrong,"
                " or leave the cell empty"
            )
        if rater is None:
            raise InputError(
                f"{source}, record {row + 1}: a trap needs its rater; name one"
            )
        before = answers.get(str(rater), ())
        answers[str(rater)] = (*before, TRAP_WORDS[word])
        counts[row] = any(column[row] not in (None, "") for column in label_columns)
    rest = {name: list(column) for name, column in columns.items() if name != "trap"}
    if not all(counts):
        rest = {name: list(compress(column, counts)) for name, column in rest.items()}
    return rest, answers


def check_inclusion(source: str, inclusion: NDArray[np.float64] | None) -> None:
    """Refuse values that are no probabilities."""
    if inclusion is None:
        return
    wrong = np.flatnonzero((inclusion <= 0) | (inclusion > 1))
    if len(wrong):
        raise InputError(
            f"{source}, record {int(wrong[0]) + 1}: inclusion is"
            f" {inclusion[wrong[0]]:g}; give the probability, above 0 and up to 1, with"
            " which the item was chosen"
        )


def refuse_duplicates(
    source: str,
    ids: Texts,
    rater: Texts | None,
    repeat: Texts | None,
    records: WholeNumbers | None = None,
    remedy: str | None = None,
) -> None:
    """Refuse an id that one rater gave twice in one repetition.

    A rater without a name (an empty text) may be several annotators. ``records``:
    number of each row in the source, from 0; None: those of the table. ``remedy``: what
    to do but delete one; None: by the columns that are there.
    """
    keys: list[Any] = ids.tolist()
    parts = [column.tolist() for column in (rater, repeat) if column is not None]
    if parts:
        keys = list(zip(keys, *parts, strict=True))
    if len(set(keys)) == len(keys):
        return
    first_rows: dict[Any, int] = {}
    for row, key in enumerate(keys):
        if rater is not None and rater[row] == "":
            continue
        first = first_rows.setdefault(key, row)
        if first == row:
            continue
        by_rater = "" if rater is None else f", by {rater[row]}"
        if records is None:
            record, first_record = row, first
        else:
            record, first_record = int(records[row]), int(records[first])
        raise InputError(
            f"{source}, record {record + 1}: id {ids[row]} was given in record"
            f" {first_record + 1} already{by_rater}; delete one, or"
            f" {remedy or _told_apart(rater, repeat)}"
        )


def _told_apart(rater: Texts | None, repeat: Texts | None) -> str:
    """Say what else would tell two rows of one id apart."""
    if repeat is not None:
        return "give each an id of its own"
    columns = "a 'rater' or 'repeat' column" if rater is None else "a 'repeat' column"
    return f"tell them apart by {columns}"


#: From here on a number beside labels of 0 to 2 is a code for something else: -99, 9,
#: 888.
_CODE = 8

#: Numbers that may as well be the codes of A, B, and ties.
_CODES_OF_CHOICES = frozenset((0.0, 1.0, 2.0, 3.0, 4.0))

#: Values named in a message.
_SHOWN = 6

#: Scales of comparison that are in use, by their least and greatest number.
_COMPARISONS = (
    (1, 3),
    (1, 5),
    (1, 7),
    (1, 9),
    (0, 2),
    (0, 4),
    (0, 6),
    (0, 10),
    (0, 100),
)


def scale_remedy(low: float, high: float) -> str:
    """Say how to declare a scale of comparison of which these are the ends that occur.

    Zero is the middle of signed numbers, however far they go. Of others the ends decide
    where the middle is: unless they are usual ones, they are left blank.
    """
    where = "numbers are a scale; declare its ends, first the one that says A is better"
    if low < 0:
        end = max(-low, high)
        low, high = -end, end
    elif (low, high) not in _COMPARISONS:
        return f"{where}: --scale END_OF_A..END_OF_B"
    return (
        f"{where}: --scale {low:g}..{high:g} where {low:g} says so,"
        f" --scale {high:g}..{low:g} where {high:g} does"
    )


def _holds_labels(numbers: Collection[float]) -> bool:
    """Tell whether numbers are labels of 0 to 2, perhaps with codes beside them."""
    labels = {number for number in numbers if abs(number) < _CODE}
    if not labels:
        return not numbers
    return labels <= {0.0, 1.0, 2.0}


@dataclass
class _Value:
    """A value that is not understood: how often, where first, and why."""

    row: int
    why: str
    allowed: tuple[str, ...]
    rows: int = 0


@dataclass
class UnreadValues:
    """Values in the label columns of a table that are not understood."""

    source: str
    ids: Sequence[Any] | Texts  # of its rows; empty: they have none
    others: str = ""  # what a cell may hold besides labels, in words
    _values: dict[tuple[str, str], _Value] = field(default_factory=dict)
    _columns: dict[str, Sequence[Any]] = field(default_factory=dict)

    def add(
        self,
        column: str,
        values: Sequence[Any],
        *,
        value: object,
        row: int,
        why: str,
        allowed: tuple[str, ...],
    ) -> None:
        """Keep a value of a row, counted from 0, and its column's allowed labels.

        Args:
            values: all of the column, which tell its scale.
        """
        self._columns[column] = values
        key = column, str(value)
        self._values.setdefault(key, _Value(row, why, allowed)).rows += 1

    def __bool__(self) -> bool:
        return bool(self._values)

    def refuse(self, mappable: bool) -> None:
        """Refuse the table if it holds any: say which, how often, where, what to do.

        Where it is mappable, ``--map`` and ``--scale`` are the remedies. What a value
        means is left blank in them, unless the value itself says it.
        """
        if not self:
            return
        (column, value), first = next(iter(self._values.items()))
        others: list[str] = []
        for key, other in islice(self._values.items(), 1, _SHOWN):
            others.append(self._described(key, other))
        if len(self._values) > _SHOWN:
            others.append(f"{len(self._values) - _SHOWN} more values")
        also = f"; also {', '.join(others)}" if others else ""
        labels = ", ".join(first.allowed)
        if "1" in first.allowed:
            labels += " (1 is A, 2 is B)"
        remedy = self._remedy(column) if mappable else "write each as one of them"
        raise InputError(
            f"{self.source}, record {first.row + 1}{self._id(first)}: {column} is"
            f" {value!r:.80} in {counted(first.rows, 'row')} ({first.why}){also};"
            f" labels are {labels}{self.others}; {remedy}"
        )

    def _remedy(self, column: str) -> str:
        """Say what to type; ``LABEL`` is a blank for what only the user can know."""
        present = {
            str(value) for value in self._columns[column] if not is_missing(value)
        }
        present.update(value for _, value in self._values)
        numbers = {value: number_of(value) for value in present}
        distinct = {number for number in numbers.values() if number is not None}
        if None not in numbers.values() and not _holds_labels(distinct):
            remedy = scale_remedy(min(distinct), max(distinct))
            if not distinct <= _CODES_OF_CHOICES:
                return remedy
            typed = [_map(f"{number:g}", "LABEL") for number in sorted(distinct)]
            codes = " ".join(typed)
            return f"where they are codes of choices: {codes}; otherwise {remedy}"
        meanings: dict[str, str] = {}
        if 0.0 in distinct:  # then 1 may be B, or no label at all
            for value in sorted(numbers)[:_SHOWN]:
                meanings[value] = "LABEL"
        else:
            either = {
                value
                for (_, value), unread in self._values.items()
                if unread.why == EITHER_SIDE
            }
            for _, value in islice(self._values, _SHOWN):
                is_plain = numbers[value] in (1, 2) and value not in either
                meanings[value] = f"{numbers[value]:g}" if is_plain else "LABEL"
        typed = [_map(value, meaning) for value, meaning in meanings.items()]
        blank = ", or"
        if "LABEL" in meanings.values():
            blank = " with one of these labels or"
        return f"say what each means{blank} {NO_LABEL} (left out): {' '.join(typed)}"

    def _described(self, key: tuple[str, str], unread: _Value) -> str:
        column, value = key
        rows = counted(unread.rows, "row")
        place = f"record {unread.row + 1}{self._id(unread)}"
        return f"{value!r:.80} in {rows} of {column} ({place})"

    def _id(self, value: _Value) -> str:
        return f" (id {self.ids[value.row]})" if len(self.ids) else ""
