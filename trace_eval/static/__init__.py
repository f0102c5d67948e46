"""What all pages share."""

from __future__ import annotations

from importlib.resources import files


def palette() -> str:
    """The colours of every page, as CSS."""
    return (files("trace_eval.static") / "palette.css").read_text("utf-8")
