"""The built-in kinds of judges, and the chat clients behind them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blueprints import UserError
from trace_eval.judges.base import Judge
from trace_eval.judges.options import JudgeOptions

if TYPE_CHECKING:
    from trace_eval.judges.chat.base import ChatClient
    from trace_eval.judges.chat.prices import Price


Factory = Callable[[str, JudgeOptions], Judge]


def _rules(argument: str, options: JudgeOptions) -> Judge:
    from trace_eval.judges.rules import RulesJudge

    if argument:
        raise UserError(f"judge rules:{argument}: rules takes no argument; use --judge rules")
    return RulesJudge()


class Line(NamedTuple):
    """A chat client, what its calls cost, and how the judge over it is written."""

    spec: str
    client: ChatClient
    price: Price | None


def _openai(argument: str, options: JudgeOptions) -> Line:
    _need("openai", argument)
    from trace_eval.judges.chat.openai import OpenAIClient
    from trace_eval.judges.chat.prices import find_price

    client = OpenAIClient(argument, options)
    price = find_price(client.server, client.model, options.prices)
    return Line(f"openai:{argument}", client, price)


def _ollama(argument: str, options: JudgeOptions) -> Line:
    _need("ollama", argument)
    from trace_eval.judges.chat.ollama import OllamaClient
    from trace_eval.judges.chat.prices import FREE, find_price

    client = OllamaClient(argument, options)
    price = find_price(client.server, client.model, options.prices) or FREE
    return Line(f"ollama:{argument}", client, price)


def _scripted(argument: str, options: JudgeOptions) -> Line:
    if not argument:
        raise UserError("judge scripted: name the file of replies, e.g. scripted:replies.jsonl")
    from trace_eval.judges.chat.prices import FREE
    from trace_eval.judges.chat.scripted import ScriptedClient

    return Line(f"scripted:{argument}", ScriptedClient.from_file(Path(argument)), FREE)


#: Kinds over a chat client: the same line serves judges of pairs and raters.
CHAT: dict[str, Callable[[str, JudgeOptions], Line]] = {
    "ollama": _ollama,
    "openai": _openai,
    "scripted": _scripted,
}


def _chat_judge(kind: str) -> Factory:
    def make(argument: str, options: JudgeOptions) -> Judge:
        line = CHAT[kind](argument, options)
        from trace_eval.judges.text.judge import LLMJudge

        return LLMJudge(line.spec, line.client, options, line.price)

    return make


def audio_line(argument: str, options: JudgeOptions) -> Line:
    """The client behind ``audio:CLIENT:MODEL``."""
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
    line = CHAT[kind](model, options)
    return line._replace(spec=f"audio:{argument}")


def _audio(argument: str, options: JudgeOptions) -> Judge:
    line = audio_line(argument, options)
    return _listening(options.task)(line.spec, line.client, options, line.price)


def _reward(argument: str, options: JudgeOptions) -> Judge:
    from trace_eval.judges.reward.judge import judge_in_process

    return judge_in_process(argument, options)


def _listening(task: str) -> Callable[..., Judge]:
    """The class of judges that listen and are asked this: labels, or a score of each answer."""
    from trace_eval.judges.audio.tasks import is_scored

    if is_scored(task):
        from trace_eval.judges.audio.scores import ScoresJudge

        return ScoresJudge
    from trace_eval.judges.audio.judge import AudioJudge

    return AudioJudge


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


BUILT_IN: dict[str, JudgeKind] = {
    "rules": JudgeKind(_rules, "rules", "no model, no network: a screening baseline"),
    "ollama": JudgeKind(
        _chat_judge("ollama"), "ollama:MODEL", "a model on an Ollama server", "ollama"
    ),
    "openai": JudgeKind(
        _chat_judge("openai"), "openai:MODEL", "a model on an OpenAI-compatible server", "openai"
    ),
    "audio": JudgeKind(
        _audio, "audio:openai:MODEL", "a model that listens to the recordings", "openai"
    ),
    "reward": JudgeKind(
        _reward, "reward:PATH", "a reward model of naturalness, in this process", "transformers"
    ),
    "scripted": JudgeKind(_chat_judge("scripted"), "scripted:FILE", "replays replies from a file"),
}


#: Kinds that give scores only -> what they are, in a few words.
RATERS_ONLY = {
    "lexical": "no model, no network: words in common with a reference",
    "fusion:DIR": "several of these, weighted and calibrated by train fusion",
    "scorer:DIR": "a trained scorer, in this process",
}


def _need(package: str, model: str) -> None:
    if not model:
        raise UserError(f"judge {package}: name the model, e.g. {_EXAMPLES[package]}")
    if find_spec(package) is None:
        raise UserError(f"judge {package}:{model} needs {package}; run: pip install {package}")


_EXAMPLES = {"openai": "openai:gpt-4.1-mini", "ollama": "ollama:qwen3:8b"}
