"""Judges: what turns a pair of blueprints into a judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.aggregate import (
        frame,
        labelled_judgement,
        quote,
        swap_back,
        typed_judgement,
    )
    from trace_eval.judges.hearing import check_heard
    from trace_eval.judges.llm import Asked, LLMJudge, Question
    from trace_eval.judges.orders import orders_of
    from trace_eval.judges.parse import Verdicts, parse_reply
    from trace_eval.judges.schema import reply_schema
    from trace_eval.judges.templates import BlockTemplates
    from trace_eval.judges.two_scores import (
        NATURALNESS,
        Form,
        Preference,
        TwoScores,
        form_of,
        preference,
        read_json,
        read_text,
    )
    from trace_eval.judges.voting import vote
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "NATURALNESS",
    "Asked",
    "BlockTemplates",
    "Form",
    "LLMJudge",
    "Preference",
    "Question",
    "TwoScores",
    "Verdicts",
    "check_heard",
    "form_of",
    "frame",
    "labelled_judgement",
    "orders_of",
    "parse_reply",
    "preference",
    "quote",
    "read_json",
    "read_text",
    "reply_schema",
    "swap_back",
    "typed_judgement",
    "vote",
]
