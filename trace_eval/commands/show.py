"""``trace-eval show``: one blueprint for people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands import options as shared
from trace_eval.options import ExtractOptions


@shared.extract_options
def show(
    *,
    clip: Annotated[Path, typer.Argument(help="A recording.")],
    format: Annotated[str, typer.Option(help="people, json, paper or compact.")] = "people",
    extracting: ExtractOptions,
) -> None:
    """Show what is known of one recording, with its contours drawn in the terminal."""
    from trace_eval.api import blueprint
    from trace_eval.commands.show_blueprint import print_blueprint

    here = replace(extracting, workers=0)
    print_blueprint(blueprint(clip, here), format, title=str(clip))
