"""How a user says that an input is read; commands read it before any reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trace_eval.data.columns import parse_columns
from trace_eval.data.settings import option_field


@dataclass(frozen=True)
class InputOptions:
    """The options by which an input is read.

    Attributes:
        audio_root: folder of relative audio paths, or its URL; None: the manifest's.
        columns: what a field is called in the file, e.g. a=system_a_audio; may be
            repeated.
        limit: read only the first N records; of a finished run N, evenly spaced.
        shard: do part I of N; trace-eval merge joins the parts again.
    """

    audio_root: Path | str | None = field(default=None, metadata={"read": str})
    columns: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"flag": "--column", "metavar": "FIELD=COLUMN", "read": parse_columns},
    )
    limit: int | None = option_field(None, min=1)
    shard: str | None = option_field(None, metavar="I/N")


@dataclass(frozen=True)
class TwoFolders:
    """Recordings of two systems, in place of a file of items.

    Attributes:
        a: instead of ITEMS: recordings of one system, a folder or 'DIR/*_x.wav', paired
            by file name with --b.
        b: recordings of the other system.
        prompts: what was asked: recordings or .txt by the same names, or a table: id,
            prompt (--column names others).
    """

    a: str | None = option_field(None, metavar="[NAME=]DIR")
    b: str | None = option_field(None, metavar="[NAME=]DIR")
    prompts: str | None = option_field(None, metavar="FILE|DIR")
