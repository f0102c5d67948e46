"""Facts that a layout may lack, as options; commands read them without any reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from blueprints import UserError
from trace_eval.data.settings import option_field

_STRETCH = re.compile(r"(\d{1,7}(?:\.\d{1,6})?)-(\d{1,7}(?:\.\d{1,6})?)", re.ASCII)


def read_stretches(texts: Iterable[str]) -> tuple[tuple[float, float], ...]:
    """Read ``START-END`` in seconds; raises UserError where one is something else."""
    stretches: list[tuple[float, float]] = []
    for text in texts:
        match = _STRETCH.fullmatch(text.strip())
        if match is None or float(match[1]) >= float(match[2]):
            raise UserError(
                f"stretch {text!r:.40}: write START-END in seconds, e.g. 0-14.5"
            )
        stretches.append((float(match[1]), float(match[2])))
    return tuple(stretches)


_PANEL = "What a layout may not say"
_option = partial(option_field, panel=_PANEL)


@dataclass(frozen=True)
class ReadOptions:
    """Options for facts that a layout may leave out.

    Attributes:
        agent: which speaker is the agent.
        user: which speaker is the user.
        agent_channel: channel of the agent in stereo; greets: whoever speaks first.
        agent_voice: a recording of the agent alone, which says which of two voices in
            one channel it is.
        swap: exchange the channels of the user and the agent.
        ignore: seconds that are no speech (music, ringing); may be repeated.
        check_clock: say how late each voice's echo is on the other channel: offset and
            drift.
        by_log: keep the turns of a log that has its recording, and say how far they are
            from it.
        pipeline: how an EVA agent was built: cascade, s2s or audio_llm.
        tick: called after each conversation with how many are read, and of how many,
            where known.
        kept: folder where the turns are kept that were heard in recordings; None:
            nowhere.
    """

    agent: str | None = _option(None, metavar="NAME")
    user: str | None = _option(None, metavar="NAME")
    agent_channel: Literal[0, 1, "greets"] = _option(1)
    agent_voice: Path | None = option_field(None, metavar="FILE", panel=_PANEL)
    swap: bool = _option(False)
    ignore: tuple[tuple[float, float], ...] = _option(
        (), metavar="START-END", read=read_stretches
    )
    check_clock: bool = _option(False)
    by_log: bool = option_field(False, shown=False)
    pipeline: str | None = _option(None)
    tick: Callable[[int, int | None], None] | None = option_field(None, shown=False)
    kept: Path | None = option_field(None, shown=False)
