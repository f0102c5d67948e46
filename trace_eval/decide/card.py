"""One page about a judge: its record, how far it can be trusted, and for what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from blueprints import UserError, counted
from extractors import limits_of
from trace_eval.data.columns import Columns
from trace_eval.decide.agree import agree_read
from trace_eval.decide.operation import Operation, operation
from trace_eval.decide.saving import Saving
from trace_eval.decide.screen import screen
from trace_eval.decide.verdict import LEAST_PAIRS, Verdict, decide, standing_of, untried
from trace_eval.estimate.interval import Range
from trace_eval.estimate.share import quotient
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
        return quotient(self.scored, self.items) or 0.0

    @property
    def same_in_both_orders(self) -> tuple[int, int] | None:
        """Pairs judged alike in both orders, and pairs judged in both; None: none were.

        Of a run over all dimensions; of a file on the overall label, where it has one.
        """
        ran = self.operation
        if ran is not None and ran.both_orders:
            return ran.consistent, ran.both_orders
        tests = {row.dimension: row.bias for row in self.position if row.bias.pairs}
        for name in MAIN + tuple(reversed(tests)):
            if name in tests:
                bias = tests[name]
                return bias.stable + bias.tied_both, bias.pairs
        return None

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
        if standing is None:
            return None
        return standing.rule, standing.accuracy


def main_score(report: AgreeReport | None) -> JudgeScore | None:
    """Return the score of the overall label."""
    if report is None:
        return None
    scores = {score.dimension: score for score in report.scores}
    for name in MAIN:
        if name in scores:
            return scores[name]
    return None


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
    judges = set(chain.from_iterable(source.raters() for source in read))
    named_probes = probes_of(probes, judges)
    cards: list[Card] = []
    for path, source in sources.items():
        ran = operation(path) if path.is_dir() else None
        source_labels = source.labels if human is None else human
        raters = source.raters()
        stored = path / PROBES_FILE
        probed = named_probes
        if not probed:
            probed = probes_of([stored] if stored.is_file() else [], raters)
        for judge, opinions in raters.items():
            name = judge if len(paths) == 1 else f"{path.name}: {judge}"
            labelled = replace(opinions, labels=source_labels)
            cards.append(_card(name, labelled, ran, probed.get(judge)))
    return cards


def _unnamed_beside_others(instructions: Sequence[object]) -> int:
    """Count unknown instructions beside known ones; 0 where none is known."""
    unnamed = instructions.count(None)
    if unnamed == len(instructions):
        return 0
    return unnamed


def _card(
    name: str,
    one: Opinions,
    ran: Operation | None,
    probes: ProbeReport | None,
) -> Card:
    judge = next(iter(one.raters()))
    labels = one.labels
    unknown: list[str] = []
    report, calibration = _agreement(one, unknown)
    score = main_score(report)
    corrected = None
    if report is not None and score is not None:
        corrected = report.corrected(score)
    run = gather(one, None if report is None else labels)
    table = run.table
    ids = set(table.ids.tolist())
    if report is not None and labels is not None:
        ids.update(labels.ids.tolist())
    items = ran.pairs if ran else len(ids)
    scored = int(run.scored.sum())
    tested = report.position if report else positions(judge, table)
    tests = tuple(row for row in tested if row.bias.pairs)
    both_orders = max((row.bias.pairs for row in tests), default=0)
    if ran and ran.both_orders:
        both_orders = min(both_orders, ran.both_orders)
    instructions = list(table.facts.get("instruction_id", ()))
    unnamed = _unnamed_beside_others(instructions)
    unknown += _unknown(
        both_orders,
        score,
        unnamed=unnamed,
        pairs=len(instructions),
        unprobed=judge if probes is None else None,
    )
    verdict = decide(
        score,
        quotient(scored, items) or 0.0,
        position_p=min((row.bias.p for row in tests), default=None),
        warnings=report.warnings if report else one.warnings,
        both_orders=both_orders,
        corrected=None if corrected is None else corrected.labels,
    )
    limits: dict[str, str] = {}
    if ran:
        limits = {name: limits_of(name) for name in ran.extractors.values()}
    saving = None
    if report is not None and run.usable.any():
        saving = screen(run).saving
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
        limits=limits,
        verdict=verdict,
        unknown=tuple(unknown),
        saving=saving,
    )


def _agreement(
    one: Opinions, unknown: list[str]
) -> tuple[AgreeReport | None, Calibration | None]:
    """Compute agreement and calibration, or None with a note on what is missing."""
    agreement = "agreement with human labels"
    if one.labels is None:
        unknown.append(f"{agreement}: there are no labels; give some with --labels")
        return None, None
    try:
        report = agree_read(one, one.labels, AgreeOptions(missing="drop"))
    except UserError as error:
        unknown.append(f"{agreement}: {error}")
        return None, None
    try:
        return report, calibrate(gather(one, one.labels))
    except UserError as error:
        unknown.append(f"calibration: {error}")
        return report, None


def _loudness(run: LabelledRun) -> LoudnessBias | None:
    a = run.table.facts.get("loudness_a")
    b = run.table.facts.get("loudness_b")
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
    both_orders: int,
    score: JudgeScore | None,
    unnamed: int,
    pairs: int,
    unprobed: str | None,
) -> Iterator[str]:
    """Yield the measurements that are missing, beside agreement and calibration.

    Args:
        both_orders: pairs that were judged in both orders.
        unnamed: pairs whose instruction is not named.
        unprobed: the judge that was not probed; None: it was.
    """
    if both_orders < LEAST_PAIRS:
        judged = "no pair was"
        if both_orders:
            judged = counted(both_orders, "pair was", "pairs were")
        yield (
            f"position bias: {judged} judged in both orders, {LEAST_PAIRS} are needed"
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
    values: set[object] = set()
    for name in names:
        if name in run.table.facts:
            values.update(filter(None, run.table.facts[name].tolist()))
    return len(values) or None
