"""``trace-eval show``: one blueprint for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands import options as shared
from trace_eval.options import DEFAULT_PROFILE, ExtractOptions

_DEFAULTS = ExtractOptions()


def show(
    clip: Annotated[Path, typer.Argument(help="A recording.")],
    format: Annotated[str, typer.Option(help="people, json, paper or compact.")] = "people",
    profile: shared.Profile = DEFAULT_PROFILE,
    extractor: shared.Extractor = None,
    cache: shared.Cache = _DEFAULTS.cache,
    max_seconds: shared.MaxSeconds = _DEFAULTS.max_seconds,
) -> None:
    """Show what is known of one recording, with its contours drawn in the terminal."""
    from trace_eval.api import blueprint
    from trace_eval.show import print_blueprint

    options = shared.extract_options(profile, extractor, cache, 0, max_seconds)
    print_blueprint(blueprint(clip, options), format, title=str(clip))
