"""Extractors: each fills one group of the blueprint from a decoded clip."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

# Since its version 1.32 onnxruntime reports to its maker how it is used, and keeps an
# identifier of the machine in the user's cache, unless this is set before it is
# imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

if TYPE_CHECKING:
    from extractors.audio import (
        SPEECH_RATE,
        AudioError,
        Clip,
        Part,
        Samples,
        decode,
        opened,
    )
    from extractors.base import SILENCE_DBFS, Extractor, Item, package_version
    from extractors.catalogue import another_recogniser, better_recogniser
    from extractors.containers import has_sound, seconds_of
    from extractors.contours import decibels
    from extractors.device import (
        expects_gpu,
        gpu_count,
        is_gpu,
        loaded,
        resolve,
        torch_problem,
    )
    from extractors.fetch import list_models, verify
    from extractors.formats import AUDIO_SUFFIXES, MAX_SECONDS, formats_read
    from extractors.guard import untouched
    from extractors.model_backed import GPU_BATCH
    from extractors.models import (
        CACHE_VARIABLE,
        Hashes,
        cache_folder,
        expanded,
        file_sha256,
        folder_called,
        is_path,
        known_hashes,
        model_folder,
        prime_hashes,
        sha256_of,
    )
    from extractors.registry import (
        AUTO,
        NONE,
        PROFILES,
        limits_of,
        load,
        plan_extractors,
    )
    from extractors.remedies import option, unmeasured
    from extractors.stamps import READING, Stamp, size_and_mark, stamp_of
    from extractors.stream import channel_blocks
    from extractors.suspect import GUESSED, guess_of, guessed, tokens, weak
    from extractors.vad import CHUNK, SpeechProbability, find_spans
    from extractors.weights import one_line, read_state
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "AUDIO_SUFFIXES",
    "AUTO",
    "CACHE_VARIABLE",
    "CHUNK",
    "GPU_BATCH",
    "GUESSED",
    "MAX_SECONDS",
    "NONE",
    "PROFILES",
    "READING",
    "SILENCE_DBFS",
    "SPEECH_RATE",
    "AudioError",
    "Clip",
    "Extractor",
    "Hashes",
    "Item",
    "Part",
    "Samples",
    "SpeechProbability",
    "Stamp",
    "another_recogniser",
    "better_recogniser",
    "cache_folder",
    "channel_blocks",
    "decibels",
    "decode",
    "expanded",
    "expects_gpu",
    "file_sha256",
    "find_spans",
    "folder_called",
    "formats_read",
    "gpu_count",
    "guess_of",
    "guessed",
    "has_sound",
    "is_gpu",
    "is_path",
    "known_hashes",
    "limits_of",
    "list_models",
    "load",
    "loaded",
    "model_folder",
    "one_line",
    "opened",
    "option",
    "package_version",
    "plan_extractors",
    "prime_hashes",
    "read_state",
    "resolve",
    "seconds_of",
    "sha256_of",
    "size_and_mark",
    "stamp_of",
    "tokens",
    "torch_problem",
    "unmeasured",
    "untouched",
    "verify",
    "weak",
]
