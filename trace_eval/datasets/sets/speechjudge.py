"""The Parquet layout of SpeechJudge-Data (arXiv 2511.07931): pairs, and a label per rater.

The data set itself is gated and never redistributed; who has it reads it from this machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import UserError
from fusion import Rating
from trace_eval.data.manifests import Manifest, Problem
from trace_eval.data.pairs import Pair
from trace_eval.data.records import Spill, pair_from_record
from trace_eval.data.tables import records
from trace_eval.datasets.base import Converted, Selection
from trace_eval.datasets.source import Source

#: Columns that must be there; the three lists have one entry per rater.
REQUIRED = (
    "index",
    "subset",
    "language_setting",
    "target_text",
    "audioA",
    "audioB",
    "rater",
    "audioA_text_accuracy",
    "audioB_text_accuracy",
    "naturalness_annotation",
)
_PER_RATER = ("rater", "audioA_text_accuracy", "audioB_text_accuracy", "naturalness_annotation")

#: Columns that a pair keeps as ``meta``, where they are there.
_KEPT = ("chosen", "prompt_text", "naturalness_label", "gemini-2.5-flash")


class Annotation(NamedTuple):
    """The labels of one rater for a pair.

    Attributes:
        preference: ``1``, ``2`` or ``tie``.
        strength: 2 plainly, 1 slightly, 0 not at all.
        tie: ``both_good``, ``both_bad``, or None: a winner, or a tie of neither kind.
    """

    preference: str
    strength: int
    tie: Rating | None = None


#: ``naturalness_annotation`` -> what it says; "missing reason" is a tie of neither kind.
ANNOTATIONS: Mapping[str, Annotation] = {
    "A+2": Annotation("1", 2),
    "A+1": Annotation("1", 1),
    "Tie": Annotation("tie", 0),
    "Tie (missing reason)": Annotation("tie", 0),
    "Tie (both not good)": Annotation("tie", 0, Rating.BOTH_BAD),
    "Tie (both very good)": Annotation("tie", 0, Rating.BOTH_GOOD),
    "B+1": Annotation("2", 1),
    "B+2": Annotation("2", 2),
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


@dataclass(frozen=True)
class SpeechJudgeData:
    """What was read.

    Attributes:
        manifest: the pairs, and rows that are none.
        labels: rows of :data:`LABEL_COLUMNS`.
    """

    manifest: Manifest
    labels: list[tuple[Any, ...]]


def read_speechjudge(paths: Sequence[Path], spill: Spill | None = None) -> SpeechJudgeData:
    """Read Parquet files of that layout.

    ``reference`` of both answers is the target text, ``category`` is ``SUBSET/LANGUAGE``,
    ``voice`` the prompt.

    Args:
        paths: files, or folders of them.
        spill: where embedded recordings go, see :func:`trace_eval.data.records.spill_to`.

    Raises:
        UserError: there is no such file, or a column is missing.
    """
    pairs: list[Pair] = []
    problems: list[Problem] = []
    labels: list[tuple[Any, ...]] = []
    seen: set[str] = set()
    for file in _files(paths):
        for where, row in records(file, suffix=".parquet"):
            if isinstance(row, str):
                problems.append(Problem(where, row))
                continue
            if absent := [name for name in REQUIRED if name not in row]:
                raise UserError(f"{file}: no column {absent[0]!r}; not the layout of SpeechJudge")
            try:
                pair, rows = _read(row, file.parent, spill)
                if pair.id in seen:
                    raise UserError(f"index {pair.id} is in another row as well")
            except UserError as error:
                problems.append(Problem(where, str(error), str(row.get("index"))))
                continue
            seen.add(pair.id)
            pairs.append(pair)
            labels += rows
    path = paths[0] if len(paths) == 1 else paths[0].parent
    return SpeechJudgeData(Manifest(path, pairs, problems), labels)


def _files(paths: Sequence[Path]) -> list[Path]:
    files = [
        file
        for path in paths
        for file in (sorted(path.rglob("*.parquet")) if path.is_dir() else [path])
    ]
    missing = [file for file in files if not file.is_file()]
    if missing or not files:
        raise UserError(f"{(missing or list(paths))[0]}: no Parquet file here")
    return files


def _read(
    row: Mapping[str, Any], root: Path, spill: Spill | None
) -> tuple[Pair, list[tuple[Any, ...]]]:
    lists = {name: row[name] or [] for name in _PER_RATER}
    if odd := [name for name, entries in lists.items() if not isinstance(entries, list)]:
        raise UserError(f"{odd[0]}: {lists[odd[0]]!r:.60}; expected a list, one entry per rater")
    if len({len(entries) for entries in lists.values()}) > 1:
        message = ", ".join(f"{name} {len(entries)}" for name, entries in lists.items())
        raise UserError(f"the lists of its raters differ in length: {message}")
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
        spill,
    )
    labels = []
    for rater, accuracy_a, accuracy_b, said in zip(*lists.values(), strict=True):
        annotation = ANNOTATIONS.get(str(said).strip())
        if annotation is None:
            raise UserError(
                f"naturalness_annotation is {said!r}; expected one of {', '.join(ANNOTATIONS)}"
            )
        labels.append(
            (
                pair.id,
                str(rater),
                annotation.preference,
                annotation.strength,
                annotation.tie,
                accuracy_a,
                accuracy_b,
                category,
            )
        )
    return pair, labels


def _voice(prompt: Any) -> Any:
    """The voice prompt as a recording: the hub's cell of an audio column, or a path."""
    return {"audio": prompt} if isinstance(prompt, str) and prompt else prompt


def convert_speechjudge(source: Source, chosen: Selection) -> Converted:
    """Read the data set as pairs, and a label per rater for ``agree``.

    Raises:
        UserError: as :func:`read_speechjudge`.
    """
    result = read_speechjudge([source.path], source.spill)
    pairs = result.manifest.pairs
    chosen.check_sets({pair.category or "" for pair in pairs})
    kept = [pair for pair in pairs if chosen.wants(pair.category or "")]
    names = {pair.id for pair in kept}
    labels = [label for label in result.labels if label[0] in names]
    return Converted(
        pairs=kept,
        labels=(LABEL_COLUMNS, labels),
        problems=list(result.manifest.problems),
        notes=[f"{len(labels)} labels of {len({label[1] for label in labels})} raters"],
    )
