"""What people say of the judge and of the systems, from the agreement and ranking packages.

Those packages compute; here is only what of it is shown, and a sentence where it cannot be.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blueprints import UserError, install_line
from trace_eval.report.gather import Facts

if TYPE_CHECKING:
    from trace_eval.stats import AgreeReport, Calibration, JudgedSource, RankReport


@dataclass(frozen=True)
class WinRateRow:
    """A system's win rate and rank; ``human`` is its rank by the labels.

    ``low`` and ``high`` bound the rank; null where most resamples lack a system.
    """

    system: str
    rate: float
    rank: int
    low: int | None
    high: int | None
    strength: float | None
    wins: int
    ties: int
    both_bad: int
    losses: int
    human: int | None

    @property
    def comparisons(self) -> int:
        """How many pairs the system is in."""
        return self.wins + self.ties + self.both_bad + self.losses


@dataclass(frozen=True)
class People:
    """The report's second part; each half is null where its note says why.

    Attributes:
        agreement: judge against the labels inside the run.
        places: systems by falling win rate.
        level: of all intervals, 0 to 1.
        notes: sentences about what is missing, and caveats.
        calibration: null: too few labels; ``reliability`` is its diagram, SVG.
        policy: that fused the overall label; null: none did.
    """

    agreement: AgreeReport | None
    agreement_note: str
    places: tuple[WinRateRow, ...]
    ranking_note: str
    level: float
    caveats: tuple[str, ...] = ()
    correlation: str = ""
    calibration: Calibration | None = None
    reliability: str = ""
    policy: str | None = None


def people(facts: Facts) -> People:
    """Compute agreement and ranking of a run; what cannot be computed is a note."""
    try:
        source = _source(facts.folder)
    except (ImportError, UserError) as error:
        return People(None, _why(error), (), _why(error), 0.95)
    agreement, agreement_note = _agreement(facts, source)
    ranking, ranking_note = _ranking(facts, source)
    return People(
        agreement=agreement,
        agreement_note=agreement_note,
        places=_places(ranking[0], ranking[1]) if ranking else (),
        ranking_note=ranking_note,
        level=ranking[0].options.bootstrap.level if ranking else 0.95,
        caveats=tuple(_caveats(ranking[0])) if ranking else (),
        correlation=_correlation(ranking[0]) if ranking else "",
        policy=_policy(source),
        **_calibration(source),
    )


def _policy(source: JudgedSource) -> str | None:
    from trace_eval.stats import fused_by

    return fused_by(source, source.judgements, None)


def _calibration(source: JudgedSource) -> dict[str, Any]:
    """The calibration and its diagram; nothing where the labels are too few for one."""
    if source.labels is None:
        return {}
    try:
        from trace_eval.stats import calibrate, diagram, gather

        found = calibrate(gather(source, None))
    except (ImportError, UserError):
        return {}
    return {"calibration": found, "reliability": diagram(found.chosen)}


def _why(error: Exception) -> str:
    if isinstance(error, ImportError):
        return f"needs the extra agree ({error}); run: {install_line('agree')}"
    return str(error)


def _source(folder: Path) -> JudgedSource:
    from trace_eval.stats import read_source

    return read_source(folder)


def _agreement(facts: Facts, source: JudgedSource) -> tuple[AgreeReport | None, str]:
    if not any(pair.labels for pair in facts.pairs):
        unused = "".join(f" {what}." for what in facts.record.unused_labels)
        return (
            None,
            "The pairs of this run have no human labels, so there is nothing to agree with."
            + unused,
        )
    try:
        from trace_eval.stats import ALL_POLICIES, AgreeOptions, agree

        return agree([source], None, AgreeOptions(missing="drop", policy=ALL_POLICIES)), ""
    except (ImportError, UserError) as error:
        return None, _why(error)


def _ranking(
    facts: Facts, source: JudgedSource
) -> tuple[tuple[RankReport, RankReport | None] | None, str]:
    """(ranking by the judge, ranking by people), or why there is none."""
    nameless = sum(not (pair.a.system and pair.b.system) for pair in facts.pairs)
    if nameless:
        return None, (
            f"{nameless} of {len(facts.pairs)} pairs do not name both systems, so there is no"
            " ranking; give every answer a 'system'."
        )
    try:
        from trace_eval.stats import (
            RankOptions,
            contradicted,
            fused_with,
            judge_table,
            opinion_column,
            people_table,
        )
        from trace_eval.stats.rank_labels import rank_labels

        judged = judge_table(source)
        options = RankOptions(policy=fused_with(source))
        left_out = contradicted(source, judged, opinion_column(judged))
        labels = people_table(source.labels, judged, "drop") if source.labels else None
        human = None
        if labels is not None:
            try:
                human = rank_labels(labels)
            except UserError:
                labels = None  # labels without an overall opinion rank nobody
        return (rank_labels(judged, options, labels=labels, left_out=left_out), human), ""
    except (ImportError, UserError) as error:
        return None, _why(error)


def _places(ranking: RankReport, human: RankReport | None) -> tuple[WinRateRow, ...]:
    theirs = (
        {place.system: place.rank for place in human.places if place.method == "win_rate"}
        if human
        else {}
    )
    counts = {row.system: row for row in ranking.systems}
    strengths = {p.system: p.value for p in ranking.places if p.method == "bradley_terry"}
    places = [
        WinRateRow(
            place.system,
            place.value,
            place.rank,
            place.low,
            place.high,
            strengths.get(place.system),
            counts[place.system].wins,
            counts[place.system].ties,
            counts[place.system].both_bad,
            counts[place.system].losses,
            theirs.get(place.system),
        )
        for place in ranking.places
        if place.method == "win_rate" and place.value is not None and place.rank is not None
    ]
    return tuple(sorted(places, key=lambda place: (place.rank, place.system)))


def _caveats(ranking: RankReport) -> list[str]:
    found = [
        f"{caveat.method.replace('_', ' ')}: {caveat.text}"
        for caveat in ranking.caveats
        if caveat.method in ("bradley_terry", "models", "all")
    ]
    lost = next((p.undefined for p in ranking.places if p.method == "win_rate"), 0)
    if lost:
        found.append(
            f"{lost} of {ranking.options.bootstrap.resamples} resamples lack a system and are"
            " left out of the rank intervals; there are none where that is most of them"
        )
    return found


def _correlation(ranking: RankReport) -> str:
    for row in ranking.correlations:
        if row.method == "win_rate" and row.spearman is not None and row.kendall is not None:
            return (
                f"Against the ranking by {row.reference}, over {row.systems} systems:"
                f" Spearman {row.spearman:.2f}, Kendall tau-b {row.kendall:.2f}."
            )
    return ""
