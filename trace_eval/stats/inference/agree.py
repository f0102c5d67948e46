"""``agree`` with what few labels of people say about all judged pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from blueprints import UserError
from fusion import Policy
from trace_eval.data.labels import LABEL_COLUMNS, MISSING, LabelTable
from trace_eval.runs.fuse import load_policy
from trace_eval.stats.agreement.evaluate import ALL_POLICIES, AgreeOptions, AgreeReport
from trace_eval.stats.agreement.evaluate import agree as plain_agree
from trace_eval.stats.agreement.source import JudgedSource
from trace_eval.stats.agreement.tables import agree_tables
from trace_eval.stats.agreement.tabular import Table
from trace_eval.stats.inference.calibrate import Calibration, calibrate
from trace_eval.stats.inference.evidence import gather
from trace_eval.stats.inference.shares import ShareRow, share_rows
from trace_eval.stats.inference.tables import calibration_tables, share_table
from trace_eval.stats.inference.win_rates import describe


@dataclass(frozen=True)
class PoweredAgreement(AgreeReport):
    """Agreement, and people's shares over all judged pairs.

    Attributes:
        shares: empty: every judged pair has a label.
        design: how the labels were drawn, in words.
        calibrations: P(people prefer A) of every judge, where it was asked for.
    """

    shares: tuple[ShareRow, ...] = ()
    design: str = ""
    calibrations: tuple[Calibration, ...] = ()


def agree(
    sources: Sequence[JudgedSource],
    labels: LabelTable | None = None,
    options: AgreeOptions | None = None,
    *,
    calibrated: bool = False,
) -> PoweredAgreement:
    """See :func:`trace_eval.stats.agreement.evaluate.agree`.

    Args:
        sources: judgements.
        labels: people's; null: those of the first source that has some.
        options: see there.
        calibrated: also fit P(people prefer A) of every judge, and compare it with the rules
            that need no fit.
    """
    options = options or AgreeOptions()
    report = plain_agree(sources, labels, options)
    rows: list[ShareRow] = []
    design, left_out = "", dict[str, None]()
    if labels is None:
        labels = next((source.labels for source in sources if source.labels), None)
    policy = policy_of(options)
    for source in sources:
        for judge, table in source.judgements.raters().items():
            for column in LABEL_COLUMNS:
                if column not in table.codes or labels is None or column not in labels.codes:
                    continue
                said = labels.ids[labels.codes[column] != MISSING]
                if len(set(said.tolist())) >= len(table):
                    continue  # every judged pair has a label: nothing to estimate
                try:
                    evidence = gather(source, labels, judge=judge, policy=policy, dimension=column)
                except UserError as error:  # probabilities of some labels only
                    left_out[str(error)] = None
                    continue
                if evidence.drawn.problem is not None:
                    left_out[evidence.drawn.problem] = None
                    continue
                found = list(share_rows(evidence, options.bootstrap.level, options.cluster))
                if found:
                    asked = evidence.usable
                    design = describe(evidence.design(asked, options.cluster), options.cluster)
                    if evidence.drawn.caption is not None:
                        design = f"{design}; {evidence.drawn.caption}"
                rows += found
    told = {part.name: getattr(report, part.name) for part in fields(report)}
    why = tuple(f"people over all judged pairs: left out: {reason}" for reason in left_out)
    told["notes"] = (*report.notes, *why)
    return PoweredAgreement(
        **told,
        shares=tuple(rows),
        design=design,
        calibrations=tuple(_calibrations(sources, labels, options)) if calibrated else (),
    )


def _calibrations(
    sources: Sequence[JudgedSource], labels: LabelTable | None, options: AgreeOptions
) -> Iterator[Calibration]:
    policy = policy_of(options)
    for source in sources:
        for judge in source.judgements.raters():
            evidence = gather(source, labels, judge=judge, policy=policy)
            draw = options.bootstrap
            found = calibrate(evidence, options.folds, draw.level, draw.seed, options.baselines)
            yield replace(found, probabilities={})  # `fuse --calibrated` writes them


def policy_of(options: AgreeOptions) -> Policy | None:
    """The one policy to fuse with; null: the stored labels."""
    name = options.policy
    return None if name is None or name == ALL_POLICIES else load_policy(name)


def tables(report: PoweredAgreement) -> Iterator[Table]:
    """All tables, those of few labels last."""
    yield from agree_tables(report)
    if report.shares:
        yield share_table(report.shares, report.options.bootstrap.level, report.design)
    for found in report.calibrations:
        yield from calibration_tables(found)
