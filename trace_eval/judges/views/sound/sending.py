"""How sound is put into messages: strategies of joining, rate, level, format."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from blueprints import UserError
from extractors import AudioError
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.message import AudioPart
from trace_eval.judges.ask.prices import Price
from trace_eval.judges.options.groups import AudioFormat, Concat
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.sound.encode import Waveform
from trace_eval.judges.views.sound.layout import Item, Signals, Sound, SoundLayout, common_rate

#: Strategies whose examples are one waveform, one per example; whose test is one.
JOINED_EXAMPLES: frozenset[Concat] = frozenset({"examples", "all"})
JOINED_PAIRS: frozenset[Concat] = frozenset({"pairs"})
JOINED_TEST: frozenset[Concat] = frozenset({"test", "all"})


@dataclass(frozen=True)
class Sending:
    """How sound is sent.

    Attributes:
        concat: the strategy.
        signals: labels by name; empty: none are heard.
        rate: Hz; None: the commonest of each waveform.
        level: LUFS of every recording; None: as it is.
        format: of the audio parts.
    """

    concat: Concat = "all"
    signals: Signals = field(default_factory=dict)
    rate: int | None = None
    level: float | None = None
    format: AudioFormat = "wav"

    @classmethod
    def of(cls, options: JudgeOptions, signals: Signals) -> Sending:
        """What the options say."""
        how = options.audio_rate, options.level, options.audio_format
        return cls(options.concat, signals, *how)

    def waveform(self, items: Iterable[Item], sounds: Iterable[Sound]) -> Waveform:
        """Items as one waveform at the common rate of some recordings."""
        rate = common_rate(sounds, self.rate)
        return Waveform(SoundLayout(tuple(items), rate, self.level), self.format)


def kept_part(waveform: Waveform) -> AudioPart:
    """A part that is the same in every call, so that its bytes are made once."""
    return audio_part(waveform, lru_cache(maxsize=1)(waveform.render))


def audio_part(waveform: Waveform, render: Callable[[], bytes] | None = None) -> AudioPart:
    """A waveform as a part of a message; ``render`` may keep its bytes."""

    def made() -> bytes:
        try:
            return (render or waveform.render)()
        except AudioError as error:  # a recording that has gone costs its calls, not the run
            raise CallFailed(Reason.CLIP_FAILED, str(error)) from None

    return AudioPart(waveform.recipe, made, waveform.format, waveform.seconds, waveform.size)


def check_budget(options: JudgeOptions, price: Price | None) -> None:
    """A bound needs the price of sound; what runs at home has none."""
    if options.max_cost is None or price is None or not (price.input or price.output):
        return
    if price.audio_input is None or price.audio_tokens_per_s is None:
        raise UserError(
            f"max_cost: the price of sound is not known for {price.model!r}; add audio_input and"
            " audio_tokens_per_s in a table of your own (-J prices)"
        )
