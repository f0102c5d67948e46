"""Judges that follow a planted cue: what they reward, and how ``drill`` notices.

    python -m benchmarks.cues [--clips 60] [--seed 0] [--judges 20]

Each judge prefers the louder, the longer or the padded of two answers, and calls all
else a tie; a weak one does so in 70 % or 30 % of the pairs, and several are drawn, which
do so in other pairs. Real recordings are compared with themselves, changed as the probes
of the drill change them. A judge itself counts the pairs in which the cue sways its
verdict; in the others it is not fooled, and there is nothing to notice. The drill notices
the cue in a pair where it says that its relation does not hold there; a probe catches the
judge where that is so in too many pairs. Beside them stands a judge without a cue, of
which nothing may be noticed.
"""

from __future__ import annotations

import hashlib
import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import soundfile
from pydantic import JsonValue

import trace_eval as te
from benchmarks.report import arguments, data_folder, markdown, save, stored, table_of
from blueprints import Blueprint, Loudness, Signal
from fusion import DIMENSIONS, Rating
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Item, Pair
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import Manifest
from trace_eval.data.recordings import find_recordings
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.base import Case, Judge
from trace_eval.runs.options import Options
from trace_eval.runs.probe.probes import PROBES, drill_judge
from trace_eval.runs.probe.report import least_caught


def _level(blueprint: Blueprint) -> float:
    group = blueprint.group("loudness")
    return group.integrated_lufs if isinstance(group, Loudness) else float("-inf")


def _length(blueprint: Blueprint) -> float:
    group = blueprint.group("signal")
    return group.duration_s if isinstance(group, Signal) else 0.0


def _silence(blueprint: Blueprint) -> float:
    group = blueprint.group("signal")
    return group.duration_s - group.speech_s if isinstance(group, Signal) else 0.0


def _nothing(_: Blueprint) -> float:
    return 0.0


#: Cue -> its measure, and the probes that plant it.
CUES: Mapping[str, tuple[Callable[[Blueprint], float], tuple[str, ...]]] = {
    "louder": (_level, ("louder", "quieter")),
    "longer": (_length, ("padding", "twice")),
    "padded": (_silence, ("padding",)),
    "none": (_nothing, ("louder", "quieter", "padding", "twice")),
}

#: Differences of the measures that no listener and no cue follows: of rounding.
_LEAST = 0.01


#: Shares of the pairs in which weak judges follow their cue; in the others they see a tie.
FOLLOWED = (0.7, 0.3)

#: Shares for which the page says how many pairs a drill needs, and the most it may need.
NEEDED_FOR, MOST_PAIRS = (0.9, 0.7, 0.5, 0.3, 0.2, 0.15), 600


class CueJudge(Judge):
    """Prefers the answer with more of a measure, in a share of the pairs.

    In which ones follows from what is compared, so both orders agree.

    Attributes:
        swayed: the folder of the recordings and the id of each pair of which the cue
            has decided the verdict.

    Args:
        draw: number of the judge; others follow the cue in other pairs.
    """

    concurrency = 4
    groups = frozenset({"signal", "loudness"})

    def __init__(self, cue: str, followed: float = 1.0, draw: int = 0) -> None:
        self.spec, self._measure = f"cue-{cue}", CUES[cue][0]
        self._followed, self._draw = followed, draw
        self.swayed: set[tuple[str, str]] = set()

    def parameters(self) -> dict[str, JsonValue]:
        """Return the kind, how often the cue is followed, and the judge's number."""
        return {"kind": self.spec, "followed": self._followed, "draw": self._draw}

    def _follows(self, case: Case) -> bool:
        clips = "".join(sorted((case.a.clip, case.b.clip)))
        drawn = hashlib.sha256(f"{self._draw or ''}{clips}".encode()).digest()
        return int.from_bytes(drawn[:4], "big") < self._followed * 2**32

    def needs_instruction(self, item: Item) -> bool:
        """Read the answers alone."""
        return False

    async def judge(self, case: Case) -> Judgement:
        """Compare the measures."""
        a, b = self._measure(case.a), self._measure(case.b)
        rating = Rating.BOTH_GOOD
        if abs(a - b) > _LEAST and self._follows(case):
            rating = Rating.A if a > b else Rating.B
            recording = case.pair.a.audio
            assert recording is not None
            self.swayed.add((recording.parent.name, case.pair.id))
        verdict = DimensionVerdict(rating=rating, reasoning="It has more of it.")
        return Judgement.scored(
            case.pair.id, self.spec, dict.fromkeys(DIMENSIONS, verdict)
        )


def clips_of(number: int, seed: int) -> list[Path]:
    """Choose recordings of 1 to 20 s, in any order."""
    every = find_recordings(data_folder())
    random.Random(seed).shuffle(every)
    chosen: list[Path] = []
    for path in every:
        if len(chosen) == number:
            break
        try:
            seconds = soundfile.info(path).duration
        except soundfile.LibsndfileError:
            continue
        if 1 <= seconds <= 20:
            chosen.append(path)
    return chosen


def drilled(
    cue: str, clips: list[Path], home: Path, followed: float = 1.0, draw: int = 0
) -> dict[str, Any]:
    """Drill a judge of which ``draw`` is the number; the first also gives rewards."""
    extract = ExtractOptions(
        overrides=dict.fromkeys(("transcript", "quality", "pitch", "rate"), "none"),
        cache=home / "cache",
        workers=0,
    )
    judge = CueJudge(cue, followed, draw)
    options = Options(extract, judge)
    pairs = [
        Pair(
            id=f"p{number}",
            instruction=Instruction(text=f"Say it as in {number}."),
            a=Answer(audio=path),
            b=Answer(audio=path),
        )
        for number, path in enumerate(clips)
    ]
    wanted = CUES[cue][1]
    probes = [probe for probe in PROBES if probe.name in wanted]
    out = home / f"{cue}-{followed}-{draw}"
    report = drill_judge(Manifest(home, pairs), out, options, probes)
    held = sum(row.held.count for row in report.rows)
    pairs_drilled = sum(row.held.of for row in report.rows)
    swayed = len(judge.swayed)
    row = {
        "followed": followed,
        "probes": ", ".join(wanted),
        "caught": int(any(row.has_caught for row in report.rows)),
        "noticed": pairs_drilled - held,
        "pairs": pairs_drilled,
        "swayed": swayed,
        "not scored": sum(row.unscored for row in report.rows),
    }
    if draw == 0:
        row["rewarded unequally"] = _rewarded(options, out / f"{wanted[0]}-audio")
    return row


def _rewarded(options: Options, folder: Path) -> str:
    """Count the pairs in which both recordings are not rewarded alike."""
    function = te.reward(options=options)
    fooled = rewarded = 0
    for side in sorted(folder.glob("*-a.wav")):
        sides = [side, side.with_name(side.name.replace("-a.", "-b."))]
        a, b = function(sides, ["Say it."] * 2)
        rewarded += a.reward is not None
        fooled += a.reward != b.reward
    return f"{fooled} of {rewarded}"


def several(
    cue: str, clips: list[Path], home: Path, followed: float, judges: int
) -> dict[str, Any]:
    """Drill a number of judges of one kind, and add up what is found."""
    first, *others = [drilled(cue, clips, home, followed, n) for n in range(judges)]
    for other in others:
        for key in ("noticed", "pairs", "swayed", "not scored", "caught"):
            first[key] += other[key]
    return {**first, "judges": judges}


def table() -> str:
    """Write the table of the page."""
    rows = stored("cues")["cues"].items()
    return markdown(
        (
            "planted cue | probes | judges caught | pairs swayed | of them noticed |"
            " `te.reward` follows it in"
        ),
        (
            (
                cue,
                row["probes"],
                f"{row['caught']} of {row['judges']}",
                f"{row['swayed']:,} of {row['pairs']:,}",
                f"{row['noticed']:,}",
                row["rewarded unequally"],
            )
            for cue, row in rows
        ),
    )


def pairs_needed() -> str:
    """Write how many pairs catch a judge that follows a cue in some share of them."""
    least = [least_caught(pairs) for pairs in range(1, MOST_PAIRS + 1)]
    rows = []
    for followed in NEEDED_FOR:
        too_few = [
            pairs
            for pairs, caught in enumerate(least, start=1)
            if caught is None or caught > followed
        ]
        rows.append((f"{followed:.0%}", max(too_few) + 1))
    return markdown("a cue followed in | is caught by this many pairs", rows)


def main() -> None:
    """Drill a judge of each cue, and print."""
    chosen = arguments(__doc__, clips=60, seed=0, judges=20)
    clips = clips_of(chosen.clips, chosen.seed)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        rows = {cue: several(cue, clips, home, 1.0, judges=1) for cue in CUES}
        for followed in FOLLOWED:
            for cue in ("louder", "longer", "padded"):
                weak = f"{cue}, in {followed:.0%}"
                rows[weak] = several(cue, clips, home, followed, chosen.judges)
    table_of(f"{len(clips)} recordings", "cue", rows)
    save("cues", {"clips": len(clips), "seed": chosen.seed, "cues": rows})


if __name__ == "__main__":
    main()
