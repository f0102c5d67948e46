"""Clips into blueprints: one clip, its cache, and the engines that run many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.extracting.cache import audio_folder, conversations_folder
    from trace_eval.extracting.clip import Extracted
    from trace_eval.extracting.engine import Engine, each
    from trace_eval.extracting.event_loop import complete
    from trace_eval.extracting.provenance import environment, now
    from trace_eval.extracting.ray.cluster import INSTALL
    from trace_eval.extracting.source import ClipSource
    from trace_eval.extracting.start import (
        ExtractionJob,
        check_available,
        engine_of,
        extract,
        extract_each,
        extractors_of,
        source_from,
        source_of,
    )
    from trace_eval.extracting.workers import end_if_imported_by_worker
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "INSTALL",
    "ClipSource",
    "Engine",
    "Extracted",
    "ExtractionJob",
    "audio_folder",
    "check_available",
    "complete",
    "conversations_folder",
    "each",
    "end_if_imported_by_worker",
    "engine_of",
    "environment",
    "extract",
    "extract_each",
    "extractors_of",
    "now",
    "source_from",
    "source_of",
]
