"""What the tests of score pairs and others share."""

from __future__ import annotations

from pathlib import Path

from fusion import Rating
from trace_eval.runs.run import Run


def _judged(pairs: Path, out: Path) -> None:
    """The same pairs in a run that says both_good of everything."""
    from fusion import DIMENSIONS
    from trace_eval.data.judgement import DimensionVerdict, Judgement
    from trace_eval.data.manifests import Manifest
    from trace_eval.runs.record import RunRecord

    run = Run.open(pairs)
    verdict = DimensionVerdict(rating=Rating.BOTH_GOOD, reasoning="r")
    with Run(out) as target:
        target.start(RunRecord(), Manifest(pairs, list(run.pairs())))
        for pair in run.pairs():
            target.add(Judgement.scored(pair.id, "rules", dict.fromkeys(DIMENSIONS, verdict)))
