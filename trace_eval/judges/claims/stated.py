"""A claim of a reason, as it was read and before it is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trace_eval.judges.claims.measures import Measure

#: How a number or a comparison relates the values of the sides that it names.
Relation = Literal[
    "is",
    "over",
    "under",
    "between",
    "pair",
    "either",
    "any",
    "more",
    "not_more",
    "same",
    "apart",
    "times",
    "says",
    "course",
]


@dataclass(frozen=True)
class StatedClaim:
    """One claim of a reason, before it is checked.

    Attributes:
        kind: number, comparison or quotation.
        text: the words of the clause.
        relation: of the values, e.g. ``more``: the first place has more than the
            second; ``pair``: two values, one of each answer, without saying whose is
            which; ``either``: the same beside a comparison that says it; ``any``: a
            value that some answer has, of a measure with its unit.
        places: ``1`` or ``2``, in the order of the relation; one for an absolute value,
            empty where the reason does not say which; of a pair first the answer that
            was spoken of.
        measure: that it is about; None: it names none.
        numbers: as printed; two for ``between`` and ``pair``.
        unit: of the numbers.
        sign: 1 for more, -1 for less, 0 where no way is said.
        hedged: the number is said to be about so much; of steps, to be better and not
            more.
        negated: the quotation is said to be missing, or the values not to be the same.
        of_user: the quotation is of the request.
        spoken: the quotation is said to be words of the answer.
        at: the place of the number, comparative or quotation in the plain text.
        at_side: the name of the answer stands right beside the number.
        beside: the measure is named right beside the number; of steps in all, voice
            quality is named before them.
        doubt: why the words may mean something else; empty: they are plain.
    """

    kind: Literal["number", "comparison", "quotation"]
    text: str
    relation: Relation
    places: tuple[str, ...] = ()
    measure: Measure | None = None
    numbers: tuple[str, ...] = ()
    unit: str = ""
    sign: int = 0
    hedged: bool = False
    negated: bool = False
    of_user: bool = False
    spoken: bool = False
    at: int = 0
    at_side: bool = False
    beside: bool = False
    doubt: str = ""
