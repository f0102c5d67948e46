"""Whether the answers of one system keep one voice: a measure of a run, not of a pair."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from blueprints import Absent, Blueprint, Extension, Signal, counted
from trace_eval.data.measures.numbers import PairMeasure
from trace_eval.data.measures.pair import COSINE, SPEAKER

#: Fewer answers of one bandwidth say nothing of a system's voice.
LEAST_ANSWERS = 8

#: Of sound up to this frequency voices are compared with each other only, Hz: telephones.
_NARROW_HZ = 4500.0


def likeness_to_others(answers: Mapping[str, Blueprint]) -> dict[str, PairMeasure]:
    """Return how alike the voice of each answer is to the mean of a system's others.

    In wide band, of 4 s and more, an answer under .59 is probably in another voice; the
    answer that is least alike is the one to listen to first.

    Args:
        answers: blueprints of one system's answers, by item.

    Returns:
        A cosine by item, or why there is none: the voice was not measured, or fewer than
        eight answers have this bandwidth and this network.
    """
    vectors: dict[str, np.ndarray] = {}
    measures: dict[str, PairMeasure] = {}
    kinds: dict[str, tuple[str, int]] = {}
    for item, blueprint in answers.items():
        group = blueprint.group(SPEAKER)
        if isinstance(group, Absent):
            reason = f"group {SPEAKER}: {group.reason}"
            measures[item] = PairMeasure.without(COSINE, reason)
            continue
        numbers = group.values.get("embedding") if isinstance(group, Extension) else None
        if not isinstance(numbers, list):
            measures[item] = PairMeasure.without(COSINE, f"group {SPEAKER}: has no direction")
            continue
        vectors[item] = np.array(numbers, float)
        kinds[item] = _band(blueprint), len(numbers)
    for item, vector in vectors.items():
        others = [vectors[one] for one in vectors if one != item and kinds[one] == kinds[item]]
        if len(others) + 1 < LEAST_ANSWERS:
            reason = (
                f"{counted(len(others) + 1, 'answer')} in {kinds[item][0]} band;"
                f" {LEAST_ANSWERS} are needed to know the system's voice"
            )
            measures[item] = PairMeasure.without(COSINE, reason)
            continue
        mean = np.sum(others, axis=0)
        cosine = float(vector @ mean / np.linalg.norm(vector) / np.linalg.norm(mean))
        measures[item] = PairMeasure(value=round(cosine, 4), unit=COSINE)
    return {item: measures[item] for item in answers}


def _band(blueprint: Blueprint) -> str:
    """Return ``narrow`` for the bandwidth of a telephone, else ``wide``."""
    signal = blueprint.signal
    if isinstance(signal, Signal) and signal.bandwidth_hz is not None:
        return "narrow" if signal.bandwidth_hz <= _NARROW_HZ else "wide"
    return "wide"
