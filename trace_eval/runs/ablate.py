"""Ablations: judge a run again with parts of the blueprint left out, and compare.

Every condition and repeat is a run of its own under ``RUN/ablations``, which can be
continued and looked at like any run. Nothing is extracted again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from blueprints import (
    ALIASES,
    GROUPS,
    Absent,
    Blueprint,
    Present,
    Status,
    UserError,
    feature_groups,
)
from trace_eval.data.judgement import Judgement
from trace_eval.data.manifests import Manifest
from trace_eval.data.outcome import Reason
from trace_eval.data.policies import load_policy
from trace_eval.extracting.engine import each
from trace_eval.extracting.event_loop import complete
from trace_eval.judges.base import Case, Judge, JudgeUnreachable, judgement_of
from trace_eval.judges.options.groups import Beside, Mode
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.fuse import fuse_run
from trace_eval.runs.options import AblateOptions
from trace_eval.runs.pipeline import load_model
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run

#: Name of the condition that the others are compared with: nothing dropped, mode
#: blueprint.
FULL = "full"


@dataclass(frozen=True)
class Condition:
    """One way to judge: what is dropped, the mode, and differences in steps or not."""

    name: str
    drop: tuple[str, ...] = ()
    mode: Mode = "blueprint"
    beside: Beside = "steps"


def conditions_of(
    options: AblateOptions, run: Run, steps: bool = False
) -> list[Condition]:
    """List the full condition, then one per dropped group, then the transcript mode.

    ``steps``: the judge is shown how far the answers are apart; where no groups are
    named, it is once not shown.
    """
    drops = options.drops
    if not drops:
        groups = _present_groups(run) & GROUPS.keys() - {"transcript"}
        aliases = (alias for alias, names in ALIASES.items() if groups & set(names))
        drops = (*(name for name in GROUPS if name in groups), *aliases)
    conditions = [
        Condition(FULL),
        *(Condition(f"without {name}", (name,)) for name in drops),
    ]
    if steps and not options.drops:
        conditions.append(Condition("without steps", beside="off"))
    return [
        *conditions,
        *([Condition("transcript", mode="transcript")] * options.modes),
    ]


def ablate(
    folder: Path,
    options: AblateOptions,
    listener: Callable[[Judgement], None] | None = None,
) -> dict[str, list[Path]]:
    """Judge every condition and repeat that is not finished yet.

    Returns:
        Condition -> run folders of its repeats; :data:`FULL` is the first.

    Raises:
        UserError: the run has no blueprints, or the judge cannot be made.
    """
    run = Run.open(folder)
    policy = load_policy(options.policy)
    plain = create_judge(options.judge, options.judging)
    complete(plain.close())
    _refuse_deaf_conditions(plain, options)
    _refuse_empty_conditions(run, options)
    hides = _hides(plain)
    folders: dict[str, list[Path]] = {}
    for condition in conditions_of(options, run, shows_steps(plain, options.judging)):
        for repeat in range(options.repeats):
            name = re.sub(
                r"\W+", "-", f"{options.judge} {condition.name} {repeat}"
            ).strip("-")
            out = folder / "ablations" / name
            judging = (
                _judging_of(options, condition, repeat) if hides else options.judging
            )
            strip = frozenset() if hides else _stripped_groups(condition)
            judge = create_judge(options.judge, judging)
            with Run(out) as judged:
                cases = (
                    _without(case, strip)
                    for case in _begun(judged, run, judge, condition)
                )
                try:
                    complete(_judge_cases(judge, cases, judged, listener))
                finally:
                    fuse_run(judged, policy)
            folders.setdefault(condition.name, []).append(out)
    return folders


def _hides(judge: Judge) -> bool:
    """Tell whether a judge itself leaves out what is dropped, and in transcript mode.

    A model is not shown what is dropped. Fixed rules, and judges that do not say what
    they use, find the groups absent instead.
    """
    return judge.uses is not None and {"drop", "mode"} <= judge.uses


def _refuse_deaf_conditions(judge: Judge, options: AblateOptions) -> None:
    """Refuse conditions that equal the full judge, whose difference is zero of itself.

    Raises:
        UserError: the judge reads no blueprints, or hears the recordings in every
            condition.
    """
    if "blueprint" not in judge.reads:
        raise UserError(
            f"judge {judge.spec}: reads no blueprints, so nothing of them can be left"
            " out; use rules or openai:MODEL"
        )
    if options.modes and "audio" in judge.reads:
        raise UserError(
            f"judge {judge.spec}: hears the recordings beside every transcript, so"
            " --modes would compare it with itself; use rules or openai:MODEL"
        )


def _present_groups(run: Run) -> set[str]:
    """Return the groups, extensions among them, that any of a run's blueprints has."""
    present: set[str] = set()
    for blueprint in run.blueprints():
        for name in (*GROUPS, *blueprint.extensions):
            if isinstance(blueprint.group(name), Present):
                present.add(name)
    return present


def _refuse_empty_conditions(run: Run, options: AblateOptions) -> None:
    """Refuse conditions that leave out what no blueprint of the run has.

    Raises:
        UserError: names what is not there.
    """
    if not (options.drops or options.modes):
        return
    present = _present_groups(run)
    if not present:
        return  # its judge reads no blueprints
    absent = [name for name in options.drops if not feature_groups((name,)) & present]
    if absent:
        raise UserError(
            f"{run.folder}: no blueprint has {' or '.join(absent)}, so leaving it out"
            f" changes nothing; present are {', '.join(sorted(present))}"
        )
    if options.modes and not present - {"transcript"}:
        raise UserError(
            f"{run.folder}: its blueprints have nothing but transcripts, so --modes"
            " would compare the judge with itself; extract with another profile"
        )


def _stripped_groups(condition: Condition) -> frozenset[str] | None:
    """Return the groups a condition strips; None for all but the transcript."""
    return None if condition.mode == "transcript" else feature_groups(condition.drop)


def shows_steps(judge: Judge, judging: JudgeOptions) -> bool:
    """Return whether a judge is shown how far the answers are apart."""
    reads = "beside" in (judge.uses or ())
    asked = judging.beside == "steps" and judging.elicitation != "flat"
    return (
        reads and asked and judging.rendering != "paper" and judging.mode == "blueprint"
    )


def _judging_of(
    options: AblateOptions, condition: Condition, repeat: int
) -> JudgeOptions:
    judging = options.judging
    drop = (*judging.drop, *condition.drop) if condition.mode == "blueprint" else ()
    seed = judging.seed + repeat * judging.samples
    beside = condition.beside if condition.mode == "blueprint" else judging.beside
    beside = "off" if judging.beside == "off" else beside
    return replace(judging, drop=drop, mode=condition.mode, beside=beside, seed=seed)


def _begun(judged: Run, run: Run, judge: Judge, condition: Condition) -> Iterator[Case]:
    """Begin or continue the run of one condition; gives the cases that it lacks."""
    record = JudgeRecord(
        spec=judge.spec, parameters=judge.parameters(), condition=condition.name
    )
    if judged.exists and judged.record().judge != record:
        out = judged.folder
        raise UserError(
            f"{out}: was judged with other options; delete it or choose others"
        )
    pairs = list(run.pairs())
    judged.start(RunRecord(judge=record), Manifest(run.folder, pairs))
    done = judged.scored()
    if len(done) < len(pairs):
        load_model(judge)
    return (case for case in CaseReader(run) if case.pair.id not in done)


async def _judge_cases(
    judge: Judge,
    cases: Iterator[Case],
    judged: Run,
    listener: Callable[[Judgement], None] | None,
) -> None:
    """Judge cases, read as they come, as many at a time as the judge takes."""

    async def work(case: Case) -> None:
        try:
            judgement = await judgement_of(judge, case)
        except JudgeUnreachable:
            raise
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"
            judgement = Judgement.unscored(
                case.pair.id, judge.spec, Reason.JUDGE_FAILED, detail
            )
        judged.add(judgement)
        if listener:
            listener(judgement)

    try:
        await each(cases, work, judge.concurrency)
    finally:
        await judge.close()


def _without(case: Case, groups: frozenset[str] | None) -> Case:
    """Return a case whose blueprints lack some groups; None: all but the transcript."""
    dropped = Absent(status=Status.NOT_REQUESTED, reason="dropped for an ablation")
    without = (
        frozenset(GROUPS) - {"transcript"} if groups is None else groups & GROUPS.keys()
    )
    fields = dict.fromkeys(without, dropped)

    def stripped(blueprint: Blueprint) -> Blueprint:
        extensions = {
            name: dropped if groups is None or name in groups else value
            for name, value in blueprint.extensions.items()
        }
        return blueprint.model_copy(update={**fields, "extensions": extensions})

    if not (fields or groups is None or groups):
        return case
    blueprints = {
        role: stripped(blueprint) for role, blueprint in case.blueprints.items()
    }
    return replace(case, blueprints=blueprints)
