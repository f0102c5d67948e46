"""Readers' reasons about real blueprints, and whether the checker believes them.

Readers are made and taken by ``benchmarks.reader``; nearly all that they write is true,
so what is called false is a false alarm until somebody has looked at it.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reader.readings import readings_of
from benchmarks.report import people_folder
from trace_eval.data.judgement import VerdictOpinion
from trace_eval.judges.base import Case
from trace_eval.judges.claims.reasons import checked


@dataclass(frozen=True)
class Reply:
    """A reader's reply to one request.

    Attributes:
        case: the pair, answer 1 being A.
        reasons: by dimension.
    """

    case: Case
    reasons: dict[str, str]

    def held(self, about: str, reason: str) -> list[bool | None]:
        """Return what becomes of the claims of a reason about this pair."""
        opinion = VerdictOpinion(order="ab", reasoning={about: reason})
        return [claim.holds for claim in checked(opinion, self.case)]


def replies(folder: Path, seed: int) -> Iterator[Reply]:
    """Yield every stored reply of a folder of readings, made with this seed."""
    with tempfile.TemporaryDirectory() as scratch:
        readings = readings_of(people_folder(), seed, Path(scratch))
    for name, pairs in readings.items():
        for number, one in enumerate(pairs):
            key = "00" if name == "single" else f"{number:02d}"
            for file in _files(folder, name, number):
                said = json.loads(file.read_text("utf-8")).get(key, {})
                reasons = {about: each["reasoning"] for about, each in said.items()}
                yield Reply(one.case(key), reasons)


def _files(folder: Path, name: str, number: int) -> list[Path]:
    """Return the stored replies to a request."""
    if name == "single":
        return [*(folder / f"single-{number + 1:02d}").glob("reply*.json")]
    return sorted((folder / name).glob("reply*.json"))


# --- faults planted in them -----------------------------------------------------------

#: A number that a reader copied from a blueprint: its name before it, or its unit
#: behind it.
_NUMBER = re.compile(
    r"\b(?:P808|BAK) (?P<score>\d{3})\b"
    r"|(?P<value>-?\d+(?:\.\d+)?)(?= ?(?:kHz|Hz|WPM|LUFS|syllables|st\b))"
)
_SIDE = re.compile(r"\b([Aa]nswer) ([12])\b")
_COMPARED = re.compile(
    r"\b(?:louder|quieter|faster|slower|higher|lower|livelier|wider)\b"
)


def faulty(reason: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the reason with each fault: a number a third off, or sides exchanged."""
    found = _NUMBER.finditer(reason)
    places = [match.span("score" if match["score"] else "value") for match in found]
    if places:
        start, end = chance.choice(places)
        factor = chance.choice((0.7, 1.35))
        digits = len(reason[start:end].partition(".")[2])
        number = f"{float(reason[start:end]) * factor:.{digits}f}"
        yield "number", f"{reason[:start]}{number}{reason[end:]}"
    if _SIDE.search(reason) and _COMPARED.search(reason):
        yield "side", _SIDE.sub(lambda match: f"{match[1]} {3 - int(match[2])}", reason)
