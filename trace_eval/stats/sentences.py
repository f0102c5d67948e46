"""A result in at most three sentences; every rule is in docs/explanation/few-labels.md.

Each function takes figures that are computed elsewhere and returns words. It estimates
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from blueprints import counted
from trace_eval.estimate.distributions import normal_quantile
from trace_eval.estimate.interval import IntervalEstimate, Range
from trace_eval.estimate.limits import quantile
from trace_eval.show.lists import listed

if TYPE_CHECKING:
    from trace_eval.stats.agreement.baselines import RuleStanding

#: Most sentences of one answer.
MOST = 3

#: Difference of win rates that is planned for where nobody has labelled anything.
DIFFERENCE = 0.1

#: Chance to see that difference with the number of labels that is named.
POWER = 0.8

#: Figures that are nearer than this are equal.
ROUNDING = 1e-9

#: The highest level that can be asked for.
LAST_LEVEL = 0.999

#: Steps of the labels' number to its fixed point; each leaves a fraction of the
#: distance.
_STEPS = 50

#: Least share of a difference that is left where half a label is taken away.
_LEAST = 0.1

#: More labels than this are not named: nobody collects them.
MANY_LABELS = 100_000

#: Said where an interval holds what a figure is compared with.
NOT_APART = "not told apart from"

_ROUND = (0.0, 50.0, 100.0)


def percent(share: float) -> str:
    """Print a share in whole percent, with a decimal if it would pass for 0, 50 or 100.

    >>> percent(0.567), percent(0.504), percent(0.5), percent(0.9996)
    ('57', '50.4', '50', '99.96')
    """
    value = 100 * share
    for digits in (0, 1, 2):
        shown = f"{value:.{digits}f}"
        if float(shown) not in _ROUND or abs(float(shown) - value) <= 100 * ROUNDING:
            return shown
    # nearer than two decimals tell: on the side where it is
    return f"{float(shown) + (0.01 if value > float(shown) else -0.01):.2f}"


def rate(value: float, interval: Range | None) -> str:
    """Print a share and its interval in percent.

    >>> rate(0.57, (0.51, 0.63)), rate(0.57, None)
    ('57 % [51, 63]', '57 % (no interval)')
    """
    if interval is None:
        return f"{percent(value)} % (no interval)"
    return f"{percent(value)} % [{percent(interval[0])}, {percent(interval[1])}]"


def mean_score(result: IntervalEstimate) -> str:
    """Print a mean score and its interval, in units of the scale.

    >>> mean_score(IntervalEstimate(3.8123, (3.5, 4.1))), mean_score(IntervalEstimate(71.25, None))
    ('3.81 [3.5, 4.1]', '71.2 (no interval)')
    """
    value = result.value or 0.0
    if result.interval is None:
        return f"{value:.3g} (no interval)"
    return f"{value:.3g} [{result.interval[0]:.3g}, {result.interval[1]:.3g}]"


def about(number: float) -> str:
    """Print a number of labels, rounded up to two digits.

    >>> about(287), about(1234), about(7)
    ('290', '1,300', '7')
    """
    step = 10 ** max(0, floor(log10(max(number, 1))) - 1)
    return f"{ceil(number / step) * step:,}"


def splits(number: int) -> str:
    """Write a clause on labels that raters disagree on; empty if there are none.

    >>> splits(170), splits(0)
    (', 170 of them split (half a win each)', '')
    """
    return f", {number:,} of them split (half a win each)" if number else ""


def is_shown(p: float | None, level: float) -> bool:
    """Whether a test shows a difference: its p value is at most 1 - ``level``."""
    return p is not None and p <= 1 - level + 1e-12


def same(one: float, other: float) -> bool:
    """Tell whether figures differ by rounding alone, such as sums of weights."""
    return abs(one - other) <= ROUNDING


def next_level(level: float) -> float:
    """Return the level of the next look, which may err half as often as the last.

    Looking again after each batch at an unchanged level finds a difference of equal
    systems in one of ten cases and more; ``python -m benchmarks.coverage looks`` counts
    it.
    """
    return min((1 + level) / 2, LAST_LEVEL)


#: A figure beside what no difference would be: its value, that null, and its interval.
LimitedFigure = tuple[float, float, Range | None]


def more_labels(
    number: int, figure: LimitedFigure, level: float, claims: int = 1
) -> float | None:
    """Count the labels to add to ``number`` until the next look shows the difference.

    It does so with a chance of :data:`POWER` if the difference is as large as it looks:
    labels that are there stay, and new ones are drawn as the estimate says. The true
    difference may be smaller, and the chance is then lower.

    Limits come nearer by the square-root law (normal approximation: Fleiss, Levin &
    Paik 2003, section 2.5; of the labels to come alone: conditional power, Lachin
    2005).

    Args:
        figure: the estimate; the same value is taken to be true.
        level: of the interval; the next look has :func:`next_level`.
        claims: among which the next look corrects (Bonferroni).

    Returns:
        None: no number would do (the estimate is ``null``), or there is no interval.
    """
    value, null, interval = figure
    if interval is None or same(value, null):
        return None
    reach = value - interval[0] if value > null else interval[1] - value
    if reach <= 0:  # nothing varies
        return 0.0
    errors = (
        abs(value - null) / reach * quantile(level)
    )  # standard errors from the null
    wanted = quantile(1 - (1 - next_level(level)) / claims)
    if errors >= wanted:
        return 0.0
    factor = ((wanted + normal_quantile(POWER)) / errors) ** 2
    for _ in range(_STEPS):
        unseen = (
            max(0.0, 1 - 1 / factor) ** 0.5
        )  # the labels that are there vary no more
        half = 1 / (
            2 * number * factor * abs(value - null)
        )  # exact tests count whole labels
        power = normal_quantile(POWER) * unseen
        factor = max(1.0, ((wanted + power) / errors / max(_LEAST, 1 - half)) ** 2)
    return number * (factor - 1)


def labels_to_tell(
    number: int,
    figure: LimitedFigure,
    level: float,
    left: int | None = None,
    would: str = "would tell",
    claims: int = 1,
) -> str | None:
    """Say how many labels :func:`more_labels` counts; None: no number can be named.

    Args:
        left: pairs that have no label yet; None or 0: labels come with new pairs.
        would: the effect of those labels.
    """
    more = more_labels(number, figure, level, claims)
    if more is None:
        return None
    new = "pair with a label", "pairs with a label"
    unit, units = ("label", "labels") if left else new
    condition = "If the difference is as large as it looks,"
    if left and more > left:
        each = f"a label for each of the {counted(left, 'pair')} that have none"
        least = (
            f"over {MANY_LABELS:,}" if more > MANY_LABELS else f"about {about(more)}"
        )
        return f"{condition} not even {each} {would}: {least} would be needed."
    if more > MANY_LABELS:
        return f"{condition} not even {MANY_LABELS:,} more {units} {would}."
    those = f"{about(max(more, 1))} more {unit if more <= 1 else units}"
    have = f"; {counted(left, 'pair has', 'pairs have')} none yet" if left else ""
    return (
        f"{condition} about {those} {would} in {round(10 * POWER)} of 10 cases{have}."
        f" This look counts: take the next one with --level {next_level(level):g}."
    )


def labels_for_difference(difference: float, level: float) -> int:
    """Return how many labels show a difference of win rates, one a pair, without ties.

    The win rate of the better one is then ``(1 + difference) / 2``; of a two-sided test
    of a share against one half (normal approximation: Fleiss, Levin & Paik 2003,
    section 2.5).

    >>> labels_for_difference(0.1, 0.95)
    783
    """
    variance: float = 1 - difference**2
    reach = quantile(level) + normal_quantile(POWER) * float(variance**0.5)
    return ceil((reach / difference) ** 2)


def difference_of_labels(number: int, level: float) -> float | None:
    """Return the least difference of win rates that ``number`` labels show, or None."""
    low = 1e-4
    high = 1.0
    if number < labels_for_difference(high, level):
        return None
    while high - low > 1e-4:
        middle = (low + high) / 2
        enough = labels_for_difference(middle, level) <= number
        low, high = (low, middle) if enough else (middle, high)
    return high


def difference_of_width(width: float, level: float) -> float | None:
    """Return the least difference of win rates that intervals so wide show, or None.

    As many labels, one a pair and without ties, give a win rate near one half an
    interval of that width.
    """
    return difference_of_labels(round((quantile(level) / width) ** 2), level)


def width_of_labels(number: int, level: float) -> float:
    """Return the width of a win rate's interval near one half, from n labels."""
    return quantile(level) / float(number**0.5)


def first_labels(pairs: int, level: float) -> str:
    """Return next steps without labels: what is needed, or what the pairs allow."""
    return before_labels(pairs, level)[labels_for_difference(DIFFERENCE, level) > pairs]


def before_labels(pairs: int | None, level: float) -> tuple[str, ...]:
    """Say what labels would show before there are any, from their number alone."""
    needed = labels_for_difference(DIFFERENCE, level)
    lines = [
        f"To see a difference of {percent(DIFFERENCE)} points between two systems (55 %"
        f" against 45 %) you need about {about(needed)} labels."
    ]
    if pairs is not None:
        smallest = difference_of_labels(pairs, level)
        those = f"each of the {counted(pairs, 'pair')}" if pairs > 1 else "one pair"
        what = f"With a label for {those}"
        shown = "nothing could be shown"
        if smallest is not None:
            shown = f"you would see a difference of {percent(smallest)} points"
        lines.append(f"{what} {shown}.")
    return tuple(lines)


def outcome(better: bool, p: float | None, level: float, test: str) -> str:
    """Say whether a system is shown to be better than the other: a rate over one half.

    The test and its two-sided p value are named; None: not tested.
    """
    if p is None:
        return "too few for a test"
    word = "better" if better else "worse"
    words = f"shown to be {word}" if is_shown(p, level) else "not shown to be better"
    return f"{words} ({test}, p {_p(p)})"


def _p(p: float) -> str:
    return f"= {p:.2g}" if p >= 0.001 else "< 0.001"


def clear_of(interval: Range | None, null: float) -> bool:
    """Tell whether an interval lies on one side of the value of no difference."""
    return interval is not None and not interval[0] <= null <= interval[1]


def although(
    interval: Range | None, null: float, p: float | None, level: float, *, shown: str
) -> str:
    """Say that an interval and the test of one difference disagree, or "".

    Args:
        shown: the value of no difference, as it is printed.
    """
    if interval is None or p is None:
        return ""
    if clear_of(interval, null) and not is_shown(p, level):
        return f"although the interval is clear of {shown}"
    if is_shown(p, level) and not clear_of(interval, null):
        return f"although the interval holds {shown}"
    return ""


def note_of_tests(
    rows: Iterable[tuple[Range | None, float | None]], level: float
) -> str:
    """Say which decides where intervals and tests of a table disagree, or ""."""
    if not any(although(interval, 0.0, p, level, shown="0") for interval, p in rows):
        return ""
    return "where an interval and p disagree, p decides what is shown"


def head_to_head(
    names: tuple[str, str],
    results: tuple[float, Range | None, float | None],
    of: str,
    level: float,
    test: str,
) -> str:
    """Say which of two systems wins, without the full stop.

    Args:
        names: the system that the figures are of, and the other.
        results: its win rate, the interval, and the p value of the test.
        of: what it was seen on, e.g. ``of 200 pairs by this judge``.
    """
    value, interval, p = results
    if same(value, 0.5):
        return (
            f"{names[0]} and {names[1]} win equally often, {rate(value, interval)} {of}"
        )
    clause = outcome(value > 0.5, p, level, test)
    if doubt := although(interval, 0.5, p, level, shown="50 %"):
        clause += f", {doubt}"
    return f"{names[0]} wins {rate(value, interval)} {of}: {clause}"


def ahead_of(behind: Sequence[str], equal: Sequence[str]) -> str:
    """Say whom a system is shown to be ahead of, a clause."""
    if not equal:
        return "shown to be ahead of all others"
    if not behind:
        return f"not shown to be ahead of {listed(equal)}"
    return f"shown to be ahead of {listed(behind)}, not of {listed(equal)}"


def beside_rule(standing: RuleStanding | None, judges: int = 1) -> str:
    """Say how a judge, or the best of several, stands to the best simple rule."""
    if standing is None:
        return "No simple rule could be tried beside it."
    beside = (
        f"{standing.rule} at {percent(standing.accuracy)} % of"
        f" {counted(standing.items, 'item')}"
    )
    if standing.judge is not None and standing.items < standing.scored:
        beside += f", where the judge has {percent(standing.judge)} %"
    best = "a" if standing.word == "below" else "the best"
    clause = f"That is {standing.word} {best} simple rule, {beside}"
    if standing.p is None:
        return f"{clause}, as nothing could be tested."
    chosen = f", for the best of {judges} judges" if judges > 1 else ""
    return f"{clause} (paired test, p {_p(standing.p)}{chosen})."


def correlates(result: IntervalEstimate) -> str:
    """Say whether the interval shows scores to rise with human ratings."""
    limits = result.interval
    if limits is None:
        return "not shown to rise with annotators', as rho has no interval"
    if limits[0] > 0:
        return "shown to rise with annotators'"
    falls = limits[1] < 0
    if falls:
        return "shown to fall where annotators' rise"
    return "not shown to rise with annotators'"
