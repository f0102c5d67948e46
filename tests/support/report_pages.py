"""Reading a report: in a browser that is watched for errors, and as a program would."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from benchmarks.synthetic_run import Recipe

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@contextmanager
def opened(browser: Browser, address: str, **how: Any) -> Iterator[Page]:
    """Open a page; any error or request to elsewhere fails the test."""
    page = browser.new_page(**how)
    page.set_default_timeout(90_000)  # a busy machine is slow, not wrong
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on(
        "console",
        lambda said: trouble.append(said.text) if said.type == "error" else None,
    )
    page.on(
        "request",
        lambda sent: None if sent.url.startswith("file:") else trouble.append(sent.url),
    )
    page.goto(address)
    yield page
    assert page.evaluate("window.hacked") is None
    page.close()
    assert trouble == []


def fragment(html: str, name: str) -> str:
    """Return the deferred fragment ``c0``, ``p0``, ..."""
    match = re.search(
        rf'<script type="text/plain" id="{name}">([A-Za-z0-9+/=]*)</script>', html
    )
    assert match, name
    return zlib.decompress(base64.b64decode(match[1])).decode()


def index(html: str) -> list[dict[str, Any]]:
    """Return what the page's script knows of every pair."""
    match = re.search(
        r'<script type="application/json" id="index">(.*?)</script>', html
    )
    assert match
    parsed: list[dict[str, Any]] = json.loads(match[1])
    return parsed


class Elements(HTMLParser):
    """Start tags with their attributes, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


#: An id and a transcript that try to leave every context they are written into.
HOSTILE_ID = "q\"1' </script><b>&amp; #?% \u2028 é/.."
HOSTILE_TEXT = (
    "<script>window.hacked=1</script> <img src=x onerror=window.hacked=1>"
    " </p></b></template><!-- &lt; \u2028 {{7*7}} \" ' end"
)

#: Twelve pairs, each with a recording of one second; the 4th, 8th and 12th have no
#: rating.
RECIPE = Recipe(
    12, seconds=1.0, samples=2, ids=(HOSTILE_ID,), texts=(HOSTILE_TEXT,), failing=4
)

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
)
