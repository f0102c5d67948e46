"""Recordings inside of cells: bytes, base64, samples, or where they are."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Mapping, Sequence
from typing import Any

from blueprints import UserError

#: Keys of a recording in a message or cell.
SOUND_KEYS = ("audio", "audio_url", "input_audio", "audio_path", "path", "url", "file")

#: What a recording written into a text begins with.
_DATA_URL = "data:audio/"


def first(record: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of these columns that holds anything."""
    return next((name for name in names if record.get(name) not in (None, "")), None)


def recording_of(value: Any) -> Any:
    """A recording as records hold it: a path, a URL, or ``{"bytes", "path"}``; None: none.

    Messages of chat APIs have base64 beside its ``format``, or ``data:`` URLs; Hugging Face has
    decoded samples (``array``, ``sampling_rate``).

    Raises:
        UserError: base64 that is none.
    """
    if isinstance(value, str):
        if not value.startswith(_DATA_URL):
            return value or None
        head, _, text = value.partition(",")
        return {"bytes": _binary(text), "path": f"audio.{head[len(_DATA_URL) :].split(';')[0]}"}
    if isinstance(value, bytes):
        return {"bytes": value, "path": None}
    if not isinstance(value, Mapping):
        return None
    if "array" in value and value.get("sampling_rate"):
        return {"bytes": _wav(value["array"], int(value["sampling_rate"])), "path": "audio.wav"}
    if value.get("bytes") is not None:
        return {"bytes": value["bytes"], "path": value.get("path")}
    if isinstance(value.get("data"), str):
        kind = value.get("format")
        return {"bytes": _binary(value["data"]), "path": f"audio.{kind}" if kind else None}
    inner = first(value, SOUND_KEYS)
    return None if inner is None else recording_of(value[inner])


def _binary(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UserError(f"data: expected base64 of a recording ({error}); write it again") from None


def _wav(samples: Any, rate: int) -> bytes:
    import numpy as np
    import soundfile

    result = np.asarray(samples, dtype=np.float32)
    buffer = io.BytesIO()
    channels_first = result.ndim == 2 and result.shape[0] < result.shape[1]
    soundfile.write(buffer, result.T if channels_first else result, rate, "FLOAT", format="WAV")
    return buffer.getvalue()


def is_cell(value: Any) -> bool:
    """Whether a cell holds a recording itself."""
    if isinstance(value, Mapping):
        return bool(value.keys() & {"array", "data", "input_audio"})
    return isinstance(value, bytes) or (isinstance(value, str) and value.startswith(_DATA_URL))
