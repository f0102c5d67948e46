"""The picture of docs/how-to/listening.md is that of the code."""

from __future__ import annotations

import importlib.util

from tests.support.cli import ROOT


def test_the_picture_is_what_its_script_draws() -> None:
    path = ROOT / "docs" / "make_strategies.py"
    spec = importlib.util.spec_from_file_location("make_strategies", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "strategies.svg").read_text() == module.picture()
