"""Columns of labels, checked and encoded as opinions, wherever they were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError
from trace_eval.data.columns import of_both_sides
from trace_eval.opinions.cells import (
    check_inclusion,
    ids_of,
    numbers_of,
    refuse_duplicates,
    texts_of,
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
from trace_eval.opinions.encoding import LabelReading, codes_of
from trace_eval.opinions.instructions import told_apart_by
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.same_names import as_judged, raters_of


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


def _higher(a: NDArray[np.float64], b: NDArray[np.float64]) -> Codes:
    """Return the higher-scored answer; equal ones tie, unknown ones have no label."""
    codes = np.full(len(a), LABELS.index("tie"), np.int8)
    codes[a > b] = LABELS.index("1")
    codes[a < b] = LABELS.index("2")
    codes[np.isnan(a) | np.isnan(b)] = MISSING
    return codes
