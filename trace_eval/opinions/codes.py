"""What labels are called as numbers, and the columns that a table of opinions may have."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fusion import DIMENSIONS
from trace_eval.data import spelling

Codes = NDArray[np.int8]

#: Every label by its code, see :data:`spelling.LABELS`.
LABELS: tuple[str, ...] = spelling.LABELS

#: Code of a missing label.
MISSING = -1

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


#: How sure a judge was (the more the surer, but for ``entropy``, in bits), its own probability
#: of A, and how far A is ahead.
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

#: What a judge (in judgements) or people (in labels) gave each answer, on any scale.
SCORE_FACTS = ("score_a", "score_b")


#: Every fact with a meaning of its own; others are numbers that were asked for by name.
FACTS = frozenset({*TEXT_FACTS, *NUMBER_FACTS, *CERTAINTY_FACTS, *DESIGN_FACTS, *SCORE_FACTS})
