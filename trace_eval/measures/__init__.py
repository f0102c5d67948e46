"""Measures over a pair's blueprints beside the ratings: text errors, speaker similarity."""

from trace_eval.measures.measure import Measure, PairMeasures
from trace_eval.measures.pair import measure_item, measure_pair
from trace_eval.measures.speaker import speaker_similarity
from trace_eval.measures.text import TextErrors, text_errors

__all__ = [
    "Measure",
    "PairMeasures",
    "TextErrors",
    "measure_item",
    "measure_pair",
    "speaker_similarity",
    "text_errors",
]
