"""What a source holds: labels of pairs, or scores of single answers."""

from __future__ import annotations

from pathlib import Path

from trace_eval.data.columns import Columns
from trace_eval.data.label_files import LABEL_FIELDS, SCORE_FIELDS, names_in
from trace_eval.data.names import fields_of
from trace_eval.opinions.codes import LABEL_COLUMNS, SCORE_FACTS
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.score_files import ScoreFile, holds_records
from trace_eval.stats.options import LABELS, SCORES


def held(source: Path | Opinions | ScoreFile, columns: Columns | None = None) -> str:
    """``labels`` or ``scores``; ``labels`` also of what is neither, whose reader says why.

    A run folder is of the command that wrote it. A file holds scores if its records are those of
    ``rate``, or if it has a column of scores and none of labels.

    Args:
        source: a run folder or a file, or what was read of one.
        columns: of a file, as the user names them.
    """
    if not isinstance(source, Path):
        return SCORES if isinstance(source, ScoreFile) else LABELS
    if source.is_dir():
        return SCORES if (source / "items.jsonl").is_file() else LABELS
    if not source.is_file():
        return LABELS
    if source.suffix == ".jsonl" and holds_records(source):
        return SCORES
    columns = columns or Columns()
    names = {*names_in(source)}
    labels, scores = (fields_of(kind.names, names) for kind in (LABEL_FIELDS, SCORE_FIELDS))
    named = {labels.get(name, name) for name in columns.named} | {
        ours for name, ours in labels.items() if name in names
    }
    labelled = named & {*LABEL_COLUMNS, *SCORE_FACTS} or columns.prediction or columns.truth
    scored = "score" in {scores.get(name) for name in columns.named} or any(
        scores.get(name) == "score" for name in names
    )
    return SCORES if scored and not labelled else LABELS
