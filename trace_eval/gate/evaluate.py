"""The gate: is the candidate worse than the baseline by more than the judge's own noise?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.compare.flips import Noise, changed, identical, mean_of, repeated
from trace_eval.compare.judgings import Joined, Judging, aligned, join, read_judging
from trace_eval.compare.severe import SevereItem, severe_items
from trace_eval.gate.comparable import check_comparable, sides
from trace_eval.gate.power import Spread, spread, wider
from trace_eval.stats.agreement.bootstrap import BootstrapOptions, IntervalEstimate
from trace_eval.stats.agreement.holm import holm
from trace_eval.stats.agreement.share import Share
from trace_eval.stats.agreement.sign_flip import sign_flip

Array = NDArray[np.float64]
Verdict = Literal["pass", "fail", "cannot tell"]

#: Power for the margin under which a gate cannot tell.
CAN_TELL = 0.5

#: What a run says that is its own copy.
COPY = "identical judgements: not an A/A"


@dataclass(frozen=True)
class GateOptions:
    """What counts as a regression.

    Attributes:
        by: metrics, by dimension or full name; ``win``: the pair as a whole, ``mean``: every score;
            empty: all that both runs have.
        margin: smaller drops do not matter, in points from 0 to 1.
        alpha: one-sided level of the test.
        strict: also fail where the one-sided 95 % limit of the difference is beyond the margin.
        severe: tagged items that may turn from a win into a loss.
        coverage_drop: share of the items that may be unscored where they were scored before.
        must_tell: "cannot tell" is no success (exit code 3).
        side: which answer of a pair is under test: ``a``, ``b``, or ``auto``.
        runs_per_week: for the expected number of false alarms.
        bootstrap: resamples and seed of the intervals.
    """

    by: tuple[str, ...] = ()
    margin: float = 0.02
    alpha: float = 0.05
    strict: bool = False
    severe: int = 0
    coverage_drop: float = 0.01
    must_tell: bool = False
    side: str = "auto"
    runs_per_week: float | None = None
    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)

    def __post_init__(self) -> None:
        for name, low, high in (("margin", 0, 1), ("alpha", 0, 0.5), ("coverage_drop", 0, 1)):
            value = getattr(self, name)
            if not low <= value < high or (name == "alpha" and not value):
                raise UserError(f"{name} {value:g}: give a share from {low} to under {high:g}")
        if self.side not in ("auto", "a", "b"):
            raise UserError(f"side {self.side!r}: use a, b or auto")
        if self.severe < 0:
            raise UserError(f"severe {self.severe}: give 0 or more items")


@dataclass(frozen=True)
class Drop:
    """The test of one metric.

    Attributes:
        items: that both runs scored.
        difference: candidate minus baseline, points from 0 to 1.
        p: one-sided, of "the candidate is worse".
        power: chance that the test sees a drop of the margin, by the upper limit of the noise.
        spread: of the noise: what else the test can see.
    """

    items: int
    difference: float
    p: float
    power: float
    spread: Spread


@dataclass(frozen=True)
class GateRow:
    """One metric of the gate.

    Attributes:
        baseline, candidate: mean points on the items that both runs scored.
        difference: with its interval.
        limit: one-sided 95 % lower limit of the difference; None: too few items.
        visible: smallest drop that the test sees with power .8; None: none.
        p_holm: over all metrics of the gate.
        flips: items that differ; ``noise`` those of the judge with itself.
        worst: the difference where all that the candidate has not scored are losses.
        why: the verdict in words.
    """

    metric: str
    items: int
    baseline: float
    candidate: float
    difference: IntervalEstimate
    limit: float | None
    p: float
    p_holm: float
    flips: Share
    noise: Noise
    power: float
    visible: float | None
    worst: float
    verdict: Verdict
    why: str


@dataclass(frozen=True)
class GateCoverage:
    """Items that were scored, of those of the baseline, in the metric that lost most."""

    metric: str
    items: int
    baseline: int
    candidate: int
    verdict: Verdict

    @property
    def drop(self) -> float:
        """Share of the items that are not scored any more."""
        return (self.baseline - self.candidate) / self.items


@dataclass(frozen=True)
class GateReport:
    """What the gate says.

    Attributes:
        sentence: what to tell a colleague.
        severe: items that turned from a win into a loss and that are tagged; ``others`` for
            another reason, which fail nothing.
        properties: what the verdict rests on, for machines.
        false_alarms: expected in a week at so many runs; None: not asked for.
    """

    verdict: Verdict
    sentence: str
    baseline: str
    candidate: str
    options: GateOptions
    rows: tuple[GateRow, ...]
    coverage: GateCoverage
    severe: tuple[SevereItem, ...]
    others: tuple[SevereItem, ...]
    properties: dict[str, str]
    false_alarms: float | None
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 cannot tell where it must (else 0)."""
        if self.verdict == "cannot tell":
            return 3 if self.options.must_tell else 0
        return int(self.verdict == "fail")


def gate_runs(
    baseline: Path | str,
    candidate: Path | str,
    repeats: Sequence[Path | str] = (),
    options: GateOptions | None = None,
) -> GateReport:
    """Compare a candidate with a baseline that one judge has judged; asks no judge.

    Args:
        baseline, candidate: run folders, or tables ``FILE:COLUMN``.
        repeats: the baseline judged once more (A/A), never from a cache.
        options: default: :class:`GateOptions`.

    Raises:
        NotComparable: judge, prompts, label set, evidence or item texts differ.
        UserError: something cannot be read, or has no item in common.
    """
    found = [read_judging(repeat) for repeat in repeats]
    return gate_judgings(read_judging(baseline), read_judging(candidate), found, options)


def gate_judgings(
    baseline: Judging,
    candidate: Judging,
    repeats: Sequence[Judging] = (),
    options: GateOptions | None = None,
) -> GateReport:
    """The same of judgings that are read already."""
    options = options or GateOptions()
    extra = join(baseline, candidate).only_second  # and refuse where nothing is shared
    joined = Joined(baseline, aligned(baseline, candidate), 0, extra)
    again = [aligned(baseline, repeat) for repeat in repeats]
    notes = check_comparable(baseline, joined.second)
    for each in again:
        notes += check_comparable(baseline, each, again=True)
    if extra:
        notes.append(f"{extra} items are in {candidate.name} only and are left out")
    names = chosen(joined, options.by)
    flip = sides(baseline, joined.second, options.side)
    rows = _rows(joined, names, again, flip, options)
    copy = identical(baseline, joined.second)
    if copy:
        notes.append(COPY)
        rows = [replace(row, verdict="pass", why=COPY) for row in rows]
    severe = [
        item for name in names[:1] for item in severe_items(joined, name, _side(joined, name, flip))
    ]
    tagged = tuple(item for item in severe if item.tagged)
    covered = _coverage(joined, names, options)
    verdict = _verdict(rows, covered, tagged, options)
    notes += [note for row in rows for note in row.noise.notes]
    per_week = options.runs_per_week
    return GateReport(
        verdict,
        f"pass: {COPY}" if copy else _sentence(verdict, rows, covered, tagged, options),
        baseline.name,
        candidate.name,
        options,
        tuple(rows),
        covered,
        tagged,
        tuple(item for item in severe if not item.tagged),
        _properties(joined, rows, options),
        None if per_week is None else per_week * options.alpha,
        tuple(dict.fromkeys(notes)),
    )


def chosen(joined: Joined, by: Sequence[str]) -> list[str]:
    """The metrics that are asked for, the pair as a whole first.

    Raises:
        UserError: there is none of that name.
    """
    last = {name: name.rpartition(".")[2] for name in joined.metrics}
    names = sorted(joined.metrics, key=lambda n: last[n] not in ("overall", "preference"))
    if not by:
        return names
    groups = {"win": ("overall", "preference", "verdict"), "mean": ("score",)}
    found = []
    for word in by:
        wanted = groups.get(word, (word,))
        hits = [name for name in names if name == word or last[name] in wanted]
        if not hits:
            raise UserError(f"--by {word}: not judged by both; use one of {', '.join(names)}")
        found += [hit for hit in hits if hit not in found]
    return found


def measure(
    differences: Array,
    cluster: NDArray[np.int64] | None,
    options: GateOptions,
    noise: Sequence[tuple[Array, NDArray[np.int64] | None]] = (),
    labels: bool = True,
) -> Drop:
    """Test paired differences for a drop, and say what the test can see.

    Args:
        differences: candidate minus baseline of the items that both scored [shape=(n,)].
        cluster: of each item; None: independent.
        options: margin, level, seed.
        noise: differences of A/A with their clusters; the wider of these and of the differences
            themselves says what can be seen.
        labels: of verdicts, not of scores.
    """
    number = len(differences)
    found = spread(differences, cluster, labels)
    if not number:
        return Drop(0, 0.0, 1.0, 0.0, found)
    sure = spread(differences, cluster, labels, sure=True)
    for gaps, units in noise:
        found = wider(found, spread(gaps, units, labels))
        sure = wider(sure, spread(gaps, units, labels, sure=True))
    seen = replace(found, items=number, units=round(found.units * number / found.items))
    surely = replace(sure, items=number, units=round(sure.units * number / sure.items))
    return Drop(
        number,
        float(differences.mean()),
        sign_flip(differences, cluster, "less", seed=options.bootstrap.seed),
        surely.at(options.margin, options.alpha),
        seen,
    )


def decide(drop: Drop, p: float, options: GateOptions, limit: float | None = None) -> Verdict:
    """The verdict on one metric.

    Args:
        drop: what was measured.
        p: after Holm's correction.
        options: the margin and the level.
        limit: one-sided 95 % lower limit of the difference, for ``strict``.
    """
    if p <= options.alpha and drop.difference < -options.margin:
        return "fail"
    if options.strict and limit is not None and limit < -options.margin:
        return "fail"
    return "cannot tell" if drop.power < CAN_TELL else "pass"


def _side(joined: Joined, name: str, flip: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Scores are of one answer: there is no other side."""
    return flip if joined.first.metrics[name].codes is not None else np.zeros(len(flip), bool)


def _rows(
    joined: Joined,
    names: Sequence[str],
    repeats: Sequence[Judging],
    flip: NDArray[np.bool_],
    options: GateOptions,
) -> list[GateRow]:
    measured = [_measured(joined, name, repeats, flip, options) for name in names]
    adjusted = holm([drop.p for drop, _ in measured])
    return [
        _row(joined, name, drop, noise, p, flip, options)
        for name, (drop, noise), p in zip(names, measured, adjusted, strict=True)
    ]


def _points(judging: Judging, name: str, flip: NDArray[np.bool_]) -> Array:
    own = judging.metrics[name]
    if own.codes is None:
        return own.points
    return np.where(flip, 1 - own.points, own.points)


def _measured(
    joined: Joined,
    name: str,
    repeats: Sequence[Judging],
    flip: NDArray[np.bool_],
    options: GateOptions,
) -> tuple[Drop, Noise]:
    gap = _points(joined.second, name, flip) - _points(joined.first, name, flip)
    known, cluster = ~np.isnan(gap), joined.first.cluster
    labels = _is_verdict(joined.first, name)
    _, noise, gaps = repeated(joined.first, repeats, name)
    own = [
        (each[~np.isnan(each)], None if cluster is None else cluster[~np.isnan(each)])
        for each in gaps
    ]
    units = None if cluster is None else cluster[known]
    return measure(gap[known], units, options, [o for o in own if len(o[0])], labels), noise


def _is_verdict(judging: Judging, name: str) -> bool:
    """Labels, and scores that are 0 or 1: right and wrong."""
    own = judging.metrics[name]
    known = own.points[~np.isnan(own.points)]
    return own.codes is not None or bool(np.isin(known, (0.0, 1.0)).all())


def _row(
    joined: Joined,
    name: str,
    drop: Drop,
    noise: Noise,
    p: float,
    flip: NDArray[np.bool_],
    options: GateOptions,
) -> GateRow:
    before, after = (_points(j, name, flip) for j in (joined.first, joined.second))
    gap = after - before
    known, cluster = ~np.isnan(gap), joined.first.cluster
    units = None if cluster is None else cluster[known]
    difference = mean_of(gap[known], units, options.bootstrap)
    one_sided = mean_of(gap[known], units, replace(options.bootstrap, level=0.9)).interval
    limit = None if one_sided is None else one_sided[0]
    verdict = decide(drop, p, options, limit)
    visible = drop.spread.visible(options.alpha)
    scored = ~np.isnan(before)
    worst = float((np.nan_to_num(after) - before)[scored].mean()) if scored.any() else 0.0
    differ = changed(joined.first.metrics[name], joined.second.metrics[name])
    return GateRow(
        name,
        drop.items,
        float(before[known].mean()) if known.any() else 0.0,
        float(after[known].mean()) if known.any() else 0.0,
        difference,
        limit,
        drop.p,
        p,
        Share(int(np.nansum(differ)), int(known.sum())),
        noise,
        drop.power,
        visible,
        worst,
        verdict,
        _why(drop, p, verdict, noise, visible, options),
    )


def _why(
    drop: Drop,
    p: float,
    verdict: Verdict,
    noise: Noise,
    visible: float | None,
    options: GateOptions,
) -> str:
    if not drop.items:
        return "no item was scored in both runs"
    seen = "no drop" if visible is None else f"a drop of {100 * visible:.1f} points"
    sees = f"this gate sees {seen} (power .8, n {drop.items})"
    judge = f"A/A flips {noise.flips.value:.3f}" if noise.measured else "noise not measured"
    if verdict == "fail":
        return f"worse by {-100 * drop.difference:.1f} points, p {p:.3g}; {sees}; {judge}"
    if verdict == "cannot tell":
        return (
            f"{100 * drop.difference:+.1f} points, p {p:.3g}; a drop of the margin"
            f" {100 * options.margin:g} would be seen with a chance of {drop.power:.2f} only;"
            f" {sees}; {judge}"
        )
    return f"{100 * drop.difference:+.1f} points, p {p:.3g}; {sees}; {judge}"


def _coverage(joined: Joined, names: Sequence[str], options: GateOptions) -> GateCoverage:
    rows = []
    for name in names:
        before, after = (~np.isnan(j.metrics[name].points) for j in (joined.first, joined.second))
        rows.append((int(before.sum()) - int(after.sum()), name, before, after))
    lost, name, before, after = max(rows, key=lambda row: row[0])
    number = len(before)
    verdict: Verdict = "fail" if lost / number > options.coverage_drop else "pass"
    return GateCoverage(name, number, int(before.sum()), int(after.sum()), verdict)


def _verdict(
    rows: Sequence[GateRow],
    covered: GateCoverage,
    tagged: Sequence[SevereItem],
    options: GateOptions,
) -> Verdict:
    verdicts = {covered.verdict, *(row.verdict for row in rows)}
    if "fail" in verdicts or len({item.item for item in tagged}) > options.severe:
        return "fail"
    return "cannot tell" if "cannot tell" in verdicts else "pass"


def _sentence(
    verdict: Verdict,
    rows: Sequence[GateRow],
    covered: GateCoverage,
    tagged: Sequence[SevereItem],
    options: GateOptions,
) -> str:
    told = [f"{row.metric}: {row.why}" for row in rows if row.verdict == verdict]
    if verdict == "fail":
        items = sorted({item.item for item in tagged})
        if len(items) > options.severe:
            told.append(
                f"{len(items)} severe items turned into losses ({', '.join(items[:5])}),"
                f" {options.severe} allowed"
            )
        if covered.verdict == "fail":
            told.append(
                f"coverage of {covered.metric} fell from {covered.baseline} to"
                f" {covered.candidate} of {covered.items} items"
            )
    return f"{verdict}: {' | '.join(told)}"


def _properties(joined: Joined, rows: Sequence[GateRow], options: GateOptions) -> dict[str, str]:
    record = joined.first.record
    found = {
        "n": str(max((row.items for row in rows), default=0)),
        "alpha": f"{options.alpha:g}",
        "margin": f"{options.margin:g}",
        "flips": ", ".join(f"{row.metric} {row.flips.count} of {row.flips.of}" for row in rows),
        "noise": ", ".join(
            f"{r.metric} {r.noise.reason or f'{r.noise.flips.count} of {r.noise.flips.of}'}"
            for r in rows
        ),
    }
    if record is not None:
        found |= {
            "judge": record.judge.spec,
            "prompt": str(record.judge.parameters.get("prompt") or "not recorded"),
            "input.baseline": record.input_sha256 or "not recorded",
        }
    if joined.second.record is not None:
        found["input.candidate"] = joined.second.record.input_sha256 or "not recorded"
    return found
