"""Command-line options that several commands share, with the library's own defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints.errors import UserError
from trace_eval.options import ExtractOptions

Profile = Annotated[str, typer.Option(help="Named set of extractors: screen or paper.")]
Extractor = Annotated[
    list[str] | None,
    typer.Option(
        "--extractor", "-x", metavar="GROUP=SPEC",
        help="Replace one extractor, e.g. pitch=pyin, transcript=whisper:base, emotion=none.",
    ),
]  # fmt: skip
Cache = Annotated[Path | None, typer.Option(help="Cache folder; default: the user's cache folder.")]
Workers = Annotated[
    int | None, typer.Option(help="Worker processes; 0: none; default: one per core.")
]
MaxSeconds = Annotated[float, typer.Option(help="Refuse longer recordings, seconds.")]
AudioRoot = Annotated[
    Path | None, typer.Option(help="Folder of relative audio paths; default: the manifest's.")
]


def extract_options(
    profile: str,
    extractor: list[str] | None,
    cache: Path | None,
    workers: int | None,
    max_seconds: float,
) -> ExtractOptions:
    """The library's options from the command line's."""
    overrides: dict[str, Any] = {}
    for item in extractor or []:
        group, separator, spec = item.partition("=")
        if not separator or not group or not spec:
            raise UserError(f"--extractor {item!r}: write GROUP=SPEC, e.g. pitch=pyin")
        overrides[group] = spec
    return ExtractOptions(profile, overrides, cache, workers, max_seconds)
