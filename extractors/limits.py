"""Bounds that callers need to know without importing a decoder."""

from __future__ import annotations

#: Longest clip that is decoded unless the caller allows more, seconds. An S2S answer is
#: seconds to minutes long; hours mean a wrong file, and would cost hours of recognition.
MAX_SECONDS = 1800.0

#: Shortest stretch that the voice activity detector calls speech, seconds (Silero's default).
MIN_SPEECH_S = 0.25
