"""``agree``: agreement of judges with human labels or with human ratings."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from blueprints import UserError
from trace_eval.data.columns import Columns
from trace_eval.data.files import Named, as_path
from trace_eval.opinions.instructions import instructions_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.scores import as_sources, hold_scores
from trace_eval.runs.opinions import read_with_labels
from trace_eval.stats.agree_labels import agree_labels
from trace_eval.stats.agree_scores import agree_scores
from trace_eval.stats.agreement.suspects import (
    checked_raters,
    suspects_warning,
    without_raters,
)
from trace_eval.stats.options import LABELS, SCORES, AgreeOptions, check
from trace_eval.stats.report import AgreeReport, ScoreReport

#: One source of opinions, or several.
Sources = Named | Opinions | Sequence[Named | Opinions]


def agree(
    sources: Sources,
    labels: Named | Opinions | None = None,
    options: AgreeOptions | None = None,
    columns: Columns | None = None,
) -> AgreeReport | ScoreReport:
    """Compare judges with annotators: all that ``trace-eval agree`` prints.

    What the sources hold decides the statistics. Labels of pairs: accuracy, kappa,
    alpha, bias, noise, and what few labels say of all judged pairs. Scores of single
    answers: correlation, error, calibration and uncertainty.

    Args:
        sources: a run, or a file of judgements or of scores, or what was read of one,
            or a data frame of labels of pairs; or a list of them: several judges are
            compared with each other.
        labels: human labels, or the file of them; None: those that came with the first
            source that has some.
        columns: how files name their columns, see
            :func:`trace_eval.opinions.judge_files.read_judge_file`.

    Raises:
        UserError: a file cannot be read, sources hold labels and scores, an option
            means nothing for what they hold, there are no labels, ids do not match, or
            labels are missing and the policy for that is ``error``.
    """
    options = options or AgreeOptions()
    human = as_path(labels)
    judged = as_sources(sources, columns)
    of_scores = hold_scores(judged, columns)
    check(options, SCORES if of_scores else LABELS)
    if options.folds != AgreeOptions.folds and not options.learn:
        raise UserError("--folds means nothing without --learn-policy; leave it out")
    read, provided = read_with_labels(
        judged,
        human,
        columns,
        options.numbers,
        rubric=options.rubric,
        fused_again=options.policy is not None or options.learn,
    )
    statistics = agree_scores if of_scores else agree_labels
    present = without_raters(_present(read, provided), options.leave_out)
    checked = checked_raters(present, instructions_of([present] + read))
    warned = suspects_warning(present.source, checked)
    report = statistics(read, present, options)
    return replace(report, checked=checked, warnings=report.warnings + warned)


def _present(sources: Sequence[Opinions], labels: Opinions | None) -> Opinions:
    present = labels or next(
        (source.labels for source in sources if source.labels), None
    )
    if present is None:
        source = sources[0].source
        of_table = ""
        if not Path(source).is_dir():
            of_table = (
                ", or, where these are the labels, name the run first: trace-eval agree"
                f" RUN --labels {shlex.quote(source)}"
            )
        raise UserError(
            f"{source}: it holds no human labels, so there is nothing to agree with;"
            f" pass --labels FILE{of_table}"
        )
    return present


def agree_read(
    source: Opinions, labels: Opinions | None, options: AgreeOptions
) -> AgreeReport:
    """Compute :func:`agree` of labels that were read."""
    return agree_labels([source], _present([source], labels), options)
