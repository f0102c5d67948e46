"""Judges by spec: ``KIND`` or ``KIND:ARGUMENT``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from blueprints import UserError
from trace_eval.judges.base import Judge, Rater, missing_members
from trace_eval.judges.options import JudgeOptions
from trace_eval.rubrics import ScoreRubric

if TYPE_CHECKING:
    from trace_eval.judges.chat.base import ChatClient
    from trace_eval.judges.chat.prices import Price

#: Entry-point group through which an installed package offers judges: a callable
#: ``(argument: str, options: JudgeOptions) -> Judge`` under the name of the kind. One that
#: returns a :class:`Rater` is called once per rubric, which it then finds in ``rubrics``.
ENTRY_POINT_GROUP = "trace_eval.judges"

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
_CHAT: dict[str, Callable[[str, JudgeOptions], Line]] = {
    "ollama": _ollama,
    "openai": _openai,
    "scripted": _scripted,
}


def _chat_judge(kind: str) -> Factory:
    def make(argument: str, options: JudgeOptions) -> Judge:
        line = _CHAT[kind](argument, options)
        from trace_eval.judges.text.judge import LLMJudge

        return LLMJudge(line.spec, line.client, options, line.price)

    return make


def _audio_line(argument: str, options: JudgeOptions) -> Line:
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
    line = _CHAT[kind](model, options)
    return line._replace(spec=f"audio:{argument}")


def _audio(argument: str, options: JudgeOptions) -> Judge:
    from trace_eval.judges.audio.presets import with_preset

    options = with_preset(options)
    line = _audio_line(argument, options)
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


def _audio_raters(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[Rater]:
    from trace_eval.judges.audio.evidence import AudioEvidence
    from trace_eval.judges.audio.presets import with_preset
    from trace_eval.judges.audio.sending import check_budget
    from trace_eval.judges.rating.judge import RatingJudge

    options = with_preset(options)
    line = _audio_line(argument, options)
    check_budget(options, line.price)
    for rubric in rubrics:
        if not rubric.is_heard:
            raise UserError(
                f"judge audio:{argument}: rubric {rubric.name} is about words alone; use"
                " openai:MODEL, or a rubric with audio or turns among its inputs"
            )
    several = len(rubrics) > 1
    return [
        RatingJudge(
            line.spec,
            line.client,
            options,
            line.price,
            rubric,
            AudioEvidence(rubric, options, several),
        )
        for rubric in rubrics
    ]


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
    if "pair" not in made.accepts:
        raise UserError(f"judge {spec}: rates single answers; use trace-eval rate")
    _refuse_ignored(made, spec, options)
    return made


def _refuse_ignored(judge: Judge, spec: str, options: JudgeOptions) -> None:
    if ignored := ignored_options(judge, options):
        raise UserError(
            f"judge {spec}: does not use {', '.join(ignored)}; leave out what it ignores, or name"
            " a judge that uses it"
        )


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


def _lexical_raters(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[Rater]:
    from trace_eval.judges.lexical.judge import LexicalJudge

    if argument:
        raise UserError(f"judge lexical:{argument}: lexical takes no argument")
    return [LexicalJudge(rubric) for rubric in rubrics]


def _scorer_raters(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[Rater]:
    from trace_eval.scorer.judge import ScorerJudge

    if not argument:
        raise UserError("judge scorer: name the folder, e.g. scorer:my-scorer")
    folder = Path(argument)
    return [ScorerJudge(folder, rubric, options.base, options.device) for rubric in rubrics]


def _chat_raters(line: Any, rubrics: Sequence[ScoreRubric], options: JudgeOptions) -> list[Rater]:
    from trace_eval.judges.rating.judge import RatingJudge

    return [RatingJudge(line.spec, line.client, options, line.price, rubric) for rubric in rubrics]


#: Kinds of raters that are no plain chat model: (argument, rubrics, options) -> one per rubric.
def _reward_raters(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[Rater]:
    from trace_eval.judges.reward.rater import raters_in_process

    return [*raters_in_process(argument, rubrics, options)]


_RATERS: dict[str, Callable[[str, Sequence[ScoreRubric], JudgeOptions], list[Rater]]] = {
    "lexical": _lexical_raters,
    "scorer": _scorer_raters,
    "audio": _audio_raters,
    "reward": _reward_raters,
}


def raters_of(
    spec: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions | None = None
) -> list[Rater]:
    """The raters that a spec names, one per rubric, over one client.

    Args:
        spec: e.g. ``lexical``, ``openai:gpt-4.1-mini``.
        rubrics: what they rate by.
        options: for raters that take any; default: all defaults.

    Raises:
        UserError: as :func:`create_judge`; a judge that has no scores.
    """
    options = options or JudgeOptions()
    kind, _, argument = spec.partition(":")
    if kind in _RATERS:
        raters = _RATERS[kind](argument, rubrics, options)
    elif kind in _CHAT:
        raters = _chat_raters(_CHAT[kind](argument, options), rubrics, options)
    elif kind in _BUILT_IN:
        raise UserError(
            f"judge {spec}: compares pairs and has no scores; use {', '.join(rater_specs())}"
        )
    else:
        raters = [_plugin_rater(spec, rubric, options) for rubric in rubrics]
    for rater in raters:
        _refuse_ignored(rater, spec, options)
    return raters


def _plugin_rater(spec: str, rubric: ScoreRubric, options: JudgeOptions) -> Rater:
    """A rater of another package, told the rubric that it is to rate by."""
    kind, _, argument = spec.partition(":")
    for entry in entry_points(group=ENTRY_POINT_GROUP, name=kind):
        made = entry.load()(argument, options)
        if not isinstance(made, Rater):
            raise UserError(
                f"judge {spec}, {entry.value}: {type(made).__name__} rates no single answers;"
                " derive it from trace_eval.Rater, or use trace-eval judge"
            )
        made.rubrics = (rubric,)
        return made
    raise UserError(f"judge {spec!r} is unknown; use one of {', '.join(rater_specs())}")


def scores_only(spec: str) -> bool:
    """Whether a judge scores single answers and compares them by their scores.

    Raises:
        UserError: the model of a reward judge is not here.
    """
    kind, _, argument = spec.partition(":")
    if kind == "reward":
        from trace_eval.judges.reward.load import locate

        return locate(argument).scores
    return kind in {name.partition(":")[0] for name in RATERS_ONLY}


def rater_specs() -> list[str]:
    """How the judges that rate single answers are written."""
    own = [*RATERS_ONLY, *(_BUILT_IN[kind].usage for kind in ("audio", "reward", *_CHAT))]
    return own + sorted({entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)})


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
    if kind in {name.partition(":")[0] for name in RATERS_ONLY}:
        raise UserError(
            f"judge {kind}: rates single answers and compares none; use trace-eval rate"
        )
    for entry in entry_points(group=ENTRY_POINT_GROUP, name=kind):
        return _checked(entry.load()(argument, options), f"judge {spec}, {entry.value}")
    raise UserError(f"judge {spec!r} is unknown; use one of {', '.join(judge_specs())}")
