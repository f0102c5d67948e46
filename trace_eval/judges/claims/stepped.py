"""Differences in steps against those that prompts print beside the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from trace_eval.judges.beside.steps import (
    BANDWIDTH,
    CLIPPING,
    DELIVERY,
    DISTILLMOS,
    LOUDNESS,
    P808,
    PAUSE,
    PITCH,
    PROMINENCE,
    RATE,
    TREND,
    VARIATION,
)
from trace_eval.judges.claims.finding import Finding, ShownAnswers
from trace_eval.judges.claims.measures import MEASURES, Measure
from trace_eval.judges.claims.stated import StatedClaim

#: Measure of a claim -> the step that it is told in.
STEP_OF: Mapping[str, str] = {
    "p808": P808.name,
    "bandwidth": BANDWIDTH.name,
    "clipping": CLIPPING.name,
    "distillmos": DISTILLMOS.name,
    "periodicity": PROMINENCE.name,
    "rate": RATE.name,
    "articulation": RATE.name,
    "syllables": RATE.name,
    "pitch": PITCH.name,
    "variation": VARIATION.name,
    "loudness": LOUDNESS.name,
    "pause": PAUSE.name,
    "trend": TREND.name,
}

_STEP_OF_TITLE = {MEASURES[key].title: name for key, name in STEP_OF.items()}

#: Steps of delivery, which do not add up: each may be told without its name.
_TOLD_ALONE = frozenset(step.name for step in DELIVERY)

#: The name of the sum of all steps of voice quality.
IN_ALL = "voice quality"

#: Prompts round the sum down to one decimal, and parts to the nearest one.
_ROUNDED_DOWN = 0.1 + 1e-9


def steps_finding(claim: StatedClaim, shown: ShownAnswers) -> Finding:
    """Check a difference in steps; one that fits another measure is not false."""
    steps = dict(_steps(shown))
    if not steps:
        return Finding(None, "no steps between the answers are known")
    why = ", ".join(f"{name} {value:+.1f}" for name, value in steps.items())
    why = f"steps of answer 1 over answer 2: {why}"
    title = claim.measure.title if claim.measure else ""
    own = _STEP_OF_TITLE.get(title, IN_ALL if not title else "")
    if claim.relation != "apart":
        return _bounded(claim, steps.get(own) if title else None, why)
    fitting: list[str] = []
    for name, value in steps.items():
        # "Better by 1.3 steps" may be lower, and so may "1.3 steps in favour of
        # answer 1": of delivery they say no direction.
        is_either_way = (claim.hedged or not title) and name in _TOLD_ALONE
        if _fits(replace(claim, sign=0) if is_either_way else claim, value):
            fitting.append(name)
    if own in fitting and len(claim.places) == 1:
        return Finding(None, f"does not say who is ahead; {why}")
    if own in fitting:
        return Finding(True, why)
    if not title and claim.beside:
        fitting = [name for name in fitting if name == IN_ALL]
    elif not title:  # the parts of voice quality are told by their names
        fitting = [name for name in fitting if name in _TOLD_ALONE]
    is_of_all = IN_ALL in steps and _fits(claim, steps[IN_ALL])
    if own not in steps or is_of_all or (fitting and not claim.beside):
        return Finding(None, f"may be of another measure; {why}")
    return Finding(False, why)


def steps_between(measure: Measure, shown: ShownAnswers) -> float | None:
    """Return how many steps answer 1 has more of a measure; None: none are shown."""
    return dict(_steps(shown)).get(_STEP_OF_TITLE.get(measure.title, ""))


def _steps(shown: ShownAnswers) -> Iterator[tuple[str, float]]:
    """Yield how many steps answer 1 is above answer 2, by the name of the step."""
    lead = shown.voice_lead
    if lead.steps is not None:
        yield IN_ALL, lead.steps
        for one in lead.differences:
            if one.steps is not None:
                yield one.step.name, one.steps
    for one in shown.delivery:
        if one.steps is not None:
            yield one.step.name, one.steps


def _fits(claim: StatedClaim, steps: float) -> bool:
    """Whether a stated difference is this one, by its size and by who has more."""
    digits = claim.numbers[0]
    decimals = len(digits.partition(".")[2])
    slack = max(10.0**-decimals / 2, _ROUNDED_DOWN)
    if abs(abs(steps) - float(digits)) > slack:
        return False
    if not claim.sign or len(claim.places) < 2:
        return True
    of_first = steps if claim.places[0] == "1" else -steps
    return of_first * claim.sign >= 0


def _bounded(claim: StatedClaim, steps: float | None, why: str) -> Finding:
    """Check "pitch variation is under one step"."""
    if steps is None:
        return Finding(None, f"does not say of which measure; {why}")
    bound = float(claim.numbers[0])
    if claim.relation == "under":
        return Finding(abs(steps) <= bound + _ROUNDED_DOWN, why)
    return Finding(abs(steps) >= bound - _ROUNDED_DOWN, why)
