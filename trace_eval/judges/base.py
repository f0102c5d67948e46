"""The interface of a judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from pydantic import JsonValue

from blueprints import Blueprint, Transcript
from trace_eval.data.judgement import Judgement
from trace_eval.data.pairs import Pair


class Activity(NamedTuple):
    """What a judge is doing just now.

    Attributes:
        calls: in flight; None: it makes none.
        cost_usd: spent so far, with what may have been charged; None: no price is known.
    """

    calls: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True)
class Case:
    """What a judge is given: the pair and the blueprints of its clips.

    A judge must not look at ``pair.labels``, nor at the systems' names.
    """

    pair: Pair
    a: Blueprint
    b: Blueprint
    instruction: Blueprint | None = None

    @property
    def instruction_text(self) -> str | None:
        """The written instruction, else what the recogniser heard of the spoken one."""
        if self.pair.instruction.text:
            return self.pair.instruction.text
        if self.instruction and isinstance(self.instruction.transcript, Transcript):
            return self.instruction.transcript.text or None
        return None


@runtime_checkable
class Judge(Protocol):
    """Turns a case into a judgement. One instance serves a whole run, concurrently."""

    @property
    def spec(self) -> str:
        """What the user typed to get it, e.g. ``rules`` or ``ollama:qwen3:8b``."""
        ...

    @property
    def concurrency(self) -> int:
        """How many cases may be in flight."""
        ...

    def parameters(self) -> dict[str, JsonValue]:
        """What decides its output, equal for equal options; in the manifest, so no secrets."""
        ...

    def observed(self) -> dict[str, JsonValue]:
        """What turned out during the run and decides nothing: prices, the server's ways."""
        ...

    def activity(self) -> Activity:
        """What it is doing just now, for people who wait."""
        ...

    def needs_instruction(self, pair: Pair) -> bool:
        """Whether the blueprint of a spoken instruction would change its prompt or verdict."""
        ...

    async def judge(self, case: Case) -> Judgement:
        """Judge one case. Expected failures are an unscored judgement, not an exception."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
