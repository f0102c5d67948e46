"""The built-in kinds of judges, and the chat clients behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blueprints import UserError
from trace_eval.judges.base import Judge
from trace_eval.judges.options import JudgeOptions
from trace_eval.rubrics import ScoreRubric

if TYPE_CHECKING:
    from trace_eval.judges.chat import ChatClient, Price


#: (argument, options) -> a judge of pairs.
PairFactory = Callable[[str, JudgeOptions], Judge]

#: (argument, rubrics, options) -> judges of single answers, one per rubric.
ScoreFactory = Callable[[str, Sequence[ScoreRubric], JudgeOptions], Sequence[Judge]]


def _rules(argument: str, options: JudgeOptions) -> Judge:
    from trace_eval.judges.rules import RulesJudge

    if argument:
        raise UserError(f"judge rules:{argument}: rules takes no argument; use --judge rules")
    return RulesJudge()


class ChatBackend(NamedTuple):
    """A chat client, what its calls cost, and how the judge over it is written."""

    spec: str
    client: ChatClient
    price: Price | None


def _openai(argument: str, options: JudgeOptions) -> ChatBackend:
    _need("openai", argument)
    from trace_eval.judges.chat import OpenAIClient, find_price

    client = OpenAIClient(argument, options)
    price = find_price(client.server, client.model, options.prices)
    return ChatBackend(f"openai:{argument}", client, price)


def _ollama(argument: str, options: JudgeOptions) -> ChatBackend:
    _need("ollama", argument)
    from trace_eval.judges.chat import FREE, OllamaClient, find_price

    client = OllamaClient(argument, options)
    price = find_price(client.server, client.model, options.prices) or FREE
    return ChatBackend(f"ollama:{argument}", client, price)


def _scripted(argument: str, options: JudgeOptions) -> ChatBackend:
    if not argument:
        raise UserError("judge scripted: name the file of replies, e.g. scripted:replies.jsonl")
    from trace_eval.judges.chat import FREE, ScriptedClient

    return ChatBackend(f"scripted:{argument}", ScriptedClient.from_file(Path(argument)), FREE)


#: Kinds over a chat client: the same backend serves judges of pairs and raters.
CHAT: dict[str, Callable[[str, JudgeOptions], ChatBackend]] = {
    "ollama": _ollama,
    "openai": _openai,
    "scripted": _scripted,
}


def _chat_pairs(kind: str) -> PairFactory:
    def make(argument: str, options: JudgeOptions) -> Judge:
        backend = CHAT[kind](argument, options)
        from trace_eval.judges.text import BlueprintJudge

        return BlueprintJudge(backend.spec, backend.client, options, backend.price)

    return make


def audio_backend(argument: str, options: JudgeOptions) -> ChatBackend:
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
    backend = CHAT[kind](model, options)
    return backend._replace(spec=f"audio:{argument}")


def _audio(argument: str, options: JudgeOptions) -> Judge:
    backend = audio_backend(argument, options)
    return _listening(options.task)(backend.spec, backend.client, options, backend.price)


def _reward(argument: str, options: JudgeOptions) -> Judge:
    from trace_eval.judges.reward import judge_in_process

    return judge_in_process(argument, options)


def _listening(task: str) -> Callable[..., Judge]:
    """The class of judges that listen and are asked this: labels, or a score of each answer."""
    from trace_eval.judges.audio import load_heard
    from trace_eval.rubrics import ScoreQuestion

    if isinstance(load_heard(task), ScoreQuestion):
        from trace_eval.judges.audio import ScoresJudge

        return ScoresJudge
    from trace_eval.judges.audio import AudioJudge

    return AudioJudge


def _chat_scores(kind: str) -> ScoreFactory:
    def make(
        argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
    ) -> Sequence[Judge]:
        from trace_eval.judges.rating import RatingJudge

        backend = CHAT[kind](argument, options)
        return [
            RatingJudge(backend.spec, backend.client, options, backend.price, rubric)
            for rubric in rubrics
        ]

    return make


def _audio_scores(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> Sequence[Judge]:
    from trace_eval.judges.audio import check_budget
    from trace_eval.judges.rating import RatingJudge
    from trace_eval.judges.views.audio import AudioView

    spec, client, price = audio_backend(argument, options)
    check_budget(options, price)
    for rubric in rubrics:
        if not rubric.needs_audio:
            raise UserError(
                f"judge audio:{argument}: rubric {rubric.name} is about words alone; use"
                " openai:MODEL, or a rubric with audio or turns among its inputs"
            )
    several = len(rubrics) > 1
    return [
        RatingJudge(spec, client, options, price, rubric, AudioView(rubric, options, several))
        for rubric in rubrics
    ]


def _lexical(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> Sequence[Judge]:
    from trace_eval.judges.lexical import LexicalJudge

    if argument:
        raise UserError(f"judge lexical:{argument}: lexical takes no argument")
    return [LexicalJudge(rubric) for rubric in rubrics]


def _turns(argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions) -> Sequence[Judge]:
    from trace_eval.judges.rules import TurnsJudge

    if argument:
        raise UserError(f"judge turns:{argument}: turns takes no argument")
    return [TurnsJudge(rubric) for rubric in rubrics]


def _scorer(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> Sequence[Judge]:
    from trace_eval.scorer import ScorerJudge

    if not argument:
        raise UserError("judge scorer: name the folder, e.g. scorer:my-scorer")
    folder = Path(argument)
    return [ScorerJudge(folder, rubric, options.base, options.device) for rubric in rubrics]


def _reward_scores(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> Sequence[Judge]:
    from trace_eval.judges.reward import raters_in_process

    return raters_in_process(argument, rubrics, options)


class JudgeKind(NamedTuple):
    """A built-in kind of judge.

    Attributes:
        usage: how it is written.
        about: what it is, in a few words.
        package: that must be installed; None: none.
        pairs: makes a judge of pairs; None: it compares none.
        scores: makes judges of single answers; None: it scores none by itself.
    """

    usage: str
    about: str
    package: str | None = None
    pairs: PairFactory | None = None
    scores: ScoreFactory | None = None


#: Kind of several judges that are weighted together, see ``judges.rating.fused``.
FUSION = "fusion"

KINDS: dict[str, JudgeKind] = {
    "rules": JudgeKind("rules", "no model, no network: a screening baseline", pairs=_rules),
    "ollama": JudgeKind(
        *("ollama:MODEL", "a model on an Ollama server", "ollama"),
        *(_chat_pairs("ollama"), _chat_scores("ollama")),
    ),
    "openai": JudgeKind(
        *("openai:MODEL", "a model on an OpenAI-compatible server", "openai"),
        *(_chat_pairs("openai"), _chat_scores("openai")),
    ),
    "audio": JudgeKind(
        *("audio:openai:MODEL", "a model that listens to the recordings", "openai"),
        *(_audio, _audio_scores),
    ),
    "reward": JudgeKind(
        *("reward:PATH", "a reward model of naturalness, in this process", "transformers"),
        *(_reward, _reward_scores),
    ),
    "scripted": JudgeKind(
        *("scripted:FILE", "replays replies from a file", None),
        *(_chat_pairs("scripted"), _chat_scores("scripted")),
    ),
    "lexical": JudgeKind(
        "lexical", "no model, no network: words in common with a reference", scores=_lexical
    ),
    "turns": JudgeKind(
        "turns", "no model, no network: how an agent handles its turns, by rules", scores=_turns
    ),
    FUSION: JudgeKind("fusion:DIR", "several of these, weighted and calibrated by train fusion"),
    "scorer": JudgeKind("scorer:DIR", "a trained scorer, in this process", scores=_scorer),
}


def _need(package: str, model: str) -> None:
    if not model:
        raise UserError(f"judge {package}: name the model, e.g. {_EXAMPLES[package]}")
    if find_spec(package) is None:
        raise UserError(f"judge {package}:{model} needs {package}; run: pip install {package}")


_EXAMPLES = {"openai": "openai:gpt-4.1-mini", "ollama": "ollama:qwen3:8b"}
