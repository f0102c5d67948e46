"""Judge ``rules``: named thresholds over blueprints; no model, no network, no chance."""

from trace_eval.judges.rules.judge import CAVEAT, VERSION, RulesJudge
from trace_eval.judges.rules.requests import DeliveryRequest, find_requests
from trace_eval.judges.rules.thresholds import Thresholds
from trace_eval.judges.rules.vocabulary import RequestKind

__all__ = [
    "CAVEAT",
    "VERSION",
    "DeliveryRequest",
    "RequestKind",
    "RulesJudge",
    "Thresholds",
    "find_requests",
]
