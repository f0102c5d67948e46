"""What a source holds: labels of pairs, or scores of single answers."""

from __future__ import annotations

from pathlib import Path

from trace_eval.data.columns import Columns
from trace_eval.data.label_files import NAMES, names_in
from trace_eval.opinions.codes import LABEL_COLUMNS, SCORE_FACTS
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.score_files import SCORE_COLUMNS, ScoreFile, holds_records
from trace_eval.stats.options import LABELS, SCORES


def held(source: Path | Opinions | ScoreFile, columns: Columns | None = None) -> str:
    """``labels`` or ``scores``; ``labels`` also of what is neither, whose reader says why.

    A run folder is of the command that wrote it. A file holds scores if its records are those of
    ``rate``, or if it has a column of scores and none of labels.

    Args:
        source: a run folder or a file, or what was read of one.
        columns: of a file; naming any means that it holds labels.
    """
    if not isinstance(source, Path):
        return SCORES if isinstance(source, ScoreFile) else LABELS
    if source.is_dir():
        return SCORES if (source / "items.jsonl").is_file() else LABELS
    if columns not in (None, Columns()) or not source.is_file():
        return LABELS
    if source.suffix == ".jsonl" and holds_records(source):
        return SCORES
    names = names_in(source)
    labelled = {NAMES.get(name) for name in names} & {*LABEL_COLUMNS, *SCORE_FACTS}
    scored = any(SCORE_COLUMNS.get(name) == "score" for name in names)
    return SCORES if scored and not labelled else LABELS
