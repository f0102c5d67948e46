"""Labels and judgements from files and tables: strict, columnar, a row per opinion."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError
from fusion import PREFERENCE
from trace_eval.data.columns import Ends, RowFilter
from trace_eval.data.spelling import (
    MAY_BE_NEGATIVE,
    NO_LABEL,
    Declared,
    SideNames,
    is_missing,
    names_are_words,
    negative_numbers,
    spelled,
)
from trace_eval.opinions.cells import (
    Texts,
    UnreadValues,
    check_inclusion,
    ids_of,
    number_of,
    numbers_of,
    raters_of,
    refuse_duplicates,
    texts_of,
    without_traps,
)
from trace_eval.opinions.codes import (
    CERTAINTY_FACTS,
    DESIGN_FACTS,
    LABEL_COLUMNS,
    LABELS,
    MATCHES,
    MISSING,
    NUMBER_FACTS,
    REASON_FACTS,
    SCORE_FACTS,
    TEXT_FACTS,
    Codes,
)
from trace_eval.opinions.ids import as_judged
from trace_eval.opinions.label_files import (
    OpinionTable,
    TextColumns,
    columns_of,
    names_raters,
)
from trace_eval.opinions.opinions import DataWarning, Opinions, no_common_ids
from trace_eval.opinions.rater_columns import (
    columns_like_labels,
    label_of_each,
    only_labels,
    rater_columns,
    refuse_without,
)


class LabelReading(NamedTuple):
    """What labels may mean beyond the usual."""

    # judgements of the same items, whose systems a label may name
    about: Sequence[Opinions] = ()
    mappable: bool = False  # the command has --map, for values that are not understood
    # of comparisons, which numbers are on; None: numbers are sides
    scale: Ends | None = None


class RowSystems(NamedTuple):
    """Each row's systems, which labels may name; an empty column is unknown."""

    a: Sequence[object] = ()
    b: Sequence[object] = ()
    own: Sequence[object] = ()  # system whose column a win or a loss is

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[Any]],
        ids: Texts | None = None,
        about: Sequence[Opinions] = (),
    ) -> RowSystems:
        """Take a table's own systems, or else those of judgements of its items."""
        a, b, own = (
            columns.get(name, ()) for name in ("system_a", "system_b", "system")
        )
        if ids is None or len(a) or len(b):
            return cls(a, b, own)
        both = np.full((2, len(ids)), None)
        for judged in about:
            if {"system_a", "system_b"} <= judged.facts.keys():
                row = judged.find(ids)
                for side, column in zip("ab", both, strict=True):
                    column[row >= 0] = judged.facts[f"system_{side}"][row[row >= 0]]
        return cls(both[0], both[1], own)

    def at(self, row: int) -> SideNames:
        """Return the names of a row."""
        a, b, own = (column[row] if len(column) else None for column in self)
        return a, b, own


def label_table(
    source: str,
    columns: Mapping[str, Sequence[Any]],
    *,
    default_ids: bool = False,
    numbers: Sequence[str] = (),
    reading: LabelReading | None = None,
) -> Opinions:
    """Check and encode columns of text (``None`` or ``""`` is missing).

    Args:
        columns: ``id``, any of :data:`LABEL_COLUMNS`, ``rater``, ``repeat`` and facts;
            all of one length. Other columns are ignored.
        default_ids: number the rows where there is no ``id`` column.
        numbers: more numbers per answer, in the columns ``NUMBER_a`` and ``NUMBER_b``.
        reading: what labels may mean here; None: what they always mean.

    Raises:
        UserError: no id, no label column, unknown labels, a duplicate.
    """
    reading = reading or LabelReading()
    ids = as_judged(ids_of(source, columns, default_ids), reading.about)
    scores = {
        name: numbers_of(columns[name], source, name)
        for name in SCORE_FACTS
        if name in columns
    }
    names = [name for name in LABEL_COLUMNS if name in columns]
    unread = UnreadValues(source, ids)
    systems = RowSystems.of(columns, ids, reading.about)
    read = partial(encode, systems=systems, unread=unread, scale=reading.scale)
    codes = {name: read(columns[name], name) for name in names}
    if (
        unread
        and reading.about
        and not any((one.find(ids) >= 0).any() for one in reading.about)
    ):
        raise InputError(no_common_ids(reading.about[0], source, ids))
    unread.refuse(reading.mappable)
    if not names and len(scores) == len(SCORE_FACTS):
        codes["preference"] = _higher(*scores.values())
    if not codes:
        raise InputError(
            f"{source}: no column of labels; name one of {', '.join(LABEL_COLUMNS)}"
        )
    rater, alike = raters_of(columns.get("rater"), ids.tolist())
    look_alike = tuple(DataWarning("raters", f"{source}: {text}") for text in alike)
    repeat = texts_of(columns["repeat"]) if "repeat" in columns else None
    facts: dict[str, NDArray[Any]] = {
        name: texts_of(columns[name]) for name in TEXT_FACTS if name in columns
    }
    requested = [f"{number}_{side}" for number in numbers for side in "ab"]
    for name in (
        *NUMBER_FACTS,
        *CERTAINTY_FACTS,
        *DESIGN_FACTS,
        *REASON_FACTS,
        *requested,
    ):
        if name in columns:
            facts[name] = numbers_of(columns[name], source, name)
    check_inclusion(source, facts.get("inclusion"))
    facts |= scores
    refuse_duplicates(source, ids, rater, repeat)
    return Opinions(
        source=source,
        ids=ids,
        codes=codes,
        rater=rater,
        repeat=repeat,
        facts=facts,
        warnings=look_alike,
    )


def read_labels(
    path: Path | str,
    numbers: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    mapping: Mapping[str, str] | None = None,
    about: Sequence[Opinions] = (),
    where: Sequence[RowFilter] = (),
    scale: Ends | None = None,
) -> Opinions:
    """Read labels from ``.csv``, ``.tsv``, ``.jsonl``, ``.parquet`` or ``.json``.

    CSV and TSV have a header row; JSON is a list, as of HCoT.

    Columns, by any name of :data:`trace_eval.data.names.LABELS`: ``id``; the labels
    ``content``, ``voice_quality``, ``paralinguistics``, ``overall`` in ``1``, ``2``,
    ``both_good``, ``both_bad`` or plain ``tie``, and ``preference`` in ``1``, ``2``,
    ``tie``, each also as :mod:`trace_eval.data.spelling` spells them; ``rater``,
    ``repeat``, ``instruction_id``, ``category``, ``system_a/b``, ``clip_a/b``,
    ``duration_a/b`` s, ``loudness_a/b`` LUFS, ``mos_a/b``; ``score_a/b``, of which the
    higher one is the ``preference`` where there is no column of labels. Nested
    ``label``/``labels`` objects, pairs and judgements are flattened. An empty cell is a
    missing label. Where no column is one of labels, those that hold nothing else are
    the raters', see :func:`trace_eval.opinions.rater_columns.label_of_each`.

    Args:
        numbers: more numbers per answer to read, from ``NUMBER_a`` and ``NUMBER_b``.
        columns: field -> column of the file, as ``--column`` says.
        mapping: value in the file -> label, as ``--map`` says; None: nobody can say so.
        about: judgements of the same items; their systems may be named as the winner.
        where: which rows count.
        scale: of comparisons, as ``--scale`` says; None: there are no numbers but 1 and
            2.

    Raises:
        UserError: the file cannot be read, or see :func:`label_table`.
    """
    own = {name: name for number in numbers for name in (f"{number}_a", f"{number}_b")}
    own |= columns_of(columns or {})
    table = OpinionTable.of_file(Path(path), where=where)
    return _labels(
        table, own, mapping=mapping, about=about, numbers=numbers, scale=scale
    )


def table_labels(
    provided: Any,
    columns: Mapping[str, str] | None = None,
    mapping: Mapping[str, str] | None = None,
    about: Sequence[Opinions] = (),
    where: Sequence[RowFilter] = (),
    scale: Ends | None = None,
) -> Opinions:
    """Read labels from a table at hand, with the arguments of :func:`read_labels`.

    See :meth:`OpinionTable.at_hand` for the table.
    """
    table = OpinionTable.at_hand(provided, where=where)
    return _labels(
        table,
        columns_of(columns or {}),
        mapping=mapping,
        about=about,
        numbers=(),
        scale=scale,
    )


def _labels(
    table: OpinionTable,
    own: Mapping[str, str],
    mapping: Mapping[str, str] | None,
    about: Sequence[Opinions],
    numbers: Sequence[str],
    scale: Ends | None,
) -> Opinions:
    systems = _systems(about)
    beside = labels_beside(table.columns())
    result, notes = labelled_columns(table, {**beside, **own}, systems)
    ids = frozenset(chain.from_iterable(one.ids.tolist() for one in about))
    refuse_without(table, result, LABEL_COLUMNS, systems=systems, ids=ids)
    result, traps = without_traps(table.name, result, LABEL_COLUMNS)
    columns = mapped(result, mapping or {}, scale)
    reading = LabelReading(about, mapping is not None, scale)
    labels = label_table(table.name, columns, numbers=numbers, reading=reading)
    human = bool(notes) or names_raters(table.columns())
    warnings = (*labels.warnings, *table.warnings(), *notes)
    return replace(labels, human=human, warnings=warnings, traps=traps)


def labels_beside(columns: Collection[str]) -> dict[str, str]:
    """Find human labels (``label_overall``) in a table with a judge's ``overall``, too.

    A run's table of results has both.
    """
    names = {f"label_{name}": name for name in LABEL_COLUMNS}
    there = {name: ours for name, ours in names.items() if name in columns}
    return there if any(ours in columns for ours in there.values()) else {}


def labelled_columns(
    table: OpinionTable, own: Mapping[str, str], systems: Collection[object] = ()
) -> tuple[TextColumns, tuple[DataWarning, ...]]:
    """Read a table of labels; columns of one rater each become one, with a note.

    So is the only column of labels of an export that names its raters, whatever it is
    called.
    """
    raters = rater_columns(own, table.columns())
    result = table.read(
        {name: ours for name, ours in own.items() if not raters or ours != "rater"}
    )
    if not raters and {*result} & {*LABEL_COLUMNS, *SCORE_FACTS}:
        return result, ()
    each = label_of_each(table, result, systems, raters)
    if each is None:
        only = only_labels(table, systems)
        if only is None:
            return result, ()
        name, dimension, column = only
        text = (
            f"{table.name}: the column {name} is read as the labels, because no other"
            f" holds any; --column {dimension}=COLUMN names another"
        )
        return {**result, dimension: column}, (DataWarning("labels", text),)
    who = list(dict.fromkeys(each["rater"]))
    text = (
        f"{table.name}: each of the columns {', '.join(map(str, who))} is read as a"
        " rater"
    )
    left = [name for name in columns_like_labels(table) if name not in who]
    if left:
        text += f"; {', '.join(left)} may be labels, too, and was left out"
        text += f": --column rater={','.join(map(str, (*who, *left)))} counts all"
    return each, (DataWarning("raters", text),)


def _systems(about: Sequence[Opinions]) -> set[object]:
    """Return the systems of the judged items."""
    columns = (one.facts.get(f"system_{side}", ()) for one in about for side in "ab")
    return set().union(*columns)


def mapped(
    columns: Mapping[str, Sequence[Any]],
    mapping: Mapping[str, str],
    scale: Ends | None = None,
) -> dict[str, Sequence[Any]]:
    """Replace the values of labels that a user maps to others, or to nothing.

    Raises:
        UserError: a label is mapped to a number that is none, where no scale is
            declared.
    """
    for value, label in mapping.items():
        if label not in (*LABELS, NO_LABEL) and scale is None:
            raise InputError(
                f"--map {value}={label}: numbers are scores, and these are labels:"
                f" write one of {', '.join((*LABELS, NO_LABEL))}, or declare the scale"
                " with --scale"
            )
    if not mapping:
        return dict(columns)
    meant = {
        value: None if label == NO_LABEL else Declared(label)
        for value, label in mapping.items()
    }
    replaced = dict(columns)
    for name in replaced.keys() & set(LABEL_COLUMNS):
        replaced[name] = [meant.get(str(value), value) for value in columns[name]]
    return replaced


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
    if scale is not None and column != "match":
        values = [on_scale(value, scale) for value in values]
    table: dict[Any, int] = {
        label: LABELS.index(label)
        for label in LABELS
        if column != "preference" or label in PREFERENCE.labels
    }
    if column == "match":
        values = [
            value.lower() if isinstance(value, str) else value for value in values
        ]
        table = dict(MATCHES)
    allowed = tuple(table)
    table[None] = table[""] = MISSING
    unknown = MISSING - 1
    get = table.get
    codes = np.fromiter(
        (get(v, unknown) for v in values), dtype=np.int8, count=len(values)
    )
    if any(
        map(names_are_words, {*systems.a, *systems.b})
    ):  # then they are told apart row by row
        codes = np.where(codes >= 0, unknown, codes).astype(np.int8)
    negative = negative_numbers(values)
    for row in np.flatnonzero(codes == unknown).tolist():
        why = MAY_BE_NEGATIVE if values[row] in negative else "it is no label"
        if (
            values[row] not in negative
            and column != "match"
            and isinstance(values[row], str)
        ):
            try:
                label = spelled(values[row], systems.at(row), "both_bad" in table)
                codes[row] = table.get(label, unknown)
            except ValueError as error:
                why = str(error)
        if codes[row] == unknown and is_missing(values[row]):
            codes[row] = MISSING
        if codes[row] == unknown:
            if scale is not None and number_of(values[row]) is not None:
                why = f"it is not on the scale {scale}"
            unread.add(called or column, values[row], row, why, allowed)
            unread.seen(called or column, values)
    return codes


def on_scale(value: object, scale: Ends) -> object:
    """Return the label of a number on a comparison scale; other values stay."""
    number = number_of(value)
    return value if number is None or not scale.holds(number) else scale.label(number)


def _higher(a: NDArray[np.float64], b: NDArray[np.float64]) -> Codes:
    """Return the higher-scored answer; equal ones tie, unknown ones have no label."""
    result = np.where(a > b, 0, np.where(a < b, 1, LABELS.index("tie")))
    return np.where(np.isnan(a) | np.isnan(b), MISSING, result).astype(np.int8)
