"""Bounds that callers need to know without importing a decoder."""

from __future__ import annotations

#: Longest clip that is decoded unless the caller allows more, seconds. An S2S answer is
#: seconds to minutes long; hours mean a wrong file, and would cost hours of recognition.
MAX_SECONDS = 1800.0

#: Samples of all channels that are decoded at most, per second that is allowed: a clip of
#: ``MAX_SECONDS`` at 48 kHz mono. Seconds alone bound nothing: 1.4 MB of FLAC can hold half an
#: hour of silence at 192 kHz in 8 channels, 11 GB of samples.
MAX_SAMPLES_PER_S = 48_000

#: Rate up to which a clip may have all of them, Hz: the product of samples and rate is bounded.
#: 170 kB of FLAC can hold two minutes of silence at 655 kHz, and took 942 MB.
FULL_RATE = 48_000

#: Shortest stretch that the voice activity detector calls speech, seconds (Silero's default).
MIN_SPEECH_S = 0.25
