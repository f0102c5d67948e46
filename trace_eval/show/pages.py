"""What all pages share: colours, a style sheet, and how templates are read."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def palette() -> str:
    """Return the colours of every page, as CSS."""
    return _file("palette.css")


def page_style() -> str:
    """Return the style of pages with tables and intervals, as CSS, palette first."""
    return palette() + _file("page.css")


def environment(package: str) -> Environment:
    """Load the templates of a package; they escape everything that is not markup."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _file(name: str) -> str:
    return (files("trace_eval.show") / "static" / name).read_text("utf-8")
