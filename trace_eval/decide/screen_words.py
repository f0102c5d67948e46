"""Sentences on what a screening promises, or why it promises nothing."""

from __future__ import annotations

from blueprints import counted
from trace_eval.opinions.codes import SPLIT
from trace_eval.stats.inference.decidable import EVERYTHING, STARTS, DecidableStratum, fewest_labels
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.options import ScreenOptions


def untrusted(why: str | None) -> str:
    """Why labels promise nothing of other pairs.

    Args:
        why: what is wrong with the draw; None: the labelled pairs visibly are no random sample.
    """
    if why is None:
        why = (
            "the labelled pairs are no random sample of this run, so they promise nothing of the"
            " others; label a random sample, give each label its inclusion probability"
        )
    return f"None: {why}, or pass --as-sampled to have a promise for pairs like the labelled ones."


def verdict(
    chosen: DecidableStratum | None,
    candidate: DecidableStratum | None,
    needed: int | None,
    parts: list[DecidableStratum],
    options: ScreenOptions,
    instructions: bool,
) -> str:
    """The promise, or how far it is.

    Args:
        chosen, candidate, needed, parts, options: see
            :class:`trace_eval.decide.screen.Screening`.
        instructions: pairs that share one are told.
    """
    promise = f"agreement with people of at least {options.agree:.0%}"
    sure = f"confidence {options.confidence:.0%}"
    if chosen is not None:
        return (
            f"{counted(chosen.decided, 'pair')} ({chosen.share:.0%} of the scored ones) may be"
            f" decided by the judge alone: {_which(chosen)} reach {promise}, {sure}"
            f" ({chosen.agreement:.1%} of their {counted(chosen.labelled, 'label')} agree)."
        )
    if candidate is not None and needed is not None:
        return (
            f"None: no part is shown to reach {promise} at {sure}. Nearest are"
            f" {_which(candidate)} ({counted(candidate.decided, 'pair')};"
            f" {counted(candidate.labelled, 'label')}, {candidate.agreement:.1%} agree):"
            f" {_wanted(candidate, needed)}."
        )
    best = max(parts, key=lambda part: part.agreement or 0.0)
    if best.agreement is not None and best.agreement > options.agree:
        fewest = fewest_labels(options.agree, (1 - options.confidence) / len(STARTS))
        return (
            f"None: the labels are too few to show {promise} at {sure} ({best.labelled} where"
            f" {best.agreement:.1%} agree); {fewest}{' of as many instructions' * instructions}"
            " could suffice if all agreed."
        )
    seen = "no labels" if best.agreement is None else f"at best {best.agreement:.1%} agree"
    fewest = fewest_labels(options.agree, (1 - options.confidence) / len(STARTS))
    return (
        f"None: no part looks as if it reached {promise} ({seen}); more labels would not change"
        f" that for this judge, a lower --agree might. Fewer than {counted(fewest, 'label')}"
        " cannot show it."
    )


def _which(part: DecidableStratum) -> str:
    if part.signal == EVERYTHING:
        return "all of them"
    return f"those with {part.signal} of at least {part.threshold:.4g}"


def _wanted(part: DecidableStratum, needed: int) -> str:
    """The number of labels that would decide, as far as the part has that many pairs."""
    if needed > part.decided:
        return f"about {counted(needed, 'label')} would be needed, more than pairs are there"
    return f"about {counted(needed, 'label')} drawn at random among them would probably tell"


def caveats(run: LabelledRun, options: ScreenOptions, shifted: list[str]) -> list[str]:
    """What cannot be promised, or holds by assumption."""
    drawn, lines = run.drawn, []
    why_not = drawn.problem or drawn.doubt
    if why_not:
        if options.as_sampled:  # else the verdict says it
            lines.append(why_not)
    elif drawn.inclusion is None and not run.asked[run.scored].all():
        lines.append(
            f"the labelled pairs are no random sample of this run ({'; '.join(shifted)}): a"
            " promise could hold for pairs like the labelled ones only"
            if shifted
            else "the labelled pairs are taken as a random sample of this run's pairs, or of its"
            " instructions"
        )
    lacking = [available is None for available in run.facts.get("instruction_id", [None])]
    if options.cluster and any(lacking):
        copies = "" if run.copies is None else ", but for copies (the same two recordings)"
        words = "instructions are unknown: pairs are taken as independent"
        if not all(lacking):
            unknown = counted(sum(lacking), "pair")
            words = f"the instruction of {unknown} is unknown: each is taken for one"
        lines.append(f"{words}{copies}")
    if run.unmatched:
        stray = "labelled item was not judged and is", "labelled items were not judged and are"
        lines.append(f"{counted(run.unmatched, *stray)} left out")
    split = run.usable & (run.truth >= SPLIT)
    if split.any():
        number = counted(int(split.sum()), "labelled pair")
        lines.append(f"raters split on {number}: each label of theirs is right in part")
    lines.append("pairs unlike this run's (new systems, topics, voices) need new labels")
    return lines
