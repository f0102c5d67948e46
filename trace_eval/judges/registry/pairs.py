"""Judges of pairs by spec: ``KIND`` or ``KIND:ARGUMENT``."""

from __future__ import annotations

from typing import Any

from blueprints import UserError
from trace_eval.judges.base import Judge, missing_members
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.presets import FOR_LISTENERS
from trace_eval.judges.registry.built_in import BUILT_IN, RATERS_ONLY, JudgeKind
from trace_eval.judges.registry.plugins import plugin, plugin_kinds


def create_judge(spec: str, options: JudgeOptions | None = None) -> Judge:
    """The judge that a spec names.

    Args:
        spec: e.g. ``rules``, ``ollama:qwen3:8b``, ``openai:gpt-4.1-mini``.
        options: for judges that take any; default: all defaults.

    Raises:
        UserError: unknown kind, no model, missing package or key, contradicting options.
    """
    options = options or JudgeOptions()
    made = _made(spec, options)
    if "pair" not in made.accepts:
        raise UserError(f"judge {spec}: rates single answers; use trace-eval rate")
    refuse_ignored(made, spec, options)
    return made


def judge_of(choice: str | Judge, options: JudgeOptions | None = None) -> Judge:
    """The judge that a user chose: by its spec, or made already.

    Raises:
        UserError: as :func:`create_judge`; an object that is no judge; options beside a judge
            that was made already.
    """
    if isinstance(choice, str):
        return create_judge(choice, options)
    judge = _checked(choice, "judge")
    changed = (options or JudgeOptions()).changed()
    if changed:
        raise UserError(
            f"judge {judge.spec}: was made already, so {', '.join(changed)} cannot reach it; give"
            " them to the judge itself"
        )
    return judge


def judge_specs() -> list[str]:
    """How every known judge is written, built-in ones first."""
    own = [kind.usage for kind in BUILT_IN.values()]
    return own + plugin_kinds()


def kinds() -> dict[str, JudgeKind]:
    """The built-in kinds by name."""
    return dict(BUILT_IN)


def ignored_options(judge: Judge, options: JudgeOptions) -> list[str]:
    """Options that were set and mean nothing to this judge."""
    uses = getattr(judge, "uses", None)
    if uses is None:
        return []
    listens = "audio" in judge.reads
    unfit = options.preset is not None and listens != (options.preset in FOR_LISTENERS)
    return [name for name in options.changed() if name not in uses or (name == "preset" and unfit)]


def refuse_ignored(judge: Judge, spec: str, options: JudgeOptions) -> None:
    """Refuse options that mean nothing to this judge."""
    if ignored := ignored_options(judge, options):
        raise UserError(
            f"judge {spec}: does not use {', '.join(ignored)}; leave out what it ignores, or name"
            " a judge that uses it"
        )


def _checked(made: Any, where: str) -> Judge:
    """An object that can be used as a judge."""
    missing = missing_members(made)
    if missing:
        lacks = ", ".join(missing)
        raise UserError(
            f"{where}: {type(made).__name__} is no Judge: it lacks {lacks}; derive it from"
            " trace_eval.Judge"
        )
    judge: Judge = made
    return judge


def _made(spec: str, options: JudgeOptions) -> Judge:
    kind, _, argument = spec.partition(":")
    if kind in BUILT_IN:
        return BUILT_IN[kind].make(argument, options)
    if kind in {name.partition(":")[0] for name in RATERS_ONLY}:
        raise UserError(
            f"judge {kind}: rates single answers and compares none; use trace-eval rate"
        )
    if entry := plugin(kind):
        return _checked(entry.load()(argument, options), f"judge {spec}, {entry.value}")
    raise UserError(f"judge {spec!r} is unknown; use one of {', '.join(judge_specs())}")
