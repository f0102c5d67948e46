"""Human labels beside the judge and the systems, from the agreement and ranking packages.

Those packages compute; here is only what of it is shown, and a sentence where it cannot be.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blueprints import UserError, counted
from trace_eval.report.answer import ranking_of, why_not
from trace_eval.report.gather import Facts
from trace_eval.runs.run import Run

if TYPE_CHECKING:
    from trace_eval.estimate.interval import Range
    from trace_eval.opinions.opinions import Opinions
    from trace_eval.stats.inference.calibrate import Calibration
    from trace_eval.stats.ranking.report import RankReport, Standing
    from trace_eval.stats.report import AgreeReport


@dataclass(frozen=True)
class WinRateRow:
    """A system's win rate and rank by the judge, and its win rate by human labels.

    Attributes:
        rate, interval: 0 to 1; None: too few comparisons for an interval.
        low, high: of the rank; None where most resamples lack a system.
        strength: Bradley-Terry, mean 0; None: of two systems, or it cannot be had.
        people, people_interval: from labels, and from all judgements where these help.
    """

    system: str
    rate: float
    interval: Range | None
    rank: int
    low: int | None
    high: int | None
    strength: float | None
    wins: int
    ties: int
    both_bad: int
    losses: int
    people: float | None
    people_interval: Range | None


@dataclass(frozen=True)
class ReportedPeople:
    """The report's second part; each half is None where its note says why.

    Attributes:
        agreement: judge against the labels inside the run.
        ranking: of the systems, by judge and people.
        places: systems by falling win rate.
        level: of all intervals, 0 to 1.
        notes: sentences about what is missing, and caveats.
        calibration: None: too few labels; ``reliability`` is its diagram, SVG.
        policy: that fused the overall label; None: none did.
    """

    agreement: AgreeReport | None
    agreement_note: str
    ranking: RankReport | None
    places: tuple[WinRateRow, ...]
    ranking_note: str
    level: float
    caveats: tuple[str, ...] = ()
    correlation: str = ""
    calibration: Calibration | None = None
    reliability: str = ""
    policy: str | None = None


def people(facts: Facts) -> ReportedPeople:
    """Compute agreement and ranking of a run; what cannot be computed is a note."""
    try:
        source = _source(facts.folder)
    except (ImportError, UserError) as error:
        return ReportedPeople(None, why_not(error), None, (), why_not(error), 0.95)
    agreement, agreement_note = _agreement(facts, source)
    ranking, ranking_note = ranking_of(Run(facts.folder), source)
    return ReportedPeople(
        agreement=agreement,
        agreement_note=agreement_note,
        ranking=ranking,
        places=_standings(ranking) if ranking else (),
        ranking_note=ranking_note,
        level=ranking.options.bootstrap.level if ranking else 0.95,
        caveats=tuple(_caveats(ranking)) if ranking else (),
        correlation=_correlation(ranking) if ranking else "",
        policy=_policy(source),
        **_calibration(source),
    )


def _policy(source: Opinions) -> str | None:
    from trace_eval.stats.agreement.judges import fused_by

    return fused_by(source)


def _calibration(source: Opinions) -> dict[str, Any]:
    """The calibration and its diagram; nothing where the labels are too few for one."""
    if source.labels is None:
        return {}
    try:
        from trace_eval.stats.inference.calibrate import calibrate
        from trace_eval.stats.inference.forest import diagram
        from trace_eval.stats.inference.labelled_run import gather

        result = calibrate(gather(source, None))
    except (ImportError, UserError):
        return {}
    return {"calibration": result, "reliability": diagram(result.chosen)}


def _source(folder: Path) -> Opinions:
    from trace_eval.runs.opinions import read_opinions

    return read_opinions(folder)


def _agreement(facts: Facts, source: Opinions) -> tuple[AgreeReport | None, str]:
    if not any(pair.labels for pair in facts.pairs):
        unused = "".join(f" {what}." for what in facts.record.unused_labels)
        return (
            None,
            "The pairs of this run have no human labels, so there is nothing to agree with."
            + unused,
        )
    try:
        from trace_eval.decide.agree import agree_by_instruction
        from trace_eval.estimate.options import OF_PAGES, BootstrapOptions
        from trace_eval.stats.options import AgreeOptions
        from trace_eval.stats.report import ALL_POLICIES

        drawn = BootstrapOptions(OF_PAGES)
        options = AgreeOptions(drawn, missing="drop", policy=ALL_POLICIES)
        return agree_by_instruction(source, None, options), ""
    except (ImportError, UserError) as error:
        return None, why_not(error)


def _standings(ranking: RankReport) -> tuple[WinRateRow, ...]:
    counts = {row.system: row for row in ranking.systems}
    strengths = {p.system: p.value for p in ranking.places if p.method == "bradley_terry"}
    rates = {row.system: row.rate for row in ranking.judged}
    requested = ranking.powered.systems if ranking.powered else ranking.labelled
    labels = {row.system: row.rate for row in requested}

    def row(standing: Standing, value: float, rank: int) -> WinRateRow:
        mine, theirs = counts[standing.system], labels.get(standing.system)
        judged = rates.get(standing.system)
        return WinRateRow(
            system=standing.system,
            rate=value,
            interval=judged.labels_interval if judged else None,
            rank=rank,
            low=standing.low,
            high=standing.high,
            strength=strengths.get(standing.system),
            wins=mine.wins,
            ties=mine.ties,
            both_bad=mine.both_bad,
            losses=mine.losses,
            people=theirs.both if theirs else None,
            people_interval=theirs.interval if theirs else None,
        )

    standings = [
        row(standing, standing.value, standing.rank)
        for standing in ranking.places
        if standing.method == "win_rate"
        and standing.value is not None
        and standing.rank is not None
    ]
    return tuple(sorted(standings, key=lambda standing: (standing.rank, standing.system)))


def _caveats(ranking: RankReport) -> list[str]:
    from trace_eval.stats.ranking.report import PEOPLES_RATES

    caveats = [
        f"{'' if caveat.method == 'all' else caveat.method.replace('_', ' ') + ': '}{caveat.text}"
        for caveat in ranking.caveats
        if caveat.method in ("bradley_terry", "models", "all", PEOPLES_RATES)
    ]
    lost = next((p.undefined for p in ranking.places if p.method == "win_rate"), 0)
    if lost:
        of = f"of {counted(ranking.options.bootstrap.resamples, 'resample')}"
        caveats.append(
            f"{counted(lost, f'{of} lacks a system and is', f'{of} lack a system and are')}"
            " left out of the rank intervals; there are none where that is most of them"
        )
    return caveats


def _correlation(ranking: RankReport) -> str:
    for row in ranking.correlations:
        if row.systems < 3:  # of two an order is the other or its reverse
            continue
        if row.method == "win_rate" and row.spearman is not None and row.kendall is not None:
            return (
                f"Against the ranking by {row.reference}, over {row.systems} systems:"
                f" Spearman {row.spearman:.2f}, Kendall tau-b {row.kendall:.2f}."
            )
    return ""
