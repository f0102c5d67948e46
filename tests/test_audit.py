"""``make audit``: what could not be looked up is never taken for safe."""

from __future__ import annotations

import pytest

from benchmarks.audit import judge

SAFE = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


def test_advisories_fail(capsys: pytest.CaptureFixture[str]) -> None:
    assert judge([SAFE, BAD, UNKNOWN]) == 1
    said = capsys.readouterr().out
    assert "b 2: CVE-1, fixed in 3" in said
    assert "2 packages looked up, 1 with advisories" in said
    assert "1 could not be looked up: c" in said


def test_nothing_looked_up_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert judge([UNKNOWN]) == 2
    assert "nothing is known" in capsys.readouterr().out
    assert judge([SAFE, UNKNOWN]) == 0
