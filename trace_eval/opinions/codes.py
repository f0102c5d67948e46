"""Labels as numbers, and the columns that a table of opinions may have.

A code below :data:`SPLIT` is one label. The others are sets of labels on which raters
split: each label of a set is right in part. :data:`MISSING` is no label.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fusion import DIMENSIONS
from trace_eval.data import spelling

Codes = NDArray[np.int8]

#: Every label by its code, see :data:`spelling.LABELS`.
LABELS: tuple[str, ...] = spelling.LABELS

#: Code of a missing label.
MISSING = -1

#: Labels with typed ties, and with all ties as one, by their codes.
TYPED, UNTYPED = LABELS[:4], ("1", "2", "tie")

#: Codes of both kinds of ties, and of the tie among :data:`UNTYPED`.
BOTH_GOOD, BOTH_BAD, TIE = 2, 3, 2

#: The first code of a set of labels.
SPLIT = len(LABELS)

#: All subsets of the labels, one row each; a row is the binary number of its index.
_SUBSETS = np.array(list(product((0, 1), repeat=SPLIT)), np.int64)
_PLACES = 1 << np.arange(SPLIT)[::-1]

#: Share of each label by code: all of it, or equal parts of a set [shape=(codes,
#: labels)].
SHARES = np.concatenate([np.eye(SPLIT), _SUBSETS[_SUBSETS.sum(1) > 1]])
SHARES /= SHARES.sum(1, keepdims=True)

#: Points of answer A by code: a win, a loss, a tie of any kind or a split; the last is
#: of a missing label.
POINTS = np.r_[1.0, 0.0, np.full(len(SHARES) - 2, 0.5), np.nan]

#: Code of each subset.
_CODE_OF = np.full(len(_SUBSETS), MISSING, np.int8)
_CODE_OF[(SHARES > 0) @ _PLACES] = np.arange(len(SHARES))

#: Code with all ties as one; the last is of a missing label.
_WINS, _TIES = SHARES[:, :TIE] > 0, (SHARES[:, TIE:] > 0).any(1, keepdims=True)
_COLLAPSED = np.append(
    _CODE_OF[np.c_[_WINS, _TIES] @ _PLACES[: TIE + 1]], MISSING
).astype(np.int8)


def code_of(sets: NDArray[np.bool_]) -> Codes:
    """Return codes of sets of :data:`LABELS` [shape=(n, labels)].

    An empty set is missing.
    """
    return np.asarray(_CODE_OF[sets @ _PLACES])


def collapse_codes(codes: Codes) -> Codes:
    """Return codes of :data:`UNTYPED` and its sets: all ties are one.

    What is missing stays missing.
    """
    return np.asarray(_COLLAPSED[codes])


def flip(codes: Codes) -> Codes:
    """Exchange A and B in labels: winners change place, ties stay."""
    return np.where((codes == 0) | (codes == 1), 1 - codes, codes).astype(np.int8)


def agreed(codes: Codes) -> Codes:
    """Keep the codes on which raters agree; missing where they split."""
    return np.where(codes < SPLIT, codes, MISSING).astype(np.int8)


def is_untyped(codes: Codes) -> bool:
    """Tell whether a column holds a plain ``tie``, so ties cannot be told apart."""
    return bool(_TELLS_NO_TIE[codes].any())


#: Codes with a plain tie; the last is of a missing label.
_TELLS_NO_TIE = np.append(SHARES[:, LABELS.index("tie")] > 0, False)


def label_text(code: int) -> str | None:
    """Return a label by its code, or ``split``; None for a missing one."""
    if code == MISSING:
        return None
    return "split" if code >= SPLIT else LABELS[code]


#: Columns that hold labels; ``preference`` is an overall opinion without typed ties.
LABEL_COLUMNS: tuple[str, ...] = (*DIMENSIONS, "overall", "preference", "match")

#: What a ``match`` may say -> its code: two classes, as of ``1`` and ``2``.
MATCHES: Mapping[str, int] = {"true": 0, "false": 1}

#: Columns that describe an item; ``clip_*`` is an audio hash or a path.
TEXT_FACTS = (
    "instruction_id",
    "category",
    "system_a",
    "system_b",
    "clip_a",
    "clip_b",
    "order",
)

#: Numbers per answer: seconds, LUFS, MOS (1-5), tokens of its transcript.
NUMBER_FACTS = (
    "duration_a",
    "duration_b",
    "loudness_a",
    "loudness_b",
    "mos_a",
    "mos_b",
    "tokens_a",
    "tokens_b",
)

#: How sure a judge was (the more the surer, but for ``entropy``, in bits), its own
#: probability of A, and how far A is ahead.
CERTAINTY_FACTS = (
    "confidence",
    "entropy",
    "consistent",
    "p_a",
    "margin",
    *(f"margin_{name}" for name in DIMENSIONS),
    *(f"consistent_{name}" for name in DIMENSIONS),
)

#: How a label came to be: its probability of being asked for, and seconds that it took.
DESIGN_FACTS = ("inclusion", "seconds")

#: How many reasons of a judge name evidence that can be checked, and how many of those
#: state what is not so; how many claims are in them, and how many of those are true.
REASON_FACTS = ("reasons", "reasons_unsupported", "claims", "claims_true")

#: What a judge (in judgements) or annotators (in labels) gave each answer, on any
#: scale.
SCORE_FACTS = ("score_a", "score_b")

#: Facts of an opinion; others describe its item.
OPINION_FACTS: tuple[str, ...] = (
    CERTAINTY_FACTS + DESIGN_FACTS + REASON_FACTS + SCORE_FACTS
)

#: Every fact with a meaning of its own; others are numbers that were asked for by name.
FACTS = frozenset(TEXT_FACTS + NUMBER_FACTS + OPINION_FACTS)
