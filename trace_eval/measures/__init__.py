"""Measures over a pair's blueprints beside the ratings: text errors, speaker similarity."""

from trace_eval.measures.measure import Measure, PairMeasures
from trace_eval.measures.pair import measure_item, measure_pair, pair_languages
from trace_eval.measures.speaker import speaker_similarity
from trace_eval.measures.text import WHISPER_EN, TextErrors, text_errors, whisper_en

__all__ = [
    "WHISPER_EN",
    "Measure",
    "PairMeasures",
    "TextErrors",
    "measure_item",
    "measure_pair",
    "pair_languages",
    "speaker_similarity",
    "text_errors",
    "whisper_en",
]
