"""Reading a report as a program would."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from typing import Any


def fragment(html: str, name: str) -> str:
    """The deferred fragment ``c0``, ``p0``, ..."""
    found = re.search(rf'<script type="text/plain" id="{name}">([A-Za-z0-9+/=]*)</script>', html)
    assert found, name
    return zlib.decompress(base64.b64decode(found[1])).decode()


def index(html: str) -> list[dict[str, Any]]:
    """What the page's script knows of every pair."""
    found = re.search(r'<script type="application/json" id="index">(.*?)</script>', html)
    assert found
    parsed: list[dict[str, Any]] = json.loads(found[1])
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
