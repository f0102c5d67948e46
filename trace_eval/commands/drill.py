"""``trace-eval drill``: a judge under injected orders, and where outcomes are known."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from blueprints import counted
from trace_eval.commands.console import say
from trace_eval.commands.options import run_options
from trace_eval.commands.render import print_tables
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.data.input_options import InputOptions
from trace_eval.runs.options import Options
from trace_eval.show.table import grid

app = typer.Typer(name="drill", help="Test a judge itself.", no_args_is_help=True)

Pairs = Annotated[str, typer.Argument(help="Manifest of pairs, or its URL.")]
Out = Annotated[Path, typer.Option(help="Output folder; continued if it exists.")]


@app.command()
@from_classes
@run_options
def injection(
    *,
    pairs: Pairs,
    out: Out,
    reading: Annotated[InputOptions, ("audio_root", "limit")],
    options: Options,
) -> None:
    """Put 40 kinds of orders into what a judge reads; print how many verdicts flip."""
    from trace_eval.data.manifests import read_manifest
    from trace_eval.runs.probe.injection import drill_injection
    from trace_eval.runs.probe.report import LIMITS_BY

    manifest = read_manifest(pairs, reading.audio_root, None, reading.limit)
    report = drill_injection(manifest, out, options)
    title = f"verdicts of {report.judge} that flip towards the attacker"
    note = (
        f"{counted(report.unscored, 'trial')} left no verdict;"
        f" {counted(report.skipped, 'pair')} had none before; low, high: {LIMITS_BY};"
        " all attacks on an instruction are one unit"
    )
    rows = []
    for name, share, limits in report.rows():
        low, high = (None, None) if isinstance(limits, str) else limits
        rows.append((name, share.count, share.of, share.value, low, high))
    columns = ("attack, place", "flips", "trials", "share", "low", "high")
    print_tables([grid(title, columns, rows, note)])
    give(report)


@app.command(name="judge")
@from_classes
@run_options
def probe(
    *,
    pairs: Pairs,
    out: Out,
    reading: Annotated[InputOptions, ("audio_root", "limit")],
    options: Options,
) -> None:
    """Change recordings so that verdicts are known; print how many the judge gives."""
    from trace_eval.data.manifests import read_manifest
    from trace_eval.decide.card_page import probe_table
    from trace_eval.runs.probe.probes import drill_judge

    manifest = read_manifest(pairs, reading.audio_root, None, reading.limit)
    report = drill_judge(manifest, out, options)
    say(report.sentence)
    print_tables([probe_table(report)])
    for text in report.left_out:
        say(f"left out: {text}")
    give(report)
    probes = shlex.quote(str(out))
    say(f"for the card of this judge: trace-eval card RUN --probes {probes}")
