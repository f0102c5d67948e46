"""One page about a judge: what it did, how far it can be trusted, and for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from blueprints import UserError
from trace_eval.agreement.bootstrap import BootstrapOptions
from trace_eval.agreement.evaluate import AgreeOptions, AgreeReport, agree
from trace_eval.agreement.interval import Range
from trace_eval.agreement.score import JudgeScore
from trace_eval.agreement.source import JudgedSource, read_source
from trace_eval.conclude.calibrate import Calibration, calibrate
from trace_eval.conclude.ceiling import Ceiling, human_ceiling
from trace_eval.conclude.evidence import gather
from trace_eval.conclude.known_limits import limit_of
from trace_eval.conclude.loudness import LoudnessBias, loudness_bias
from trace_eval.conclude.operation import Operation, operation
from trace_eval.conclude.probes import FILE as PROBES_FILE
from trace_eval.conclude.probes import ProbeReport, probes_of
from trace_eval.conclude.verdict import Verdict, best_rule, decide
from trace_eval.data.labels import LabelTable

#: Dimension whose agreement the verdict is about, the first that there is.
MAIN = ("overall", "preference")


@dataclass(frozen=True)
class Card:
    """Everything that the page shows of one judge.

    Attributes:
        operation: null: a file of judgements, which keeps no records.
        systems, instructions: how many are named; null: none are.
        agreement: null: no labels.
        ceiling: agreement among people; null: one rater.
        loudness: preference for the louder answer among human ties; null: levels unknown.
        calibration: null: too few labels.
        probes: sanity probes of the judge; null: none were given.
        limits: extractor -> what it does not hear.
        unknown: sentences about what nobody can say, for want of data.
    """

    name: str
    source: str
    judge: str
    items: int
    scored: int
    systems: int | None
    instructions: int | None
    operation: Operation | None
    agreement: AgreeReport | None
    ceiling: Ceiling | None
    loudness: LoudnessBias | None
    calibration: Calibration | None
    probes: ProbeReport | None
    limits: dict[str, str]
    verdict: Verdict
    unknown: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Share of the items that were scored."""
        return self.scored / self.items if self.items else 0.0

    @property
    def main(self) -> JudgeScore | None:
        """Agreement on the overall label."""
        return main_score(self.agreement)

    @property
    def accuracy(self) -> tuple[float | None, Range | None]:
        """Of the overall label, with its interval."""
        if self.main is None:
            return None, None
        found = self.main.metrics.get("accuracy_4way") or self.main.metrics["accuracy_3way"]
        return found.value, found.interval

    @property
    def rule(self) -> tuple[str, float] | None:
        """The best trivial rule on the same pairs."""
        return best_rule(self.main) if self.main else None


def main_score(report: AgreeReport | None) -> JudgeScore | None:
    """The score of the overall label."""
    scores = {score.dimension: score for score in report.scores} if report else {}
    return next((scores[name] for name in MAIN if name in scores), None)


def make_cards(
    paths: Sequence[Path],
    labels: LabelTable | None = None,
    resamples: int = 2000,
    probes: Sequence[Path] = (),
) -> list[Card]:
    """A card per judge of every run or file.

    Args:
        probes: results of ``trace-eval drill judge``; one in a run's folder need not be named.

    Raises:
        UserError: a run or a result of probes cannot be read, or is of none of the judges.
    """
    sources = {path: read_source(path) for path in paths}
    judges = {judge for source in sources.values() for judge in source.judgements.raters()}
    named = probes_of(probes, judges)
    found = []
    for path, source in sources.items():
        ran = operation(path) if path.is_dir() else None
        raters = source.judgements.raters()
        stored = path / PROBES_FILE
        probed = named or probes_of([stored] if stored.is_file() else [], raters)
        for judge in raters:
            name = judge if len(paths) == 1 else f"{path.name}: {judge}"
            card = _card(name, judge, source, ran, labels, resamples, probed.get(judge))
            found.append(card)
    return found


def _card(
    name: str,
    judge: str,
    source: JudgedSource,
    ran: Operation | None,
    labels: LabelTable | None,
    resamples: int,
    probes: ProbeReport | None,
) -> Card:
    labels = source.labels if labels is None else labels
    one = JudgedSource(
        source.judgements.raters()[judge],
        labels,
        None if source.opinions is None else source.opinions.raters().get(judge),
        source.policy,
    )
    unknown: list[str] = []
    report = _agreement(one, labels, resamples, unknown)
    score = main_score(report)
    table = one.judgements
    ids = set(table.ids.tolist())
    scored = gather(one, None if labels is None or report is None else labels).scored
    items = ran.pairs if ran else len(ids)
    positions = [row.bias.p for row in report.position] if report else []
    if not positions:
        unknown.append("position bias: no pair was judged in both orders")
    if probes is None:
        unknown.append(
            f"sanity probes: run trace-eval drill judge PAIRS --out DIR --judge {judge}, then this"
            " with --probes DIR"
        )
    return Card(
        name=name,
        source=table.source,
        judge=judge,
        items=items,
        scored=int(scored.sum()),
        systems=_distinct(table, "system_a", "system_b"),
        instructions=_distinct(table, "instruction_id"),
        operation=ran,
        agreement=report,
        ceiling=None if labels is None else human_ceiling(labels),
        loudness=None if labels is None or report is None else loudness_bias(one, labels),
        calibration=_calibration(one, labels, unknown) if report else None,
        probes=probes,
        limits={e: limit_of(e) for e in (ran.extractors.values() if ran else ())},
        verdict=decide(
            score,
            float(scored.sum()) / items if items else 0.0,
            min(positions, default=None),
            report.warnings if report else (),
        ),
        unknown=tuple(unknown),
    )


def _agreement(
    source: JudgedSource, labels: LabelTable | None, resamples: int, unknown: list[str]
) -> AgreeReport | None:
    if labels is None:
        unknown.append("agreement with people: there are no labels; give some with --labels")
        return None
    clustered = "instruction_id" in source.judgements.facts or "instruction_id" in labels.facts
    options = AgreeOptions(BootstrapOptions(resamples), cluster=clustered, missing="drop")
    try:
        return agree([source], labels, options)
    except UserError as error:
        if clustered:  # some instruction is unknown
            try:
                return agree([source], labels, AgreeOptions(options.bootstrap, missing="drop"))
            except UserError:
                pass
        unknown.append(f"agreement with people: {error}")
        return None


def _calibration(
    source: JudgedSource, labels: LabelTable | None, unknown: list[str]
) -> Calibration | None:
    try:
        return calibrate(gather(source, labels))
    except UserError as error:
        unknown.append(f"calibration: {error}")
        return None


def _distinct(table: LabelTable, *names: str) -> int | None:
    columns = [table.facts[name] for name in names if name in table.facts]
    known = {value for column in columns for value in np.asarray(column).tolist() if value}
    return len(known) or None
