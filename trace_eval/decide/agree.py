"""``agree``: does the judge agree with people? Of labels and of scores alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import overload

from blueprints import UserError
from trace_eval.data.columns import Columns
from trace_eval.decide.held import held
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.opinions import read_with_labels
from trace_eval.stats.agree_labels import agree_labels
from trace_eval.stats.agree_scores import agree_score_sources
from trace_eval.stats.agreement.score_files import ScoreFile
from trace_eval.stats.options import SCORES, AgreeOptions, check, columns_of_scores
from trace_eval.stats.report import AgreeReport, ScoreReport

#: A run folder or a file, or what was read of one.
Source = Path | Opinions | ScoreFile


@overload
def agree(
    sources: Sequence[Opinions],
    labels: Path | Opinions | None = None,
    options: AgreeOptions | None = None,
) -> AgreeReport: ...


@overload
def agree(
    sources: Sequence[ScoreFile],
    labels: Path | Opinions | None = None,
    options: AgreeOptions | None = None,
) -> ScoreReport: ...


@overload
def agree(
    sources: Sequence[Source],
    labels: Path | Opinions | None = None,
    options: AgreeOptions | None = None,
    columns: Columns | None = None,
) -> AgreeReport | ScoreReport: ...


def agree(
    sources: Sequence[Source],
    labels: Path | Opinions | None = None,
    options: AgreeOptions | None = None,
    columns: Columns | None = None,
) -> AgreeReport | ScoreReport:
    """Compare judges with people: all that ``trace-eval agree`` prints.

    What the sources hold decides the statistics. Labels of pairs: accuracy, kappa, alpha, bias,
    noise, and what few labels say of all judged pairs. Scores of single answers: correlation,
    error, calibration and uncertainty.

    Args:
        sources: runs, or files of judgements or of scores, or what was read of them; several
            judges are compared with each other.
        labels: what people said, or the file of it; None: what came with the first source that
            has some.
        options: default: :class:`AgreeOptions`.
        columns: how files of labels name their columns, see
            :func:`trace_eval.opinions.judge_files.read_judge_file`.

    Raises:
        UserError: a file cannot be read, sources hold labels and scores, an option means nothing
            for what they hold, there are no labels, ids do not match, or labels are missing and
            the policy for that is ``error``.
    """
    options, columns = options or AgreeOptions(), columns or Columns()
    kinds = {source: held(path, columns) for source, path in enumerate(sources)}
    kind = kinds.get(0)
    if len(set(kinds.values())) > 1:
        raise UserError(
            "agree: some sources hold labels of pairs and others scores of single answers;"
            " compare those of one kind"
        )
    if kind is not None:
        check(options, kind)
    if kind == SCORES:
        named = columns_of_scores(columns)
        scored = [source for source in sources if isinstance(source, Path | ScoreFile)]
        return agree_score_sources(scored, labels, options, named)
    if options.folds != AgreeOptions.folds and not options.learn:
        raise UserError("--folds means nothing without --learn-policy; leave it out")
    numbers = [rule.number for rule in options.baselines]
    of_labels = [source for source in sources if isinstance(source, Path | Opinions)]
    return agree_labels(*read_with_labels(of_labels, labels, columns, numbers), options)


def agree_by_instruction(
    source: Opinions, labels: Opinions | None, options: AgreeOptions
) -> AgreeReport:
    """As :func:`agree`, with whole instructions drawn where every item names its own.

    The report and the card of a run say the same of its judge for that reason.

    Raises:
        UserError: see :func:`agree`.
    """
    try:
        return agree([source], labels, replace(options, cluster=True))
    except UserError:  # some instruction is unknown, or what is wrong anyway
        return agree([source], labels, options)
