"""The built-in kinds of judges, and the chat clients behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from blueprints import UserError, is_installed
from fusion import ItemKind
from trace_eval.judges.base import Judge
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.plugins import plugin_kinds
from trace_eval.rubrics.single import ScoreRubric

if TYPE_CHECKING:
    from trace_eval.judges.ask.calls import Backend
    from trace_eval.judges.ask.judge import LLMJudge
    from trace_eval.judges.views.answer.prompt import SingleView

#: (argument, options) -> a judge of pairs.
PairFactory = Callable[[str, JudgeOptions], Judge]

#: (argument, rubrics, options) -> judges of single answers, one per rubric.
ScoreFactory = Callable[[str, Sequence[ScoreRubric], JudgeOptions], Sequence[Judge]]


def _one(target: str) -> PairFactory:
    """Makes a judge of pairs that takes no argument, of the class ``MODULE:NAME`` in ``judges``."""

    def make(argument: str, options: JudgeOptions) -> Judge:
        judge: Judge = _class_of(target, argument)()
        return judge

    return make


def _each(target: str) -> ScoreFactory:
    """Makes judges of single answers, one per rubric, of a class that takes the rubric alone."""

    def make(
        argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
    ) -> Sequence[Judge]:
        judge_class = _class_of(target, argument)
        return [judge_class(rubric) for rubric in rubrics]

    return make


def _class_of(target: str, argument: str) -> Any:
    module, _, name = target.partition(":")
    judge_class = getattr(import_module(f"trace_eval.judges.{module}"), name)
    if argument:
        kind = judge_class.spec
        raise UserError(f"judge {kind}:{argument}: {kind} takes no argument; use --judge {kind}")
    return judge_class


def _openai(argument: str, options: JudgeOptions) -> Backend:
    _need("openai", argument)
    from trace_eval.judges.ask.calls import Backend
    from trace_eval.judges.ask.openai import OpenAIClient
    from trace_eval.judges.ask.prices import FREE, find_price, is_local

    client = OpenAIClient(argument, options)
    price = find_price(client.server, client.model, options.prices)
    if price is None and options.max_cost is None and is_local(client.server):
        price = FREE  # but no bound rests on that: it may be a gateway to a server that is paid
    return Backend(f"openai:{argument}", client, price)


def _ollama(argument: str, options: JudgeOptions) -> Backend:
    _need("ollama", argument)
    from trace_eval.judges.ask.calls import Backend
    from trace_eval.judges.ask.ollama import OllamaClient
    from trace_eval.judges.ask.prices import FREE, find_price

    client = OllamaClient(argument, options)
    price = find_price(client.server, client.model, options.prices) or FREE
    return Backend(f"ollama:{argument}", client, price)


def _scripted(argument: str, options: JudgeOptions) -> Backend:
    if not argument:
        raise UserError("judge scripted: name the file of replies, e.g. scripted:replies.jsonl")
    from trace_eval.judges.ask.calls import Backend
    from trace_eval.judges.ask.prices import FREE
    from trace_eval.judges.ask.scripted import ScriptedClient

    return Backend(f"scripted:{argument}", ScriptedClient.from_file(Path(argument)), FREE)


#: Kinds over a chat client: the same backend serves judges of pairs and raters.
CHAT: dict[str, Callable[[str, JudgeOptions], Backend]] = {
    "ollama": _ollama,
    "openai": _openai,
    "scripted": _scripted,
}


#: The same for judges that listen.
LISTENS = "audio"


def backend_of(kind: str, argument: str, options: JudgeOptions) -> Backend:
    """The client behind ``KIND:MODEL``, or behind ``audio:KIND:MODEL``.

    Raises:
        UserError: there is none, it cannot listen, or sound has no price and a bound needs one.
    """
    if kind != LISTENS:
        return CHAT[kind](argument, options)
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
    from trace_eval.judges.views.sound.sending import check_budget

    backend = CHAT[kind](model, options)
    check_budget(options, backend.price)
    return backend._replace(spec=f"audio:{argument}")


def compares(client: Backend, options: JudgeOptions, listens: bool = False) -> LLMJudge:
    """The judge of pairs over a client: it reads by TRACE, or hears what ``task`` asks.

    Raises:
        UserError: the task, its words or its examples cannot be used.
    """
    from trace_eval.judges.ask.judge import LLMJudge
    from trace_eval.judges.read.labels import LabelForm
    from trace_eval.judges.read.two_scores import TwoScoreForm
    from trace_eval.rubrics.load import load_pair_rubric
    from trace_eval.rubrics.pairs import ScoreQuestion

    if not listens:
        from trace_eval.judges.views.pair.text import PairTextView

        trace = load_pair_rubric("trace")
        assert not isinstance(trace, ScoreQuestion)
        return LLMJudge(LabelForm(trace, options.elicitation, False), PairTextView(options), client)
    from trace_eval.judges.views.pair.scores import PairScoresView
    from trace_eval.judges.views.pair.sound import PairSoundView
    from trace_eval.judges.views.text.tasks import load_heard

    task = load_heard(options.task)
    if isinstance(task, ScoreQuestion):
        scores = TwoScoreForm(task, options.structure == "text")
        return LLMJudge(scores, PairScoresView(task, options), client)
    return LLMJudge(
        LabelForm(task, options.elicitation, True), PairSoundView(task, options), client
    )


def scores(
    client: Backend,
    rubric: ScoreRubric,
    options: JudgeOptions,
    listens: bool = False,
    one_of_several: bool = False,
) -> LLMJudge:
    """The judge of single answers over a client, by one rubric.

    Raises:
        UserError: the rubric is about words and the judge listens; examples cannot be used.
    """
    from trace_eval.judges.ask.judge import LLMJudge
    from trace_eval.judges.read.score import ScoreForm

    view = None if listens else view_of(rubric, options)
    if view is None:
        from trace_eval.judges.views.answer.audio import AudioView

        if not rubric.needs_audio:
            raise UserError(
                f"judge {client.spec}: rubric {rubric.name} is about words alone; use"
                " openai:MODEL, or a rubric with audio or turns among its inputs"
            )
        view = AudioView(rubric, options, one_of_several)
    return LLMJudge(ScoreForm(rubric, options, listens), view, client)


def view_of(rubric: ScoreRubric, options: JudgeOptions) -> SingleView:
    """What shows a judge that reads the subject of a rubric: a conversation, blueprints or words.

    Raises:
        UserError: an option names what the rubric has no use for, or a file that cannot be read.
    """
    from trace_eval.judges.views.answer.blueprint import BlueprintView
    from trace_eval.judges.views.answer.conversation import ConversationView
    from trace_eval.judges.views.answer.transcript import TranscriptView

    if rubric.of_conversations:
        return ConversationView(rubric, options)
    return (BlueprintView if rubric.needs_audio else TranscriptView)(rubric, options)


def _chat(kind: str) -> tuple[PairFactory, ScoreFactory]:
    """Judges of pairs, and of single answers, over one kind of client."""
    listens = kind == LISTENS

    def pairs(argument: str, options: JudgeOptions) -> Judge:
        return compares(backend_of(kind, argument, options), options, listens)

    def singles(
        argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
    ) -> Sequence[Judge]:
        client, several = backend_of(kind, argument, options), len(rubrics) > 1
        return [scores(client, rubric, options, listens, several) for rubric in rubrics]

    return pairs, singles


def _reward(argument: str, options: JudgeOptions) -> Judge:
    from trace_eval.judges.reward.judge import judge_in_process

    return judge_in_process(argument, options)


def _scorer(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> Sequence[Judge]:
    from trace_eval.judges.scorer.judge import ScorerJudge

    if not argument:
        raise UserError("judge scorer: name the folder, e.g. scorer:my-scorer")
    folder = Path(argument)
    return [ScorerJudge(folder, rubric, options.base, options.device) for rubric in rubrics]


def _reward_scores(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> Sequence[Judge]:
    from trace_eval.judges.reward.rater import raters_in_process

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


#: Kind of several judges that are weighted together, see ``judges.combine.fused``.
FUSION = "fusion"

KINDS: dict[str, JudgeKind] = {
    "rules": JudgeKind(
        "rules", "no model, no network: a screening baseline", pairs=_one("rules.judge:RulesJudge")
    ),
    "ollama": JudgeKind(
        *("ollama:MODEL", "a model on an Ollama server", "ollama"),
        *_chat("ollama"),
    ),
    "openai": JudgeKind(
        *("openai:MODEL", "a model on an OpenAI-compatible server", "openai"),
        *_chat("openai"),
    ),
    "audio": JudgeKind(
        *("audio:openai:MODEL", "a model that listens to the recordings", "openai"),
        *_chat(LISTENS),
    ),
    "reward": JudgeKind(
        *("reward:PATH", "a reward model of naturalness, in this process", "transformers"),
        *(_reward, _reward_scores),
    ),
    "scripted": JudgeKind(
        *("scripted:FILE", "replays replies from a file", None),
        *_chat("scripted"),
    ),
    "lexical": JudgeKind(
        "lexical",
        "no model, no network: words in common with a reference",
        scores=_each("lexical.judge:LexicalJudge"),
    ),
    "turns": JudgeKind(
        "turns",
        "no model, no network: how an agent handles its turns, by rules",
        scores=_each("turns.judge:TurnsJudge"),
    ),
    FUSION: JudgeKind("fusion:DIR", "several of these, weighted and calibrated by train fusion"),
    "scorer": JudgeKind("scorer:DIR", "a trained scorer, in this process", scores=_scorer),
}


def _need(package: str, model: str) -> None:
    if not model:
        raise UserError(f"judge {package}: name the model, e.g. {_EXAMPLES[package]}")
    if not is_installed(package):
        raise UserError(f"judge {package}:{model} needs {package}; run: pip install {package}")
    from trace_eval.judges.ask.connection import check_proxies

    check_proxies()  # before the import: the package ollama makes a client when it is imported


_EXAMPLES = {"openai": "openai:gpt-4.1-mini", "ollama": "ollama:qwen3:8b"}


def judge_specs(item: ItemKind = "pair") -> list[str]:
    """How every known judge of pairs, or of single answers, is written, built-in ones first."""
    if item == "pair":
        return [kind.usage for kind in KINDS.values() if kind.pairs] + plugin_kinds()
    scorers = [kind for name, kind in KINDS.items() if kind.scores or name == FUSION]
    scorers.sort(key=lambda kind: kind.pairs is not None)  # those that do nothing else first
    return [kind.usage for kind in scorers] + plugin_kinds()
