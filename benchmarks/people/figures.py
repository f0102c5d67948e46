"""What is computed of pairs and clips: order and decisions, each with an interval.

Whole units (sentences, noises, speakers, texts) vary together, because clips of one
share what is hard about them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.people.sets import Rated
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.resample import Resampler

Array = NDArray[Any]

#: Nominal coverage of the intervals.
LEVEL = 0.95

#: Human raters decide a pair with this p of a paired t-test over common raters, and
#: this far apart, in points of MUSHRA.
DECIDED_P, DECIDED_POINTS = 0.05, 5.0

#: Fewer units than this never tell: all of five on one side is p = 2 / 2 ** 5 > .05.
LEAST_UNITS = 6

#: Random halves of the raters.
HALVES = 200


@dataclass(frozen=True)
class Figure:
    """An estimate with its interval, its pairs or clips, and their units."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    units: int

    def __str__(self) -> str:
        if self.value is None:
            return "-"
        if self.low is None or self.high is None:
            return f"{self.value:.3f} (n {self.n})"
        return f"{self.value:.3f} [{self.low:.2f}, {self.high:.2f}] of {self.n}"


def as_saved(value: Any) -> Any:
    """Figures as lists, wherever they stand in a result."""
    if isinstance(value, dict):
        return {key: as_saved(item) for key, item in value.items()}
    if isinstance(value, Figure):
        limits = (value.value, value.low, value.high)
        return [
            *(v if v is None else round(v, 4) for v in limits),
            value.n,
            value.units,
        ]
    return value


@dataclass(frozen=True)
class Pairs:
    """All pairs of clips within a group.

    Attributes:
        a, b: places of the two clips [shape=(pairs,)].
        unit: what is drawn together, from 0 [shape=(pairs,)].
        gap: mean rating of a less that of b.
        verdict: 1 and -1 where human raters decide for a and b, 0 where they do not;
            None: the set has no raters one by one.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    unit: NDArray[np.int64]
    gap: NDArray[np.float64]
    verdict: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.a)


def numbered(names: Sequence[str]) -> NDArray[np.int64]:
    """Names as numbers from 0."""
    return np.unique(np.array(names, dtype=str), return_inverse=True)[1].astype(
        np.int64
    )


def pairs_of(clips: Sequence[Rated], scale: str) -> Pairs:
    """Pair the clips of each group on one scale; a group of one clip gives none."""
    unit = numbered([clip.unit for clip in clips])
    mean = np.array([clip.mean(scale) for clip in clips])
    results = [
        (i, j)
        for i, j in combinations(range(len(clips)), 2)
        if clips[i].group == clips[j].group and np.isfinite(mean[[i, j]]).all()
    ]
    a, b = np.array(results, dtype=np.int64).reshape(-1, 2).T
    raters = [clip.ratings.get(scale, {}) for clip in clips]
    single = any(len(one) > 1 for one in raters)
    verdict = [decided(raters[i], raters[j]) for i, j in results] if single else None
    return Pairs(
        a, b, unit[a], mean[a] - mean[b], None if verdict is None else np.array(verdict)
    )


def decided(a: dict[str, float], b: dict[str, float]) -> int:
    """Which clip human raters decide for: 1 the first, -1 the second, 0 neither."""
    gap = [a[rater] - b[rater] for rater in sorted(a.keys() & b.keys())]
    n = len(gap)
    if n < 2:
        return 0
    mean = math.fsum(gap) / n
    spread = math.fsum((one - mean) ** 2 for one in gap) / (n - 1)
    clear = abs(mean) > _critical(n - 1) * math.sqrt(spread / n)
    return int(math.copysign(1, mean)) if clear and abs(mean) >= DECIDED_POINTS else 0


@cache
def _critical(df: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - DECIDED_P / 2))


def estimates(resampler: Resampler, n: dict[str, int]) -> dict[str, Figure]:
    """Every registered statistic with its small-sample limits."""
    results = {}
    for name, one in resampler.estimates(IntervalOptions(level=LEVEL)).items():
        low, high = one.interval or (None, None)
        value = None if one.value is None else float(one.value)
        results[name] = Figure(value, low, high, n[name], resampler.units)
    return results


def share(
    resampler: Resampler, name: str, values: Array, row: NDArray[np.int64]
) -> None:
    """Register a mean over rows of numbers from 0 to 1; without rows, no value."""
    if len(values):
        resampler.mean(name, values, row, (0.0, 1.0))
    else:
        resampler.undefined(name)


def in_order(gap: Array, pairs: Pairs, apart: float) -> tuple[Array, Array]:
    """Return the pairs that count, and how a number's differences order them.

    1 is in order, 0 is not, one half is tied.
    """
    rows = np.flatnonzero((np.abs(pairs.gap) >= apart) & np.isfinite(gap))
    return rows, 0.5 + 0.5 * np.sign(gap[rows]) * np.sign(pairs.gap[rows])


def concordance(number: Array, pairs: Pairs, apart: float) -> float:
    """Return the share of pairs that a number orders as raters, ties half.

    Only pairs at least ``apart`` in mean rating count.
    """
    return mean_of(in_order(number[pairs.a] - number[pairs.b], pairs, apart)[1])


def mean_of(score: Array) -> float:
    """Return the mean, NaN of none."""
    return float(score.mean()) if len(score) else math.nan


def concordances(
    numbers: dict[str, Array], pairs: Pairs, apart: float, against: Sequence[str]
) -> dict[str, tuple[Figure, str]]:
    """Concordance of every number, and what it says beside chance and the baselines."""
    resampler, n = Resampler(pairs.unit), {}
    for name, number in numbers.items():
        place, score = in_order(number[pairs.a] - number[pairs.b], pairs, apart)
        n[name] = len(place)
        share(resampler, name, score, place)
    for name in numbers:
        for base in against:
            if name not in against and base in numbers:
                n[f"{name} - {base}"] = n[name]
                resampler.difference(f"{name} - {base}", base, name)
    result = estimates(resampler, n)
    rows: dict[str, tuple[Figure, str]] = {}
    for name in numbers:
        leads = [(base, result.get(f"{name} - {base}")) for base in against]
        rows[name] = (result[name], words(result[name], leads))
    return rows


def words(figure: Figure, over: Sequence[tuple[str, Figure | None]] = ()) -> str:
    """Say how an interval stands beside chance, one half, and trivial baselines."""
    if figure.value is None:
        return "not measured"
    if figure.units < LEAST_UNITS:
        return f"cannot tell: {figure.units} groups"
    if figure.low is None or figure.high is None or figure.low <= 0.5 <= figure.high:
        return "cannot tell from chance"
    if figure.high < 0.5:
        return "against human labels"
    for name, lead in over:
        if lead is not None and (lead.low is None or lead.low <= 0):
            return f"cannot tell from {name}"
    return "with human labels"


def parts_of(
    said: Array, verdict: NDArray[np.int64]
) -> dict[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Return the pairs decided, right and against, each with its base.

    Masks have the shape (pairs,).
    """
    human, decides = verdict != 0, said != 0
    return {
        "decided": (decides & human, human),
        "right": ((said == verdict) & human, decides & human),
        "against": (decides & ~human, ~human),
    }


def decisions(
    provided: dict[str, Array], verdict: NDArray[np.int64], unit: NDArray[np.int64]
) -> dict[str, dict[str, Figure]]:
    """Judge -> decided, right, against, accuracy.

    Args:
        provided: judge -> 1, -1, or 0 where it does not decide [shape=(pairs,)].
        verdict: the same of human labels.
        unit: what is drawn together.
    """
    resampler, n = Resampler(unit), {}
    for name, said in provided.items():
        every = {"accuracy": (said == verdict, np.ones(len(verdict), bool))}
        for part, (top, bottom) in (parts_of(said, verdict) | every).items():
            key, rows = f"{name}/{part}", np.flatnonzero(bottom)
            n[key] = len(rows)
            share(resampler, key, top[rows].astype(float), rows)
    results: dict[str, dict[str, Figure]] = {name: {} for name in provided}
    for key, figure in estimates(resampler, n).items():
        name, _, part = key.rpartition("/")
        results[name][part] = figure
    return results


@dataclass(frozen=True)
class Ceiling:
    """The agreement of a random half of the raters with the other half.

    The half serves as a number and as a judge.

    Attributes:
        concordance: of the half's mean with the other half's.
        decided, right, against: of the half's decisions beside the other half's.
    """

    concordance: float
    decided: float | None
    right: float | None
    against: float | None


def ceiling(
    clips: Sequence[Rated], scale: str, apart: float, seed: int = 0
) -> Ceiling | None:
    """Return the means over random halves; None if raters are not named."""
    raters = sorted({rater for clip in clips for rater in clip.ratings.get(scale, {})})
    if len(raters) < 4:
        return None
    rng = np.random.default_rng(seed)
    order, counts = [], np.zeros((3, 2))
    for _ in range(HALVES):
        drawn = set(rng.permutation(raters)[: len(raters) // 2])
        one = [_only(clip, scale, drawn, True) for clip in clips]
        other = [_only(clip, scale, drawn, False) for clip in clips]
        pairs = pairs_of(other, scale)
        order.append(
            concordance(np.array([clip.mean(scale) for clip in one]), pairs, apart)
        )
        ratings = [clip.ratings[scale] for clip in one]
        own = zip(pairs.a, pairs.b, strict=True)
        said = np.array([decided(ratings[i], ratings[j]) for i, j in own])
        assert pairs.verdict is not None
        counts += [
            [top.sum(), of.sum()] for top, of in parts_of(said, pairs.verdict).values()
        ]
    shares = (float(top / of) if of else None for top, of in counts)
    return Ceiling(float(np.nanmean(order)), *shares)


def _only(clip: Rated, scale: str, raters: set[str], keep: bool) -> Rated:
    kept = {
        r: v for r, v in clip.ratings.get(scale, {}).items() if (r in raters) is keep
    }
    return replace(clip, ratings={scale: kept})
