"""A judge for which the louder answer wins, shared by tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from blueprints import Blueprint
from fusion import DIMENSIONS, Rating
from tests.support.audio import tone, write
from tests.support.fakes import Counting
from trace_eval.data.items import Item
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.base import Case, Judge
from trace_eval.runs.options import Options

#: Nothing of the profile but what the test brings; ``rules`` then has no evidence.
NOTHING = dict.fromkeys(
    ("signal", "transcript", "quality", "pitch", "loudness", "rate"), "none"
)


class LouderWins(Judge):
    """A judge of the counting extractor's values; fails on pairs that it is told to."""

    spec = "louder"
    concurrency = 2

    def __init__(self, fails: set[str] | None = None) -> None:
        self.fails = fails or set()
        self.seen: list[str] = []

    def parameters(self) -> dict[str, JsonValue]:
        return {"kind": "louder"}

    def needs_instruction(self, item: Item) -> bool:
        return False

    async def judge(self, case: Case) -> Judgement:
        self.seen.append(case.pair.id)
        if case.pair.id in self.fails:
            raise RuntimeError("told to fail by URL('http://me:Hunter2@127.0.0.1:9')")
        a, b = _peak(case.a), _peak(case.b)
        rating = Rating.A if a > b else Rating.B
        verdict = DimensionVerdict(rating=rating, reasoning="louder")
        return Judgement.scored(
            case.pair.id, self.spec, dict.fromkeys(DIMENSIONS, verdict)
        )


def _peak(blueprint: Blueprint) -> float:
    return float(blueprint.group("peak").values["peak"])  # type: ignore[union-attr]


def pairs_of_peaks(
    folder: Path, peaks: Sequence[tuple[float, float]], first: int = 0
) -> list[dict[str, Any]]:
    """Write records ``p<first>``, ... of tones of these peaks, a recording per peak."""
    records = []
    for number, sides in enumerate(peaks, start=first):
        record: dict[str, Any] = {"id": f"p{number}"}
        for side, peak in zip("ab", sides, strict=True):
            path = folder / f"{peak}.wav"
            if not path.exists():
                write(path, tone(peak=peak))
            record[side] = {"audio": str(path), "system": f"s{peak}"}
        records.append(record)
    return records


def louder_options(
    folder: Path, judge: LouderWins, gain: float = 1.0, **more: Any
) -> Options:
    """Options of that judge; ``folder / "log"`` says which clips were measured."""
    counting = Counting(folder / "log", gain=gain)
    extract = ExtractOptions(
        overrides={**NOTHING, "peak": counting}, cache=folder / "cache", workers=0
    )
    return Options(extract, judge, **more)
