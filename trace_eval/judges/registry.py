"""Judges by spec: ``KIND`` or ``KIND:ARGUMENT``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.judges.base import Judge
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


_BUILT_IN: dict[str, tuple[Factory, str]] = {
    "rules": (_rules, "rules"),
    "ollama": (_ollama, "ollama:MODEL"),
    "openai": (_openai, "openai:MODEL"),
    "scripted": (_scripted, "scripted:FILE"),
}


def _need(package: str, model: str) -> None:
    if not model:
        raise UserError(f"judge {package}: name the model, e.g. {_EXAMPLES[package]}")
    if find_spec(package) is None:
        raise UserError(f"judge {package}:{model} needs {package}; run: pip install {package}")


_EXAMPLES = {"openai": "openai:gpt-4.1-mini", "ollama": "ollama:qwen3:8b"}


def judge_specs() -> list[str]:
    """How every known judge is written, built-in ones first."""
    own = [usage for _, usage in _BUILT_IN.values()]
    return own + sorted({entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)})


def create_judge(spec: str, options: JudgeOptions | None = None) -> Judge:
    """The judge that a spec names.

    Args:
        spec: e.g. ``rules``, ``ollama:qwen3:8b``, ``openai:gpt-4.1-mini``.
        options: for judges that take any; default: all defaults.

    Raises:
        UserError: unknown kind, no model, missing package or key, contradicting options.
    """
    kind, _, argument = spec.partition(":")
    options = options or JudgeOptions()
    if kind in _BUILT_IN:
        return _BUILT_IN[kind][0](argument, options)
    for entry in entry_points(group=ENTRY_POINT_GROUP, name=kind):
        made: Any = entry.load()(argument, options)
        if not isinstance(made, Judge):
            raise UserError(f"judge {spec}: {entry.value} returned {type(made).__name__}, no Judge")
        return made
    raise UserError(f"judge {spec!r} is unknown; use one of {', '.join(judge_specs())}")
