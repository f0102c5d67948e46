"""Human shares and win rates of systems from all judgements and a few labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from blueprints import UserError, counted
from trace_eval.estimate.paired import holm
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
from trace_eval.opinions.units import index_of
from trace_eval.show.table import column
from trace_eval.stats.agreement.drawn import TOGETHER, drawn_units
from trace_eval.stats.agreement.position import self_mask
from trace_eval.stats.inference.calibrate import Calibration, calibrate
from trace_eval.stats.inference.influence import PPIComponents, ppi_components
from trace_eval.stats.inference.labelled_run import LabelledRun, gather
from trace_eval.stats.inference.ppi import (
    LEAST_LABELS,
    PPIEstimate,
    difference,
    estimate,
)
from trace_eval.stats.inference.sampling import Design, simple_design
from trace_eval.stats.inference.system_rates import (
    DifferenceRow,
    RateRow,
    WinRates,
    best_first,
    rated,
)
from trace_eval.stats.options import ALL_POLICIES, AgreeOptions, LabelChoice
from trace_eval.stats.ranking.outcomes import points


def win_rate_tables(
    run: LabelledRun, level: float = 0.95, typed: bool = False
) -> WinRates:
    """Compute prediction-powered win rates of a run that names its systems.

    A pair that the judge left unscored counts as a tie of the judge's: whatever stands
    in for a verdict, the labels correct it, while labels chosen by what the judge could
    read would not be a sample of the pairs. Items of one instruction are not
    independent, nor are copies. With ``typed`` a ``both_bad`` is 0 for both, not a
    half.
    """
    is_of_two = ~self_mask(run.table.facts, len(run.table.ids))
    is_counted = run.represented & is_of_two
    unscored = int((run.has_label & is_counted & ~run.scored).sum())
    silent = int((is_of_two & ~is_counted).sum())
    truth = run.truth[is_counted]
    judged = run.codes[is_counted]
    group, drawn = drawn_units(run.table, is_counted)
    if group is not None:
        group = group[is_counted]
    inclusion = run.drawn.inclusion
    if inclusion is not None:
        inclusion = inclusion[is_counted]
    design = simple_design(truth != MISSING, inclusion, group)
    names_a = run.table.facts["system_a"][is_counted].tolist()
    names_b = run.table.facts["system_b"][is_counted].tolist()
    number, systems_named = index_of(names_a + names_b)
    a, b = number.reshape(2, -1)
    human = points(truth, typed)
    judge = points(judged, typed)
    scored = judged != MISSING
    systems: list[RateRow] = []
    components: dict[str, PPIComponents] = {}
    for code, name in enumerate(systems_named):
        parts, rate = rated(
            (a == code, b == code),
            human,
            judge=judge,
            scored=scored,
            design=design,
            level=level,
        )
        components[str(name)] = parts
        systems.append(RateRow(str(name), rate))
    systems.sort(key=best_first)
    return WinRates(
        systems=tuple(systems),
        differences=tuple(_differences(systems, components, level, typed)),
        design=describe(design, drawn),
        split=int((truth >= SPLIT).sum()),
        unscored=unscored,
        silent=silent,
    )


def _differences(
    systems: list[RateRow],
    components: dict[str, PPIComponents],
    level: float,
    typed: bool,
) -> list[DifferenceRow]:
    """Return the differences of all pairs of systems, with p values by Holm's method.

    ``systems`` are sorted, the best one first.
    """
    pairs: list[tuple[str, str, PPIEstimate]] = []
    for one, other in combinations([row.system for row in systems], 2):
        gap = difference(components[one], components[other], level)
        if len(systems) == 2 and not typed:  # the same question, asked twice
            best = systems[0].rate
            gap = replace(gap, p=best.p, exact=best.exact)
        pairs.append((one, other, gap))
    tested = [gap.p for _, _, gap in pairs if gap.p is not None]
    adjusted = iter(holm(tested))
    differences: list[DifferenceRow] = []
    for one, other, gap in pairs:
        p_holm = None if gap.p is None else next(adjusted)
        differences.append(
            DifferenceRow(first=one, second=other, difference=gap, p_holm=p_holm)
        )
    return differences


def describe(design: Design, drawn: str) -> str:
    """Describe the sampling design in a clause; ``drawn`` as of :func:`drawn_units`."""
    how = "labels taken as a simple random sample of the judged items"
    if design.stratum is not None:
        how = (
            "labels in two strata: taken with certainty, and a random slice of the rest"
        )
    elif design.strata is not None:
        strata = len(np.unique(design.strata))
        how = f"labels in {strata} strata by their inclusion probability"
    elif len(np.unique(design.weight[design.labelled])) > 1:
        how = "labels weighted by their inverse inclusion probability"
        number, part = design.heavy
        if 0 < number < LEAST_LABELS:
            those = counted(number, "label of a kind", "labels of a kind")
            how += (
                f", where {those} that was seldom asked for count for {part:.0%}, so"
                " that intervals may hold the truth less often than they say"
            )
    over = "items, copies of a pair as one" if drawn == TOGETHER else drawn
    return f"{how}; variance over {over}"


@dataclass(frozen=True)
class ShareRow:
    """Share of the judged pairs with a human label, or on which the judge is right.

    Attributes:
        what: the label, :data:`RATERS_SPLIT` or :data:`RIGHT`.
        share: of accuracy without the judge's own figure: it does not know it.
    """

    judge: str
    dimension: str
    what: str = field(metadata=column("share of"))
    share: PPIEstimate


#: The row of the judge's accuracy, and of pairs on which raters split.
RIGHT, RATERS_SPLIT = "judge is right", "raters split"


def share_rows(run: LabelledRun, level: float = 0.95) -> Iterator[ShareRow]:
    """Return prediction-powered shares; nothing where every item has a label.

    Shares of labels are of all pairs that the labels speak for, with a verdict or
    without one; accuracy is of those that the judge scored.
    Accuracy is estimated with the help of the judge's first sign of certainty: where
    that tells right from wrong, every judgement says something about it; where it does
    not, labels alone stand.
    """
    scored = run.scored
    represented = run.represented
    if not run.usable.any() or run.has_label[represented].all():
        return
    rows = np.flatnonzero(represented)
    is_labelled = represented & run.has_label
    design = run.design(is_labelled).take(rows)
    truth = run.truth[rows]
    verdicts = run.codes[rows]
    labels_so_far = truth[is_labelled[rows]]
    typed_tie = ((labels_so_far == BOTH_GOOD) | (labels_so_far == BOTH_BAD)).any()
    names = TYPED if typed_tie and not is_untyped(agreed(labels_so_far)) else UNTYPED
    if names == UNTYPED:
        truth = collapse_codes(truth)
        verdicts = collapse_codes(verdicts)
    truth = np.minimum(truth, SPLIT)
    kinds = list(enumerate(names))
    if (truth == SPLIT).any():
        kinds.append((SPLIT, RATERS_SPLIT))
    for code, name in kinds:
        human = (truth == code).astype(float)
        judged = (verdicts == code).astype(float)
        parts = ppi_components(human, judged, design, scored[rows])
        yield ShareRow(
            judge=run.judge,
            dimension=run.column,
            what=name,
            share=estimate(parts, level),
        )
    rows = np.flatnonzero(scored)
    design = run.design(run.usable).take(rows)
    right = np.nan_to_num(run.agrees[rows])
    sure = np.zeros(len(rows))
    for values in list(run.signals.values())[:1]:  # as ranks in (0, 1]
        sure = np.searchsorted(np.sort(values), values[rows], side="right") / len(
            values
        )
    ppi = estimate(ppi_components(right, sure, design), level)
    yield ShareRow(
        judge=run.judge,
        dimension=run.column,
        what=RIGHT,
        share=replace(ppi, judge=None, judge_interval=None),
    )


def shares_of(
    sources: Sequence[Opinions],
    labels: Opinions,
    items: Opinions,
    options: AgreeOptions,
) -> tuple[tuple[ShareRow, ...], str, list[str]]:
    """Return human shares over judged pairs, how labels were drawn, and notes.

    The notes say what is left out.
    """
    rows: list[ShareRow] = []
    design = ""
    left_out = dict[str, None]()
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
                    if run.drawn.problem is not None:
                        raise UserError(run.drawn.problem)
                except UserError as error:
                    # Probabilities are of some labels only, or of another run.
                    left_out[str(error)] = None
                    continue
                shares = list(share_rows(run, options.bootstrap.level))
                if shares:
                    _, drawn = drawn_units(run.table)
                    design = describe(run.design(run.usable), drawn)
                    if run.drawn.caption is not None:
                        design = f"{design}; {run.drawn.caption}"
                rows.extend(shares)
    notes = [
        f"annotators over all judged pairs: left out: {reason}" for reason in left_out
    ]
    return tuple(rows), design, notes


def calibrations_of(
    sources: Sequence[Opinions], labels: Opinions, options: AgreeOptions
) -> Iterator[Calibration]:
    """Calibrate P(annotators prefer A) of every judge, see :func:`calibrate`."""
    policy = policy_of(options)
    for source in sources:
        for judge in source.raters():
            run = gather(source, labels, LabelChoice(judge, policy))
            draw = options.bootstrap
            result = calibrate(
                run,
                options.folds,
                level=draw.level,
                seed=draw.start,
                baselines=options.baselines,
            )
            yield replace(result, probabilities={})  # `fuse --calibrated` writes them


def policy_of(options: AgreeOptions) -> str | None:
    """Return the one policy to fuse with; None: the stored labels."""
    return None if options.policy == ALL_POLICIES else options.policy
