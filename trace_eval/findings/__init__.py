"""What a run says, as objects of a notebook: tables, a data frame, a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.findings.finding import Finding, palette
    from trace_eval.findings.results import (
        Page,
        agreement_of,
        card_of,
        comparison_of,
        page_of,
        ranking_of,
        results_of,
        screening_of,
    )
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "Finding",
    "Page",
    "agreement_of",
    "card_of",
    "comparison_of",
    "page_of",
    "palette",
    "ranking_of",
    "results_of",
    "screening_of",
]
