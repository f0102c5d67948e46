"""The report: one HTML file about a run, to be read, heard and searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.report.answer import run_answer
    from trace_eval.report.audio import AudioAssets, Sound
    from trace_eval.report.page import chip, style
    from trace_eval.report.summary import TITLES
    from trace_eval.report.trackers import send
    from trace_eval.report.write import write_report
else:
    __getattr__ = names_on_use(__name__)

__all__ = ["TITLES", "AudioAssets", "Sound", "chip", "run_answer", "send", "style", "write_report"]
