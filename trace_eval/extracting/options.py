"""Options of extraction and their defaults, for the command line and the library."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from blueprints import UserError
from extractors import MAX_SECONDS
from trace_eval.data.settings import texts_to_paths

if TYPE_CHECKING:
    from extractors import Extractor

#: Profile of extractors used when none is named: embedded models only.
DEFAULT_PROFILE = "screen"

#: Where clips are extracted: processes of this machine, or actors of a Ray cluster.
ENGINES = ("local", "ray")


@dataclass(frozen=True)
class ExtractOptions:
    """The options of extraction.

    Attributes:
        profile: named set of extractors.
        overrides: blueprint group -> extractor or its spec; ``none`` drops the group.
        cache: cache folder; None: ``$TRACE_EVAL_CACHE`` or the user's cache folder.
        workers: worker processes; 0: in this process; None: one per core.
        max_seconds: longer recordings are refused.
        device: where models run: ``auto``, ``cpu`` or ``cuda:N``.
        language: language of the speech, as an ISO 639-1 code or an English name; None:
            detected, where the recogniser can.
        beam_size: hypotheses that a Whisper model keeps; None: the profile's, else the
            library's.
        compute_type: numbers that faster-whisper computes in, e.g. ``float32``; None:
            ``int8`` on a CPU, ``float16`` on a GPU.
        batch_size: clips that a model works on at once; None: 8 for faster-whisper and
            on a GPU, else 1.
        one_model_at_a_time: release each model before the next one is loaded.
        engine: ``local``, or ``ray`` with the extra of that name.
        ray_address: address of a running cluster, e.g. ``auto``; None: start one on
            this machine.
        layout: layout of conversations, where their content does not tell.
        agent_channel: of conversations in stereo: channel of the agent; greets: whoever
            speaks first, also of two voices in one channel.
        agent_voice: a recording of the agent alone, which says which of two voices in
            one channel it is.
        by_turn: compare two conversations turn by turn, one pair each, see
            :func:`trace_eval.conversations.exchanges.pairs_by_turn`.
        extractor_options: extractor -> option -> value, for that extractor alone.
    """

    profile: str = DEFAULT_PROFILE
    overrides: dict[str, str | Extractor] = field(default_factory=dict)
    cache: Path | None = None
    workers: int | None = None
    max_seconds: float = MAX_SECONDS
    device: str = "auto"
    language: str | None = None
    beam_size: int | None = None
    compute_type: str | None = None
    batch_size: int | None = None
    one_model_at_a_time: bool = False
    engine: str = ENGINES[0]
    ray_address: str | None = None
    layout: str | None = None
    agent_channel: Literal[0, 1, "greets"] = 1
    agent_voice: Path | None = None
    by_turn: bool = False
    extractor_options: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        texts_to_paths(self)
        if self.workers is not None and self.workers < 0:
            raise UserError(f"workers {self.workers}: give 0 (this process) or more")
        if not self.max_seconds > 0:
            raise UserError(
                f"max_seconds {self.max_seconds:g}: give a positive duration"
            )
        if self.batch_size is not None and self.batch_size < 1:
            raise UserError(f"batch_size {self.batch_size}: give 1 or more clips")
        if self.engine not in ENGINES:
            raise UserError(
                f"engine {self.engine!r} is unknown; use {' or '.join(ENGINES)}"
            )
