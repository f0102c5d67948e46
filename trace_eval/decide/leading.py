"""Who leads a run: the ranking behind its first sentence, and nothing else of it.

All of ``rank`` would cost three times as much: it fits models of strength, tests
annotators' labels after each of them, and reads the recordings' voices and defects.
"""

from __future__ import annotations

from dataclasses import replace

from trace_eval.decide.ranked_table import table_to_rank, with_names
from trace_eval.opinions import score_records
from trace_eval.opinions.instructions import sharing_instructions
from trace_eval.runs.outcomes import ALPHA
from trace_eval.runs.run import Run
from trace_eval.runs.run_opinions import read_run
from trace_eval.stats.options import RankOptions
from trace_eval.stats.rank_labels import rank_labels
from trace_eval.stats.rank_scores import rank_scores
from trace_eval.stats.ranking.prepare import (
    contradicted,
    human_table,
    scored_none,
    with_unjudged,
)
from trace_eval.stats.ranking.report import RankReport


def leading(run: Run) -> RankReport:
    """Rank the systems of a run of pairs by their win rates alone.

    Annotators' labels rank them where the judge scored no pair.

    Raises:
        UserError: nothing is left to rank.
    """
    options = RankOptions(missing="drop")
    [read], _ = sharing_instructions([read_run(run.folder, ())], None)
    source, _ = with_names(read, options)
    table = table_to_rank(source, options)
    labels = read.labels
    if labels is not None:
        table = with_unjudged(table, labels)
    if labels is not None and scored_none(table, None):
        by_annotators = human_table(labels, table, options.missing)
        return replace(
            rank_labels(by_annotators, options, methods=("win_rate",)), human=True
        )
    return rank_labels(
        table,
        replace(options, policy=table.policy),
        left_out=contradicted(source, table, table.column(None), ALPHA),
        methods=("win_rate",),
    )


def leading_by(run: Run, rubric: str) -> RankReport:
    """Rank the systems of a run of single answers by their mean score.

    Raises:
        UserError: an answer has no system, or none is scored.
    """
    scores = score_records.read_run(run.folder, rubric)
    [read], _ = sharing_instructions([scores], None)
    options = RankOptions(missing="drop", rubric=rubric)
    return rank_scores(read, None, options, human=None)
