"""Several clips through one faster-whisper: all their windows are decoded together.

The library's loop runs for each clip with a stand-in for CTranslate2's model
(:mod:`extractors.loops`), until it wishes for a window to be decoded. Encoded and
aligned are windows one by one: there the network has enough to do with one. The same
words are written as one by one, to the last digit of their scores, for integers add up
to the same in any order and the rest is computed row by row.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from extractors.loops import Loop, by_turns
from extractors.recognised import Decoded
from extractors.short_windows import as_array

#: Recognises one clip with the ``WhisperModel``, or its stand-in, that it is given.
Hear = Callable[[Any], Decoded]

#: Values of encoded sound that are decoded at once: of tiny.en 384 for each of 50
#: positions a second, so that eight windows of 20 s fit. What the decoder keeps of a
#: position takes 12 kB there, and more in the square of the width.
MAX_VALUES = 8000 * 384


class DecodeRequest(NamedTuple):
    """One encoded window, and how to decode it."""

    encoded: Any  # [shape=(1, positions, width)]
    prompt: list[int]
    options: dict[str, Any]

    def alike(self, other: DecodeRequest) -> bool:
        """Whether both can be decoded together."""
        return (
            list(self.encoded.shape) == list(other.encoded.shape)
            and self.prompt == other.prompt
            and self.options == other.options
        )


def hear_together(model: Any, clips: Sequence[Hear]) -> list[Decoded]:
    """Transcribe each clip as if alone, but for the time that it takes."""
    if len(clips) == 1:
        [hear] = clips
        return [hear(model)]
    loops = [_loop(model, hear) for hear in clips]
    return by_turns(loops, partial(_fulfil, model.model))


def _loop(model: Any, hear: Hear) -> Loop[DecodeRequest, Decoded]:
    """Make the library's loop over one clip, with a stand-in for the model."""

    def run(ask: Callable[[DecodeRequest], Any]) -> Decoded:
        stand_in = copy.copy(model)
        stand_in.model = _StandIn(model.model, ask)
        return hear(stand_in)

    return Loop(run)


class _StandIn:
    """CTranslate2's model, as one clip's loop sees it: decoding becomes a wish."""

    def __init__(self, model: Any, ask: Callable[[DecodeRequest], Any]) -> None:
        self._model = model
        self._ask = ask

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(
        self, encoded: Any, prompts: list[list[int]], **options: Any
    ) -> list[Any]:
        if len(prompts) > 1:  # texts of one sound share their passes already
            results: list[Any] = self._model.generate(encoded, prompts, **options)
            return results
        return [self._ask(DecodeRequest(encoded, prompts[0], options))]


def _fulfil(
    model: Any, wishes: Mapping[Loop[DecodeRequest, Decoded], DecodeRequest]
) -> dict[Loop[DecodeRequest, Decoded], Any]:
    """Decode each window; those that are alike together."""
    groups: list[list[Loop[DecodeRequest, Decoded]]] = []
    for loop, wish in wishes.items():
        _, positions, width = wish.encoded.shape
        room = max(1, MAX_VALUES // (positions * width))
        for group in groups:
            if len(group) < room and wishes[group[0]].alike(wish):
                group.append(loop)
                break
        else:
            groups.append([loop])
    answers: dict[Loop[DecodeRequest, Decoded], Any] = {}
    for group in groups:
        alike = [wishes[loop] for loop in group]
        prompts = [wish.prompt for wish in alike]
        options = alike[0].options
        decoded = model.generate(_stacked(alike), prompts, **options)
        answers.update(zip(group, decoded, strict=True))
    return answers


def _stacked(wishes: Sequence[DecodeRequest]) -> Any:
    """Return the encoded windows as one array of the library."""
    from ctranslate2 import StorageView

    if len(wishes) == 1:
        return wishes[0].encoded
    windows = [as_array(wish.encoded) for wish in wishes]
    return StorageView.from_array(np.concatenate(windows))
