"""Measures over a pair's blueprints beside the ratings: text errors, speaker similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.measures.language import asked_language, is_unsure, languages_of
    from trace_eval.measures.measure import Measure, PairMeasures
    from trace_eval.measures.numbers import number_in, place_named, place_of
    from trace_eval.measures.pair import measure_item, measure_pair, pair_languages
    from trace_eval.measures.speaker import GROUP, speaker_similarity
    from trace_eval.measures.text import WHISPER_EN, TextErrors, text_errors, whisper_en
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "GROUP",
    "WHISPER_EN",
    "Measure",
    "PairMeasures",
    "TextErrors",
    "asked_language",
    "is_unsure",
    "languages_of",
    "measure_item",
    "measure_pair",
    "number_in",
    "pair_languages",
    "place_named",
    "place_of",
    "speaker_similarity",
    "text_errors",
    "whisper_en",
]
