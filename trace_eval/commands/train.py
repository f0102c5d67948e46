"""``trace-eval train``: judges that are fitted on people's ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import Seed

app = typer.Typer(
    name="train", help="Fit judges on people's ratings.", no_args_is_help=True, add_completion=False
)


@app.command("fusion")
def fusion(
    ratings: Annotated[
        Path,
        typer.Argument(help="People's ratings: id, rater, score (CSV, JSONL), or labelled items."),
    ],
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="[RUN]...", help="Runs of rate, or files.")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(help="Runs of rate, or files of scores; several may follow."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the fused judge.")] = Path("fused"),
    rubric: Annotated[
        str | None, typer.Option(help="Name or file of the rubric, where there are several.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Fit one judge from several: each calibrated, then weighted by what it is worth."""
    from trace_eval.agreement.scores.train_fusion import train_fusion, training_tables
    from trace_eval.commands.render import print_tables, stdout_console

    found = train_fusion(ratings, [*(runs or ()), *(more or ())], out, rubric, seed)
    console = stdout_console()
    print_tables(training_tables(found), console)
    console.print(found.verdict, markup=False, highlight=False)
    console.print(f"wrote {found.path}", markup=False, highlight=False)
