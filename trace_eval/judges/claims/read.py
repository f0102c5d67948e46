"""A reason in words -> the claims in it: comparisons, numbers and quotations.

A claim names places (``1``: the answer that was shown first), never the pair's own
sides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from trace_eval.judges.claims.comparisons import comparisons
from trace_eval.judges.claims.courses import courses, slopes
from trace_eval.judges.claims.cutting import sentences
from trace_eval.judges.claims.formulas import formulas
from trace_eval.judges.claims.labels import labels
from trace_eval.judges.claims.numbers import numbers
from trace_eval.judges.claims.plain import plain
from trace_eval.judges.claims.quotations import quotations
from trace_eval.judges.claims.somewhere import somewhere
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.tokens import tokens
from trace_eval.judges.claims.turning import turned

#: Why nothing is checked that a question says.
ASKED = "is asked, not stated"

#: Why nothing is checked where sides stand in a formula, "1 = 2 + 3 dB" or "2.1:3.3
#: (A:B)".
FORMULA = "stands in a formula"


def claims_of(reason: str, scores: Iterable[str] = ()) -> list[StatedClaim]:
    """Return the claims of one reason, sentence by sentence.

    Args:
        scores: labels of the emotions and accents that the blueprints score.
    """
    text = plain(reason)
    claims: list[StatedClaim] = []
    for sentence in sentences(text, tokens(text, scores)):
        doubt = ""
        if sentence.asks and not sentence.reply:
            doubt = ASKED
        elif sentence.reckons:
            doubt = FORMULA
        for read in (comparisons, slopes, courses, labels, numbers, quotations):
            for claim in read(sentence):
                if sentence.reply == "no":
                    claim = _denied(claim)
                why_not = doubt or claim.doubt or turned(sentence, claim)
                claims.append(replace(claim, doubt=why_not))
        claims += formulas(sentence)
        claims += somewhere(sentence)
    return claims


def _denied(claim: StatedClaim) -> StatedClaim:
    """Return what "no" makes of a claim that a question holds out."""
    if claim.kind == "quotation" and claim.relation == "says":
        return replace(claim, negated=not claim.negated, doubt="")
    if claim.relation == "more":
        return replace(claim, relation="not_more")
    if claim.relation == "same":
        return replace(claim, negated=not claim.negated)
    return replace(claim, doubt=ASKED)
