"""Settings of published protocols, by name.

A preset fills in what the user did not choose; see
:class:`~trace_eval.judges.options.JudgeOptions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    # TRACE (arXiv 2601.13742), as its released code asks and reads: one call per pair.
    "trace_paper": {
        "rendering": "paper",
        "elicitation": "flat",
        "swap": "off",
        "samples": 1,
        "sampling": "server",
        "structure": "json_object",
        "repair": False,
    },
}

#: Presets for judges that listen; the others are for judges that read blueprints.
FOR_LISTENERS = frozenset({"audiojudge", "style_paper"})
