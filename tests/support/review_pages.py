"""A browser without a screen before the pages of a review."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="pip install '.[review]'")
pytest.importorskip("python_multipart", reason="pip install '.[review]'")
pytest.importorskip("httpx", reason="pip install '.[test]'")

from fastapi.testclient import TestClient

from trace_eval.review.app import create_app
from trace_eval.review.security import Access
from trace_eval.review.session import Review

BASE = "http://127.0.0.1:8765"


def client_of(review: Review, name: str = "", **access: Any) -> TestClient:
    """Open a browser; with a name, sign its rater in."""
    given = {"host": "127.0.0.1", "port": 8765, "secret": review.store.secret, **access}
    app = create_app(review, Access(**given))
    client = TestClient(app, base_url=BASE, follow_redirects=False)
    if name:
        reply = client.post("/rater", data={"csrf": csrf(client), "name": name})
        assert (reply.status_code, reply.headers["location"]) == (303, "/review")
    return client


def csrf(client: TestClient, path: str = "/") -> str:
    """Return the token of the forms of a session."""
    match = re.search(r'name="csrf" value="([0-9a-f]+)"', client.get(path).text)
    assert match
    return match[1]
