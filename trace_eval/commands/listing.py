"""The commands by heading, with their first lines; modules are imported on use.

``trace-eval --help`` imports none of them, and ``trace-eval judge`` only its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

from trace_eval.commands.result_files import (
    COMMANDS,
    check_outputs,
    figure_options,
    json_options,
)

#: The heading of the first help page, which shows these commands alone.
FIRST = "Begin here"

#: Heading of ``help all`` -> its commands in the order of use -> the first line of
#: their help.
GROUPS: dict[str, dict[str, str]] = {
    FIRST: {
        "judge": "Judge pairs of spoken answers: extract, judge, fuse; resumable.",
        "rate": (
            "Score single answers by a rubric, with the defaults of scores; resumable."
        ),
        "turns": (
            "Measure timing in conversations: replies, interruptions, overlap, dead"
            " air."
        ),
        "report": (
            "Write a run as one HTML file to read, hear and search, without judging"
            " again."
        ),
        "agree": (
            "Compare judges with human labels: accuracy, kappa, alpha, bias and label"
            " noise."
        ),
        "rank": (
            "Rank systems: win rates, Bradley-Terry, Davidson, Rao-Kupper, rank"
            " intervals."
        ),
        "gate": "Compare a release with a baseline, for CI: pass, fail or cannot tell.",
        "review": (
            "Let people compare pairs or rate answers in the browser, as a protocol"
            " asks."
        ),
        "doctor": (
            "Show what is installed, and which extractors and judges can run here."
        ),
    },
    "More of a run": {
        "extract": "Turn recordings into blueprints, without judging.",
        "show": "Show the blueprint of a recording, or the results of a run.",
        "runs": "List runs: input, judge, policy, coverage, date, tag.",
        "export": (
            "Write results: a row per pair, tasks for Label Studio, figures for a"
            " tracker."
        ),
        "fuse": (
            "Fuse again with another policy, or make pairs of scores; nothing is"
            " judged."
        ),
        "best": "Pick the best of N recordings of each text; resumable.",
    },
    "More conclusions": {
        "compare": (
            "Compare runs with human labels and each other: agreement, cost,"
            " differences."
        ),
        "card": (
            "Say on one page what a judge did, how far it can be trusted, and for what."
        ),
        "plan": (
            "Plan labels: how many more pairs to label, which, and how long that takes."
        ),
        "screen": (
            "Split a run into pairs for the judge alone, pairs for raters, and the"
            " rest."
        ),
    },
    "Research: benchmarks, ablations, tests and training of judges": {
        "convert": (
            "Convert a benchmark to manifests; rerun its authors' rule on released"
            " answers."
        ),
        "ablate": (
            "Judge again without one feature group at a time; compare with human"
            " labels."
        ),
        "drill": "Test a judge itself.",
        "train": "Fit judges on human ratings.",
    },
    "Operations: models, shards, schemas": {
        "models": "List, fetch and verify the models of the extra.",
        "merge": (
            "Join the runs of all shards into one, as if it had been made in one go."
        ),
        "rubrics": (
            "List, show and check the rubrics of scores, and the protocols of people."
        ),
        "schema": (
            "Print JSON schemas: pairs, blueprints, judgements, single answers and"
            " scores."
        ),
    },
}

#: Command -> types that its ``--json`` may hold, as ``MODULE:NAME``, from
#: ``trace_eval`` on where a dot stands first; ``list`` or ``dict`` of them, or
#: ``said``: the sentences stand first.
RESULTS: dict[str, tuple[str, ...]] = {
    "judge": (
        ".runs.summary:JudgedRun",
        ".judges.ask.estimate:CostEstimate",
        ".judges.ask.batch:BatchWritten",
    ),
    "best": (".decide.best.best:SelectionReport", ".decide.best.best:BestEstimate"),
    "extract": (".runs.extraction:Extraction",),
    "report": ("said .commands.report:ReportWritten",),
    "show": (
        ".runs.summary:RunShown",
        "blueprints.blueprint:Blueprint",
        "dict builtins:object",
    ),
    "runs": ("list .runs.folders:ListedRun",),
    "export": (".commands.export:Exported",),
    "review": (".review.exports:ReviewFiles",),
    "agree": ("said .stats.report:AgreeReport", "said .stats.report:ScoreReport"),
    "rank": ("said .stats.ranking.report:RankReport",),
    "compare": (
        "said .compare.evaluate:RunComparison",
        "said .compare.scores:ScoreComparison",
        ".compare.change_report:ChangeReport",
    ),
    "gate": (".compare.gate.report:GateReport", ".compare.change_report:ChangeReport"),
    "screen": (".decide.screen:Screening",),
    "plan": (".decide.plan:LabelPlan", ".decide.plan:FirstPlan"),
    "card": ("list .decide.card:Card",),
    "doctor": (".api.doctor:Diagnosis", "list .judges.registry.doctor:Check"),
    "models list": ("list extractors.fetch:ListedModel",),
    "models fetch": ("list .commands.models:Fetched",),
    "models verify": ("list extractors.fetch:Verified",),
    "rubrics list": ("list .data.rubrics.protocols:Protocol",),
    "rubrics show": (".data.rubrics.protocols:Protocol",),
    "rubrics check": (".data.rubrics.protocols:Protocol",),
    "turns": (".turns.report:TurnsRecord",),
    "convert": (".datasets.conversion:ConversionRecord", "list .datasets.base:Dataset"),
    "fuse": (
        ".runs.summary:RunShown",
        ".commands.work.fuse:PairsWritten",
        ".stats.inference.calibrate:Calibration",
    ),
    "merge": (".runs.merge:Merged",),
    "ablate": ("said .decide.ablation:AblationReport",),
    "drill injection": (".runs.probe.injection:InjectionReport",),
    "drill judge": (".runs.probe.report:ProbeReport",),
    "train fusion": (".stats.agreement.train_fusion:FusionTraining",),
    "train scorer": (".judges.scorer.train:Trained",),
    "train clamp": (".judges.scorer.clamp:FittedClamp",),
    "train card": (".judges.scorer.checkpoint:ScorerRecord",),
}
RESULTS["rate"] = RESULTS["judge"]

#: Commands without ``--json``, and why.
WITHOUT = {"schema": "what it prints is JSON"}

#: Commands that stand in the module of another.
_MODULES = {"rate": "judge"}

#: Command -> its heading.
_HEADINGS = {name: heading for heading, commands in GROUPS.items() for name in commands}


class ImportedOnUse(Mapping[str, Any]):
    """Name -> command of typer; who asks for one imports its module."""

    def __getitem__(self, name: str) -> Any:
        if name not in _HEADINGS:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_HEADINGS)

    def __len__(self) -> int:
        return len(_HEADINGS)


#: Name of a type -> the word for it on a help page.
_WORDS = {
    "str": "TEXT",
    "path": "PATH",
    "Path": "PATH",
    "int": "NUMBER",
    "float": "NUMBER",
}


def in_words(parameters: list[Any]) -> list[Any]:
    """Put a help page's types in words; a flag, which takes no value, shows none."""
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            parameter.get_usage_pieces = partial(_usage, parameter)
        if parameter.metavar is None or parameter.param_type_name == "argument":
            flag = getattr(parameter, "is_flag", False)
            parameter.display_type_rich = partial(
                _word, "" if flag else parameter.display_type
            )
    return parameters


def _word(shown: Callable[[Any], str | None] | str, ctx: Any) -> str | None:
    """Put a type of ours into words; choices stay as they are."""
    named = shown if isinstance(shown, str) else shown(ctx)
    inner = re.fullmatch(r"<(?:list\[)?(\w+)(?: range)?\]?>", named or "")
    return _WORDS.get(inner[1], named) if inner else named


def _usage(argument: Any, _: Any) -> list[str]:
    """Write an argument of the usage line: ``SOURCE``, ``RUNS...``, ``[OPTIONAL]``."""
    word = argument.metavar or f"{argument.name.upper()}{'...' * (argument.nargs != 1)}"
    return [word if argument.required or word.startswith("[") else f"[{word}]"]


def listed(name: str) -> TyperCommand:
    """Return a command as the help page shows it, without importing it."""
    heading = _HEADINGS[name]
    return TyperCommand(name, help=GROUPS[heading][name], rich_help_panel=heading)


def _flowing(text: str) -> str:
    """Join the lines of each paragraph, which a help page breaks by its own width."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in paragraphs)


def _completed(command: Any, name: str) -> Any:
    """Give a command, or all commands of a group, what all have in common.

    Types are shown in words, ``--json``, ``--quiet`` and the options of figures are
    taken, and outputs are refused before the work.
    """
    if command.help:
        command.help = _flowing(command.help)
    whole = command.get_params
    command.get_params = lambda ctx: in_words(whole(ctx))
    if hasattr(command, "commands"):
        for inner in command.commands.values():
            _completed(inner, f"{name} {inner.name}")
        return command
    if name not in WITHOUT:
        command.params += _parameters_of(json_options)
    if name in COMMANDS:
        command.params += _parameters_of(figure_options)
    work = command.invoke

    def invoke(context: Any) -> Any:
        check_outputs(context.params)
        return work(context)

    command.invoke = invoke
    return command


def _parameters_of(options: Callable[..., None]) -> list[Any]:
    """Return the options of a function's signature, as typer makes them."""
    app = typer.Typer(add_completion=False)
    app.command()(options)
    return typer.main.get_command(app).params


@cache
def _command(name: str) -> Any:
    module = import_module(f"trace_eval.commands.{_MODULES.get(name, name)}")
    if app := getattr(module, "app", None):
        return _completed(typer.main.get_group(app), name)
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(getattr(module, name))
    return _completed(typer.main.get_command(alone), name)
