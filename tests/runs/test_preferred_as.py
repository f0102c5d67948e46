"""Naturalness scores that stand for voice quality in a typed, fused run."""

from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from fusion import Rating
from tests.support.cli import refused, trace_eval
from tests.support.judged import both_good_run
from trace_eval.data.answers import Answer
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement, PairScores, VerdictOpinion
from trace_eval.data.manifests import Manifest
from trace_eval.data.outcome import Reason
from trace_eval.judges.combine.orders import rewarded_judgement, voted_judgement
from trace_eval.judges.read.two_scores import NATURALNESS
from trace_eval.runs.derived import typed_tie, write_as_voice_quality
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run

SPEC = "audio:openai:m"


def scores(
    mean_a: float, mean_b: float, low: float | None = 1, high: float | None = 10
) -> PairScores:
    known = {
        "task": "naturalness",
        "low": low,
        "high": high,
        "p_a": 0.5,
        "margin": mean_a - mean_b,
    }
    return PairScores(**known, a=[mean_a], b=[mean_b], mean_a=mean_a, mean_b=mean_b)


@pytest.mark.parametrize(
    ("means", "label", "typed"),
    [
        ((6, 5.9), "1", Rating.A),
        ((5.9, 6), "1", Rating.B),  # an answer that is not acceptable cannot win
        ((8, 7), "1", Rating.A),
        ((8, 7), "2", Rating.B),  # the vote decides between two acceptable ones
        ((7, 7), "tie", Rating.BOTH_GOOD),
        ((5, 3), "1", Rating.BOTH_BAD),
    ],
)
def test_steps_by_hand(means: tuple[float, float], label: str, typed: Rating) -> None:
    assert typed_tie(scores(*means), label, 6) is typed


def test_what_has_no_threshold() -> None:
    with pytest.raises(UserError, match="from 1 to 10"):
        typed_tie(scores(5, 5), "tie", 11)
    with pytest.raises(UserError, match="no scale"):
        typed_tie(scores(0.2, -0.3, None, None), "1", 0)


def natural(name: str, a: float, b: float) -> Judgement:
    label = "1" if a > b else "2" if a < b else "tie"
    opinions = [
        VerdictOpinion.model_validate(
            {"order": order, "score_a": a, "score_b": b, "ratings": {"overall": label}}
        )
        for order in ("ab", "ba")
    ]
    return voted_judgement(name, SPEC, opinions, NATURALNESS)


def write_run(
    folder: Path, judgements: list[Judgement], *, turned: bool = False
) -> Path:
    pairs = []
    for made in judgements:
        a, b = (
            Answer(audio=Path(f"/{side}.wav")) for side in ("ba" if turned else "ab")
        )
        pairs.append(Pair(id=made.pair, a=a, b=b))
    with Run(folder) as target:
        target.start(RunRecord(judge=JudgeRecord(spec=SPEC)), Manifest(folder, pairs))
        for made in judgements:
            target.add(made)
    return folder


def test_as_typed_into_a_fused_run(tmp_path: Path) -> None:
    failed = Judgement.unscored("p3", SPEC, Reason.REFUSED, "no")
    judgements = [natural("p0", 8, 5), natural("p1", 7, 7), natural("p2", 2, 4), failed]
    run = write_run(tmp_path / "natural", judgements)
    both_good_run(run, tmp_path / "judged")
    shown = (
        "--as",
        "voice_quality",
        "--acceptable",
        "6",
        "--onto",
        tmp_path / "judged",
    )
    trace_eval("fuse", run, *shown, "--out", tmp_path / "mixed", ends=0)
    mixed = Run.open(tmp_path / "mixed")
    result = mixed.judgements()
    typed = {name: j.rating("voice_quality") for name, j in result.items()}
    assert typed == {
        "p0": Rating.A,
        "p1": Rating.BOTH_GOOD,
        "p2": Rating.BOTH_BAD,
        "p3": None,
    }
    assert result["p0"].rating("content") is Rating.BOTH_GOOD
    assert result["p0"].dimensions["voice_quality"].evidence["acceptable"] == 6
    assert result["p0"].caveats[-1].endswith("judge audio:openai:m; acceptable from 6")
    assert "acceptable from 6" in mixed.record().judge.spec
    assert (result["p3"].status, result["p3"].reason) == ("unscored", Reason.REFUSED)
    overall = mixed.overall()
    assert overall["p1"].rating is Rating.BOTH_GOOD
    assert overall["p3"].rating is None

    refused("exists", "fuse", run, *shown, "--out", tmp_path / "mixed")
    refused("go together", "fuse", run, "--as", "voice_quality")


def test_runs_that_cannot_be_put_together(tmp_path: Path) -> None:
    run = write_run(tmp_path / "natural", [natural("p0", 8, 5)])
    both_good_run(run, tmp_path / "judged")
    out = tmp_path / "mixed"
    turned = write_run(tmp_path / "turned", [natural("p0", 8, 5)], turned=True)
    with pytest.raises(UserError, match=r"recordings in .* are not those"):
        write_as_voice_quality(turned, tmp_path / "judged", out, 6)
    with pytest.raises(UserError, match="plain labels, no typed ties"):
        write_as_voice_quality(run, run, out, 6)
    with pytest.raises(UserError, match="no judgement scores both"):
        write_as_voice_quality(tmp_path / "judged", tmp_path / "judged", out, 6)
    rewards = [rewarded_judgement("p0", "reward:m", (0.4, 0.1), 0.57, 0)]
    with pytest.raises(UserError, match="rewards are on no scale"):
        write_as_voice_quality(
            write_run(tmp_path / "r", rewards), tmp_path / "judged", out, 6
        )
    assert not out.exists()
