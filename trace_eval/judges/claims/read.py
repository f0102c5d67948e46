"""A reason in words -> the claims in it: comparisons, numbers and quotations.

A claim names places (``1``: the answer that was shown first), never the pair's own sides.
"""

from __future__ import annotations

from collections.abc import Iterable

from trace_eval.judges.claims.comparisons import comparisons
from trace_eval.judges.claims.numbers import numbers
from trace_eval.judges.claims.quotations import quotations
from trace_eval.judges.claims.sentences import sentences
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.tokens import plain, tokens


def claims_of(reason: str, labels: Iterable[str] = ()) -> list[StatedClaim]:
    """Return the claims of one reason, sentence by sentence.

    Args:
        labels: of the emotions and accents that the blueprints score.
    """
    text = plain(reason)
    claims: list[StatedClaim] = []
    for sentence in sentences(text, tokens(text, labels)):
        claims += comparisons(sentence)
        claims += numbers(sentence)
        claims += quotations(sentence)
    return claims
