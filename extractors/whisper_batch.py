"""Several clips through one Whisper: windows of all of them share forward passes.

The library's loop (seeking, thresholds, rising temperature, word times) runs for each
clip with a stand-in for the model (:mod:`extractors.loops`), until it wishes for a
window to be decoded or a language to be detected. Equal wishes go through the model
together. The batch gets narrower as clips end. The word alignment, which installs hooks
on the model, runs undisturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from extractors.loops import Loop, by_turns
from extractors.recognised import Decoded

#: Recognises one clip with the model, or its stand-in, that it is given.
HearClip = Callable[[Any], Decoded]


class LoopRequest(NamedTuple):
    """A request of a decoding loop to the model."""

    mel: Any  # one window of 30 s [shape=(n_mels, 3000)]
    options: Any  # how to decode it; None: detect its language


def hear_together(model: Any, clips: Sequence[HearClip]) -> list[Decoded]:
    """Transcribe each clip as decoding it alone would.

    Windows that are decoded together differ from those decoded alone by rounding. Two
    kinds are decoded alone: sampled ones (temperature above 0), each clip with its own
    sequence of random numbers, which begins where torch's generator stands now; and
    those with a beam, for which the library (20250625) fails on more than one window.
    The error of the first loop that fails stops the others.
    """
    return by_turns([_Loop(model, hear) for hear in clips], partial(_fulfil, model))


def _fulfil(model: Any, wishes: Mapping[_Loop, LoopRequest]) -> dict[_Loop, Any]:
    """Answer each wish; equal ones share a forward pass."""
    import torch

    answers: dict[_Loop, Any] = {}
    for options, loops in _alike(wishes):
        mels = [wishes[loop].mel for loop in loops]
        if options is None:
            tokens, shares = model.detect_language(torch.stack(mels))
            languages = zip(tokens, shares, strict=True)
            answers.update(zip(loops, languages, strict=True))
        elif options.temperature == 0 and not options.beam_size:
            decoded = model.decode(torch.stack(mels), options)
            answers.update(zip(loops, decoded, strict=True))
        else:
            for loop in loops:
                answers[loop] = loop.alone(model, options, wishes[loop].mel)
    return answers


def _alike(wishes: Mapping[_Loop, LoopRequest]) -> list[tuple[Any, list[_Loop]]]:
    """Group loops by the options of their wishes, which hold lists and do not hash."""
    groups: list[tuple[Any, list[_Loop]]] = []
    for loop, wish in wishes.items():
        for options, loops in groups:
            if options == wish.options:
                loops.append(loop)
                break
        else:
            groups.append((wish.options, [loop]))
    return groups


class _StandIn:
    """The model, as one clip's loop sees it: what can be shared becomes a wish."""

    def __init__(self, model: Any, ask: Callable[[LoopRequest], Any]) -> None:
        self._model = model
        self._ask = ask

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def __call__(self, *arguments: Any) -> Any:
        return self._model(*arguments)

    def transcribe(self, *arguments: Any, **options: Any) -> Any:
        from whisper import transcribe

        return transcribe(self, *arguments, **options)

    def decode(self, mel: Any, options: Any) -> Any:
        return self._ask(LoopRequest(mel, options))

    def detect_language(self, mel: Any) -> Any:
        return self._ask(LoopRequest(mel, None))


class _Loop(Loop[LoopRequest, Decoded]):
    """The library's loop over one clip, with its own sequence of random numbers."""

    def __init__(self, model: Any, hear: HearClip) -> None:
        super().__init__(lambda ask: hear(_StandIn(model, ask)))
        self._generator = _generator(model)
        self._state = self._generator.get_state()

    def alone(self, model: Any, options: Any, mel: Any) -> Any:
        """Decode a window with this clip's own sequence of random numbers."""
        self._generator.set_state(self._state)
        result = model.decode(mel, options)
        self._state = self._generator.get_state()
        return result


def _generator(model: Any) -> Any:
    """Return the generator that sampling on the model's device draws from."""
    import torch

    if model.device.type == "cuda":
        return torch.cuda.default_generators[model.device.index]
    return torch.default_generator
