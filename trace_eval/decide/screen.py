"""Which pairs may the judge decide alone? Screening with a guarantee.

Pairs are ordered by a sign of the judge's certainty; a part is everything above a
threshold. For each part the hypothesis "annotators agree with the judge on less than
the target there" is tested, strictest part first, and the largest part whose hypothesis
falls is decided. Testing in a fixed sequence (Learn then Test: Angelopoulos, Bates,
Candes, Jordan & Lei 2021) keeps the chance of any false rejection at ``1 - confidence``
although many thresholds are tried. The sequence has a few starts that share that
chance, and a rejection hands its share on to the next part (the fallback procedure,
Wiens 2003), so that one unlucky small part is not the end. Signals share it equally.
Thresholds are quantiles of the judge's certainty over the run: they know nothing of the
labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from blueprints import UserError, counted
from blueprints.decimals import written_apart
from trace_eval.decide.saving import Saving, saving_of
from trace_eval.estimate.arrays import Mask, Reals
from trace_eval.opinions.opinions import unjudged_left_out
from trace_eval.show.table import Table, table
from trace_eval.stats.agreement.checks import found_in_labels
from trace_eval.stats.agreement.suspects import checked_raters, suspects_warning
from trace_eval.stats.inference.decidable import (
    EVERYTHING,
    STARTS,
    DecidableStratum,
    fewest_labels,
    tested_parts,
    wanted_labels,
)
from trace_eval.stats.inference.labelled_run import LabelledRun, differences
from trace_eval.stats.inference.sampling import Design
from trace_eval.stats.options import ScreenOptions

#: Lower targets that are tried where the one that was asked for is not shown, percent.
_LOWER_TARGETS = tuple(range(95, 45, -5))

_NO_SAMPLE = (
    "the labelled pairs are no random sample of this run, so they promise nothing of"
    " the others; label a random sample, give each label its inclusion probability"
)


@dataclass(frozen=True)
class Screening:
    """The part of a run that a judge may decide, and all that was tried.

    Attributes:
        chosen: the largest part that holds; None: none.
        decided, review: items, surest first and least sure first; ``hopeless``:
            unscored.
        labels: labelled and scored items, ``split`` of them by raters who differ;
            ``instructions`` (or copies of one pair) behind them, null: not respected.
        needed: labels within ``candidate`` that would probably do; None: no part looks
            as if it could reach the target, or one holds.
        parts: everything that was tried.
        verdict: in words.
        caveats: limits of the promise.
        saving: what the judge takes off annotators.
    """

    source: str
    judge: str
    dimension: str
    options: ScreenOptions
    labels: int
    instructions: int | None
    scored: int
    chosen: DecidableStratum | None
    candidate: DecidableStratum | None
    needed: int | None
    parts: tuple[DecidableStratum, ...]
    decided: tuple[str, ...]
    review: tuple[str, ...]
    hopeless: tuple[str, ...]
    verdict: str
    caveats: tuple[str, ...]
    split: int = 0
    saving: Saving | None = None


def screen(run: LabelledRun, options: ScreenOptions | None = None) -> Screening:
    """Find the part of a run that the judge may decide alone.

    Raises UserError for no labels, or a sign of certainty that the judge does not give.
    """
    options = options or ScreenOptions()
    signals = _signals(run, options)
    scored, usable = run.scored, run.usable
    if not usable.any():
        raise UserError("screen needs human labels of judged pairs; pass --labels FILE")
    if not run.decided.any():
        raise UserError(
            f"{run.table.source}: its raters split on every pair, so together they"
            " decide none; screen one of them by --judge RATER"
        )
    design = run.design(usable, options.cluster)
    parts = _tested(run, signals, design, options)
    drawn = run.drawn
    shifted = differences(run) if drawn.inclusion is None else []
    why_not = drawn.problem or drawn.doubt
    trusted = options.as_sampled or not (shifted or why_not)
    holding = [part for part in parts if part.holds and trusted]
    chosen = max(holding, key=lambda part: part.decided, default=None)
    plain = design.stratum is None and design.clusters == len(scored)
    wanted = chosen is None and trusted
    error = _error_of_each(signals, options)
    nearest = (
        wanted_labels(parts, options.agree, error, plain) if wanted else (None, None)
    )
    candidate, needed = nearest
    order = signals[(chosen or candidate or parts[0]).signal]
    has_verdict = run.decided
    inside = np.zeros_like(scored)
    if chosen is not None:
        inside = has_verdict & (order >= chosen.threshold)
    order = np.where(has_verdict, order, -np.inf)  # nothing is less sure than a split
    clustered = options.cluster and run.table.units() is not None
    result = Screening(
        source=run.table.source,
        judge=run.judge,
        dimension=run.column,
        options=options,
        labels=int(usable.sum()),
        instructions=len(np.unique(design.cluster[usable])) if clustered else None,
        scored=int(scored.sum()),
        chosen=chosen,
        candidate=candidate,
        needed=needed,
        parts=tuple(parts),
        decided=_listed(run, inside, -order),
        review=_listed(run, scored & ~inside, order),
        hopeless=_listed(run, ~scored, order),
        verdict="",
        caveats=tuple(_caveats(run, options, shifted)),
        split=int(run.is_split.sum()),
    )
    result = replace(result, saving=saving_of(run, result.decided, options))
    why = why_not or _NO_SAMPLE
    untrusted = (
        f"None: {why}, or pass --as-sampled to have a promise for pairs like the"
        " labelled ones."
    )
    if not trusted:
        return replace(result, verdict=untrusted)
    most = _share_at_most(run, design)
    verdict = _verdict(result, most)
    if chosen is None:
        verdict = " ".join(
            (verdict, *_ways_out(run, result, most, signals=signals, design=design))
        )
    return replace(result, verdict=verdict)


def _tested(
    run: LabelledRun,
    signals: dict[str, Reals],
    design: Design,
    options: ScreenOptions,
) -> list[DecidableStratum]:
    """Test the parts of all signals."""
    delta = _error_of_each(signals, options)
    parts: list[DecidableStratum] = []
    for signal in signals.items():
        parts += tested_parts(
            signal, run, design=design, target=options.agree, delta=delta
        )
    return parts


def _error_of_each(signals: dict[str, Reals], options: ScreenOptions) -> float:
    """Return the error that the test of each signal may have: they share one."""
    return (1 - options.confidence) / len(signals)


def _share_at_most(run: LabelledRun, design: Design) -> float:
    """Return the agreement that the best judge could have with the labels, 0 to 1."""
    weight = design.weight[run.usable]
    return float(run.most_agreement[run.usable] @ weight / weight.sum())


def _ways_out(
    run: LabelledRun,
    result: Screening,
    most: float,
    *,
    signals: dict[str, Reals],
    design: Design,
) -> Iterator[str]:
    """Say what would help where the judge may decide nothing, and what would not."""
    if result.split:
        settled = "more raters would settle them, or --leave-out RATER if one errs"
        if most > result.options.agree:
            yield f"{_split(result, most)}; {settled}."
        else:
            yield f"Labels of other pairs would not change that; {settled}."
    for percent in _LOWER_TARGETS:
        lower = replace(result.options, agree=percent / 100)
        if lower.agree >= result.options.agree:
            continue
        parts = _tested(run, signals, design, lower)
        decided = max((part.decided for part in parts if part.holds), default=0)
        if decided:
            yield (
                f"At --agree {lower.agree:g} the judge could decide"
                f" {counted(decided, 'pair')}; take it only if so many errors are"
                " acceptable."
            )
            return
    if result.options.agree > _LOWER_TARGETS[-1] / 100:
        yield f"A lower --agree is no help: not even {_LOWER_TARGETS[-1]}% is shown."


def _split(result: Screening, most: float) -> str:
    """Say how far labels on which raters split limit any judge."""
    share = written_apart(100 * most, [100 * result.options.agree], digits=1)
    pairs = counted(result.labels, "labelled pair")
    if result.saving is not None and result.saving.labelled > result.labels:
        pairs += " that the judge scored"
    return (
        f"Raters split on {result.split} of {pairs}, so no judge can agree with more"
        f" than {share}%"
    )


def _signals(run: LabelledRun, options: ScreenOptions) -> dict[str, Reals]:
    results = dict(run.signals)
    absent = [name for name in options.by if name not in results]
    if absent:
        given = ", ".join(results)
        remedy = f"there is {given}" if given else "it gives no sign; leave --by out"
        raise UserError(f"--by {absent[0]}: this judge does not give it; {remedy}")
    # where nothing tells pairs apart: all of them, or none
    everything = {EVERYTHING: np.zeros(len(run.table.ids))}
    return {name: results[name] for name in options.by or results} or everything


def _listed(run: LabelledRun, mask: Mask, key: Reals) -> tuple[str, ...]:
    rows = np.flatnonzero(mask)
    return tuple(
        str(run.table.ids[row]) for row in rows[np.argsort(key[rows], kind="stable")]
    )


def _verdict(result: Screening, most: float) -> str:
    """State the promise, or the reason why there is none.

    ``most`` is the agreement that the best judge could have.
    """
    options, chosen, candidate = result.options, result.chosen, result.candidate
    promise = f"agreement with human labels of at least {options.agree:.0%}"
    sure = f"confidence {options.confidence:.0%}"
    if chosen is not None:
        return (
            f"{counted(chosen.decided, 'pair')} ({chosen.share:.0%} of the scored ones)"
            f" may be decided by the judge alone: {_which(chosen)} reach {promise},"
            f" {sure} ({chosen.agreement:.1%} of their"
            f" {counted(chosen.labelled, 'label')} agree)."
        )
    if result.split and most <= options.agree:
        return f"None: {promise} cannot be reached. {_split(result, most)}."
    if candidate is not None and result.needed is not None:
        tell = f"about {counted(result.needed, 'label')}"
        if result.needed > candidate.decided:
            tell += " would be needed, more than pairs are there"
        else:
            tell += " drawn at random among them would probably tell"
        return (
            f"None: no part is shown to reach {promise} at {sure}. Nearest are"
            f" {_which(candidate)} ({counted(candidate.decided, 'pair')};"
            f" {counted(candidate.labelled, 'label')}, {candidate.agreement:.1%}"
            f" agree): {tell}."
        )
    best = max(result.parts, key=lambda part: part.agreement or 0.0)
    fewest = fewest_labels(options.agree, (1 - options.confidence) / len(STARTS))
    if best.agreement is not None and best.agreement > options.agree:
        of = "" if result.instructions is None else " of as many instructions"
        return (
            f"None: the labels are too few to show {promise} at {sure} ({best.labelled}"
            f" where {best.agreement:.1%} agree); {fewest}{of} could suffice if all"
            " agreed."
        )
    seen = (
        "no labels" if best.agreement is None else f"at best {best.agreement:.1%} agree"
    )
    return (
        f"None: no part looks as if it reached {promise} ({seen}); more labels would"
        f" not change that for this judge. Fewer than {counted(fewest, 'label')} cannot"
        " show it."
    )


def _which(part: DecidableStratum) -> str:
    if part.signal == EVERYTHING:
        return "all of them"
    return f"those with {part.signal} of at least {part.threshold:.4g}"


def _caveats(
    run: LabelledRun, options: ScreenOptions, shifted: list[str]
) -> Iterator[str]:
    """Yield what was found in the labels' file, limits of the promise, assumptions."""
    yield from found_in_labels(run.table.labels)
    drawn = run.drawn
    if why_not := drawn.problem or drawn.doubt:
        if options.as_sampled:  # else the verdict says it
            yield why_not
    elif drawn.inclusion is None and not run.has_label[run.scored].all():
        if shifted:
            yield (
                f"the labelled pairs are no random sample of this run ({'; '.join(shifted)}):"
                " a promise could hold for pairs like the labelled ones only"
            )
        else:
            yield (
                "the labelled pairs are taken as a random sample of this run's pairs, or of"
                " its instructions"
            )
    lacking = [
        available is None for available in run.table.facts.get("instruction_id", [None])
    ]
    if options.cluster and any(lacking):
        copied = run.table.units(instructions=False) is not None
        copies = ", but for copies (the same two recordings)" if copied else ""
        words = "instructions are unknown: pairs are taken as independent"
        if not all(lacking):
            unknown = counted(sum(lacking), "pair")
            words = f"the instruction of {unknown} is unknown: each is taken for one"
        yield f"{words}{copies}"
    if run.unmatched:
        yield unjudged_left_out(run.unmatched)
    undecided = int((run.scored & ~run.decided).sum())
    if undecided:
        yield (
            f"the judge is several raters, who split on {counted(undecided, 'pair')}:"
            " those are left to people"
        )
    if run.is_split.any():
        number = counted(int(run.is_split.sum()), "labelled pair")
        yield f"raters split on {number}: each label of theirs is right in part"
    if run.table.labels is not None:
        names = run.table.labels
        for warning in suspects_warning(names.source, checked_raters(names)):
            yield warning.text
    yield "pairs unlike this run's (new systems, topics, voices) need new labels"


def screen_tables(result: Screening) -> Iterator[Table]:
    """Yield the parts that were tried, one table per signal."""
    if result.instructions is not None:
        drawn = (
            f"by bets on {counted(result.instructions, 'instruction')}, a test that"
            " allows for labels of one instruction being alike"
        )
    elif result.split:  # a label that is right in part is no trial of the binomial test
        drawn = "by bets over pairs, a test that allows for labels right in part"
    else:
        drawn = "exact, over pairs"
    for name in dict.fromkeys(part.signal for part in result.parts):
        yield table(
            f"{result.judge}: parts of the run by {name}, surest first",
            [part for part in result.parts if part.signal == name],
            "threshold decided share labelled agreement p allowed holds",
            (
                f"p: agreement on {result.dimension} there is below"
                f" {result.options.agree:g}; {drawn}; tested at: the level that p must"
                " not exceed, - where the part had no turn"
            ),
        )
