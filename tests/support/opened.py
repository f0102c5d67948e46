"""A page in a browser, watched for errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@contextmanager
def opened(browser: Browser, address: str, **how: Any) -> Iterator[Page]:
    """A page; any error or request to elsewhere fails the test."""
    page = browser.new_page(**how)
    page.set_default_timeout(90_000)  # a busy machine is slow, not wrong
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    page.on(
        "request",
        lambda sent: None if sent.url.startswith("file:") else trouble.append(sent.url),
    )
    page.goto(address)
    yield page
    assert page.evaluate("window.hacked") is None
    page.close()
    assert trouble == []
