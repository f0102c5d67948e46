"""``trace-eval fuse``: another policy over a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError
from fusion import DEFAULT_POLICY
from trace_eval.commands.statistics import Labels


def fuse(
    run: Annotated[Path, typer.Argument(help="Run folder of judge.")],
    policy: Annotated[
        str, typer.Option(help="Fusion policy: a name or a 64-row .csv/.json table.")
    ] = DEFAULT_POLICY,
    calibrated: Annotated[
        bool,
        typer.Option(
            "--calibrated", help="Also write P(people prefer A) of every pair, from labels."
        ),
    ] = False,
    labels: Labels = None,
    as_: Annotated[
        str | None,
        typer.Option("--as", help="What the naturalness scores of RUN stand for: voice_quality."),
    ] = None,
    acceptable: Annotated[
        float | None,
        typer.Option(help="With --as: mean score from which an answer is acceptable, e.g. 6."),
    ] = None,
    onto: Annotated[
        Path | None, typer.Option(help="With --as: run whose verdicts on it are replaced.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="With --as: new run folder.")] = None,
) -> None:
    """Fuse again with another policy; nothing is extracted or judged."""
    if as_ or acceptable is not None or onto or out:
        run = _replace(run, as_, acceptable, onto, out)
    from trace_eval.commands.tables import print_results
    from trace_eval.runs.fuse import fuse_again

    fuse_again(run, policy)
    print_results(run)
    if calibrated:
        _calibrate(run, labels)


def _replace(
    run: Path, as_: str | None, acceptable: float | None, onto: Path | None, out: Path | None
) -> Path:
    from trace_eval.runs.preferred_as import VOICE_QUALITY, write_as_voice_quality

    if as_ != VOICE_QUALITY or acceptable is None or onto is None or out is None:
        raise UserError(
            "as, acceptable, onto, out: go together: --as voice_quality --acceptable 6"
            " --onto JUDGED --out NEW"
        )
    write_as_voice_quality(run, onto, out, acceptable)
    return out


def _calibrate(run: Path, labels: Path | None) -> None:
    from trace_eval.commands.console import results
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.conclude.probabilities import calibrate_run
    from trace_eval.conclude.tables import calibration_tables
    from trace_eval.data.labels import read_labels

    found, paths = calibrate_run(run, read_labels(labels) if labels else None)
    print_tables(calibration_tables(found), stdout_console())
    for path in paths:
        results().print(str(path), markup=False, soft_wrap=True)
