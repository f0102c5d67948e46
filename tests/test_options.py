"""Options on the command line: few for everybody, ``-J`` and ``-X`` for the rest."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.support.cli import ROOT
from tests.support.cli import code_and_words as typed
from tests.support.processes import python
from trace_eval.commands.cli import app
from trace_eval.commands.listing import GROUPS
from trace_eval.commands.render import Output
from trace_eval.compare.options import CompareOptions, GateOptions
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.columns import Columns
from trace_eval.data.input_options import InputOptions, TwoFolders
from trace_eval.data.settings import help_of, sentence
from trace_eval.datasets import Selection
from trace_eval.decide.best.options import BestOptions
from trace_eval.estimate.options import BootstrapOptions, IntervalOptions, SeedOptions
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.scorer.options import TrainOptions
from trace_eval.review.options import ReviewOptions, ServeOptions
from trace_eval.runs.job import open_job
from trace_eval.runs.options import (
    AblateOptions,
    Options,
    PairOptions,
    read_config,
    to_toml,
)
from trace_eval.runs.run import Run
from trace_eval.stats.options import (
    AgreeOptions,
    FusionOptions,
    LabelChoice,
    PlanOptions,
    RankOptions,
    ScreenOptions,
)
from trace_eval.turns.options import FigureOptions, TimingLimits, TurnsOptions

PAIRS = ROOT / "examples" / "pairs.jsonl"
SERVER = ("--judge", "openai:m", "--base-url", "http://127.0.0.1:9/v1")


def options_of(command: Any) -> int:
    """Count options on help pages, but ``--json`` and ``--quiet``, which all have."""
    below = getattr(command, "commands", None)
    if below is None:
        own = [
            p for p in command.params if p.param_type_name == "option" and not p.hidden
        ]
        return sum(not {"--json", "--quiet"} & set(option.opts) for option in own)
    return sum(map(options_of, below.values()))


def test_few_options_stand_on_the_help_page() -> None:
    command: Any = typer.main.get_command(app)
    judge, rate = command.commands["judge"], command.commands["rate"]
    assert options_of(judge) <= 30
    # Conversations, benchmarks and the gate have their own.
    newer = sum(
        options_of(command.commands[name]) for name in ("turns", "convert", "gate")
    )
    assert options_of(command) - newer <= 324
    assert [p.opts for p in judge.params] == [p.opts for p in rate.params]


@pytest.mark.parametrize(
    "name", ["report", "compare", "ablate", "rank", "card", "plan", "screen", "fuse"]
)
def test_options_of_label_files_are_explained_once(name: str) -> None:
    """All take them; each page names them, and that of ``agree`` says what they do."""
    command: Any = typer.main.get_command(app)
    hidden = [p for p in command.commands[name].params if getattr(p, "hidden", False)]
    (column,) = (p for p in command.commands[name].params if p.opts == ["--column"])
    explained = {
        p.opts[0] for p in command.commands["agree"].params if p.help and not p.hidden
    }
    flags = [p.opts[0] for p in hidden]
    assert {"--id", "--map", "--where", "--scale"} <= set(flags)
    assert set(flags) <= explained
    *most, last = flags
    message = (
        f"Also taken: {', '.join(most)} and {last}, as trace-eval help agree explains"
        " them."
    )
    assert column.help.endswith(message)


def test_help_shows_nine_commands_and_help_all_every_one_in_groups() -> None:
    code, page = typed("--help")
    first, *others = GROUPS.values()
    assert code == 0
    assert all(f"│ {name} " in page for name in first)
    assert not [name for group in others for name in group if f"│ {name} " in page]
    assert "trace-eval help all" in page
    assert typed("help") == (code, page)
    code, page = typed("help", "all")
    places = [page.index(f"─ {name} ─") for name in GROUPS]
    assert (code, places) == (0, sorted(places))
    assert all(f"│ {name} " in page for group in GROUPS.values() for name in group)
    assert typed("help", "drill", "judge") == typed("drill", "judge", "--help")
    assert typed("help", "nothing")[0] == 2


def test_a_bare_call_says_where_to_begin_and_summaries_are_those_of_the_commands() -> (
    None
):
    whole: Any = typer.main.get_command(app)
    for name, summary in {
        n: s for group in GROUPS.values() for n, s in group.items()
    }.items():
        assert " ".join(whole.commands[name].help.split()).startswith(summary), name
    code, start = typed()
    assert code == 0
    assert "trace-eval doctor" in start
    assert "trace-eval judge PAIRS.jsonl" in start


@pytest.mark.parametrize(
    ("name", "kind", "elsewhere"),
    [
        ("agree", AgreeOptions, {"bootstrap"}),
        ("agree", Columns, {"tail"}),
        ("rank", RankOptions, {"bootstrap"}),
        ("compare", CompareOptions, {"bootstrap", "top"}),
        ("gate", GateOptions, {"bootstrap", "limits"}),
        ("screen", ScreenOptions, {"cluster"}),
        ("fuse", PairOptions, set()),
        ("rank", BootstrapOptions, set()),
        ("agree", SeedOptions, set()),
        ("compare", IntervalOptions, set()),
        ("screen", LabelChoice, set()),
        ("plan", LabelChoice, set()),
        ("plan", PlanOptions, set()),
        ("card", Output, set()),
        ("turns", TurnsOptions, {"read", "figures"}),
        ("turns", ReadOptions, {"by_log", "kept", "tick"}),
        ("turns", FigureOptions, {"intervals"}),
        ("turns", TimingLimits, set()),
        ("gate", TimingLimits, set()),
        ("review", ReviewOptions, set()),
        ("review", ServeOptions, set()),
        ("convert", Selection, set()),
        ("best", BestOptions, {"options", "seed", "listener"}),
        ("best", InputOptions, {"limit", "shard"}),
        ("extract", InputOptions, {"columns", "limit"}),
        ("ablate", AblateOptions, {"judging"}),
        ("train fusion", FusionOptions, set()),
        ("train scorer", TrainOptions, set()),
        ("drill judge", InputOptions, {"columns", "shard"}),
        ("judge", InputOptions, set()),
        ("judge", TwoFolders, set()),
    ],
)
def test_commands_have_options_from_their_class(
    name: str, kind: Any, elsewhere: set[str]
) -> None:
    command: Any = typer.main.get_command(app)
    for word in name.split():
        command = command.commands[word]
    helps = {option.name: option.help for option in command.params}
    told = {
        n: sentence(re.sub("^(labels|scores): ", "", t))
        for n, t in help_of(kind).items()
    }
    assert told.keys() == kind.__dataclass_fields__.keys()
    assert {n: helps[n] for n in told.keys() - elsewhere} == {
        n: text for n, text in told.items() if n not in elsewhere
    }
    assert not helps.keys() & elsewhere


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["-J", "temperatur=1"],
            "-J temperatur: is unknown; did you mean temperature?",
        ),
        (["-J", "nope=1"], "-J nope: is unknown; known are"),
        (["-J", "cache=x"], "-J cache: is unknown"),
        (["-J", "num_ctx=4096"], "judge openai:m: does not use num_ctx"),
        (["-J", "seed=x"], "-J seed: 'x' is not a whole number"),
        (["-J", "level=nan"], "-J level: 'nan' is not a number"),
        (["-J", "repair=maybe"], "-J repair: 'maybe' is not true or false"),
        (
            ["-J", "mode=ears"],
            "mode: 'ears' is unknown; use one of blueprint, transcript",
        ),
        (["-J", "seed"], "write -J KEY=VALUE"),
        (["-J", "seed=1", "-J", "seed=2"], "-J seed: is given twice"),
        (
            ["-J", "samples=1", "--samples", "2"],
            "-J samples: is given as an option too",
        ),
        (["-X", "engin=ray"], "-X engin: is unknown; did you mean engine?"),
        (
            ["-X", "praat.flor=3"],
            "-X praat.flor: is unknown; did you mean floor_factor?",
        ),
        (["-X", "pyin.floor_factor=60"], "extractor 'pyin': is not used here"),
        (["-X", "nobody.x=1"], "extractor 'nobody' is not registered"),
        (["--task", "dimensions"], "--task: belongs to -J; write -J task=VALUE"),
        (["--engine", "ray"], "--engine: belongs to -X; write -X engine=VALUE"),
        (["--nonsense"], "No such option: --nonsense"),
    ],
)
def test_unknown_options_get_a_remedy(
    tmp_path: Path, given: list[str], said: str
) -> None:
    code, told = typed("judge", PAIRS, *SERVER, *given, "--out", tmp_path / "run")
    assert code == 2
    assert said in told
    assert not (tmp_path / "run").exists()


def test_options_by_every_way_reach_judge_and_extractor(tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text(
        'tag = "mine"\n[judge]\nspec = "rules"\n'
        '[extract]\nmax_seconds = 60\nextractor = ["rate=none"]\n'
        "[extract.praat]\nfloor_factor = 0.7\n"
    )
    command = ["judge", PAIRS, "--config", config, "--limit", 1, "--workers", 0]
    out = ("--out", tmp_path / "run", "--cache", tmp_path / "cache")
    code, told = typed(
        *command, *out, "-X", "praat.floor_factor=0.6", "-X", "max_seconds=90"
    )
    assert code == 0, told
    record = Run.open(tmp_path / "run").record()
    assert (record.tag, record.judge.spec, record.max_seconds) == ("mine", "rules", 90)
    assert "rate" not in record.extractors
    assert record.extractors["pitch"].parameters["floor_factor"] == 0.6
    assert read_config(_written(tmp_path, to_toml(record.options))) == record.options


def _written(folder: Path, text: str) -> Path:
    path = folder / "again.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('task = "s2s"', "'task' belongs to the table [judge]"),
        ("beam_size = 5", "'beam_size' belongs to the table [extract]"),
        (
            "[judge]\ntemperatur = 1",
            "no option 'temperatur' in [judge]; did you mean temperature?",
        ),
        (
            "samples = 1\n[judge]\nsamples = 2",
            "'samples' is given twice, at the top and in a table",
        ),
        ("[other]\nx = 1", "has a table [other]"),
    ],
)
def test_a_misplaced_option_of_a_file_is_refused(
    tmp_path: Path, text: str, said: str
) -> None:
    code, told = typed("doctor", "--config", _written(tmp_path, text))
    assert code == 2
    assert said in told


def test_doctor_lists_what_a_judge_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, told = typed("doctor", "--judge", "audio:openai:gpt-audio")  # without any key
    assert code == 1
    assert "task dimensions pairs What is asked of a pair" in told
    assert "shots" in told
    assert "num_ctx" not in told
    code, told = typed("doctor", "--judge", "lexical")
    assert (code, "it has no options" in told) == (0, True)


def test_every_option_of_extraction_is_explained_once() -> None:
    names = set(ExtractOptions.__dataclass_fields__)
    assert help_of(ExtractOptions).keys() == names

    assert "cache" in help_of(JudgeOptions)


def test_the_library_does_what_the_command_does(here: Path) -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text().splitlines()]
    pairs[1]["a"]["audio"] = "nowhere.wav"
    Path("p.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    options = Options(ExtractOptions(workers=0, cache=here / "cache"))
    job = open_job(
        "p.jsonl", None, options, audio_root=PAIRS.parent, limit=2, shard="1/2"
    )
    assert job.folder == Path("runs/p-rules-1-of-2")
    rest = open_job("p.jsonl", None, options, limit=2, shard="2/2")
    assert len(job.manifest.items) + len(rest.manifest.items) == 2
    whole = open_job("p.jsonl", None, options, audio_root=PAIRS.parent, limit=2)
    assert "nowhere.wav" in str(list(map(str, whole.problems())))
    assert job.judge().total == len(job.manifest.items)
    assert Run(job.folder).exists


def test_help_pages_are_words_and_import_no_numpy() -> None:
    code = r"""
import contextlib, io, re, sys
sys.argv = ["trace-eval", "--help"]
from trace_eval.commands.cli import app
from trace_eval.commands.listing import GROUPS
for name in (name for commands in GROUPS.values() for name in commands):
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as shown:
        app([name, "--help"])
    assert "Usage" in shown.getvalue(), name
    assert not re.search(r"<(list|str|int|float|path)\b|[{]\w", shown.getvalue()), name
    assert "numpy" not in sys.modules, name
"""
    python(code)
