"""A run whose ratings, margins and human labels are given."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from blueprints import Blueprint, Transcript
from fusion import DIMENSIONS, Rating
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import Manifest
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run


def judged_run(
    folder: Path, rows: list[tuple[Rating, float | None, Rating | None]]
) -> Path:
    """Make a run of (rating, margin of A per dimension, human label)."""
    pairs, run = [], Run(folder)
    for number, (_, _, label) in enumerate(rows):
        pairs.append(
            Pair(
                id=f"p{number}",
                instruction=Instruction(text=f"Question {number}?"),
                a=Answer(audio=Path(f"/a{number}.wav"), system="old"),
                b=Answer(audio=Path(f"/b{number}.wav"), system="new"),
                labels=None if label is None else Labels(overall=label),
            )
        )
    with run:
        record = RunRecord(judge=JudgeRecord(spec="rules"), policy="content_first")
        run.start(record, Manifest(path=folder / "pairs.jsonl", items=pairs))
        for number, (rating, margin, _) in enumerate(rows):
            verdict = DimensionVerdict(
                rating=rating, reasoning="It is so.", consistent=True, margin=margin
            )
            for side in "ab":
                clip = sha256(f"{side}{number}".encode()).hexdigest()
                run.add_clip(ClipRecord(source=f"/{side}{number}.wav", clip=clip))
                run.add_blueprint(spoken(clip, f"{side.upper()} says {number}."))
            run.add(
                Judgement.scored(
                    f"p{number}", "rules", dict.fromkeys(DIMENSIONS, verdict)
                )
            )
    fuse_again(folder, "content_first")
    return folder


def spoken(clip: str, words: str) -> Blueprint:
    transcript = Transcript(
        text=words, language="en", language_source="model", words=[]
    )
    return Blueprint(clip=clip, transcript=transcript)
