"""Human shares over the whole run, estimated from all judgements and few labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from blueprints import UserError
from trace_eval.opinions.codes import (
    BOTH_BAD,
    BOTH_GOOD,
    LABEL_COLUMNS,
    MISSING,
    SPLIT,
    TYPED,
    UNTYPED,
    agreed,
    collapse_codes,
    is_untyped,
)
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import column
from trace_eval.stats.inference.calibrate import Calibration, calibrate
from trace_eval.stats.inference.influence import ppi_components
from trace_eval.stats.inference.labelled_run import LabelledRun, gather
from trace_eval.stats.inference.ppi import PPIEstimate, estimate
from trace_eval.stats.inference.win_rates import describe
from trace_eval.stats.options import ALL_POLICIES, AgreeOptions, LabelChoice


@dataclass(frozen=True)
class ShareRow:
    """Share of the judged pairs with a human label, or on which the judge is right.

    Attributes:
        what: the label, :data:`PEOPLE_SPLIT` or :data:`RIGHT`.
        share: of accuracy without the judge's own figure: it does not know it.
    """

    judge: str
    dimension: str
    what: str = field(metadata=column("share of"))
    share: PPIEstimate


#: The row of the judge's accuracy, and of pairs on which raters split.
RIGHT, RATERS_SPLIT = "judge is right", "raters split"


def share_rows(run: LabelledRun, level: float = 0.95, cluster: bool = False) -> Iterator[ShareRow]:
    """Prediction-powered shares; nothing where every scored item has a label.

    Accuracy is estimated with the help of the judge's first sign of certainty: where that tells
    right from wrong, every judgement says something about it; where it does not, labels alone
    stand.
    """
    scored = run.scored
    requested = scored & run.has_label
    if not requested.any() or requested.sum() == scored.sum():
        return
    rows = np.flatnonzero(scored)
    design = run.design(requested, cluster).take(rows)
    truth, verdicts = run.truth[rows], run.codes[rows]
    seen = truth[requested[rows]]
    typed_tie = ((seen == BOTH_GOOD) | (seen == BOTH_BAD)).any()
    names = TYPED if typed_tie and not is_untyped(agreed(seen)) else UNTYPED
    if names == UNTYPED:
        truth, verdicts = collapse_codes(truth), collapse_codes(verdicts)
    truth = np.minimum(truth, SPLIT)
    kinds = list(enumerate(names)) + ([(SPLIT, RATERS_SPLIT)] if (truth == SPLIT).any() else [])
    for code, name in kinds:
        human, judged = ((labels == code).astype(float) for labels in (truth, verdicts))
        result = ppi_components(human, judged, design)
        yield ShareRow(run.judge, run.column, name, estimate(result, level))
    right, sure = np.nan_to_num(run.agrees[rows]), np.zeros(len(rows))
    for values in list(run.signals.values())[:1]:  # as ranks in (0, 1]
        sure = np.searchsorted(np.sort(values), values[rows], side="right") / len(values)
    ppi = estimate(ppi_components(right, sure, design), level)
    yield ShareRow(run.judge, run.column, RIGHT, replace(ppi, judge=None, judge_interval=None))


def shares_of(
    sources: Sequence[Opinions], labels: Opinions, items: Opinions, options: AgreeOptions
) -> tuple[tuple[ShareRow, ...], str, list[str]]:
    """(human shares over all judged pairs, how the labels were drawn, what is left out)."""
    rows: list[ShareRow] = []
    design, left_out = "", dict[str, None]()
    policy = policy_of(options)
    for source in sources:
        for judge, table in source.raters().items():
            for dimension in LABEL_COLUMNS:
                if dimension not in table.codes or dimension not in items.codes:
                    continue
                if int((items.codes[dimension] != MISSING).sum()) >= len(table):
                    continue  # every judged pair has a label: nothing to estimate
                try:
                    run = gather(source, labels, LabelChoice(judge, policy, dimension))
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
