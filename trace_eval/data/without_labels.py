"""Errors for a table of labels without ids, or without a label column of a known name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import zip_longest
from pathlib import Path

from blueprints import UserError
from trace_eval.data.label_files import LABEL_FIELDS, NAMES, names_in, read_columns
from trace_eval.data.spelling import PLAIN, spelled


def refuse_without(
    path: Path, results: Collection[str], labels: Collection[str], numbered: bool = False
) -> None:
    """Refuse a file of labels without ids or without labels; says what it has instead.

    Args:
        path: the file.
        results: our names of the columns that were found.
        labels: our names of columns of labels.
        numbered: the rows of a file without ids are numbered.

    Raises:
        UserError: names the file's columns, what is accepted, and the nearest column.
    """
    if "id" not in results and not numbered:
        absent, details = "id", "no column 'id'"
    elif not set(results) & {*labels, "score_a"}:
        absent, details = "overall", "no column of labels"
    else:
        return
    header = names_in(path)
    accepted = LABEL_FIELDS.names["id"] if absent == "id" else (*labels, "winner")
    free = [name for name in header if name not in NAMES]
    near = get_close_matches(absent, free, n=1, cutoff=0.4)
    said = _of_labels(path, free) if absent != "id" else None
    if said or near:
        meant = f"did you mean --column {said or f'{absent}={near[0]}'}?"
    else:
        meant = f"add one, or name it: --column {absent}=COLUMN"
    raise UserError(
        f"{path}: {details} ({', '.join(accepted)}); this file has"
        f" {', '.join(header[:24])}; {meant}"
    )


def _of_labels(path: Path, names: Sequence[str]) -> str | None:
    """``FIELD=COLUMN`` for the first of these columns whose values all are labels."""
    try:
        columns = read_columns(path, {name: name for name in names})
    except UserError:  # of a column that is no text, say
        return None
    sides = [columns.get(name) or [] for name in ("system_a", "system_b", "system")]
    for name in names:
        values = columns.get(name, [])
        rows = zip_longest(values, *sides)
        with suppress(ValueError):
            labels = {spelled(value, (a, b, own)) for value, a, b, own in rows if value}
            if labels:
                return f"{'overall' if labels - PLAIN else 'preference'}={name}"
    return None
