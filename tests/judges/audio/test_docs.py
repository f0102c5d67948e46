"""The picture and the numbers of docs/audio-judges.md are those of the code."""

from __future__ import annotations

import importlib.util

from tests.support.cli import ROOT
from trace_eval.judges.options.judge_options import PRESETS
from trace_eval.judges.views.text.tasks import task_names


def test_the_picture_is_what_its_script_draws() -> None:
    path = ROOT / "docs" / "make_strategies.py"
    spec = importlib.util.spec_from_file_location("make_strategies", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "strategies.svg").read_text() == module.picture()


def test_every_task_and_preset_is_told_of() -> None:
    text = (ROOT / "docs" / "audio-judges.md").read_text()
    for name in (*task_names(), *PRESETS):
        assert f"`{name}`" in text or f"-J preset={name}" in text, name
