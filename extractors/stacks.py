"""Which stretches of sound go through a network together, so that nothing is padded.

Padding changes the values of the shorter clips (an ECAPA's by 0.003 for 3 s beside 6 s), and
a score would depend on its neighbours. Equal lengths need none.
"""

from __future__ import annotations

from collections.abc import Sequence

from extractors.audio import SPEECH_RATE, Samples

#: Sound in one forward pass, seconds: an ECAPA of the published size takes about 1 GB for a
#: minute.
MAX_STACK_S = 240.0


def equal_lengths(parts: Sequence[Samples], at_most: int) -> list[list[int]]:
    """Indices of equally long parts, in stacks; those that nothing equals are alone.

    Args:
        parts: sound at 16 kHz, each float32 [shape=(n,)].
        at_most: parts in a stack; also no stack of two or more is longer than
            :data:`MAX_STACK_S`.

    >>> import numpy as np
    >>> equal_lengths([np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(3)], 2)
    [[0, 2], [3], [1]]
    """
    by_length: dict[int, list[int]] = {}
    for index, part in enumerate(parts):
        by_length.setdefault(len(part), []).append(index)
    stacks = []
    for length, indices in by_length.items():
        size = max(1, min(at_most, int(MAX_STACK_S * SPEECH_RATE) // max(1, length)))
        stacks += [indices[start : start + size] for start in range(0, len(indices), size)]
    return stacks
