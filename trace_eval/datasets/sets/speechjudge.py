"""The Parquet layout of SpeechJudge-Data (arXiv 2511.07931): pairs and raters' labels.

The data set itself is gated and never redistributed; who has it reads it from this
machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blueprints import InputError
from fusion import Rating
from trace_eval.data.items import Pair
from trace_eval.data.records import pair_from_record
from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.rows import ANY, ColumnTypes, Row, Rows, alone

_LIST = (list, type(None))

#: Columns with an entry per rater.
_PER_RATER = dict.fromkeys(
    ("rater", "audioA_text_accuracy", "audioB_text_accuracy", "naturalness_annotation"),
    _LIST,
)
_COLUMNS: ColumnTypes = {
    **dict.fromkeys(("index", "subset", "language_setting"), ANY),
    **dict.fromkeys(("target_text", "audioA", "audioB"), ANY),
    **_PER_RATER,
}

#: Columns that a pair keeps as ``meta``, where they are there.
_KEPT = ("chosen", "prompt_text", "naturalness_label", "gemini-2.5-flash")


#: ``naturalness_annotation`` -> (``1``, ``2`` or ``tie``; strength: 2 plainly, 1
#: slightly, 0 not at all; ``both_good``, ``both_bad``, or None: a winner, or "missing
#: reason": a tie of no kind).
ANNOTATIONS: Mapping[str, tuple[str, int, Rating | None]] = {
    "A+2": ("1", 2, None),
    "A+1": ("1", 1, None),
    "Tie": ("tie", 0, None),
    "Tie (missing reason)": ("tie", 0, None),
    "Tie (both not good)": ("tie", 0, Rating.BOTH_BAD),
    "Tie (both very good)": ("tie", 0, Rating.BOTH_GOOD),
    "B+1": ("2", 1, None),
    "B+2": ("2", 2, None),
}

#: Columns of the table of labels, one row per rater of a pair.
LABEL_COLUMNS = (
    "id",
    "rater",
    "preference",
    "strength",
    "tie",
    "text_accuracy_a",
    "text_accuracy_b",
    "category",
)


def read_speechjudge(source: Source, chosen: Selection) -> Converted:
    """Read the data set as pairs, and a label per rater for ``agree``.

    ``reference`` of both answers is the target text, ``category`` is
    ``SUBSET/LANGUAGE``, ``voice`` the prompt.
    """
    chosen.refuse("system", chosen.system)
    files = source.files("*.parquet")
    if not files:
        raise source.lacks("Parquet files of pairs with a label per rater")
    rows = Rows(source)
    read: dict[str, tuple[Pair, list[tuple[Any, ...]]]] = {}
    for path in files:
        for row in rows.read(path, _COLUMNS):
            with alone(rows.problems, row.where):
                pair, labels = _read(row, path.parent)
                if pair.id in read:
                    raise InputError(f"index {pair.id} is in another row as well")
                read[pair.id] = pair, labels
    chosen.check_sets({pair.category or "" for pair, _ in read.values()})
    kept = [one for one in read.values() if chosen.wants(one[0].category or "")]
    every = [label for _, labels in kept for label in labels]
    return Converted(
        pairs=[pair for pair, _ in kept],
        labels=(LABEL_COLUMNS, every),
        problems=rows.problems,
        notes=[f"{len(every)} labels of {len({label[1] for label in every})} raters"],
    )


def _read(row: Row, root: Path) -> tuple[Pair, list[tuple[Any, ...]]]:
    lists = {name: row[name] or [] for name in _PER_RATER}
    if len({len(entries) for entries in lists.values()}) > 1:
        counts = ", ".join(f"{name} {len(entries)}" for name, entries in lists.items())
        raise InputError(f"the lists of its raters differ in length: {counts}")
    category = f"{row['subset']}/{row['language_setting']}"
    pair = pair_from_record(
        {
            "id": str(row["index"]),
            "a": row["audioA"],
            "b": row["audioB"],
            "a_reference": row["target_text"],
            "b_reference": row["target_text"],
            "category": category,
            "voice": _voice(row.get("prompt")),
            "meta": {name: row[name] for name in _KEPT if row.get(name) is not None},
        },
        root,
    )
    labels = []
    for rater, accuracy_a, accuracy_b, text in zip(*lists.values(), strict=True):
        annotation = ANNOTATIONS.get(str(text).strip())
        if annotation is None:
            raise InputError(
                f"naturalness_annotation is {text!r}; expected one of"
                f" {', '.join(ANNOTATIONS)}"
            )
        labels.append(
            (pair.id, str(rater), *annotation, accuracy_a, accuracy_b, category)
        )
    return pair, labels


def _voice(prompt: Any) -> Any:
    """Return the voice prompt as a recording: a cell of the hub's audio column."""
    return {"audio": prompt} if isinstance(prompt, str) and prompt else prompt
