"""Length bias: does the judge prefer the longer answer where people see no difference?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.paired import sign_test
from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes
from trace_eval.show.table import column, p_of, share_of


@dataclass(frozen=True)
class LengthBias:
    """Human ties, by what the judge made of them.

    Attributes:
        human_ties: pairs that people call a tie, with two known, different lengths.
        longer, shorter: the judge's winner was the longer (shorter) answer.
        tied: the judge saw a tie as well.
        p: exact two-sided sign test of ``longer`` against ``shorter``.
    """

    human_ties: int
    longer: int = field(metadata=column(shown=share_of("human_ties")))
    shorter: int = field(metadata=column(shown=share_of("human_ties")))
    tied: int = field(metadata=column("tie", share_of("human_ties")))
    p: float = field(metadata=column("sign test p", p_of("human_ties")))

    @property
    def share_longer(self) -> float | None:
        """Share of the judge's winners that are the longer answer; None: no winner."""
        winners = self.longer + self.shorter
        return self.longer / winners if winners else None


def length_bias(
    truth: Codes, predicted: Codes, length_a: NDArray[Any], length_b: NDArray[Any]
) -> LengthBias:
    """Count and test; pairs of equal or unknown length are left out."""
    truth, predicted = collapse_codes(truth), collapse_codes(predicted)
    available = (truth == TIE) & (predicted != MISSING)
    a_longer, b_longer = length_a > length_b, length_b > length_a  # False where NaN
    available &= a_longer | b_longer
    tied = int((available & (predicted == TIE)).sum())
    longer = int((available & np.where(a_longer, predicted == 0, predicted == 1)).sum())
    total = int(available.sum())
    shorter = total - tied - longer
    return LengthBias(total, longer, shorter, tied, sign_test(longer, shorter))
