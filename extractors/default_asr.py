"""The default recogniser: the best one whose weights are on this machine."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from blueprints import Advice
from extractors import packaged
from extractors.base import Extractor
from extractors.faster_whisper import FasterWhisperExtractor


class RecogniserChoice(NamedTuple):
    """A recogniser, and the reason for this one."""

    extractor: FasterWhisperExtractor
    why: str
    advice: str | None = None  # a shortcoming with the command that mends it

    @property
    def spec(self) -> str:
        """As for ``-x transcript``."""
        return f"{self.extractor.name}:{self.extractor.model}"


def choose() -> RecogniserChoice:
    """Choose Whisper in 8-bit integers on a CPU.

    Where tiny.en and the multilingual base are here, base names the language, tiny.en
    writes English and base all else; where one of them is, it does everything. Where
    neither is, transcripts are absent, and the advice names the remedy. The weights are
    looked for in the Hugging Face cache, then in the packages of
    :mod:`extractors.packaged`. On a CPU, because values must not depend on whether
    there is a GPU, and so small a model gains little from one.
    """
    english = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu")
    others = FasterWhisperExtractor(model=packaged.MULTILINGUAL, device="cpu")
    reason, lacking = english.unavailable(), others.unavailable()
    if lacking is None:
        why = (
            f"weights of Whisper {others.model} in {others.locate()}, for many"
            " languages"
        )
        if reason is not None:
            return RecogniserChoice(others, why)
        why = (
            f"weights of Whisper {english.model} in {english.locate()}, for English;"
            f" {why}"
        )
        return RecogniserChoice(replace(english, multilingual=others.model), why)
    if reason is None:
        install = packaged.SOURCES[packaged.MULTILINGUAL][0].install
        why = (
            f"weights of Whisper {english.model} in {english.locate()}; it knows"
            f" English only, and no language is named; for others run: {install}"
        )
        return RecogniserChoice(english, why)
    why = f"Whisper {english.model} cannot run: {reason}"
    return RecogniserChoice(english, why, f"Nothing recognises the speech. {why}")


def chosen(**settings: object) -> Extractor:
    """Make the extractor of :func:`choose`, with those of the settings that it has.

    Its advice is given once per process, as a warning. A device ``auto`` stays the CPU.
    """
    choice = choose()
    if choice.advice:
        _advise(choice.advice)
    taken = {name: v for name, v in settings.items() if (name, v) != ("device", "auto")}
    supported = {
        name: value for name, value in taken.items() if hasattr(choice.extractor, name)
    }
    # The settings are checked by the extractor itself.
    return replace(choice.extractor, **supported)  # type: ignore[arg-type]


@cache
def _advise(text: str) -> None:
    warnings.warn(text, Advice, stacklevel=4)
