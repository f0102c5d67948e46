"""Recordings inside of cells: bytes, base64, samples, or where they are."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Mapping, Sequence
from typing import Any

from blueprints import InputError

#: Keys of a recording in a message or cell.
SOUND_KEYS = ("audio", "audio_url", "input_audio", "audio_path", "path", "url", "file")

#: Highest sampling rate and most channels of a WAV file that is read again.
_MOST_HZ, _MOST_CHANNELS = 2**31 - 1, 1024

#: What a recording written into a text begins with.
_DATA_URL = "data:audio/"


def first(record: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the first of these columns that holds anything."""
    return next((name for name in names if record.get(name) not in (None, "")), None)


def recording_of(value: Any) -> Any:
    """Read a record's recording: a path, a URL, or ``{"bytes", "path"}``; or None.

    Messages of chat APIs have base64 beside its ``format``, or ``data:`` URLs; Hugging
    Face has decoded samples (``array``, ``sampling_rate``).

    Raises:
        UserError: base64 that is none, samples that are no numbers, or an odd sampling
            rate.
    """
    if isinstance(value, str):
        if not value.startswith(_DATA_URL):
            return value or None
        head, _, text = value.partition(",")
        return {
            "bytes": _binary(text),
            "path": f"audio.{head[len(_DATA_URL) :].split(';')[0]}",
        }
    if isinstance(value, bytes):
        return {"bytes": value, "path": None}
    if not isinstance(value, Mapping):
        return None
    if value.get("array") is not None:
        data = _wav(value["array"], _rate(value.get("sampling_rate")))
        return {"bytes": data, "path": "audio.wav"}
    if value.get("bytes") is not None:
        return {"bytes": value["bytes"], "path": value.get("path")}
    if isinstance(value.get("data"), str):
        kind = value.get("format")
        return {
            "bytes": _binary(value["data"]),
            "path": f"audio.{kind}" if kind else None,
        }
    inner = first(value, SOUND_KEYS)
    return None if inner is None else recording_of(value[inner])


def _binary(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(
            f"data: expected base64 of a recording ({error}); write it again"
        ) from None


def _rate(value: Any) -> int:
    """Return a sampling rate, Hz."""
    number = (
        value
        if isinstance(value, int | float) and not isinstance(value, bool)
        else None
    )
    if number is None or not 1 <= number <= _MOST_HZ or number != int(number):
        raise InputError(
            f"sampling_rate: expected samples a second from 1 to {_MOST_HZ} (got"
            f" {value!r:.80}); write it as a whole number"
        )
    return int(number)


def _wav(samples: Any, rate: int) -> bytes:
    """Return samples as a file of WAV, which holds 32-bit floats."""
    import numpy as np
    import soundfile

    try:
        result = np.asarray(samples)
        holds_samples = (
            result.dtype.kind in "iuf" and result.ndim in (1, 2) and result.size > 0
        )
    except ValueError:  # rows of unequal length
        holds_samples = False
    if not holds_samples:
        raise InputError(
            "array: expected numbers, a list of samples or a list for each channel (got"
            f" {samples!r:.80}); write the samples, or the path of a file"
        )
    channels_first = result.ndim == 2 and result.shape[0] < result.shape[1]
    channels = 1 if result.ndim == 1 else min(result.shape)
    if channels > _MOST_CHANNELS:
        raise InputError(
            f"array: {channels} channels; mix them down to {_MOST_CHANNELS} at most"
        )
    with np.errstate(over="ignore"):  # infinite samples are refused where they are read
        written = (result.T if channels_first else result).astype(np.float32)
    buffer = io.BytesIO()
    soundfile.write(buffer, written, rate, "FLOAT", format="WAV")
    return buffer.getvalue()


def is_cell(value: Any) -> bool:
    """Whether a cell holds a recording itself."""
    if isinstance(value, Mapping):
        return bool(value.keys() & {"array", "data", "input_audio"})
    return isinstance(value, bytes) or (
        isinstance(value, str) and value.startswith(_DATA_URL)
    )
