"""The embedded judge of single answers: words in common with the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.lexical.judge import LexicalJudge
else:
    __getattr__ = names_on_use(__name__)

__all__ = ["LexicalJudge"]
