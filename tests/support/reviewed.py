"""Runs with known judgements, and walks through a review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fusion import DIMENSIONS, POLICIES, Rating
from tests.support.audio import tone, write
from tests.support.cli import ROOT
from trace_eval.data.files import write_all
from trace_eval.data.items import Pair
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import Manifest
from trace_eval.data.outcome import Reason
from trace_eval.review.material import DATABASE, load_material
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.queue import QueueOptions, make_plan
from trace_eval.review.session import Review
from trace_eval.review.store import Store
from trace_eval.review.views import Remark
from trace_eval.runs.fuse import fuse
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run

EXAMPLES = ROOT / "examples" / "pairs.jsonl"

POLICY = POLICIES["content_first"]


def pairs(folder: Path, number: int, text: str = "Say it slowly.") -> list[Pair]:
    """Make ``p0``, ``p1``, ...: A of 300 Hz and B of 600, by secretly named systems."""
    a = write(folder / "secret-one.wav", tone(0.3, hz=300))
    b = write(folder / "secret-two.wav", tone(0.3, hz=600))
    return [
        Pair.model_validate(
            {
                "id": f"p{n}",
                "instruction": {"text": text},
                "a": {"audio": a, "system": "secret-one"},
                "b": {"audio": b, "system": "secret-two"},
            }
        )
        for n in range(number)
    ]


def verdicts(
    rating: Rating = Rating.A,
    distribution: dict[Rating, float] | None = None,
    consistent: bool | None = None,
    evidence: dict[str, object] | None = None,
) -> dict[str, DimensionVerdict]:
    """Return the same verdict on every dimension."""
    return {
        name: DimensionVerdict.model_validate(
            {
                "rating": rating,
                "reasoning": f"because of {name}",
                "distribution": distribution,
                "consistent": consistent,
                "evidence": evidence or {},
            }
        )
        for name in DIMENSIONS
    }


def scored(pair: str, rating: Rating = Rating.A, **how: object) -> Judgement:
    """Return a judgement that says the same on every dimension."""
    return Judgement.scored(pair, "rules", verdicts(rating, **how))  # type: ignore[arg-type]


def unscored(pair: str) -> Judgement:
    """Return a judgement that failed."""
    return Judgement.unscored(pair, "rules", Reason.UNREACHABLE, "server down")


def write_run(
    folder: Path,
    items: Sequence[Pair],
    judgements: Mapping[str, Judgement] | None = None,
    clips: Sequence[ClipRecord] = (),
) -> Path:
    """Write a run folder of these pairs; default: the judge prefers A everywhere."""
    judgements = judgements or {pair.id: scored(pair.id) for pair in items}
    run = Run(folder)
    with run:
        run.start(
            RunRecord(judge=JudgeRecord(spec="rules")),
            Manifest(folder / "pairs.jsonl", list(items)),
        )
        for clip in clips:
            run.add_clip(clip)
        for judgement in judgements.values():
            run.add(judgement)
        fused = (
            fuse(judgement, POLICY).model_dump_json()
            for judgement in judgements.values()
        )
        write_all(run.path("overall.jsonl"), fused)
    return folder


def open_at(
    run: Path, show_judge: bool = False, allow_unplayed: bool = True, **options: object
) -> Review:
    """Open a fresh review of a run with these queue options."""
    material = load_material(run)
    plan = make_plan(material, QueueOptions(**options))  # type: ignore[arg-type]
    return Review(
        material,
        Store(run / DATABASE),
        plan,
        show_judge=show_judge,
        allow_unplayed=allow_unplayed,
    )


def opened(source: Path, name: str, *, unplayed: bool = True, **queue: Any) -> Review:
    """Open a review by a protocol."""
    return open_review(
        source, queue, ReviewOptions(protocol=name, allow_unplayed=unplayed)
    )


def answered(review: Review, rater: str, value: str, comment: str = "") -> str:
    """Answer the rater's question with a value as shown; returns its item."""
    position = review.position(rater)
    assert position is not None
    assert position.step is not None
    done = review.answer(
        rater,
        position.task,
        step=position.step.key,
        value=value,
        remark=Remark(comment),
    )
    assert done
    return position.view.item


def another_database(run: Path) -> ReviewOptions:
    """Return the options of a second review of a run."""
    return ReviewOptions(allow_unplayed=True, database=run / "another.sqlite")


def shown_answers(rating: Rating) -> tuple[str, ...]:
    """Return the answers to a block's questions that say this of the shown answers."""
    return {
        Rating.A: ("yes", "yes", "1"),
        Rating.B: ("no", "yes"),
        Rating.BOTH_GOOD: ("yes", "yes", "equal"),
        Rating.BOTH_BAD: ("no", "no"),
    }[rating]


def say(review: Review, rater: str, rating: Rating, comment: str = "") -> str:
    """Finish the rater's pair with this rating of its true A and B in all blocks."""
    position = review.position(rater)
    assert position is not None
    item, task = position.view.item, position.task
    shown = rating if position.view.shown == "ab" else rating.swapped
    blocks = 5 if review.plan.overall_first else 4
    for _ in range(blocks):
        for value in shown_answers(shown):
            position = review.position(rater)
            assert position is not None
            assert position.step is not None
            assert review.answer(
                rater, task, step=position.step.key, value=value, remark=Remark(comment)
            )
    assert review.answer(rater, task, step="comment", value="", remark=Remark(comment))
    return item


def annotation(result: list[Any], who: Any = 7) -> dict[str, Any]:
    """Return a finished annotation, as an export of Label Studio holds it."""
    return {"id": 1, "completed_by": who, "was_cancelled": False, "result": result}
