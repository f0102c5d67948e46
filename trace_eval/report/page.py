"""Data to HTML: the template environment, and what is embedded in the page."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from fusion import DIMENSIONS
from trace_eval.conversations.findings import KINDS
from trace_eval.estimate.interval import in_a_clause
from trace_eval.estimate.share import digits
from trace_eval.report.evidence import label, value
from trace_eval.report.summary import TITLES
from trace_eval.report.timeline import HEIGHT, LABEL, POINTS, WAVE
from trace_eval.report.timing import TIMING_NAMES
from trace_eval.show.pages import environment, page_style
from trace_eval.stats.sentences import rate

#: Characters that could end a script element, open a comment, or end a line in old
#: parsers.
_UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}

#: Rating -> (class, text). Colour is never the only sign: the text says the same.
_CHIPS = {
    "1": ("a", "1 · A"),
    "2": ("b", "2 · B"),
    "both_good": ("g", "both good"),
    "both_bad": ("x", "both bad"),
    "tie": ("t", "tie"),
}


@cache
def templates(package: str = "trace_eval.report") -> Environment:
    """Load the templates of a package, with the filters and names of reports."""
    env = environment(package)
    env.filters.update(
        chip=chip,
        embedded=embedded,
        label=label,
        number=number,
        duration=duration,
        plain=plain,
        pretty=lambda result: json.dumps(result, indent=2, ensure_ascii=False),
        title_of=lambda name: TITLES.get(name, label(name)),
        value=value,
    )
    env.globals.update(TIMING_NAMES, rate=rate, digits=digits, in_a_clause=in_a_clause)
    env.globals.update(width=POINTS, height=HEIGHT, label_height=LABEL)
    env.globals.update(wave_middle=LABEL + WAVE // 2)
    return env


def pieces(template: str, *scripts: str, css: str = "", **values: Any) -> Iterator[str]:
    """Generate a page, piece by piece, with nothing in it from elsewhere.

    Args:
        scripts: joined in this order; one more runs in the head of every page.
        css: a style sheet beside those of all pages.
    """
    head, code = asset("theme.js"), Markup("").join(map(asset, scripts))
    page = templates().get_template(template)
    return page.generate(
        style=style() + (asset(css) if css else ""),
        head_script=head,
        script=code,
        policy=content_policy(head, code),
        **values,
    )


def plain(text: str) -> str:
    """Put dimensions, findings and the statements of judges and rules in words."""
    for name in (*DIMENSIONS, *KINDS):
        text = text.replace(name, label(name))
    return text


def asset(name: str) -> Markup:
    """Read a file of ``static/``, as it is."""
    return Markup((files("trace_eval.report") / "static" / name).read_text("utf-8"))


def style() -> Markup:
    """Return the style sheet of reports, what all pages share first."""
    return Markup(page_style()) + asset("report.css") + asset("lanes.css")


def content_policy(*code: Markup) -> str:
    """Write the Content-Security-Policy: these scripts and nothing from a network."""
    allowed: list[str] = []
    for script in code:
        digest = hashlib.sha256(script.encode()).digest()
        allowed.append(f"'sha256-{base64.b64encode(digest).decode()}'")
    return (
        f"default-src 'none'; script-src {' '.join(allowed)}; style-src 'unsafe-inline';"
        " media-src 'self' file: blob:; img-src data:; base-uri 'none'; form-action"
        " 'none'"
    )


def embedded(data: Any) -> Markup:
    """Write JSON for a script element, escaping what could break out of it.

    That is ``<``, ``>``, ``&``, U+2028 and U+2029.
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_UNSAFE))


def deferred(name: str, html: str) -> Markup:
    """Deflate a fragment that is inserted on demand, to keep 1,000 pairs small."""
    deflated = zlib.compress(html.encode("utf-8", "replace"), 9)
    text = base64.b64encode(deflated).decode()
    return Markup('<script type="text/plain" id="{}">{}</script>\n').format(name, text)


def chip(rating: object) -> Markup:
    """Show a rating as a coloured label."""
    if rating is None or rating == "":
        return Markup('<span class="chip n">–</span>')
    name, text = _CHIPS.get(str(rating), ("n", str(rating)))
    return Markup('<span class="chip {}">{}</span>').format(name, text)


def number(value: float | None, digits: int = 2) -> str:
    """Print a number with fixed decimals; an en dash for None."""
    return "–" if value is None else f"{value:.{digits}f}"


def duration(seconds: float | None) -> str:
    """Print seconds: 4.2 s, 3 min 10 s, 2 h 05 min."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
