"""Judge ``rules``: named thresholds over blueprints; no model, no network, no chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.rules.handling import TurnsJudge
    from trace_eval.judges.rules.judge import CAVEAT, VERSION, RulesJudge
    from trace_eval.judges.rules.requests import DeliveryRequest, find_requests
    from trace_eval.judges.rules.thresholds import Thresholds
    from trace_eval.judges.rules.vocabulary import RequestKind
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "CAVEAT",
    "VERSION",
    "DeliveryRequest",
    "RequestKind",
    "RulesJudge",
    "Thresholds",
    "TurnsJudge",
    "find_requests",
]
