"""Definition sets: thresholds, a function from conversations to events, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from trace_eval.conversations.floor import speech_edges
from trace_eval.data.conversation import Conversation

#: Why a figure or an event of a call in one channel is missing.
ONE_CHANNEL = "not known: one channel"

#: What is said where nothing tells which voice is the agent's.
AGENT_UNKNOWN = (
    "who is the agent is not known: say --agent-voice FILE or --agent-channel greets"
    " (judge and rate: -X agent_voice=FILE or -X agent_channel=greets)"
)


@dataclass(frozen=True)
class Event:
    """A measured event, with the span to listen to, in seconds of the conversation."""

    kind: str  # e.g. response, no_response, yield, overlap
    start_s: float
    end_s: float
    # behind figures, e.g. the latency; None where there is none
    value_s: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """One conversation under one definition set.

    ``values`` are those of its events by name, e.g. all response latencies, seconds;
    ``ratios`` are (numerator, denominator); ``details`` the authors' report, under
    their names.
    """

    events: tuple[Event, ...] = ()
    values: Mapping[str, Sequence[float]] = field(default_factory=dict)
    ratios: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    # key of values or ratios -> why it is not known of this conversation
    not_known: Mapping[str, str] = field(default_factory=dict)
    unusable: bool = False  # a fault of the recording spoils some of its figures


@dataclass(frozen=True)
class FigureSpec:
    """The recipe of a figure of the pooled conversations."""

    name: str
    of: str  # key of ``Measured.values``, or of its ratios for a ratio
    how: Literal["mean", "quantile", "ratio"] = "ratio"
    q: float = 0.5  # which quantile, 0 to 1, by linear interpolation
    unit: str = ""  # s, ms, or nothing for shares and counts
    share: bool = False  # whether a ratio counts events out of events
    least: int = 0  # fewer events are too few to show; 0: always shown


@dataclass(frozen=True)
class DefinitionSet:
    """Rules that turn segments into events and events into figures, with a version.

    ``rules`` measure one conversation with a clock. ``sums`` make its figures anew of
    events, which annotators may have corrected; None: the set does not score events.
    """

    name: str  # NAME/VERSION
    about: str
    thresholds: Any
    rules: Callable[[Conversation], Measured]
    specs: tuple[FigureSpec, ...]
    # figures of few events are None; published sets show them, marked
    hides_few: bool = False
    # name -> key of the ratios whose denominators are added up
    counts: Mapping[str, str] = field(default_factory=dict)
    # figures are means over ``meta.domain``, as the authors publish them
    domains: bool = False
    # kinds of its events -> whether the length of such an event is its value
    kinds: Mapping[str, bool] = field(default_factory=dict)
    sums: Callable[[Conversation, Sequence[Event]], Measured] | None = None
    on_log: bool = False  # it reads what a log says, also where there is the sound
    # it reads the edges of the detector's speech, not those of turns
    on_speech: bool = False
    # ratios of one channel at a time: they stay where a fault spoils how the channels
    # fit together what can be told of two voices in one channel; None: nothing
    of_one_channel: tuple[str, ...] | None = None
    one_sided: tuple[str, ...] = ()
    counts_text: bool = False  # conversations without a clock are counted

    def measure(self, conversation: Conversation) -> Measured:
        """Measure a conversation, without figures that a recording's fault spoils."""
        if conversation.clock.kind == "none":
            ratios = {"one": (1.0, 1.0)} if self.counts_text else {}
            return Measured(
                ratios=ratios, caveats=("no_clock: only the order of turns is known",)
            )
        if (
            self.on_log
            and "log" in conversation.meta
            and conversation.clock.kind == "recording"
        ):
            return Measured(
                caveats=(
                    f"times are those of the sound, and {self.name} is of the log:"
                    " measure the records themselves",
                )
            )
        if conversation.meta.get("one_channel") and self.of_one_channel is None:
            return Measured(
                caveats=(f"{ONE_CHANNEL}: {self.name} needs a channel of each",)
            )
        return self._usable(conversation, self.rules(self._edges(conversation)))

    def summed(self, conversation: Conversation, events: Sequence[Event]) -> Measured:
        """Compute the figures of these events; :attr:`sums` must not be None."""
        assert self.sums is not None
        return self._usable(conversation, self.sums(self._edges(conversation), events))

    def _edges(self, conversation: Conversation) -> Conversation:
        return speech_edges(conversation) if self.on_speech else conversation

    def _usable(self, conversation: Conversation, whole: Measured) -> Measured:
        spoiled = _spoiled_by_faults(conversation)
        if not spoiled:
            return whole
        usable = {"one"}
        if "all" not in spoiled:
            usable.update(self.one_sided)
        caveats = list(whole.caveats)
        why = f"not usable here: {conversation.meta.get('audit')}"
        if why not in caveats:
            caveats.append(why)
        ratios = {name: ratio for name, ratio in whole.ratios.items() if name in usable}
        return Measured((), {}, ratios, caveats=tuple(caveats), unusable=True)


def _spoiled_by_faults(conversation: Conversation) -> set[str]:
    """Return what the faults of a recording spoil, see :data:`Spoils`."""
    faults = conversation.meta.get("faults")
    spoiled: set[str] = set()
    if not isinstance(faults, list):
        return spoiled
    for fault in faults:
        if isinstance(fault, dict) and fault.get("spoils") != "nothing":
            spoiled.add(str(fault.get("spoils")))
    return spoiled
