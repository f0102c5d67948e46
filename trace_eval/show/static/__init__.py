"""What all pages share."""

from __future__ import annotations

from importlib.resources import files


def palette() -> str:
    """The colours of every page, as CSS."""
    return _file("palette.css")


def page_style() -> str:
    """How pages with tables and intervals look, as CSS, palette first."""
    return palette() + _file("page.css")


def _file(name: str) -> str:
    return (files("trace_eval.show.static") / name).read_text("utf-8")
