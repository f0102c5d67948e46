"""Which recogniser runs when nobody names one: the best that is at hand."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from blueprints.errors import Advice
from extractors import tiny_en
from extractors.base import Extractor
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.pocketsphinx import PocketsphinxExtractor


class Choice(NamedTuple):
    """A recogniser.

    Attributes:
        spec: as for ``-x transcript``.
        extractor: what will run.
        why: why it is this one, for people.
        advice: what is worse than it could be, with the command that mends it; None: nothing.
    """

    spec: str
    extractor: Extractor
    why: str
    advice: str | None = None


def choose() -> Choice:
    """Whisper tiny.en in 8-bit integers on a CPU where its weights are here, else PocketSphinx.

    Where neither can run, it is PocketSphinx all the same, and transcripts are absent: the
    advice names both remedies.

    The weights are looked for in the Hugging Face cache, then in the package of
    :mod:`extractors.tiny_en`. On a CPU, because values must not depend on whether there is a
    GPU, and so small a model gains little from one.
    """
    whisper = FasterWhisperExtractor(model=tiny_en.MODEL, device="cpu")
    reason = whisper.unavailable()
    if reason is None:
        why = f"weights of Whisper {tiny_en.MODEL} in {whisper.locate()}; it knows English only"
        return Choice(f"{whisper.name}:{whisper.model}", whisper, why)
    why = f"Whisper {tiny_en.MODEL} cannot run: {reason}"
    fallback = PocketsphinxExtractor()
    if missing := fallback.unavailable():
        why = f"{why}; as a fallback {missing}"
        return Choice(fallback.name, fallback, why, f"Nothing recognises the speech. {why}")
    advice = f"PocketSphinx recognises the speech, with about eight times the word errors. {why}"
    return Choice(fallback.name, fallback, why, advice)


def chosen(**settings: object) -> Extractor:
    """The extractor of :func:`choose`, with these settings where it has them.

    What could be better is told once per process, as a warning :class:`Advice`. A device
    ``auto`` stays the CPU.
    """
    choice = choose()
    if choice.advice:
        _advise(choice.advice)
    if not isinstance(choice.extractor, FasterWhisperExtractor):
        return choice.extractor
    taken = {name: v for name, v in settings.items() if (name, v) != ("device", "auto")}
    known = {name: value for name, value in taken.items() if hasattr(choice.extractor, name)}
    # The settings are checked by the extractor itself.
    return replace(choice.extractor, **known)  # type: ignore[arg-type]


@cache
def _advise(text: str) -> None:
    warnings.warn(text, Advice, stacklevel=4)
