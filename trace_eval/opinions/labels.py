"""Labels and judgements from files and tables: strict, columnar, a row per opinion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError
from trace_eval.data.columns import Ends, RowFilter
from trace_eval.opinions.absent_columns import refuse_without
from trace_eval.opinions.cells import (
    check_inclusion,
    ids_of,
    numbers_of,
    refuse_duplicates,
    texts_of,
    without_traps,
)
from trace_eval.opinions.codes import (
    LABEL_COLUMNS,
    LABELS,
    MISSING,
    NUMBER_FACTS,
    OPINION_FACTS,
    SCORE_FACTS,
    TEXT_FACTS,
    Codes,
)
from trace_eval.opinions.encoding import LabelReading, codes_of, mapped
from trace_eval.opinions.instructions import told_apart_by
from trace_eval.opinions.label_files import LABEL_FIELDS, OpinionTable, names_raters
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.rater_columns import labelled_columns, of_both_sides
from trace_eval.opinions.same_names import as_judged, raters_of
from trace_eval.opinions.sides import as_judged_sides


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
    rater, warnings = raters_of(source, columns.get("rater"), ids.tolist())
    scores: dict[str, NDArray[np.float64]] = {}
    for name in SCORE_FACTS:
        if name in columns:
            scores[name] = numbers_of(columns[name], source, name)
    codes = codes_of(source, columns, ids, reading=reading)
    if not codes and len(scores) == len(SCORE_FACTS):
        codes["preference"] = _higher(scores["score_a"], scores["score_b"])
    if not codes:
        raise InputError(
            f"{source}: no column of labels; name one of {', '.join(LABEL_COLUMNS)}"
        )
    repeat = texts_of(columns["repeat"]) if "repeat" in columns else None
    facts: dict[str, NDArray[Any]] = {}
    for name in TEXT_FACTS:
        if name in columns:
            facts[name] = texts_of(_unpadded(columns[name]))
    if "wording" in columns:
        told = told_apart_by(columns["wording"], facts.get("instruction_id"))
        if told is not None:
            facts["instruction_id"] = texts_of(told)
    for name in chain(NUMBER_FACTS, OPINION_FACTS, of_both_sides(numbers)):
        if name in columns and name not in scores:
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
        warnings=warnings,
    )


def _unpadded(values: Sequence[Any]) -> list[Any]:
    """Return names without the blanks around them that tables leave."""
    return [value.strip() if isinstance(value, str) else value for value in values]


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
    the raters', see :func:`trace_eval.opinions.rater_columns.labelled_columns`.

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
    table = OpinionTable.of_file(Path(path), where=where)
    named = LABEL_FIELDS.by_column(columns or {})
    return _labels(
        table, named, mapping=mapping, about=about, numbers=numbers, scale=scale
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
        LABEL_FIELDS.by_column(columns or {}),
        mapping=mapping,
        about=about,
        numbers=(),
        scale=scale,
    )


def _labels(
    table: OpinionTable,
    named: Mapping[str, str],
    mapping: Mapping[str, str] | None,
    about: Sequence[Opinions],
    numbers: Sequence[str],
    scale: Ends | None,
) -> Opinions:
    systems = _systems(about)
    texts, notes = labelled_columns(table, named, numbers, systems)
    ids = frozenset(chain.from_iterable(judged.ids.tolist() for judged in about))
    refuse_without(
        table,
        texts,
        LABEL_COLUMNS,
        systems=systems,
        ids=ids,
        mappable=mapping is not None,
    )
    texts, traps = without_traps(table.name, texts, LABEL_COLUMNS)
    meanings = mapped(texts, mapping or {}, scale)
    labels = label_table(
        table.name,
        meanings,
        numbers=numbers,
        reading=LabelReading(about, mappable=mapping is not None, scale=scale),
    )
    labels = as_judged_sides(labels, about, texts, meanings)
    return replace(
        labels,
        human=bool(notes) or names_raters(table.columns, named),
        warnings=labels.warnings + table.warnings() + notes,
        traps=traps,
    )


def _systems(about: Sequence[Opinions]) -> set[object]:
    """Return the systems of the judged items."""
    systems: set[object] = set()
    for judged in about:
        systems.update(judged.facts.get("system_a", ()))
        systems.update(judged.facts.get("system_b", ()))
    return systems


def _higher(a: NDArray[np.float64], b: NDArray[np.float64]) -> Codes:
    """Return the higher-scored answer; equal ones tie, unknown ones have no label."""
    codes = np.full(len(a), LABELS.index("tie"), np.int8)
    codes[a > b] = LABELS.index("1")
    codes[a < b] = LABELS.index("2")
    codes[np.isnan(a) | np.isnan(b)] = MISSING
    return codes
