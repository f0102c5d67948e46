"""What every extractor with a model promises, whichever model that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from blueprints import Status
from extractors import device
from extractors.base import Extractor
from tests.support.model_parts import (
    SENTENCE,
    known,
    measured,
    silence,
    unspoken,
    voice,
)

#: What the tiny models hear in every voice.
HEARD: dict[str, Callable[[Any], bool]] = {
    "whisper": lambda found: found.text == SENTENCE,
    "emotion2vec": lambda found: found.top == "happy",
    "ecapa": lambda found: len(found.similarities) == 16,
}


@pytest.mark.parametrize(("rate", "channels"), [(8000, 1), (44_100, 2), (16_000, 2)])
def test_any_rate_and_channels(extractor: Extractor, rate: int, channels: int) -> None:
    assert HEARD[extractor.name](measured(extractor, voice(2.0, rate, channels)))


def test_nothing_is_heard_where_nobody_speaks_and_no_model_is_loaded(
    extractor: Extractor,
) -> None:
    for blueprint, clip, status in (
        (known(silence()), silence(), Status.SILENT),
        (unspoken(voice(1.0)), voice(1.0), Status.NO_SPEECH),
        (known(voice(0.1)), voice(0.1), Status.TOO_SHORT),
    ):
        absent = extractor.extract(clip, blueprint)
        assert absent.status is status
    assert device._MODELS == {}
