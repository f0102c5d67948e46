"""Cosine between the speaker embeddings of two clips."""

from __future__ import annotations

import math

from blueprints import Absent, Blueprint, Extension
from trace_eval.measures.measure import PairMeasure

#: Group that ``speaker:MODEL`` fills.
GROUP = "speaker"
UNIT = "cosine, -1 to 1"


def speaker_similarity(a: Blueprint, b: Blueprint) -> PairMeasure:
    """How alike two voices are; over about 0.25 the VoxCeleb ECAPA says the same speaker.

    Both embeddings must come from the same model; others have nothing to do with each other.
    """
    vectors = []
    for side in (a, b):
        result = side.group(GROUP)
        if isinstance(result, Absent):
            return PairMeasure.without(UNIT, f"group {GROUP}: {result.reason}")
        vector = result.values.get("embedding") if isinstance(result, Extension) else None
        if not isinstance(vector, list):
            return PairMeasure.without(UNIT, f"group {GROUP} has no embedding")
        vectors.append([float(str(value)) for value in vector])
    sources = [side.provenance.get(GROUP) for side in (a, b)]
    if sources[0] != sources[1] or len(vectors[0]) != len(vectors[1]):
        return PairMeasure.without(UNIT, "the two embeddings come from different models")
    dot = sum(x * y for x, y in zip(*vectors, strict=True))
    return PairMeasure(value=dot / math.prod(math.hypot(*vector) for vector in vectors), unit=UNIT)
