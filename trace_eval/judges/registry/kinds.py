"""The kinds of judges, built in or of installed packages, and their chat clients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from blueprints import BudgetError, JudgeError, is_installed
from fusion import ItemKind
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.base import Judge
from trace_eval.judges.options.judge_options import JudgeOptions

if TYPE_CHECKING:  # help pages import this module, and nothing heavy
    from trace_eval.judges.ask.calls import Backend
    from trace_eval.judges.ask.judge import LLMJudge
    from trace_eval.judges.views.answer.prompt import SingleView

#: (argument, options) -> a judge of pairs.
PairFactory = Callable[[str, JudgeOptions], Judge]

#: (argument, rubrics, options) -> judges of single answers, one per rubric.
ScoreFactory = Callable[[str, Sequence[ScoreRubric], JudgeOptions], Sequence[Judge]]

#: Entry-point group through which an installed package offers judges: a callable
#: ``(argument: str, options: JudgeOptions) -> Judge`` under the name of the kind. One
#: of single answers is called once per rubric, which it then finds in ``rubric``.
ENTRY_POINT_GROUP = "trace_eval.judges"

#: Kind of judges that listen, over a client that takes sound.
LISTENS = "audio"

#: Client, also the package that it needs -> its class, and an example.
_CLIENTS = {
    "ollama": ("OllamaClient", "ollama:qwen3:8b"),
    "openai": ("OpenAIClient", "openai:gpt-4.1-mini"),
}

#: Clients whose servers may take sound.
_HEAR = ("openai", "scripted", "vllm", "sglang")

#: Client that starts the server it needs -> an example; see ``judges.ask.engines``.
_SERVED = {
    "gguf": "gguf:qwen3-8b-q4_k_m.gguf",
    "vllm": "vllm:Qwen/Qwen3-8B",
    "sglang": "sglang:Qwen/Qwen3-8B",
}


def _load(target: str) -> Any:
    """Import what ``MODULE:NAME`` in ``judges`` names, when it is needed."""
    module, _, name = target.partition(":")
    return getattr(import_module(f"trace_eval.judges.{module}"), name)


def _late(target: str) -> Callable[..., Any]:
    """Return a factory that is imported when it is called."""
    return lambda *arguments: _load(target)(*arguments)


def _class_of(target: str, argument: str) -> Any:
    """Load a judge class that takes no argument."""
    judge_class = _load(target)
    if argument:
        kind = judge_class.spec
        raise JudgeError(
            f"judge {kind}:{argument}: {kind} takes no argument; use --judge {kind}"
        )
    return judge_class


def _each(target: str) -> ScoreFactory:
    """Return a factory of judges of single answers from a class of rubrics."""
    return lambda argument, rubrics, _: [
        _class_of(target, argument)(rubric) for rubric in rubrics
    ]


def _need(package: str, spec: str) -> None:
    if not is_installed(package):
        raise JudgeError(f"judge {spec} needs {package}; run: pip install {package}")


def _client(kind: str, argument: str, options: JudgeOptions) -> Backend:
    """Make the client behind ``KIND:MODEL``, with the price of its calls."""
    from trace_eval.judges.ask.calls import Backend
    from trace_eval.judges.ask.prices import FREE, find_price, is_local

    spec = f"{kind}:{argument}"
    if kind == "scripted":
        if not argument:
            raise JudgeError(
                "judge scripted: name the file of replies, e.g. scripted:replies.jsonl"
            )
        return Backend(
            spec, _load("ask.scripted:ScriptedClient").from_file(Path(argument)), FREE
        )
    if kind in _SERVED:
        if not argument:
            raise JudgeError(f"judge {kind}: name the model, e.g. {_SERVED[kind]}")
        _need("openai", spec)
        # Its calls cost nothing, and stay on this machine.
        return Backend(
            spec, _load("ask.served:ServedClient")(kind, argument, options), FREE
        )
    name, example = _CLIENTS[kind]
    if not argument:
        raise JudgeError(f"judge {kind}: name the model, e.g. {example}")
    _need(kind, spec)
    # Before the import: the package ollama makes a client when it is imported.
    _load("ask.connection:check_proxies")()
    client = _load(f"ask.{kind}:{name}")(argument, options)
    price = find_price(client.server, client.model, options.prices)
    # No limit of cost rests on an address of this machine: it may be a gateway to a
    # paid server.
    at_home = options.max_cost is None and is_local(client.server)
    return Backend(
        spec, client, price or (FREE if kind == "ollama" or at_home else None)
    )


def _listening_client(argument: str, options: JudgeOptions) -> Backend:
    """Make the client behind ``audio:KIND:MODEL``; limits need a price of sound."""
    kind, _, model = argument.partition(":")
    if kind == "ollama":
        raise JudgeError(
            f"judge audio:{argument}: no test has shown yet that Ollama's models hear"
            " what they are sent; serve the model with llama.cpp or vLLM and use"
            " audio:openai:MODEL --base-url"
        )
    if kind not in _HEAR or not model:
        raise JudgeError(
            f"judge audio:{argument}: name a client and a model, e.g."
            " audio:openai:gpt-audio-1.5"
        )
    backend = _client(kind, model, options)
    price = backend.price
    if (
        price
        and options.max_cost is not None
        and (price.input or price.output)
        and None in (price.audio_input, price.audio_tokens_per_s)
    ):
        raise BudgetError(
            f"--max-cost: the price of sound is not known for {price.model!r}; add"
            " audio_input and audio_tokens_per_s in a table of your own, and name that with"
            " -J prices=FILE"
        )
    return backend._replace(spec=f"audio:{argument}")


def compares(client: Backend, options: JudgeOptions, listens: bool = False) -> LLMJudge:
    """Make the judge of pairs over a client: it reads by TRACE, or hears by ``task``.

    Raises:
        UserError: the task, its words or its examples cannot be used.
    """
    from trace_eval.data.rubrics.load import load_pair_rubric
    from trace_eval.data.rubrics.pairs import ScoreQuestion
    from trace_eval.judges.ask.judge import LLMJudge
    from trace_eval.judges.read.labels import LabelForm
    from trace_eval.judges.read.two_scores import TwoScoreForm

    if not listens:
        task, view = (
            load_pair_rubric("trace"),
            _load("views.pair.text:PairTextView")(options),
        )
    else:
        task = _load("views.text.tasks:load_listening")(options.task)
        scored = isinstance(task, ScoreQuestion)
        shown = "scores:PairScoresView" if scored else "sound:PairSoundView"
        view = _load(f"views.pair.{shown}")(task, options)
    if isinstance(task, ScoreQuestion):
        return LLMJudge(TwoScoreForm(task, options.structure == "text"), view, client)
    return LLMJudge(LabelForm(task, options.elicitation, listens), view, client)


def view_of(rubric: ScoreRubric, options: JudgeOptions) -> SingleView:
    """Make the view of a rubric's subject: a conversation, blueprints or words.

    Raises:
        UserError: an option names something that the rubric does not use, or a file
            cannot be read.
    """
    if rubric.of_conversations:
        target = "conversation:ConversationView"
    else:
        target = "text:BlueprintView" if rubric.needs_audio else "text:TranscriptView"
    view: SingleView = _load(f"views.answer.{target}")(rubric, options)
    return view


class JudgeKind(NamedTuple):
    """A built-in kind of judge: how it is written, what it is, and what makes it."""

    usage: str
    about: str
    packages: tuple[str, ...] = ()  # that must be installed, its client first
    extra: str | None = None  # of ours that brings them; None: they are named
    pairs: PairFactory | None = None  # None: it compares none
    scores: ScoreFactory | None = None  # None: it scores none by itself


def _chat(kind: str, usage: str, about: str, package: str | None) -> JudgeKind:
    """Make judges of pairs, and of single answers, over one kind of client."""
    listens = kind == LISTENS

    def client_of(argument: str, options: JudgeOptions) -> Backend:
        if listens:
            return _listening_client(argument, options)
        return _client(kind, argument, options)

    def pairs(argument: str, options: JudgeOptions) -> Judge:
        return compares(client_of(argument, options), options, listens)

    def singles(
        argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
    ) -> Sequence[Judge]:
        from trace_eval.judges.ask.judge import LLMJudge
        from trace_eval.judges.read.score import ScoreForm

        client, judges = client_of(argument, options), []
        for rubric in rubrics:
            if listens and not rubric.needs_audio:
                raise JudgeError(
                    f"judge {client.spec}: rubric {rubric.name} is about words alone;"
                    " use openai:MODEL, or a rubric with audio or turns among its"
                    " inputs"
                )
            if listens:
                view = _load("views.answer.audio:AudioView")(
                    rubric, options, len(rubrics) > 1
                )
            else:
                view = view_of(rubric, options)
            judges.append(LLMJudge(ScoreForm(rubric, options, listens), view, client))
        return judges

    packages = () if package is None else (package,)
    return JudgeKind(usage, about, packages, pairs=pairs, scores=singles)


def _scorer(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> Sequence[Judge]:
    from trace_eval.judges.scorer.judge import ScorerJudge

    if not argument:
        raise JudgeError("judge scorer: name the folder, e.g. scorer:my-scorer")
    folder = Path(argument)
    return [
        ScorerJudge(folder, rubric, options.base, options.device) for rubric in rubrics
    ]


def _lexical(
    argument: str, rubrics: Sequence[ScoreRubric], _: JudgeOptions
) -> Sequence[Judge]:
    if argument not in ("", "meaning"):
        raise JudgeError(
            f"judge lexical:{argument}: lexical compares words, and lexical:meaning"
            " meaning as well; name one of them"
        )
    judge = _load("lexical.judge:LexicalJudge")
    return [judge(rubric, meaning=bool(argument)) for rubric in rubrics]


#: Kind of several judges that are weighted together, see ``judges.combine.panel``.
FUSION = "fusion"

KINDS: dict[str, JudgeKind] = {
    "rules": JudgeKind(
        "rules",
        "no model, no network: a screening baseline",
        pairs=lambda argument, _: _class_of("rules.judge:RulesJudge", argument)(),
    ),
    "ollama": _chat("ollama", "ollama:MODEL", "a model on an Ollama server", "ollama"),
    "openai": _chat(
        "openai", "openai:MODEL", "a model on an OpenAI-compatible server", "openai"
    ),
    "gguf": _chat(
        "gguf", "gguf:FILE", "a model in a file, on a llama.cpp of its own", "openai"
    ),
    "vllm": _chat(
        "vllm", "vllm:MODEL", "a model on a vLLM server of its own", "openai"
    ),
    "sglang": _chat(
        "sglang", "sglang:MODEL", "a model on an SGLang server of its own", "openai"
    ),
    LISTENS: _chat(
        LISTENS,
        "audio:openai:MODEL",
        "a model that listens to the recordings",
        "openai",
    ),
    "reward": JudgeKind(
        usage="reward:PATH",
        about="a reward model of naturalness, in this process",
        packages=("transformers", "torch", "peft"),
        extra="reward",
        pairs=_late("reward.judge:judge_in_process"),
        scores=_late("reward.judge:raters_in_process"),
    ),
    "scripted": _chat("scripted", "scripted:FILE", "replays replies from a file", None),
    "lexical": JudgeKind(
        "lexical",
        (
            "no model, no network: words in common with a reference; lexical:meaning:"
            " its meaning, too"
        ),
        scores=_lexical,
    ),
    "turns": JudgeKind(
        "turns",
        "no model, no network: how an agent handles its turns, by rules",
        scores=_each("rules.turns:TurnsJudge"),
    ),
    FUSION: JudgeKind(
        "fusion:DIR", "several of these, weighted and calibrated by train fusion"
    ),
    "scorer": JudgeKind(
        usage="scorer:DIR",
        about="a trained scorer, in this process",
        packages=("transformers", "torch", "peft", "safetensors"),
        extra="scorer",
        scores=_scorer,
    ),
}


def plugin(kind: str) -> EntryPoint | None:
    """Find an installed package's entry point for a kind of judge; None without one."""
    return next(iter(entry_points(group=ENTRY_POINT_GROUP, name=kind)), None)


def judge_specs(item: ItemKind = "pair") -> list[str]:
    """List the specs of all judges of pairs or single answers, built-in first."""
    plugins = sorted({entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)})
    if item == "pair":
        return [kind.usage for kind in KINDS.values() if kind.pairs] + plugins
    scorers = [kind for name, kind in KINDS.items() if kind.scores or name == FUSION]
    scorers.sort(
        key=lambda kind: kind.pairs is not None
    )  # those that do nothing else first
    return [kind.usage for kind in scorers] + plugins
