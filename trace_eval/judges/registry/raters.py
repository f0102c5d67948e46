"""Raters of single answers by spec, one per rubric."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.judges.base import Judge, Rater
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.panel import Key, Panel
from trace_eval.judges.rating.fused import KIND as FUSION
from trace_eval.judges.rating.fused import FusedPanel
from trace_eval.judges.registry.built_in import BUILT_IN, CHAT, RATERS_ONLY, audio_line
from trace_eval.judges.registry.pairs import judge_of, refuse_ignored
from trace_eval.judges.registry.plugins import plugin, plugin_kinds
from trace_eval.rubrics import ScoreRubric


def _audio_raters(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[Judge]:
    from trace_eval.judges.audio.evidence import AudioEvidence
    from trace_eval.judges.audio.presets import with_preset
    from trace_eval.judges.audio.sending import check_budget
    from trace_eval.judges.rating.judge import RatingJudge

    options = with_preset(options)
    line = audio_line(argument, options)
    check_budget(options, line.price)
    for rubric in rubrics:
        if not rubric.needs_audio:
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


def _lexical_raters(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[Judge]:
    from trace_eval.judges.lexical.judge import LexicalJudge

    if argument:
        raise UserError(f"judge lexical:{argument}: lexical takes no argument")
    return [LexicalJudge(rubric) for rubric in rubrics]


def _scorer_raters(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[Judge]:
    from trace_eval.scorer.judge import ScorerJudge

    if not argument:
        raise UserError("judge scorer: name the folder, e.g. scorer:my-scorer")
    folder = Path(argument)
    return [ScorerJudge(folder, rubric, options.base, options.device) for rubric in rubrics]


def _reward_raters(
    argument: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions
) -> list[Judge]:
    from trace_eval.judges.reward.rater import raters_in_process

    return [*raters_in_process(argument, rubrics, options)]


def _chat_raters(line: Any, rubrics: Sequence[ScoreRubric], options: JudgeOptions) -> list[Judge]:
    from trace_eval.judges.rating.judge import RatingJudge

    return [RatingJudge(line.spec, line.client, options, line.price, rubric) for rubric in rubrics]


#: Kinds of raters that are no plain chat model: (argument, rubrics, options) -> one per rubric.
_RATERS: dict[str, Callable[[str, Sequence[ScoreRubric], JudgeOptions], list[Judge]]] = {
    "lexical": _lexical_raters,
    "scorer": _scorer_raters,
    "audio": _audio_raters,
    "reward": _reward_raters,
}


def raters_of(
    spec: str, rubrics: Sequence[ScoreRubric], options: JudgeOptions | None = None
) -> list[Judge]:
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
    elif kind in CHAT:
        raters = _chat_raters(CHAT[kind](argument, options), rubrics, options)
    elif kind in BUILT_IN:
        raise UserError(
            f"judge {spec}: compares pairs and has no scores; use {', '.join(rater_specs())}"
        )
    else:
        raters = [_plugin_rater(spec, rubric, options) for rubric in rubrics]
    for rater in raters:
        refuse_ignored(rater, spec, options)
    return raters


def panel_of(
    judges: Sequence[str | Judge],
    rubrics: Sequence[ScoreRubric] = (),
    options: JudgeOptions | None = None,
    done: Collection[Key] = (),
) -> Panel:
    """The judges that a session asks.

    Args:
        judges: specs, or one judge that was made already.
        rubrics: of single answers; empty: the judge compares pairs.
        options: for judges that take any.
        done: scores that exist already.

    Raises:
        UserError: as :func:`create_judge` and :func:`raters_of`.
    """
    if not rubrics:
        (judge,) = judges
        return Panel([judge_of(judge, options)])
    specs = [judge for judge in judges if isinstance(judge, str)]
    if len(specs) < len(judges):
        raise UserError("judge: single answers are rated by specs; name one, e.g. lexical")
    fused = [spec for spec in specs if spec.partition(":")[0] == FUSION]
    if not fused:
        return Panel([r for spec in specs for r in raters_of(spec, rubrics, options)], done)
    if len(specs) > 1:
        raise UserError(f"judge {fused[0]}: is several judges already; name it alone")
    folder = Path(fused[0].partition(":")[2])
    return FusedPanel(folder, rubrics, lambda spec: raters_of(spec, rubrics, options), done)


def _plugin_rater(spec: str, rubric: ScoreRubric, options: JudgeOptions) -> Judge:
    """A rater of another package, told the rubric that it is to rate by."""
    kind, _, argument = spec.partition(":")
    if entry := plugin(kind):
        made = entry.load()(argument, options)
        if not isinstance(made, Rater):
            raise UserError(
                f"judge {spec}, {entry.value}: {type(made).__name__} rates no single answers;"
                " derive it from trace_eval.Rater, or use trace-eval judge"
            )
        made.rubrics = (rubric,)
        made.rubric = rubric
        return made
    raise UserError(f"judge {spec!r} is unknown; use one of {', '.join(rater_specs())}")


def rater_specs() -> list[str]:
    """How the judges that rate single answers are written."""
    own = [*RATERS_ONLY, *(BUILT_IN[kind].usage for kind in ("audio", "reward", *CHAT))]
    return own + plugin_kinds()


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
