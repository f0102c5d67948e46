"""Where a log fits the sound of its call best, and how like both are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from trace_eval.conversations.sound.fit import FARTHEST_S, STEP_S, fit
from trace_eval.conversations.sound.lanes import inside
from trace_eval.conversations.sound.log_clock import LogClock, running_clock
from trace_eval.conversations.spans import Spans
from trace_eval.data.conversation import ROLES, Role

#: Least likeness (correlation) that is believed, and by how much the better of two ways
#: must win.
LIKE, BETTER = 0.6, 0.2

#: Logs of recognisers are late by some tenths of a second; a larger delay contradicts.
DELAY_S = 0.5


class LogFit(NamedTuple):
    """A log beside the sound, where it fits best.

    Attributes:
        delay_s: where the log begins in the sound, by its own clock.
        likeness: of who speaks when, as a correlation.
    """

    delay_s: float
    likeness: float

    @property
    def is_unmoved(self) -> bool:
        """Whether the log fits best where it stands."""
        return abs(self.delay_s) <= DELAY_S

    @property
    def at_once(self) -> bool:
        """Whether the log fits surely without being moved."""
        return self.is_unmoved and self.likeness > LIKE


def better_fitting(of_user: LogFit, of_agent: LogFit) -> Role | None:
    """Return who speaks first if the log fits one order better; None: nobody knows.

    Calls that repeat themselves fit elsewhere, too, with the other order.
    """
    fits_user = of_user.at_once and not of_agent.at_once
    fits_agent = of_agent.at_once and not of_user.at_once
    better_by = of_user.likeness - of_agent.likeness
    if better_by >= (0.0 if fits_user else BETTER):
        return "user"
    if -better_by >= (0.0 if fits_agent else BETTER):
        return "agent"
    return None


def fitted_best(sides: Sequence[tuple[Spans, Spans]]) -> LogFit:
    """Return the delay at which a log fits the sound best, and how alike they are then.

    Where speech begins farther apart than is looked, the first words are laid on each
    other, too: otherwise one side would fit where the other speaks.

    Args:
        sides: (logged, heard) spans that are laid over each other; one of them has
            some.
    """
    near = _fitted_near(sides)
    logged_starts = [logged[0][0] for logged, _ in sides if logged]
    heard_starts = [heard[0][0] for _, heard in sides if heard]
    if not logged_starts or not heard_starts:
        return near
    lead_s = min(heard_starts) - min(logged_starts)
    if abs(lead_s) <= FARTHEST_S:
        return near
    clock = LogClock(lead_s)
    far = _fitted_near([(clock.moved(logged), heard) for logged, heard in sides])
    far = far._replace(delay_s=lead_s + far.delay_s)
    return max(near, far, key=lambda one: one.likeness)


def _fitted_near(sides: Sequence[tuple[Spans, Spans]]) -> LogFit:
    ends_s: list[float] = []
    for logged, heard in sides:
        ends_s.extend(spans[-1][1] for spans in (logged, heard) if spans)
    times = np.arange(0.0, max(ends_s) + STEP_S, STEP_S)
    masks = [(inside(logged, times), inside(heard, times)) for logged, heard in sides]
    delay_s, likeness = fit(masks)
    return LogFit(delay_s=delay_s, likeness=likeness)


def fitted_by_clock(log: Mapping[Role, Spans], sound: Mapping[Role, Spans]) -> LogFit:
    """Return where a log fits the sound best, at the rate of the sound's clock."""
    clock = running_clock(log, sound)
    if clock is None:
        return fitted_best([(log[role], sound[role]) for role in ROLES])
    fitted = fitted_best([(clock.moved(log[role]), sound[role]) for role in ROLES])
    return fitted._replace(delay_s=clock.shift_s + fitted.delay_s)
