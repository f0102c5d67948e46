"""Whether the judge prefers the answer with more words where human labels are ties.

Among pairs that people call a tie and whose transcripts differ by a margin of tokens (5 of
GPT-2's in the published test): shares of longer, shorter and tie. A verdict that could not be
read is no tie: it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.paired import sign_test
from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes
from trace_eval.show.table import column, p_of, share_of

#: Tokens by which two transcripts must differ.
MARGIN = 5


@dataclass(frozen=True)
class Verbosity:
    """Human ties with unequal transcripts, by what the judge made of them.

    Attributes:
        items: such pairs with a verdict; ``unscored`` more have none.
        p: exact two-sided sign test of ``longer`` against ``shorter``.
    """

    items: int = field(metadata=column("pairs"))
    longer: int = field(metadata=column(shown=share_of("items")))
    shorter: int = field(metadata=column(shown=share_of("items")))
    tied: int = field(metadata=column("tie", share_of("items")))
    unscored: int
    p: float = field(metadata=column("sign test p", p_of("items")))

    def share(self, count: int) -> float | None:
        """A count as a share of the pairs with a verdict."""
        return count / self.items if self.items else None


def verbosity(
    truth: Codes,
    predicted: Codes,
    tokens_a: NDArray[Any],
    tokens_b: NDArray[Any],
    margin: int = MARGIN,
) -> Verbosity:
    """Count and test; pairs of unknown length are left out."""
    truth, predicted = collapse_codes(truth), collapse_codes(predicted)
    with np.errstate(invalid="ignore"):
        apart = np.abs(tokens_a - tokens_b) >= margin  # False where NaN
        a_longer = tokens_a > tokens_b
    requested = (truth == TIE) & apart
    available = requested & (predicted != MISSING)
    tied = int((available & (predicted == TIE)).sum())
    longer = int((available & (predicted == np.where(a_longer, 0, 1))).sum())
    items = int(available.sum())
    shorter = items - tied - longer
    unscored = int(requested.sum()) - items
    return Verbosity(items, longer, shorter, tied, unscored, sign_test(longer, shorter))
