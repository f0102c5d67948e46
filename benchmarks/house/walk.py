"""How far a label walks: what its reader passes from the command to the statistic.

Two small tables are compared as ``trace-eval agree`` does it, and functions are noted
as each is entered for the first time, because a reader reads each once. Those of one
file in a row are a stay. What an import runs does not count, nor what the statistic
calls.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.support.imports import ROOT
from trace_eval.decide.agree import agree
from trace_eval.stats.agree_labels import agree_labels

_JUDGE = "item_id,overall\na,A\nb,B\nc,A\n"
_LABELS = "item_id,rater,overall\na,ann,A\na,bob,A\nb,ann,B\nb,bob,A\nc,ann,A\n"


@dataclass(frozen=True)
class Walk:
    """The files that a value passes, in order, each stay once."""

    stays: tuple[str, ...]

    @property
    def files(self) -> int:
        """How many different files it passes."""
        return len(set(self.stays))

    @property
    def returns(self) -> int:
        """How often it comes back to a file that it had left."""
        return len(self.stays) - self.files


def label_walk() -> Walk:
    """Follow labels of a table to the statistic of agreement."""
    with tempfile.TemporaryDirectory() as name:
        judge = Path(name) / "judge.csv"
        judge.write_text(_JUDGE)
        labels = Path(name) / "labels.csv"
        labels.write_text(_LABELS)

        def compare() -> None:
            agree([judge], labels)

        compare()  # imports what is imported late
        return walk(compare, ROOT / "trace_eval", until=agree_labels)


def walk(call: Callable[[], object], root: Path, until: Callable[..., object]) -> Walk:
    """Follow a call through the files below a folder until a function is entered."""
    entered: dict[CodeType, str] = {}
    is_there = False

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal is_there
        code = frame.f_code
        is_there = is_there or code is until.__code__  # type: ignore[attr-defined]
        path = Path(code.co_filename)
        if event == "call" and not is_there and path.is_relative_to(root):
            entered.setdefault(code, path.relative_to(root).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return Walk(tuple(file for file, _ in groupby(entered.values())))


def figures_of(walked: Walk) -> Iterator[tuple[str, object]]:
    """Yield (what, figure) of a label's walk."""
    yield "stays of a label's walk", len(walked.stays)
    yield "files of a label's walk", walked.files
    yield "returns of a label's walk", walked.returns
