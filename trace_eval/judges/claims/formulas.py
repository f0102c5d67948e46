"""Sides in a formula: "SIG: answer 1 = answer 2 + 1.9"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from trace_eval.judges.claims.sentences import Sentence, named
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.tokens import Token
from trace_eval.judges.claims.values import Value, fits, value_claim

_PLUS = re.compile(r" ?(?P<sign>[-+]) ?")


def formulas(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield the difference of "answer 1 = answer 2 + 1.9" of a measure named before."""
    keys = {token.value for token in sentence.whole.of("measure")}
    numbers = sentence.whole.of("number")
    if len(keys) != 1 or len(numbers) != 1 or sentence.asks:
        return
    (key,), (number,) = keys, numbers
    if not fits(key, number.unit):
        return
    for (one, first), (two, second) in pairwise(named(sentence, sentence.whole)):
        if first == second or sentence.words(one.end, two.start).strip() != "=":
            continue
        sign = _sign(sentence, two, number)
        if sign:
            value = Value(number, key, number.unit)
            claim = value_claim(sentence, value, "apart", (first, second))
            yield replace(claim, sign=sign, numbers=(number.digits.lstrip("+-"),))


def _sign(sentence: Sentence, side: Token, number: Token) -> int:
    """Return how a number is added to a side right before it; 0: it is not."""
    if number.start == side.end + 1 and number.digits[:1] in ("+", "-"):
        return 1 if number.digits[0] == "+" else -1
    match = _PLUS.fullmatch(sentence.words(side.end, number.start))
    if match is None:
        return 0
    return 1 if match["sign"] == "+" else -1
