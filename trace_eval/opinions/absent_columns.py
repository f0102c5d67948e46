"""What to type where a table of labels has no column of ids, or of labels."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from blueprints import InputError
from trace_eval.data.names import first_of
from trace_eval.data.spelling import is_missing, label_of
from trace_eval.opinions.absent_scores import columns_of_scores_meant
from trace_eval.opinions.cells import map_option, number_of
from trace_eval.opinions.codes import LABEL_COLUMNS
from trace_eval.opinions.column_words import (
    names_a_choice,
    names_a_measure,
    names_a_part,
    names_an_answer,
    names_an_item,
    names_somebody,
    names_worse,
    of_one_opinion,
    sums_up,
)
from trace_eval.opinions.label_files import (
    LABEL_FIELDS,
    NAMES,
    SCORE_FIELDS,
    OpinionTable,
    TextColumns,
    names_raters,
)
from trace_eval.opinions.rater_columns import dimension_of, label_columns, unnamed
from trace_eval.opinions.row_status import is_status

#: Labels as a table of floats has them.
_AS_FLOATS = (0.0, 0.5, 1.0, 2.0)


#: A column whose name says that it holds ids: ``pid``, ``video_id``, ``pairId``, ``idx``.
_ID = re.compile(
    r"(?i:(?:^|_|\b)[a-z]?id[sx]?(?:$|_|\b))|(?:[A-Za-z]Id|[a-z]ID)s?(?:$|[_A-Z])"
)

#: Values of a label that are told apart: two winners, and ties of two kinds.
_MOST_LABELS = 4


def refuse_without(
    table: OpinionTable,
    fields: Collection[str],
    labels: Collection[str],
    *,
    numbered: bool = False,
    systems: Collection[object] = (),
    ids: Collection[str] = (),
    mappable: bool = False,
) -> None:
    """Refuse a table of labels without ids or without labels.

    Args:
        fields: our names of its columns that were read.
        labels: our names of columns of labels.
        numbered: the rows of a table without ids are numbered.
        systems: names of systems that its labels may hold.
        ids: those of the items that it may be about.
        mappable: the command has ``--map``, for values that are no labels.

    Raises:
        UserError: names the table's columns, the accepted names, and the nearest
            column.
    """
    has_id = numbered or not {"id", "recording"}.isdisjoint(fields)
    has_labels = not {*labels, "score_a"}.isdisjoint(fields)
    if has_id and has_labels:
        return
    header = table.columns
    free = unnamed(header)
    meant: list[str] = []
    if has_id:
        absent = "overall"
        problem = "no column of labels"
        accepted = (*labels, "winner")
        near = get_close_matches(absent, free, n=1, cutoff=0.7)
    else:
        absent = "id"
        problem = "no column 'id'"
        accepted = LABEL_FIELDS.names["id"]
        named_so = [name for name in free if _ID.search(name)]
        near = get_close_matches(absent, named_so, n=1, cutoff=0.4)
    if {"id", "recording"}.isdisjoint(fields):
        near_ids = [] if has_id else near
        meant = _likely(table, free, near=near_ids, systems=systems, ids=ids)
    if has_id and all(one.startswith("id=") for one in meant):
        meant = _likely_label(table, free, systems)
        meant = meant or [f"{absent}={name}" for name in near]
    remedy = f"add one, or name it: --column {absent}=COLUMN"
    rater = next(filter(names_somebody, free), None)
    of_raters = [one for one in meant if one.startswith("rater=")]
    if meant and rater and not of_raters and not names_raters(header):
        meant.append(f"rater={rater}")
    if meant:
        typed = [f"--column {shlex.quote(one)}" for one in meant]
        if mappable:
            typed += _maps(table, meant, systems)
        remedy = f"perhaps {' '.join(typed)}"
    scores = _scores_meant(table)
    if scores:
        remedy = f"{remedy}; where it holds scores of single answers: {scores}"
    clauses = [f"it has {table.shown_columns()}"]
    for name in header:
        if names_worse(name):
            clauses.append(f"{name} names the worse answer")
    clauses.append(remedy)
    raise InputError(
        f"{table.name}: {problem} ({', '.join(accepted)}); {'; '.join(clauses)}"
    )


def _scores_meant(table: OpinionTable) -> str:
    """Write the options by which a table of single answers is one of scores."""
    fields = first_of(SCORE_FIELDS.names, table.columns).keys()
    of_labels = first_of(LABEL_FIELDS.names, table.columns).keys()
    if not fields.isdisjoint({"score", "mos"}) or "system_a" in of_labels:
        return ""
    return columns_of_scores_meant(table, fields)


def _likely(
    table: OpinionTable,
    names: Sequence[str],
    near: Sequence[str],
    systems: Collection[object],
    ids: Collection[str],
) -> list[str]:
    """Guess ``FIELD=COLUMN`` for id, rater and label from what the columns hold.

    The id's column has ids of the items in most of its cells, or is called nearly so,
    or tells apart what each rater was asked.
    """
    columns, labels = label_columns(table, names, systems)
    item = _column_of_ids(columns, names, frozenset(ids))
    if item is None:
        item = next(iter(near), None) or items_of_raters(table)
        if item is None:
            return []
        meant = [f"id={item}"]
        fields = {NAMES.get(name) for name in table.columns}
        if fields.isdisjoint(LABEL_COLUMNS):
            others = [name for name in names if name != item]
            meant += _likely_label(table, others, systems)
        return meant
    others = [name for name in names if name != item]
    unlabelled = [name for name in others if name not in labels]
    rater: str | None = None
    for name in unlabelled:
        if rater is None and _tells_apart(columns, item, name):
            rater = name
    fields = {NAMES.get(name) for name in table.columns}
    meant = [f"id={item}"]
    if rater is not None and "rater" not in fields:
        meant.append(f"rater={rater}")
    if fields.isdisjoint(LABEL_COLUMNS):
        label = _likely_label(table, others, systems)
        for name in unlabelled:
            if not label and name != rater and _may_be_choice(name, columns):
                label = [f"preference={name}"]
        meant += label
    return meant


def _maps(
    table: OpinionTable, meant: Sequence[str], systems: Collection[object]
) -> list[str]:
    """Write ``--map WORD=LABEL`` for words that are no label, in a column of labels."""
    names: list[str] = []
    for one in meant:
        field, _, name = one.partition("=")
        if field in LABEL_COLUMNS:
            names.append(name)
    columns, labels = label_columns(table, names, systems)
    words: dict[str, None] = {}
    for name in names:
        if name in labels:
            continue
        for cell in columns.get(name, ()):
            if not is_missing(cell):
                words[str(cell)] = None
    has_numbers = any(number_of(word) is not None for word in words)
    if has_numbers or len(words) > _MOST_LABELS:
        return []
    strange = [word for word in words if label_of(word) is None]
    return [map_option(word, "LABEL") for word in strange]


def _likely_label(
    table: OpinionTable, names: Sequence[str], systems: Collection[object]
) -> list[str]:
    """Write ``FIELD=COLUMN`` for labels by what columns hold, else by their names."""
    meant = _meant(table, names, systems)
    if meant:
        return [meant]
    columns, _ = label_columns(table, names, systems)
    for name in filter(names_a_choice, names):
        if _may_be_choice(name, columns):
            return [f"preference={name}"]
    return []


def _may_be_choice(name: str, columns: TextColumns) -> bool:
    """Tell whether a column has the number of values that labels have, and no count."""
    if names_a_part(name) or names_a_measure(name) or is_status(name):
        return False
    cells = columns.get(name, ())
    numbers = {number_of(cell) for cell in cells if not is_missing(cell)}
    are_codes = all(number is None or number.is_integer() for number in numbers)
    return are_codes and _has_few(cells)


def items_of_raters(table: OpinionTable) -> str | None:
    """Return the column of what was rated: each rater has a value of it once.

    None: nobody is called a rater, or several columns may be it.
    """
    header = table.columns
    names = unnamed(header)
    raters = [name for name in header if NAMES.get(name) == "rater"]
    raters += filter(names_somebody, names)
    if not raters:
        return None
    of_rater = table.read({raters[0]: "rater"}).get("rater", [])
    columns, _ = label_columns(table, names)
    items: list[str] = []
    for name in names:
        cells = columns.get(name, [])
        if name in raters or names_a_measure(name) or None in cells:
            continue
        if names_a_choice(name) or names_an_answer(name):
            continue
        rows = list(zip(cells, of_rater, strict=False))
        if _repeats(of_rater) and _repeats(cells) and not _repeats(rows):
            items.append(name)
    return items[0] if len(items) == 1 else None


def _column_of_ids(
    columns: TextColumns, names: Sequence[str], ids: Collection[str]
) -> str | None:
    """Return the column with the most ids; None if none has them in most cells."""
    likeliest: str | None = None
    greatest_share = 0.5
    for name in names:
        share = _share(columns.get(name, ()), ids)
        if share > greatest_share:
            likeliest = name
            greatest_share = share
    return likeliest


def _share(cells: Sequence[str | None], ids: Collection[str]) -> float:
    """Return the share of the cells that are ids, 0 to 1."""
    if not cells:
        return 0.0
    return sum(cell in ids for cell in cells) / len(cells)


def _is_count(name: str, cells: Sequence[str | None]) -> bool:
    """Tell whether numbers count something: they never differ, or are called so."""
    values = {cell for cell in cells if not is_missing(cell)}
    is_opinion = names_a_choice(name) or names_an_answer(name)
    if None in map(number_of, values) or is_opinion:
        return False
    return names_a_measure(name) or (len(values) == 1 and len(cells) > 1)


def _has_few(cells: Sequence[str | None]) -> bool:
    """Whether the cells have the number of values that labels have."""
    values = {cell for cell in cells if not is_missing(cell)}
    return 2 <= len(values) <= _MOST_LABELS


def _tells_apart(columns: TextColumns, item: str, name: str) -> bool:
    """Whether a column tells the rows of an item apart, by values that come again."""
    items = columns[item]
    cells = columns.get(name, [])
    rows = list(zip(items, cells, strict=False))
    return _repeats(items) and _repeats(cells) and not _repeats(rows)


def _repeats(values: Sequence[object]) -> bool:
    """Tell whether some value comes again."""
    return len(set(values)) < len(values)


def _meant(
    table: OpinionTable, names: Sequence[str], systems: Collection[object]
) -> str | None:
    """Write ``FIELD=COLUMN`` for columns of labels alone: one, or several of raters."""
    names = [name for name in names if not is_status(name) and not names_a_part(name)]
    columns, labels = label_columns(table, names, systems)
    for name in list(labels):
        if _is_count(name, columns[name]):
            del labels[name]
    is_of_answers = "system" in table.columns
    if not labels:
        for name in names:
            cells = columns.get(name, ())
            if _may_be_labels(name, cells, is_of_answers):
                labels[name] = set()
    of_raters = [name for name in labels if not sums_up(name)]
    meant = of_one_opinion(of_raters or list(labels)[:1])
    if not meant:
        return None
    if len(meant) > 1 and not names_raters(table.columns):
        return f"rater={','.join(meant)}"
    return f"{dimension_of(labels[meant[0]])}={meant[0]}"


def _may_be_labels(name: str, cells: Sequence[str | None], is_of_answers: bool) -> bool:
    """Tell whether a column that holds no labels may say which answer is better.

    Args:
        is_of_answers: each row of its table is about one answer.
    """
    if _compares(cells) and not names_a_measure(name):
        return True
    if name == "score" and _are_codes(cells):
        return True
    if is_of_answers or names_an_item(name):  # rating_stimulus
        return False
    return names_an_answer(name) and _may_be_choices(cells)


def _compares(cells: Iterable[str | None]) -> bool:
    """Tell whether a column compares by numbers alone: some below 0, or written 1.0."""
    is_signed = False
    for cell in cells:
        if is_missing(cell):
            continue
        number = number_of(cell)
        if number is None:
            return False
        is_written_as_float = "." in (cell or "") and number in _AS_FLOATS
        is_signed = is_signed or number < 0 or is_written_as_float
    return is_signed


def _may_be_choices(cells: Sequence[str | None]) -> bool:
    """Tell whether cells are codes of choices, or a few words."""
    if _are_codes(cells):
        return True
    are_words = all(number_of(cell) is None for cell in cells if not is_missing(cell))
    return are_words and _has_few(cells)


def _are_codes(cells: Collection[str | None]) -> bool:
    """Tell whether numbers may be codes of choices: 1 and 2, and others from 0 to 4."""
    numbers = {number_of(cell) for cell in cells if not is_missing(cell)}
    return {1.0, 2.0} < numbers <= {0.0, 1.0, 2.0, 3.0, 4.0}
