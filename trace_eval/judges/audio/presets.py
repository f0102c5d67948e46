"""Settings of published protocols by name; what the user sets himself wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from trace_eval.judges.options import JudgeOptions

#: Preset -> option -> value.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    # AudioJudge (arXiv 2507.12705): plain labels, everything joined, both orders.
    "audiojudge": {
        "task": "s2s",
        "concat": "all",
        "signals": "spoken",
        "swap": "both",
        "samples": 1,
        "temperature": 0.0,
        "max_tokens": 800,
    },
    # Audio-aware LLMs as judges for speaking styles (arXiv 2506.05984).
    "style_paper": {"samples": 5, "temperature": 1.0, "top_p": 0.9, "max_tokens": 256},
}


def with_preset(options: JudgeOptions) -> JudgeOptions:
    """The options with the values of their preset where they still have their defaults."""
    if options.preset is None:
        return options
    defaults = {field.name: field.default for field in fields(JudgeOptions)}
    values = {
        name: value
        for name, value in PRESETS[options.preset].items()
        if getattr(options, name) == defaults[name]
    }
    return replace(options, **values, preset=None)
