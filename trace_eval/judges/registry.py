"""Judges by spec: ``KIND`` or ``KIND:ARGUMENT``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import UserError
from trace_eval.judges.base import Judge, missing_members
from trace_eval.judges.options import JudgeOptions

#: Entry-point group through which an installed package offers judges: a callable
#: ``(argument: str, options: JudgeOptions) -> Judge`` under the name of the kind.
ENTRY_POINT_GROUP = "trace_eval.judges"

Factory = Callable[[str, JudgeOptions], Judge]


def _rules(argument: str, options: JudgeOptions) -> Judge:
    from trace_eval.judges.rules import RulesJudge

    if argument:
        raise UserError(f"judge rules:{argument}: rules takes no argument; use --judge rules")
    return RulesJudge()


def _openai(argument: str, options: JudgeOptions) -> Judge:
    _need("openai", argument)
    from trace_eval.judges.chat.openai import OpenAIClient
    from trace_eval.judges.chat.prices import find_price
    from trace_eval.judges.text.judge import LLMJudge

    client = OpenAIClient(argument, options)
    price = find_price(client.server, client.model, options.prices)
    return LLMJudge(f"openai:{argument}", client, options, price)


def _ollama(argument: str, options: JudgeOptions) -> Judge:
    _need("ollama", argument)
    from trace_eval.judges.chat.ollama import OllamaClient
    from trace_eval.judges.chat.prices import FREE, find_price
    from trace_eval.judges.text.judge import LLMJudge

    client = OllamaClient(argument, options)
    price = find_price(client.server, client.model, options.prices) or FREE
    return LLMJudge(f"ollama:{argument}", client, options, price)


def _scripted(argument: str, options: JudgeOptions) -> Judge:
    if not argument:
        raise UserError("judge scripted: name the file of replies, e.g. scripted:replies.jsonl")
    from trace_eval.judges.chat.prices import FREE
    from trace_eval.judges.chat.scripted import ScriptedClient
    from trace_eval.judges.text.judge import LLMJudge

    client = ScriptedClient.from_file(Path(argument))
    return LLMJudge(f"scripted:{argument}", client, options, FREE)


def _audio(argument: str, options: JudgeOptions) -> Judge:
    kind, _, model = argument.partition(":")
    if kind == "ollama":
        raise UserError(
            f"judge audio:{argument}: no test has shown yet that Ollama's models hear what they"
            " are sent; serve the model with llama.cpp or vLLM and use audio:openai:MODEL"
            " --base-url"
        )
    if kind not in ("openai", "scripted") or not model:
        raise UserError(
            f"judge audio:{argument}: name a client and a model, e.g. audio:openai:gpt-audio-1.5"
        )
    from trace_eval.judges.audio.judge import AudioJudge
    from trace_eval.judges.audio.presets import with_preset
    from trace_eval.judges.chat.prices import FREE, find_price

    options = with_preset(options)
    if kind == "scripted":
        from trace_eval.judges.chat.scripted import ScriptedClient

        return AudioJudge(f"audio:{argument}", ScriptedClient.from_file(Path(model)), options, FREE)
    _need("openai", model)
    from trace_eval.judges.chat.openai import OpenAIClient

    client = OpenAIClient(model, options)
    price = find_price(client.server, client.model, options.prices)
    return AudioJudge(f"audio:{argument}", client, options, price)


class JudgeKind(NamedTuple):
    """A built-in kind of judge.

    Attributes:
        make: (argument, options) -> judge.
        usage: how it is written.
        about: what it is, in a few words.
        package: that must be installed; None: none.
    """

    make: Factory
    usage: str
    about: str
    package: str | None = None


_BUILT_IN: dict[str, JudgeKind] = {
    "rules": JudgeKind(_rules, "rules", "no model, no network: a screening baseline"),
    "ollama": JudgeKind(_ollama, "ollama:MODEL", "a model on an Ollama server", "ollama"),
    "openai": JudgeKind(
        _openai, "openai:MODEL", "a model on an OpenAI-compatible server", "openai"
    ),
    "audio": JudgeKind(
        _audio, "audio:openai:MODEL", "a model that listens to the recordings", "openai"
    ),
    "scripted": JudgeKind(_scripted, "scripted:FILE", "replays replies from a file"),
}


def _need(package: str, model: str) -> None:
    if not model:
        raise UserError(f"judge {package}: name the model, e.g. {_EXAMPLES[package]}")
    if find_spec(package) is None:
        raise UserError(f"judge {package}:{model} needs {package}; run: pip install {package}")


_EXAMPLES = {"openai": "openai:gpt-4.1-mini", "ollama": "ollama:qwen3:8b"}


def judge_specs() -> list[str]:
    """How every known judge is written, built-in ones first."""
    own = [kind.usage for kind in _BUILT_IN.values()]
    return own + sorted({entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)})


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
    ignored = ignored_options(made, options)
    if ignored:
        raise UserError(
            f"judge {spec}: does not use {', '.join(ignored)}; leave out what it ignores, or name"
            " a judge that uses it"
        )
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


def ignored_options(judge: Judge, options: JudgeOptions) -> list[str]:
    """Options that were set and mean nothing to this judge."""
    uses = getattr(judge, "uses", None)
    return [] if uses is None else [name for name in options.changed() if name not in uses]


def kinds() -> dict[str, JudgeKind]:
    """The built-in kinds by name."""
    return dict(_BUILT_IN)


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
    if kind in _BUILT_IN:
        return _BUILT_IN[kind].make(argument, options)
    for entry in entry_points(group=ENTRY_POINT_GROUP, name=kind):
        return _checked(entry.load()(argument, options), f"judge {spec}, {entry.value}")
    raise UserError(f"judge {spec!r} is unknown; use one of {', '.join(judge_specs())}")
