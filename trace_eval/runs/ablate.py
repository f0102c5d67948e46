"""Ablations: judge a run again with parts of the blueprint left out, and compare.

Every condition and repeat is a run of its own under ``RUN/ablations``, which can be
continued and looked at like any run. Nothing is extracted again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

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
    conditions = [Condition(FULL)]
    for name in options.drops or _droppable(run, options):
        conditions.append(Condition(f"without {name}", drop=(name,)))
    if steps and not options.drops:
        conditions.append(Condition("without steps", beside="off"))
    if options.modes:
        conditions.append(Condition("transcript", mode="transcript"))
    return conditions


def _droppable(run: Run, options: AblateOptions) -> list[str]:
    """Return the groups of a run's blueprints, then the aliases of several groups."""
    shown = _present_groups(run) - feature_groups(options.judging.drop)
    groups = shown & GROUPS.keys() - {"transcript"}
    names = [name for name in GROUPS if name in groups]
    for alias, groups_of_alias in ALIASES.items():
        if not groups.isdisjoint(groups_of_alias):
            names.append(alias)
    return names


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
    complete(plain.close)
    _refuse_deaf_conditions(plain, options)
    _refuse_empty_conditions(run, options)
    hides = _hides(plain)
    folders: dict[str, list[Path]] = {}
    for condition in conditions_of(options, run, shows_steps(plain, options.judging)):
        for repeat in range(options.repeats):
            words = f"{options.judge} {condition.name} {repeat}"
            name = re.sub(r"\W+", "-", words).strip("-")
            out = folder / "ablations" / name
            judging = options.judging
            stripped = _stripped_groups(condition)
            if hides:
                judging = _judging_of(options, condition, repeat)
                stripped = frozenset()
            judge = create_judge(options.judge, judging)
            with Run(out) as judged:
                whole_cases = _begun(judged, run, judge, condition)
                cases = (_without(case, stripped) for case in whole_cases)
                try:
                    complete(
                        _judge_cases, judge, cases, judged=judged, listener=listener
                    )
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
        for name in chain(GROUPS, blueprint.extensions):
            if isinstance(blueprint.group(name), Present):
                present.add(name)
    return present


def _refuse_empty_conditions(run: Run, options: AblateOptions) -> None:
    """Refuse conditions that leave out what no blueprint of the run has.

    Raises:
        UserError: names what is not there.
    """
    if options.judging.mode != "blueprint":
        raise UserError(
            f"mode: {options.judging.mode}: the conditions of an ablation set the mode;"
            " leave it out, and compare blueprints with transcripts by --modes"
        )
    present = _present_groups(run)
    if not present:
        _refuse_no_blueprints(run)
        return  # all of its groups are absent
    shown = present - feature_groups(options.judging.drop)
    beside = ""
    remedy = "extract with another profile"
    if options.judging.drop:
        beside = " beside what -J drop leaves out"
        remedy = "drop less"
    absent = [name for name in options.drops if not feature_groups((name,)) & shown]
    if absent:
        raise UserError(
            f"{run.folder}: no blueprint has {' or '.join(absent)}{beside}, so leaving it"
            f" out changes nothing; present are {', '.join(sorted(shown))}"
        )
    if options.modes and not shown - {"transcript"}:
        raise UserError(
            f"{run.folder}: its blueprints have nothing but transcripts{beside}, so"
            f" --modes would compare the judge with itself; {remedy}"
        )


def _refuse_no_blueprints(run: Run) -> None:
    """Refuse a run of which no recording has a blueprint.

    Raises:
        UserError: it has none, or holds scores of single answers.
    """
    if next(iter(run.blueprints()), None) is not None:
        return
    next(iter(run.pairs()), None)  # a run of scores says here that it has no pairs
    raise UserError(
        f"{run.folder}: no recording of it has a blueprint, so nothing can be left out of"
        " one; judge its pairs by a judge that reads blueprints, such as rules, into a"
        " new --out"
    )


def _stripped_groups(condition: Condition) -> frozenset[str] | None:
    """Return the groups a condition strips; None for all but the transcript."""
    return None if condition.mode == "transcript" else feature_groups(condition.drop)


def shows_steps(judge: Judge, judging: JudgeOptions) -> bool:
    """Return whether a judge is shown how far the answers are apart."""
    reads_steps = "beside" in (judge.uses or ())
    has_steps = judging.rendering != "paper" and judging.mode == "blueprint"
    are_on = judging.beside == "steps" and judging.elicitation != "flat"
    return reads_steps and has_steps and are_on


def _judging_of(
    options: AblateOptions, condition: Condition, repeat: int
) -> JudgeOptions:
    """Return the options of a judge in one repeat of a condition, with its own seed."""
    judging = options.judging
    drop: tuple[str, ...] = ()
    beside = judging.beside
    if condition.mode == "blueprint":
        drop = judging.drop + condition.drop
        if beside != "off":
            beside = condition.beside
    seed = judging.seed + repeat * judging.samples
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
    if groups is not None and not groups:
        return case
    blueprints: dict[str, Blueprint] = {}
    for role, blueprint in case.blueprints.items():
        blueprints[role] = _stripped(blueprint, groups)
    return replace(case, blueprints=blueprints)


def _stripped(blueprint: Blueprint, groups: frozenset[str] | None) -> Blueprint:
    """Return a blueprint without some groups; None: without all but the transcript."""
    dropped = Absent(status=Status.NOT_REQUESTED, reason="dropped for an ablation")
    if groups is None:
        names = GROUPS.keys() - {"transcript"}
    else:
        names = GROUPS.keys() & groups
    extensions = dict(blueprint.extensions)
    for name in extensions:
        if groups is None or name in groups:
            extensions[name] = dropped
    fields: dict[str, Any] = dict.fromkeys(names, dropped)
    return blueprint.model_copy(update=fields | {"extensions": extensions})
