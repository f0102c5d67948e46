"""English words of numbers, and what they are worth."""

from __future__ import annotations

_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen"
    " fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

#: Word -> number, below twenty.
BELOW_TWENTY = {word: number for number, word in enumerate(_BELOW_TWENTY.split())}

#: Word -> number, of the tens from twenty on.
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
