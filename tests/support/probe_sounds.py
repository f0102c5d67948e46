"""What the tests of probe and others share."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
import soundfile

from tests.support.servers import Asked


def sounds(asked: Asked) -> list[np.ndarray[Any, Any]]:
    parts = [
        part
        for message in asked.body["messages"]
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part["type"] == "input_audio"
    ]
    data = (base64.b64decode(part["input_audio"]["data"]) for part in parts)
    return [soundfile.read(io.BytesIO(one))[0] for one in data]
