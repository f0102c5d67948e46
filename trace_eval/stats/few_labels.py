"""Estimates over all judged pairs from a few human labels, for every judge of ``agree``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from blueprints import UserError
from trace_eval.opinions.codes import LABEL_COLUMNS, MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.inference.calibrate import Calibration, calibrate
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.inference.shares import ShareRow, share_rows
from trace_eval.stats.inference.win_rates import describe
from trace_eval.stats.options import AgreeOptions, LabelChoice
from trace_eval.stats.report import ALL_POLICIES


def shares_of(
    sources: Sequence[Opinions], labels: Opinions, items: Opinions, options: AgreeOptions
) -> tuple[tuple[ShareRow, ...], str, list[str]]:
    """(human shares over all judged pairs, how the labels were drawn, what is left out)."""
    rows: list[ShareRow] = []
    design, left_out = "", dict[str, None]()
    policy = policy_of(options)
    for source in sources:
        for judge, table in source.raters().items():
            for column in LABEL_COLUMNS:
                if column not in table.codes or column not in items.codes:
                    continue
                if int((items.codes[column] != MISSING).sum()) >= len(table):
                    continue  # every judged pair has a label: nothing to estimate
                try:
                    run = gather(source, labels, LabelChoice(judge, policy, column))
                except UserError as error:  # probabilities of some labels only
                    left_out[str(error)] = None
                    continue
                if run.drawn.problem is not None:
                    left_out[run.drawn.problem] = None
                    continue
                results = list(share_rows(run, options.bootstrap.level, options.cluster))
                if results:
                    drawn = run.design(run.usable, options.cluster)
                    design = describe(drawn, options.cluster)
                    if run.drawn.caption is not None:
                        design = f"{design}; {run.drawn.caption}"
                rows += results
    notes = [f"annotators over all judged pairs: left out: {reason}" for reason in left_out]
    return tuple(rows), design, notes


def calibrations_of(
    sources: Sequence[Opinions], labels: Opinions, options: AgreeOptions
) -> Iterator[Calibration]:
    """P(annotators prefer A) of every judge, see :func:`calibrate`."""
    policy = policy_of(options)
    for source in sources:
        for judge in source.raters():
            run = gather(source, labels, LabelChoice(judge, policy))
            draw = options.bootstrap
            result = calibrate(run, options.folds, draw.level, draw.seed, options.baselines)
            yield replace(result, probabilities={})  # `fuse --calibrated` writes them


def policy_of(options: AgreeOptions) -> str | None:
    """The one policy to fuse with; None: the stored labels."""
    return None if options.policy == ALL_POLICIES else options.policy
