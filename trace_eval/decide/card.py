"""One page about a judge: its record, how far it can be trusted, and for what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from blueprints import UserError, counted
from extractors import limits_of
from trace_eval.data.columns import Columns
from trace_eval.decide.agree import agree_read
from trace_eval.decide.operation import Operation, operation
from trace_eval.decide.saving import Saving
from trace_eval.decide.screen import screen
from trace_eval.decide.verdict import LEAST_PAIRS, Verdict, decide, standing_of, untried
from trace_eval.estimate.interval import Range
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.opinions import read_with_labels
from trace_eval.runs.probe.report import FILE as PROBES_FILE
from trace_eval.runs.probe.report import ProbeReport, probes_of
from trace_eval.stats.agreement.bias import length_bias
from trace_eval.stats.agreement.judges import fused_by
from trace_eval.stats.agreement.levels import RuleCeiling, human_ceiling
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.agreement.position import PositionRow, positions
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.inference.calibrate import Calibration, calibrate
from trace_eval.stats.inference.labelled_run import LabelledRun, gather
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.report import AgreeReport


@dataclass(frozen=True)
class LoudnessBias:
    """The judge's verdicts on the pairs that raters call a tie; exact sign test."""

    human_ties: int
    louder: int
    quieter: int
    tied: int
    p: float


@dataclass(frozen=True)
class Card:
    """Everything that the page shows of one judge.

    Attributes:
        operation: None: a file of judgements, which keeps no records.
        policy: that fused the overall label; None: there is none.
        items: pairs of the run; of a file those that it or the labels name.
        systems, instructions: how many are named; None: none are.
        unnamed: pairs whose instruction is not named, where others' are.
        position: tests of position bias, with or without labels.
        agreement: None: no labels.
        ceiling: agreement among annotators; None: one rater.
        loudness: preference for the louder answer among human ties; None: levels
            unknown.
        calibration: None: too few labels.
        probes: sanity probes of the judge; None: none were given.
        limits: extractor -> what it cannot measure.
        unknown: sentences on measurements that the data does not allow.
        saving: what a screening with its defaults takes off annotators; None: nothing
            is labelled.
    """

    name: str
    source: str
    judge: str
    policy: str | None
    items: int
    scored: int
    systems: int | None
    instructions: int | None
    unnamed: int
    position: tuple[PositionRow, ...]
    operation: Operation | None
    agreement: AgreeReport | None
    ceiling: RuleCeiling | None
    loudness: LoudnessBias | None
    calibration: Calibration | None
    probes: ProbeReport | None
    limits: dict[str, str]
    verdict: Verdict
    unknown: tuple[str, ...]
    saving: Saving | None = None

    @property
    def coverage(self) -> float:
        """Share of the items that were scored."""
        return self.scored / self.items if self.items else 0.0

    @property
    def same_in_both_orders(self) -> tuple[int, int] | None:
        """Pairs judged alike in both orders, and pairs judged in both; None: none were.

        Of a run over all dimensions; of a file on the overall label, where it has one.
        """
        ran = self.operation
        if ran is not None and ran.both_orders:
            return ran.consistent, ran.both_orders
        rows = {
            row.dimension: row.bias for row in reversed(self.position) if row.bias.pairs
        }
        if not rows:
            return None
        result = next(
            (rows[name] for name in MAIN if name in rows), next(iter(rows.values()))
        )
        return result.stable + result.tied_both, result.pairs

    @property
    def main(self) -> JudgeScore | None:
        """Agreement on the overall label."""
        return main_score(self.agreement)

    @property
    def accuracy(self) -> tuple[float | None, Range | None]:
        """Return the overall label's accuracy, corrected for how labels were drawn."""
        if self.main is None:
            return None, None
        result = self.main.accuracy
        if self.agreement is not None:
            result = self.agreement.accuracy_of(self.main)
        return result.value, result.interval

    @property
    def accuracy_method(self) -> str | None:
        """What made the interval of that accuracy; None where there is none."""
        if self.main is None or self.agreement is None:
            return None
        corrected = self.agreement.corrected(self.main)
        return self.main.accuracy.method if corrected is None else corrected.method

    @property
    def rule(self) -> tuple[str, float] | None:
        """The best trivial rule on the same pairs."""
        standing = standing_of(self.main) if self.main else None
        return (standing.rule, standing.accuracy) if standing else None


def main_score(report: AgreeReport | None) -> JudgeScore | None:
    """Return the score of the overall label."""
    scores = {score.dimension: score for score in report.scores} if report else {}
    return next((scores[name] for name in MAIN if name in scores), None)


def make_cards(
    paths: Sequence[Path],
    labels: Path | Opinions | None = None,
    probes: Sequence[Path] = (),
    columns: Columns | None = None,
) -> list[Card]:
    """Make a card for each judge of every run or file.

    Args:
        labels: human labels, or the file of them; None: those inside each run.
        probes: results of ``trace-eval drill judge``; one in a run's folder need not be
            named.
        columns: how the files name their columns and labels.

    Raises:
        UserError: a run or a result of probes cannot be read, or is of none of the
            judges.
    """
    read, human = read_with_labels(paths, labels, columns)
    sources = dict(zip(paths, read, strict=True))
    judges = {judge for source in sources.values() for judge in source.raters()}
    named = probes_of(probes, judges)
    cards = []
    for path, source in sources.items():
        ran = operation(path) if path.is_dir() else None
        raters = source.raters()
        stored = path / PROBES_FILE
        probed = named or probes_of([stored] if stored.is_file() else [], raters)
        for judge in raters:
            name = judge if len(paths) == 1 else f"{path.name}: {judge}"
            one = replace(
                raters[judge], labels=source.labels if human is None else human
            )
            cards.append(_card(name, one, ran, probed.get(judge)))
    return cards


def _card(
    name: str,
    one: Opinions,
    ran: Operation | None,
    probes: ProbeReport | None,
) -> Card:
    judge, labels = next(iter(one.raters())), one.labels
    unknown: list[str] = []
    report, calibration = _agreement(one, unknown)
    score = main_score(report)
    corrected = None if report is None or score is None else report.corrected(score)
    run = gather(one, None if report is None else labels)
    table = run.table
    labelled_ids = (
        set() if report is None or labels is None else set(labels.ids.tolist())
    )
    items = ran.pairs if ran else len(labelled_ids.union(table.ids.tolist()))
    scored = int(run.scored.sum())
    tested = report.position if report else positions(judge, table)
    tests = tuple(row for row in tested if row.bias.pairs)
    both = max((row.bias.pairs for row in tests), default=0)
    both = min(both, ran.both_orders) if ran and ran.both_orders else both
    lines = [name is not None for name in run.table.facts.get("instruction_id", ())]
    unnamed = len(lines) - sum(lines) if any(lines) else 0
    unknown += _unknown(
        both,
        score,
        unnamed=unnamed,
        pairs=len(lines),
        unprobed=judge if probes is None else None,
    )
    return Card(
        name=name,
        source=table.source,
        judge=judge,
        policy=fused_by(one),
        items=items,
        scored=scored,
        systems=_distinct(run, "system_a", "system_b"),
        instructions=_distinct(run, "instruction_id"),
        unnamed=unnamed,
        position=tests,
        operation=ran,
        agreement=report,
        ceiling=None if labels is None else human_ceiling(labels),
        loudness=_loudness(run) if report else None,
        calibration=calibration,
        probes=probes,
        limits={e: limits_of(e) for e in (ran.extractors.values() if ran else ())},
        verdict=decide(
            score,
            scored / items if items else 0.0,
            position_p=min((row.bias.p for row in tests), default=None),
            warnings=report.warnings if report else one.warnings,
            both_orders=both,
            corrected=None if corrected is None else corrected.labels,
        ),
        unknown=tuple(unknown),
        saving=screen(run).saving if report is not None and run.usable.any() else None,
    )


def _agreement(
    one: Opinions, unknown: list[str]
) -> tuple[AgreeReport | None, Calibration | None]:
    """Compute agreement and calibration, or None with a note on what is missing."""
    what, report = "agreement with human labels", None
    if one.labels is None:
        unknown.append(f"{what}: there are no labels; give some with --labels")
        return None, None
    options = AgreeOptions(missing="drop")
    try:
        report = agree_read(one, one.labels, options)
        what = "calibration"
        return report, calibrate(gather(one, one.labels))
    except UserError as error:
        unknown.append(f"{what}: {error}")
        return report, None


def _loudness(run: LabelledRun) -> LoudnessBias | None:
    a, b = (run.table.facts.get(f"loudness_{side}") for side in "ab")
    if a is None or b is None:
        return None
    loud = length_bias(
        run.truth, run.codes, length_a=a, length_b=b, unit=run.table.units()
    )
    return LoudnessBias(
        human_ties=loud.human_ties,
        louder=loud.longer,
        quieter=loud.shorter,
        tied=loud.tied,
        p=loud.p,
    )


def _unknown(
    both: int, score: JudgeScore | None, unnamed: int, pairs: int, unprobed: str | None
) -> Iterator[str]:
    """Yield the measurements that are missing, beside agreement and calibration.

    ``both`` pairs were judged in both orders, the instruction of ``unnamed`` is not
    named, ``unprobed`` is the judge.
    """
    if both < LEAST_PAIRS:
        yield (
            f"position bias: {both or 'no'} pair{'s were' if both > 1 else ' was'}"
            f" judged in both orders, {LEAST_PAIRS} are needed"
        )
    if score is not None:
        yield from untried(score)
    if unnamed:
        yield f"instructions: not named for {unnamed} of {counted(pairs, 'pair')}"
    if unprobed is not None:
        yield (
            "sanity probes: run trace-eval drill judge PAIRS --out DIR --judge"
            f" {unprobed}, then this with --probes DIR"
        )


def _distinct(run: LabelledRun, *names: str) -> int | None:
    columns = [run.table.facts[name] for name in names if name in run.table.facts]
    known_values = {
        value for column in columns for value in np.asarray(column).tolist() if value
    }
    return len(known_values) or None
