"""Whether the judge prefers the longer answer, or more words, where human labels see no difference.

Of words: among pairs that raters call a tie and whose transcripts differ by a margin of tokens (5
of GPT-2's in the published test), shares of longer, shorter and tie. A verdict that could not be
read is no tie: it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.paired import sign_test
from trace_eval.opinions.codes import MISSING, TIE, Codes, collapse_codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import column, p_of, share_of
from trace_eval.stats.agreement.bias.position import self_mask
from trace_eval.stats.agreement.judges import JudgeOpinions


@dataclass(frozen=True)
class LengthBias:
    """Human ties, by what the judge made of them.

    Attributes:
        human_ties: pairs that annotators call a tie, with two known, different lengths.
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
    apart = (length_a > length_b) | (length_b > length_a)  # False where NaN
    _, longer, shorter, tied = _counted(truth, predicted, apart, length_a > length_b)
    total = longer + shorter + tied
    return LengthBias(total, longer, shorter, tied, sign_test(longer, shorter))


def _counted(
    truth: Codes, predicted: Codes, apart: NDArray[np.bool_], a_longer: NDArray[np.bool_]
) -> tuple[int, int, int, int]:
    """(unscored, longer, shorter, tied) of the pairs that annotators call a tie."""
    asked = (collapse_codes(truth) == TIE) & apart
    said = collapse_codes(predicted)[asked]
    tied, unscored = int((said == TIE).sum()), int((said == MISSING).sum())
    longer = int((said == np.where(a_longer[asked], 0, 1)).sum())
    return unscored, longer, len(said) - unscored - tied - longer, tied


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
    with np.errstate(invalid="ignore"):
        apart = np.abs(tokens_a - tokens_b) >= margin  # False where NaN
        unscored, *said = _counted(truth, predicted, apart, tokens_a > tokens_b)
    longer, shorter, tied = said
    p = sign_test(longer, shorter)
    return Verbosity(longer + shorter + tied, longer, shorter, tied, unscored, p)


@dataclass(frozen=True)
class LengthRow:
    """Length bias of a judge."""

    judge: str
    dimension: str
    bias: LengthBias


@dataclass(frozen=True)
class VerbosityRow:
    """Preference for more words, of a judge."""

    judge: str
    dimension: str
    bias: Verbosity


def length_rows(judge: JudgeOpinions, items: Opinions) -> Iterator[LengthRow]:
    """Per dimension, without self-comparisons; nothing where no duration is known."""
    for dimension, columns in _by_dimension(judge, items, "duration"):
        yield LengthRow(judge.name, dimension, length_bias(*columns))


def verbosity_rows(judge: JudgeOpinions, items: Opinions) -> Iterator[VerbosityRow]:
    """Per dimension, without self-comparisons; nothing where no transcript's length is known."""
    for dimension, columns in _by_dimension(judge, items, "tokens"):
        yield VerbosityRow(judge.name, dimension, verbosity(*columns))


def _by_dimension(
    judge: JudgeOpinions, items: Opinions, fact: str
) -> Iterator[tuple[str, tuple[Codes, Codes, NDArray[Any], NDArray[Any]]]]:
    """Dimension -> truth, prediction and both lengths, as what counts them takes them."""
    a, b = (judge.joined.facts.get(f"{fact}_{side}") for side in "ab")
    if a is None or b is None:
        return
    apart = self_mask(judge.joined.facts, len(items))
    for dimension, truth in items.agreed.items():
        predicted = judge.joined.codes.get(dimension)
        if predicted is not None:
            kept = np.where(apart, MISSING, truth).astype(np.int8)
            yield dimension, (kept, predicted, a, b)
