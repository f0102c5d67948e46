"""What the tests of ablate and others share."""

from __future__ import annotations

from pathlib import Path

from fusion import DIMENSIONS, Rating
from tests.support.samples import spoken
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.manifests import Manifest
from trace_eval.data.pairs import Labels, Pair
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run


def _extracted(folder: Path, count: int = 4) -> Run:
    """A run whose clips were extracted: B's pitch is the only difference worth a verdict."""
    pairs, run = [], Run(folder)
    with run:
        for number in range(count):
            sides = {side: Path(f"/audio/{number}{side}.wav") for side in "ab"}
            for path in sides.values():
                clip = f"{path.stem:0>64}"
                run.add_clip(ClipRecord(source=str(path), clip=clip))
                run.add_blueprint(spoken().model_copy(update={"clip": clip}))
            pairs.append(
                Pair(
                    id=str(number),
                    instruction=Instruction(text="Tell me about the sea."),
                    a=Answer(audio=sides["a"]),
                    b=Answer(audio=sides["b"]),
                    labels=Labels(**dict.fromkeys((*DIMENSIONS, "overall"), Rating.BOTH_GOOD)),
                )
            )
        run.start(RunRecord(), Manifest(folder, pairs))
    return run
