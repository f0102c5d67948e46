"""``trace-eval doctor``: what can run here, and why not."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from blueprints import UserError
from trace_eval.commands.console import EXIT_INCOMPLETE, say
from trace_eval.commands.options import ConfigOption, judge_options
from trace_eval.commands.result_files import give
from trace_eval.judges.options.judge_options import JudgeOptions


@judge_options
def doctor(
    *,
    judge: Annotated[
        str | None,
        typer.Option(
            help=(
                "Ask this judge's server, with a tiny call and an easy pair; list its"
                " options."
            )
        ),
    ] = None,
    probe: Annotated[
        bool,
        typer.Option(
            "--probe",
            help="Check with six calls whether a judge that listens can hear.",
        ),
    ] = False,
    config: ConfigOption = None,
    judging: JudgeOptions,
) -> None:
    """Show what is installed, and which extractors and judges can run here.

    With --judge: check it, and list the options that it has.
    """
    from trace_eval.api.doctor import diagnose, diagnose_judge, options_of_judge
    from trace_eval.commands.tables import print_checks, print_options

    if judge is None:
        result = diagnose()
        say(f"trace-eval {result.version}, {result.machine}")
        for title, checks in result.sections.items():
            say("")
            print_checks(title, checks)
        give(result)
        return
    checks = diagnose_judge(judge, judging, probe)
    give(checks)
    print_checks(judge, checks)
    with suppress(UserError):  # why it cannot be made is among the checks
        print_options(options_of_judge(judge, judging))
    if not all(check.ok for check in checks):
        raise typer.Exit(EXIT_INCOMPLETE)
