"""Options of ``turns``; the command reads it, so that its help imports no numpy."""

from __future__ import annotations

from dataclasses import dataclass, field

from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.settings import option_field, with_groups
from trace_eval.estimate.options import IntervalOptions


@with_groups
@dataclass(frozen=True, kw_only=True)
class FigureOptions(IntervalOptions):
    """How figures are made.

    Attributes:
        min_events: a rate of fewer events is hidden; a median needs half as many, a
            90th percentile twice and a 95th four times as many (5, 20 and 40 by
            default).
        intervals: whether to compute intervals.
    """

    min_events: int = option_field(10, min=0)
    intervals: bool = option_field(True, shown=False)


@with_groups
@dataclass(frozen=True)
class TurnsOptions:
    """How conversations are read and measured.

    Attributes:
        layout: how the source is laid out; None: found from its content.
        definitions: rules of events and figures: name and version of a definition set.
        read: what the layout does not say itself.
        figures: intervals and hiding.
        names: a name that must come through like codes and dates; may be repeated.
        recognisers: whether the agent says what its text says: a recogniser that hears
            it (auto, faster-whisper:base, whisper:NAME); of two, what both miss is
            sure.
        one_voice: say whether the agent keeps one voice over each call (CAM++, whose
            package `doctor` names).
    """

    layout: str | None = option_field(None, metavar="NAME")
    definitions: str = option_field("trace-eval/2", metavar="NAME/VERSION")
    read: ReadOptions = field(default_factory=ReadOptions)
    figures: FigureOptions = field(default_factory=FigureOptions)
    names: tuple[str, ...] = option_field((), flag="--name")
    recognisers: tuple[str, ...] = option_field((), flag="--recognise", metavar="SPEC")
    one_voice: bool = False


@dataclass(frozen=True)
class TimingLimits:
    """Figures of ``turns`` that must not be passed.

    Attributes:
        fail_over: fail where a figure is higher: response_p95_s=1.5; with a sign where
            it is so much higher than the other system's: response_p90_s=+0.2; may be
            repeated.
        fail_under: fail where a figure is lower: reply_rate=0.98; with a sign where it
            is so much lower than the other system's: reply_rate=-0.02; may be repeated.
    """

    fail_over: tuple[str, ...] = option_field((), metavar="NAME=NUMBER")
    fail_under: tuple[str, ...] = option_field((), metavar="NAME=NUMBER")

    @property
    def any(self) -> bool:
        """Whether there is a limit at all."""
        return bool(self.fail_over or self.fail_under)
