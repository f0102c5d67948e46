"""``trace-eval agree``: how far judges agree with human labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.render import LabelsOption, Output, print_report
from trace_eval.commands.signatures import from_classes
from trace_eval.data.columns import Columns
from trace_eval.stats.options import AgreeOptions


@dataclass(frozen=True)
class AgreeOutput(Output):
    """The options of printed tables, and a policy.

    Attributes:
        save_policy: write the learned table as CSV, for --policy. Implies
            --learn-policy.
    """

    save_policy: Path | None = None


@from_classes
def agree(
    *,
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="Run folders, or CSV/JSONL/JSON files of judgements or scores."
        ),
    ],
    labels: LabelsOption = None,
    options: AgreeOptions,
    columns: Columns,
    output: AgreeOutput,
) -> None:
    """Compare judges with human labels: accuracy, kappa, alpha, bias and label noise.

    Of scores of single answers: correlation, error, calibration and uncertainty.
    """
    from trace_eval.decide.agree import agree as agree_with
    from trace_eval.decide.gates import report_values
    from trace_eval.stats.agreement.learn import write_policy
    from trace_eval.stats.report import AgreeReport

    if output.save_policy:
        options = replace(options, learn=True)
    report = agree_with(sources, labels, options, columns)
    values = report_values(report)
    output.check(values)
    print_report(report, output.csv, output.full)
    if output.save_policy and isinstance(report, AgreeReport):
        write_policy(output.save_policy, report.learned[0])
    output.close(values)
