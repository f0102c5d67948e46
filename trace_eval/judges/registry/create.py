"""Judges made from a spec, ``KIND`` or ``KIND:ARGUMENT``, of pairs or of answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from blueprints import JudgeError, UserError, imported
from fusion import ItemKind
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.base import Judge
from trace_eval.judges.combine.panel import FusedPanel, Key, Panel
from trace_eval.judges.options.judge_options import FOR_LISTENERS, JudgeOptions
from trace_eval.judges.registry.kinds import (
    FUSION,
    KINDS,
    JudgeKind,
    judge_specs,
    plugin,
)


@dataclass(frozen=True)
class Check:
    """The result of one check of a judge or of this machine.

    Attributes:
        name: the subject.
        ok: whether it is as it should be.
        detail: the result, and the remedy where it is not ok.
    """

    name: str
    ok: bool
    detail: str


def kind_of(spec: str, item: ItemKind = "pair") -> JudgeKind | EntryPoint:
    """Return the kind of judge that a spec names: built in, or of another package.

    Raises:
        UserError: there is none of that name, or it does not take such items.
    """
    name, colon, argument = spec.partition(":")
    kind = KINDS.get(name)
    if kind is None:
        if entry := plugin(name):
            return entry
        near = get_close_matches(name.casefold(), list(KINDS), 1, 0.75)
        suggestion = ""
        if near:
            suggestion = f"did you mean {near[0]}{colon}{argument}? Else "
        elif name[:1].isalpha():  # as names of models begin
            suggestion = f"did you mean openai:{spec} or ollama:{spec}? Else "
        use = f"{suggestion}use one of {', '.join(judge_specs(item))}"
        help_line = "help(trace_eval.Judge) in Python says how to write one"
        raise JudgeError(f"judge {spec!r} is unknown; {use}; {help_line}")
    if item == "pair" and not kind.pairs:
        raise JudgeError(
            f"judge {name}: rates single answers and compares none; use trace-eval rate"
        )
    if item == "single" and not (kind.scores or name == FUSION):
        raise JudgeError(
            f"judge {spec}: compares pairs and has no scores; use"
            f" {', '.join(judge_specs('single'))}"
        )
    return kind


def create_judge(spec: str, options: JudgeOptions | None = None) -> Judge:
    """Create the judge of pairs that a spec names.

    Args:
        spec: e.g. ``rules``, ``ollama:qwen3:8b``, ``openai:gpt-4.1-mini``.
        options: for judges that take any; default: all defaults.

    Raises:
        UserError: unknown kind, no model, missing package or key, contradicting
            options.
    """
    options = options or JudgeOptions()
    kind, argument = kind_of(spec), spec.partition(":")[2]
    if isinstance(kind, EntryPoint):
        made = _made_by(kind, spec, options)
        judge = _checked(made, f"judge {spec}, {kind.value}")
        _refuse_argument(judge, kind, spec, options)
    else:
        assert kind.pairs is not None
        judge = kind.pairs(argument, options)
    if "pair" not in judge.accepts:
        raise JudgeError(f"judge {spec}: rates single answers; use trace-eval rate")
    _refuse_ignored(judge, spec, options)
    return judge


def _made_by(package: EntryPoint, spec: str, options: JudgeOptions) -> Any:
    """Return what a package makes of a spec; JudgeError where it fails."""
    argument = spec.partition(":")[2]
    make = imported(package, f"judge {spec}", JudgeError)
    try:
        return make(argument, options)
    except UserError:
        raise
    except Exception as error:  # whatever code of others raises
        raise JudgeError(
            f"judge {spec}: {package.value} makes no judge of {argument!r}"
            f" ({type(error).__name__}: {error})"
        ) from error


def _refuse_argument(
    judge: Judge, package: EntryPoint, spec: str, options: JudgeOptions
) -> None:
    """Refuse what follows the colon where a package's judge makes nothing of it.

    A judge that takes an argument shows it in its spec or among its parameters, which a
    run records.
    """
    name, _, argument = spec.partition(":")
    if not argument or ":" in judge.spec:
        return
    if argument in map(str, judge.parameters().values()):
        return  # no second one need be made, which may load a model
    try:
        plain = _made_by(package, name, options)
    except UserError:  # it cannot do without
        return
    if plain.parameters() == judge.parameters():
        raise JudgeError(
            f"judge {spec}: {name} takes no argument; use --judge {name}. If it reads"
            f" {argument!r}, {package.value} must show that in the judge's spec or"
            " parameters()"
        )


def judge_of(choice: str | Judge, options: JudgeOptions | None = None) -> Judge:
    """Return the judge that a user chose: by its spec, or made already.

    Raises:
        UserError: as :func:`create_judge`; an object that is no judge; options beside a
            judge that was made already.
    """
    if isinstance(choice, str):
        return create_judge(choice, options)
    judge = _checked(choice, "judge")
    changed = (options or JudgeOptions()).changed()
    if changed:
        raise JudgeError(
            f"judge {judge.spec}: was made already, so {', '.join(changed)} cannot"
            " reach it; give them to the judge itself"
        )
    return judge


def create_scorers(
    spec: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions | None = None
) -> list[Judge]:
    """Create the judges of single answers for a spec, one per rubric, over one client.

    Raises:
        UserError: as :func:`create_judge`; a judge that has no scores.
    """
    options = options or JudgeOptions()
    kind, argument = kind_of(spec, "single"), spec.partition(":")[2]
    if isinstance(kind, EntryPoint):
        judges = []
        for rubric in rubrics:
            judge = _made_by(kind, spec, options)
            if not isinstance(judge, Judge) or "single" not in judge.accepts:
                raise JudgeError(
                    f"judge {spec}, {kind.value}: {type(judge).__name__} rates no"
                    " single answers; accept single answers, or use trace-eval judge"
                )
            _refuse_argument(judge, kind, spec, options)
            judge.rubric = rubric
            judges.append(judge)
    elif kind.scores is None:  # as a member of a panel, which a file may name
        raise JudgeError(
            f"judge {spec}: stands for several judges already; name it alone"
        )
    else:
        judges = list(kind.scores(argument, rubrics, options))
    for judge in judges:
        _refuse_ignored(judge, spec, options)
    return judges


def panel_of(
    judges: Sequence[str | Judge],
    rubrics: Sequence[ScoreRubric] = (),
    options: JudgeOptions | None = None,
    done: Collection[Key] = (),
) -> Panel:
    """Create the judges that a session asks.

    Args:
        judges: specs, or one judge that was made already.
        rubrics: of single answers; empty: the judge compares pairs.
        options: for judges that take any.
        done: scores that exist already and are not made again.

    Raises:
        UserError: as :func:`create_judge` and :func:`create_scorers`.
    """
    if not rubrics:
        (judge,) = judges
        return Panel([judge_of(judge, options)])
    specs = [judge for judge in judges if isinstance(judge, str)]
    if len(specs) < len(judges):
        raise JudgeError(
            "judge: name the judge of single answers by its spec, e.g. lexical"
        )
    fused = [spec for spec in specs if spec.partition(":")[0] == FUSION]
    if not fused:
        return Panel(
            [r for spec in specs for r in create_scorers(spec, rubrics, options)], done
        )
    if len(specs) > 1:
        raise JudgeError(
            f"judge {fused[0]}: stands for several judges already; name it alone"
        )
    folder = Path(fused[0].partition(":")[2])
    return FusedPanel(
        folder, rubrics, lambda spec: create_scorers(spec, rubrics, options), done
    )


def _refuse_ignored(judge: Judge, spec: str, options: JudgeOptions) -> None:
    """Refuse options that were set and mean nothing to this judge."""
    uses = judge.uses
    if uses is None:
        return
    listens = "audio" in judge.reads
    unfit = options.preset is not None and listens != (options.preset in FOR_LISTENERS)
    ignored = []
    for name in options.changed():
        if name not in uses or (name == "preset" and unfit):
            ignored.append(name)
    if ignored:
        raise JudgeError(
            f"judge {spec}: does not use {', '.join(sorted(ignored))}; leave out what"
            " it ignores, or name a judge that uses it"
        )


def _checked(made: Any, where: str) -> Judge:
    """Check that an object can be used as a judge."""
    # Names without an underscore are the interface; a subclass of Judge has all of
    # them.
    members = ["spec"]
    members += [name for name in vars(Judge) if not name.startswith("_")]
    if missing := [name for name in members if not hasattr(made, name)]:
        raise JudgeError(
            f"{where}: {type(made).__name__} is not a Judge: it lacks"
            f" {', '.join(missing)}; derive it from trace_eval.Judge"
        )
    judge: Judge = made
    return judge
