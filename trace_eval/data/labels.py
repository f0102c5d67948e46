"""Labels and judgements from files: strict, columnar, one row per opinion.

A :class:`LabelTable` holds what people or judges said of items. It is read from CSV,
JSON lines, or a JSON list (the HCoT layout); see :func:`read_labels` for the columns.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import DIMENSIONS, PREFERENCE
from trace_eval.data import spelling
from trace_eval.data.label_cells import (
    Texts,
    check_inclusion,
    ids_of,
    numbers_of,
    refuse_duplicates,
    texts_of,
)
from trace_eval.data.label_files import (
    columns_of,
    read_columns,
    record_columns,
)
from trace_eval.data.spelling import NOBODY, Names, names_are_words, spelled
from trace_eval.data.without_labels import refuse_without

Codes = NDArray[np.int8]

#: Every label by its code, see :data:`spelling.LABELS`.
LABELS: tuple[str, ...] = spelling.LABELS

#: Code of a missing label.
MISSING = -1

#: Columns that hold labels; ``preference`` is an overall opinion without typed ties.
LABEL_COLUMNS: tuple[str, ...] = (*DIMENSIONS, "overall", "preference", "match")

#: What a ``match`` may say -> its code: two classes, as of ``1`` and ``2``.
MATCHES: Mapping[str, int] = {"true": 0, "false": 1}

#: Columns that describe an item; ``clip_*`` is an audio hash or a path.
TEXT_FACTS = (
    "instruction_id",
    "category",
    "system_a",
    "system_b",
    "clip_a",
    "clip_b",
    "order",
)

#: Numbers per answer: seconds, LUFS, MOS (1-5), tokens of its transcript.
NUMBER_FACTS = (
    "duration_a",
    "duration_b",
    "loudness_a",
    "loudness_b",
    "mos_a",
    "mos_b",
    "tokens_a",
    "tokens_b",
)


#: How sure a judge was (the more the surer, but for ``entropy``, in bits), its own probability
#: of A, and how far A is ahead.
CERTAINTY_FACTS = (
    "confidence",
    "entropy",
    "consistent",
    "p_a",
    "margin",
    *(f"margin_{name}" for name in DIMENSIONS),
    *(f"consistent_{name}" for name in DIMENSIONS),
)

#: How a label came to be: its probability of being asked for, and seconds that it took.
DESIGN_FACTS = ("inclusion", "seconds")

#: What a judge (in judgements) or people (in labels) gave each answer, on any scale.
SCORE_FACTS = ("score_a", "score_b")


#: Every fact with a meaning of its own; others are numbers that were asked for by name.
FACTS = frozenset({*TEXT_FACTS, *NUMBER_FACTS, *CERTAINTY_FACTS, *DESIGN_FACTS, *SCORE_FACTS})


@dataclass(frozen=True)
class LabelTable:
    """Opinions in rows and columns.

    Attributes:
        source: where it comes from, for messages.
        ids: item of each row [shape=(n,)].
        codes: label column -> index into :data:`LABELS` or :data:`MISSING` [shape=(n,)].
        rater: who said it [shape=(n,)]; None: one rater throughout.
        repeat: which repetition [shape=(n,)]; None: none.
        facts: columns of :data:`TEXT_FACTS` (object) and :data:`NUMBER_FACTS` (float, NaN
            where unknown).
    """

    source: str
    ids: Texts
    codes: Mapping[str, Codes]
    rater: Texts | None = None
    repeat: Texts | None = None
    facts: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[Any]) -> LabelTable:
        """The rows of a mask or an index array, in that order."""
        return LabelTable(
            self.source,
            self.ids[rows],
            {name: column[rows] for name, column in self.codes.items()},
            None if self.rater is None else self.rater[rows],
            None if self.repeat is None else self.repeat[rows],
            {name: column[rows] for name, column in self.facts.items()},
        )

    def with_codes(self, **columns: Codes) -> LabelTable:
        """A copy with these label columns added or replaced."""
        return replace(self, codes={**self.codes, **columns})

    def raters(self) -> dict[str, LabelTable]:
        """Rater -> its rows; without a rater column the file's name is the one rater."""
        if self.rater is None:
            return {Path(self.source).stem: self}
        names = list(dict.fromkeys(self.rater.tolist()))
        return {name: self.take(self.rater == name) for name in names}


#: What the systems are called where nobody says: by their places.
SIDE_NAMES = ("A", "B")


def name_sides(table: LabelTable, names: tuple[str, str] | None) -> LabelTable | None:
    """The table with systems, where none of its rows has any; None: some have.

    Args:
        table: one row per opinion.
        names: of the systems of A and B; None: :data:`SIDE_NAMES`.
    """
    for side in "ab":
        known = table.facts.get(f"system_{side}")
        if known is not None and any(known.tolist()):
            return None
    facts = {
        f"system_{side}": texts_of([name] * len(table))
        for side, name in zip("ab", names or SIDE_NAMES, strict=True)
    }
    return replace(table, facts={**table.facts, **facts})


def label_table(
    source: str,
    columns: Mapping[str, Sequence[Any]],
    *,
    default_ids: bool = False,
    numbers: Sequence[str] = (),
) -> LabelTable:
    """Check and encode columns of text (``None`` or ``""`` is missing).

    Args:
        source: named in every message.
        columns: ``id``, any of :data:`LABEL_COLUMNS`, ``rater``, ``repeat`` and facts; all
            of one length. Other columns are ignored.
        default_ids: number the rows where there is no ``id`` column.
        numbers: more numbers per answer, in the columns ``NUMBER_a`` and ``NUMBER_b``.

    Raises:
        UserError: no id, no label column, an unknown label, a duplicate.
    """
    ids = ids_of(source, columns, default_ids)
    scores = {
        name: numbers_of(columns[name], source, name) for name in SCORE_FACTS if name in columns
    }
    names = [name for name in LABEL_COLUMNS if name in columns]
    codes = {name: encode(columns[name], source, name, ids, names_of(columns)) for name in names}
    if not names and len(scores) == len(SCORE_FACTS):
        codes["preference"] = _higher(*scores.values())
    if not codes:
        raise UserError(f"{source}: no column of labels; name one of {', '.join(LABEL_COLUMNS)}")
    rater = texts_of(columns["rater"]) if "rater" in columns else None
    repeat = texts_of(columns["repeat"]) if "repeat" in columns else None
    facts: dict[str, NDArray[Any]] = {
        name: texts_of(columns[name]) for name in TEXT_FACTS if name in columns
    }
    asked = [f"{number}_{side}" for number in numbers for side in "ab"]
    for name in (*NUMBER_FACTS, *CERTAINTY_FACTS, *DESIGN_FACTS, *asked):
        if name in columns:
            facts[name] = numbers_of(columns[name], source, name)
    check_inclusion(source, facts.get("inclusion"))
    facts |= scores
    refuse_duplicates(source, ids, rater, repeat)
    return LabelTable(source, ids, codes, rater, repeat, facts)


def read_labels(
    path: Path | str,
    numbers: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    mapping: Mapping[str, str] | None = None,
) -> LabelTable:
    """Read ``.csv``, ``.tsv`` (header row), ``.jsonl``, ``.parquet`` or ``.json`` (a list).

    Columns: ``id`` (or ``pair``, ``item``, ``index``), the labels ``content``,
    ``voice_quality``, ``paralinguistics``, ``overall`` in ``1``, ``2``, ``both_good``,
    ``both_bad`` or plain ``tie``, ``preference`` (or ``winner``) in ``1``, ``2``, ``tie``, each
    also as :mod:`trace_eval.data.spelling` spells them; also ``rater``
    (or ``judge``), ``repeat``, ``instruction_id``, ``category``, ``system_a/b`` (or ``model_a/b``),
    ``clip_a/b`` (or any audio column of a manifest), ``duration_a/b`` s, ``loudness_a/b``
    LUFS, ``mos_a/b``; ``score_a/b`` (or ``score1/2``), of which the higher one is the
    ``preference`` where there is no column of labels. Nested ``label``/``labels`` objects,
    pairs and judgements are flattened. An empty cell is a missing label.

    Args:
        path: the file.
        numbers: more numbers per answer to read, from ``NUMBER_a`` and ``NUMBER_b``.
        columns: field -> column of the file, as ``--column`` says.
        mapping: value in the file -> label, as ``--map`` says.

    Raises:
        UserError: the file cannot be read, or see :func:`label_table`.
    """
    path = Path(path)
    own = {name: name for number in numbers for name in (f"{number}_a", f"{number}_b")}
    found = read_columns(path, own | columns_of(columns or {}))
    refuse_without(path, found, LABEL_COLUMNS)
    return label_table(str(path), mapped(found, mapping or {}), numbers=numbers)


def table_labels(given: Any, columns: Mapping[str, str] | None = None) -> LabelTable:
    """Labels from a data frame, a list of dicts or another table at hand.

    Args:
        given: see :meth:`trace_eval.data.sources.Table.of`; columns as of :func:`read_labels`.
        columns: field -> column.

    Raises:
        UserError: it is no table, or see :func:`label_table`.
    """
    from trace_eval.data.sources import Table

    table = Table.of(given)
    return label_table("labels", record_columns("labels", table.records, columns_of(columns or {})))


def mapped(
    columns: Mapping[str, Sequence[Any]], mapping: Mapping[str, str]
) -> dict[str, Sequence[Any]]:
    """The columns with the values of labels that a user maps to others."""
    return {
        name: [mapping.get(str(value), value) for value in values]
        if mapping and name in LABEL_COLUMNS
        else values
        for name, values in columns.items()
    }


def names_of(columns: Mapping[str, Sequence[Any]]) -> Sequence[Names] | None:
    """The systems of each row, where labels may name them."""
    known = [columns.get(name) for name in ("system_a", "system_b", "system")]
    if not any(known):
        return None
    size = len(next(column for column in known if column))
    return list(zip(*(column or [None] * size for column in known), strict=True))


def encode(
    values: Sequence[Any],
    source: str,
    column: str,
    ids: Sequence[Any] | Texts,
    names: Sequence[Names] | None = None,
) -> Codes:
    """Codes of a column of label texts, as people spell them.

    Args:
        values: the column.
        source, column: named in messages.
        ids: of the items.
        names: the systems of each row; None: unknown.

    Raises:
        UserError: a label is none of those that the column may hold; the column is refused
            whole, with the first such value.
    """
    table: dict[Any, int] = {
        label: LABELS.index(label)
        for label in LABELS
        if column != "preference" or label in PREFERENCE.labels
    }
    if column == "match":
        values = [value.lower() if isinstance(value, str) else value for value in values]
        table = dict(MATCHES)
    allowed = list(table)
    table[None] = table[""] = MISSING
    unknown = MISSING - 1
    get = table.get
    codes = np.fromiter((get(v, unknown) for v in values), dtype=np.int8, count=len(values))
    if names and any(names_are_words(name) for row in set(names) for name in row[:2]):
        codes = np.where(codes >= 0, unknown, codes).astype(np.int8)  # told apart row by row
    for row in np.flatnonzero(codes == unknown).tolist():
        why = "it is no label"
        if column != "match" and isinstance(values[row], str):
            try:
                said = spelled(values[row], names[row] if names else NOBODY, "both_bad" in table)
                codes[row] = table.get(said, unknown)
            except ValueError as error:
                why = str(error)
        if codes[row] == unknown:
            raise UserError(
                f"{source}, record {row + 1} (id {ids[row]}): {column} is {values[row]!r};"
                f" use one of {', '.join(allowed)} ({why}), or say what it means, e.g."
                f" --map {shlex.quote(str(values[row]))[:60]}={allowed[0]}"
            )
    return codes


def _higher(a: NDArray[np.float64], b: NDArray[np.float64]) -> Codes:
    """The answer with the higher score; equal ones tie, an unknown one leaves no label."""
    found = np.where(a > b, 0, np.where(a < b, 1, LABELS.index("tie")))
    return np.where(np.isnan(a) | np.isnan(b), MISSING, found).astype(np.int8)
