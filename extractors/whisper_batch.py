"""Several clips through one Whisper: windows of all of them share forward passes.

The library transcribes one clip at a time, but decodes any number of windows at once. So its own
loop (seeking, thresholds, rising temperature, word times) runs unchanged for each clip, in a thread
of its own and with a stand-in for the model, until it wishes for a window to be decoded or a
language to be detected; then the next one runs. Once all wait, equal wishes go through the model
together. The batch gets narrower as clips end.

Only one thread ever runs, so the threads share no more than coroutines would: the word alignment,
which installs hooks on the model, runs undisturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

from extractors.recognised import Decoded

#: Recognises one clip with the model, or its stand-in, that it is given.
Hear = Callable[[Any], Decoded]


class DecodeRequest(NamedTuple):
    """A request of a decoding loop to the model."""

    mel: Any  # one window of 30 s [shape=(n_mels, 3000)]
    options: Any  # how to decode it; None: detect its language


def hear_together(model: Any, clips: Sequence[Hear]) -> list[Decoded]:
    """Transcribe each clip as decoding it alone would.

    Windows that are decoded together differ from those decoded alone by rounding. Two kinds are
    decoded alone: sampled ones (temperature above 0), each clip with its own sequence of random
    numbers, which begins where torch's generator stands now; and those with a beam, for which the
    library (20250625) fails on more than one window. The error of the first loop that fails stops
    the others.
    """
    loops = [_Loop(model, hear) for hear in clips]
    try:
        waiting = {loop: wish for loop in loops if (wish := loop.run_on())}
        while waiting:
            answers = _fulfil(model, waiting)
            waiting = {loop: wish for loop in waiting if (wish := loop.run_on(answers[loop]))}
    finally:
        for loop in loops:
            loop.stop()
    return [loop.result for loop in loops]


def _fulfil(model: Any, wishes: dict[_Loop, DecodeRequest]) -> dict[_Loop, Any]:
    """Answer each wish; equal ones share a forward pass."""
    import torch

    groups: list[tuple[Any, list[_Loop]]] = []  # options hold lists, so they do not hash
    for loop, wish in wishes.items():
        group = next((loops for options, loops in groups if options == wish.options), None)
        if group is None:
            groups.append((wish.options, [loop]))
        else:
            group.append(loop)
    answers: dict[_Loop, Any] = {}
    for options, loops in groups:
        mels = [wishes[loop].mel for loop in loops]
        if options is None:
            tokens, shares = model.detect_language(torch.stack(mels))
            answers.update(zip(loops, zip(tokens, shares, strict=True), strict=True))
        elif options.temperature == 0 and not options.beam_size:
            answers.update(zip(loops, model.decode(torch.stack(mels), options), strict=True))
        else:
            for loop in loops:
                answers[loop] = loop.alone(model, options, wishes[loop].mel)
    return answers


class _StandIn:
    """The model, as one clip's loop sees it: what can be shared becomes a wish."""

    def __init__(self, model: Any, ask: Callable[[DecodeRequest], Any]) -> None:
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
        return self._ask(DecodeRequest(mel, options))

    def detect_language(self, mel: Any) -> Any:
        return self._ask(DecodeRequest(mel, None))


class _Stopped(BaseException):
    """Ends a loop that is no longer awaited; no library's ``except Exception`` keeps it."""


class _Loop:
    """The library's loop over one clip, which runs only while somebody waits for its next wish."""

    result: Decoded

    def __init__(self, model: Any, hear: Hear) -> None:
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._wishes: SimpleQueue[DecodeRequest | BaseException | None] = SimpleQueue()
        self._generator = _generator(model)
        self._state = self._generator.get_state()
        self._thread = Thread(target=self._run, args=(model, hear), daemon=True)

    def run_on(self, answer: Any = None) -> DecodeRequest | None:
        """Begin, or go on with an answer, up to the next wish; None at the end.

        Raises:
            Exception: that of the loop.
        """
        if self._thread.ident is None:
            self._thread.start()
        else:
            self._answers.put(answer)
        wish = self._wishes.get()
        if isinstance(wish, BaseException):
            raise wish
        return wish

    def alone(self, model: Any, options: Any, mel: Any) -> Any:
        """Decode a window with this clip's own sequence of random numbers."""
        self._generator.set_state(self._state)
        result = model.decode(mel, options)
        self._state = self._generator.get_state()
        return result

    def stop(self) -> None:
        """End the loop wherever it is; harmless when it has ended or not begun."""
        if self._thread.ident is not None:
            self._answers.put(_Stopped())
            self._thread.join()

    def _run(self, model: Any, hear: Hear) -> None:
        end = None
        try:
            self.result = hear(_StandIn(model, self._ask))
        except BaseException as error:
            end = error
        self._wishes.put(end)

    def _ask(self, wish: DecodeRequest) -> Any:
        self._wishes.put(wish)
        answer = self._answers.get()
        if isinstance(answer, _Stopped):
            raise answer
        return answer


def _generator(model: Any) -> Any:
    """Return the generator that sampling on the model's device draws from."""
    import torch

    if model.device.type == "cuda":
        return torch.cuda.default_generators[model.device.index]
    return torch.default_generator
