"""``trace-eval drill``: what a judge does with injected orders, and with known outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from blueprints import counted
from fusion import DEFAULT_POLICY
from trace_eval.commands import options as shared
from trace_eval.commands.judging import judge_options
from trace_eval.judges.options import JudgeOptions
from trace_eval.options import DEFAULT_JUDGE, ExtractOptions, Options

app = typer.Typer(name="drill", help="Test a judge itself.", no_args_is_help=True)

Pairs = Annotated[str, typer.Argument(help="Manifest of pairs, or its URL.")]
Out = Annotated[Path, typer.Option(help="Folder of the drill, continued if it is there.")]
Who = Annotated[str, typer.Option("--judge", help="The judge; see trace-eval doctor.")]
First = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first so many pairs.")]


@app.command()
@judge_options
@shared.extract_options
def injection(
    *,
    pairs: Pairs,
    out: Out,
    judge: Who = DEFAULT_JUDGE,
    audio_root: shared.AudioRoot = None,
    limit: First = None,
    extracting: ExtractOptions,
    judging: JudgeOptions,
) -> None:
    """Put 40 kinds of orders into what a judge reads; print how many verdicts flip."""
    from trace_eval.commands.json_option import give
    from trace_eval.data import read_manifest
    from trace_eval.drill import drill_injection

    manifest = read_manifest(pairs, audio_root, None, limit)
    options = Options(extracting, judge, judging, DEFAULT_POLICY)
    report = drill_injection(manifest, out, options)
    title = f"verdicts of {report.judge} that flip towards the attacker"
    note = (
        f"{counted(report.unscored, 'trial')} left no verdict; {counted(report.skipped, 'pair')}"
        " had none before"
    )
    rows = (
        (name, share.count, share.of, share.value, *share.interval())
        for name, share in report.rows()
    )
    _print(title, ("attack, place", "flips", "trials", "share", "low", "high"), rows, note)
    give(report)


@app.command(name="judge")
@judge_options
@shared.extract_options
def probe(
    *,
    pairs: Pairs,
    out: Out,
    judge: Who = DEFAULT_JUDGE,
    audio_root: shared.AudioRoot = None,
    limit: First = None,
    extracting: ExtractOptions,
    judging: JudgeOptions,
) -> None:
    """Change recordings so that the verdict is known; print how often the judge gives it."""
    from trace_eval.commands.console import results
    from trace_eval.commands.json_option import give
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.data import read_manifest
    from trace_eval.drill import drill_judge
    from trace_eval.stats import probe_table

    manifest = read_manifest(pairs, audio_root, None, limit)
    report = drill_judge(manifest, out, Options(extracting, judge, judging, DEFAULT_POLICY))
    print_tables([probe_table(report)], stdout_console())
    for text in report.left_out:
        results().print(f"left out: {text}", markup=False, soft_wrap=True)
    give(report)
    text = f"for the card of this judge: trace-eval card RUN --probes {out}"
    results().print(text, markup=False, soft_wrap=True)


def _print(
    title: str, columns: tuple[str, ...], rows: Iterable[tuple[object, ...]], note: str
) -> None:
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.stats import table

    print_tables([table(title, columns, rows, note)], stdout_console())
