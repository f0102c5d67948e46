"""Run folders with the verdicts, scores and clips of a test, made without a judge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from blueprints import GROUPS
from fusion import DIMENSIONS, Rating
from tests.support.datasets_made import write_lines
from tests.support.samples import spoken
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair, ScoreLabels, Single
from trace_eval.data.judgement import DimensionVerdict, Judgement, Overall
from trace_eval.data.manifests import Manifest, read_items
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Score
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run


def write_folder(
    folder: Path, record: Mapping[str, Any], **lines: Sequence[Any]
) -> Path:
    """Write a run's manifest.json, and these records, a file of lines per name."""
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(record))
    for name, records in lines.items():
        whole = name == "overall"  # of which a null says that nothing was fused
        text = "".join(
            each.model_dump_json(exclude_none=not whole) + "\n" for each in records
        )
        (folder / f"{name}.jsonl").write_text(text)
    return folder


def judged_run(
    folder: Path,
    labels: Mapping[str, str | None],
    *,
    version: str = "v1",
    parameters: Mapping[str, Any] | None = None,
    asked: str = "Say it.",
    label_set: str = "plain",
    severe: Sequence[str] = (),
    systems: tuple[str, str] = ("new", "old"),
    swapped: Sequence[str] = (),
    seconds: float = 1.0,
    cached: bool = False,
) -> Path:
    """Write a run of pairs with their labels as a whole; None: unscored.

    Args:
        version: of the answer under test, which is A, or B in the pairs of ``swapped``.
        seconds: of every call; a copy of a run has the same.
    """
    pairs, judgements, overall = [], [], []
    for name, label in labels.items():
        path = f"/audio/{name.encode().hex()}"
        answers = {
            "tested": Answer(audio=Path(f"{path}-{version}.wav"), system=systems[0]),
            "other": Answer(audio=Path(f"{path}-fixed.wav"), system=systems[1]),
        }
        a, b = ("other", "tested") if name in swapped else ("tested", "other")
        pairs.append(
            Pair(
                id=name,
                instruction=Instruction(text=f"{asked} {name}"),
                a=answers[a],
                b=answers[b],
                meta={"severe": True} if name in severe else {},
            )
        )
        made: dict[str, Any] = {"pair": name, "judge": "j", "label_set": label_set}
        if label is None:
            made |= {
                "status": "unscored",
                "reason": "unparseable",
                "detail": "no verdict",
            }
        else:
            call = {"order": "ab", "ratings": {"overall": label}, "raw": label}
            call |= {"seconds": seconds, "cached": cached}
            verdict = {"rating": label, "reasoning": "because"}
            made |= {
                "status": "scored",
                "dimensions": {"overall": verdict},
                "opinions": [call],
            }
        judgements.append(Judgement.model_validate(made))
        fused = {"pair": name, "policy": "asked", "rating": label, "why": "x"}
        overall.append(Overall.model_validate(fused))
    judge = {"spec": "openai:m", "parameters": {"prompt": "abc", **(parameters or {})}}
    record = {"judge": judge, "policy": "asked"}
    return write_folder(
        folder, record, pairs=pairs, judgements=judgements, overall=overall
    )


def rated_run(
    folder: Path,
    values: Mapping[str, float | None],
    seconds: float = 1.0,
    ratings: Mapping[str, Sequence[float]] | None = None,
) -> Path:
    """Write a run of single answers with scores by ``correctness``; None is unscored.

    Args:
        seconds: of every call; a copy of a run has the same.
        ratings: item -> human ratings of it.
    """
    rubric = load_rubric("correctness")
    items, scores = [], []
    for name, value in values.items():
        answer = Answer(text=f"answer to {name}")
        given = (ratings or {}).get(name)
        labels = (
            None
            if given is None
            else ScoreLabels.model_validate({"scores": list(given)})
        )
        asked = Instruction(text=name)
        items.append(Single(id=name, instruction=asked, answer=answer, labels=labels))
        made: dict[str, Any] = {"item": name, "rubric": rubric.name, "judge": "j"}
        made |= {"rubric_sha256": rubric.sha256, "status": "scored", "value": value}
        if value is None:
            made |= {
                "status": "unscored",
                "reason": "unparseable",
                "detail": "no score",
            }
        else:
            made["opinions"] = [{"score": value, "raw": str(value), "seconds": seconds}]
        scores.append(Score.model_validate(made))
    told = {**rubric.model_dump(mode="json"), "sha256": rubric.sha256}
    record = {"judge": {"spec": "openai:m"}, "rubrics": {rubric.name: told}}
    return write_folder(folder, record, items=items, scores=scores)


def scripted_run(
    folder: Path,
    records: Sequence[Any],
    replies: Sequence[Any],
    judging: JudgeOptions | None = None,
    **more: Any,
) -> Path:
    """Write a run of ratings of these records by a script of replies, in turn."""
    items = write_lines(folder / "items.jsonl", records)
    script = write_lines(folder / "script.jsonl", replies)
    nothing = dict.fromkeys(GROUPS, "none")
    options = RateOptions(
        ExtractOptions(overrides=nothing, workers=0, cache=folder / "cache"),
        judge=(f"scripted:{script}",),
        judging=judging or JudgeOptions(repair=False),
        **more,
    )
    rate_manifest(read_items(items), folder / "run", options)
    return folder / "run"


def extracted_run(folder: Path, count: int = 4, lost: str = "", **record: Any) -> Run:
    """Write a run of pairs with equal clips, extracted from recordings that are gone.

    Args:
        lost: the clip that could not be decoded, as ``3b``.
        record: what the record of the run says.
    """
    pairs, run = [], Run(folder)
    with run:
        for number in range(count):
            sides = {side: Path(f"/audio/{number}{side}.wav") for side in "ab"}
            for path in sides.values():
                clip = f"{path.stem:0>64}"
                if path.stem == lost:
                    run.add_clip(ClipRecord(source=str(path), error="not a recording"))
                    continue
                run.add_clip(ClipRecord(source=str(path), clip=clip))
                run.add_blueprint(spoken().model_copy(update={"clip": clip}))
            pairs.append(
                Pair(
                    id=str(number),
                    instruction=Instruction(text=f"Tell me about sea {number}."),
                    a=Answer(audio=sides["a"]),
                    b=Answer(audio=sides["b"]),
                    labels=Labels(
                        **dict.fromkeys((*DIMENSIONS, "overall"), Rating.BOTH_GOOD)
                    ),
                )
            )
        run.start(RunRecord(**record), Manifest(folder, pairs))
    return run


def both_good_run(pairs: Path, out: Path) -> None:
    """Write the same pairs in a run that says both_good of everything."""
    run = Run.open(pairs)
    verdict = DimensionVerdict(rating=Rating.BOTH_GOOD, reasoning="r")
    with Run(out) as target:
        target.start(RunRecord(), Manifest(pairs, list(run.pairs())))
        for pair in run.pairs():
            target.add(
                Judgement.scored(pair.id, "rules", dict.fromkeys(DIMENSIONS, verdict))
            )
