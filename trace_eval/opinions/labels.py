"""Labels and judgements from files and tables: strict, columnar, a row per opinion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from trace_eval.data.columns import Ends, RowFilter, of_both_sides
from trace_eval.opinions.absent_columns import refuse_without
from trace_eval.opinions.cells import without_traps
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.codes import LABEL_COLUMNS
from trace_eval.opinions.encoding import LabelReading, mapped
from trace_eval.opinions.label_files import LABEL_FIELDS, OpinionTable, names_raters
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.rater_columns import labelled_columns
from trace_eval.opinions.sides import as_judged_sides


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
    named: dict[str, str],
    mapping: Mapping[str, str] | None,
    about: Sequence[Opinions],
    numbers: Sequence[str],
    scale: Ends | None,
) -> Opinions:
    systems = _systems(about)
    wanted = of_both_sides(numbers) | named
    texts, notes = labelled_columns(table, wanted, systems)
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
        warnings=labels.warnings + table.warnings + notes,
        traps=traps,
    )


def _systems(about: Sequence[Opinions]) -> set[object]:
    """Return the systems of the judged items."""
    systems: set[object] = set()
    for judged in about:
        systems.update(judged.facts.get("system_a", ()))
        systems.update(judged.facts.get("system_b", ()))
    return systems
