"""README and docs cannot rot: every command that they print is known and is run.

``make test`` checks that each one is a command with such options, and runs those that
need little. ``make test-slow`` types all of them, after ``make demo`` in a fresh clone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
import soundfile
import typer

from benchmarks import typed_docs
from tests.support.cli import ROOT
from tests.support.docs import Printed, commands, files
from tests.support.platform_samples import write_exports
from tests.support.processes import run_python
from tests.support.servers import ollama_front
from trace_eval.commands.cli import app
from trace_eval.judges.options.judge_options import FIELDS, MAY_CHANGE, NOT_DECIDING

ALL = [command for path in files() for command in commands(path)]

#: What cannot be typed here, and why: these are only checked for their options.
NOT_HERE = (
    (
        r"^pip install",
        "downloads; the wheel and the sdist are installed in test_install.py",
    ),
    (r"^ollama |^export ", "downloads, or sets a key"),
    (
        r"models (fetch|verify)|--profile paper|whisper|emotion2vec",
        "needs models, see tests/models",
    ),
    (r"s3://|gs://|hf://|https?://(?!127)", "needs a network, see test_urls_cli.py"),
    (r"engine=ray", "needs a cluster, see tests/extracting"),
    (r"SLURM|part-\*|--shard", "one of many jobs, see tests/runs/test_merge.py"),
    (r"gpt-|gemini|claude|--max-cost|-J prices|batch", "needs a key and money"),
    (
        r"review (?!.*(--export|--label-studio))",
        "serves until it is stopped, see tests/review",
    ),
    (
        r"^make (test|bench|lint|docs|shell|test-\w+)",
        "is what runs this, or takes an hour",
    ),
    (
        r"judge\d?\.|judged\.csv|annotators\.csv|calls\.jsonl|mine\.|--human|train |RUN2|tables/"
        r"|dialogues|CALLS",
        "needs files of the reader's",
    ),
    (r"(?<!orca/)ratings\.jsonl|items\.jsonl", "needs human ratings, see tests/stats"),
    (r"run --labels labels/", "needs a person's answers, see tests/review"),
    (r"longest", "needs a package to be installed, see test_plugins.py"),
    (r"benchmarks\.people", "needs clones of the sets, see test_people.py"),
    (r"--plot labels=", "needs more labels than the examples have, see tests/report"),
    (
        r"--a \w+|--fail-under new|judge (own|wide|semi|arena|pairs\.tsv|dpo|chat|hub)\b",
        "needs files of the reader's, see tests/data/test_their_files.py",
    ),
    (r"turns RUN", "needs a run of calls, see tests/turns/test_corrected.py"),
    (r"by_turn=", "needs pairs of conversations, see tests/judges"),
    (r"compared/|mixed/", "needs rated recordings, see tests/runs/test_score_pairs.py"),
    (r"runs/scorer", "needs a trained scorer, see tests/judges"),
    (
        r"^trace-eval convert .*CLONE",
        "needs a clone of a benchmark, see tests/datasets",
    ),
    (r":MODEL\b", "stands for a model of the reader's"),
    (
        r"--prediction|--against|--calibrated|^trace-eval plan|--labels (L|FEW)\b",
        "needs more labels than the examples have, see tests/stats",
    ),
    (
        r"eval gate|--aa|--judge-change|runs/baseline",
        "needs two runs, see tests/gate and tests/report",
    ),
    (
        r"doctor --judge|ablate",
        "answers of a model made of random numbers fail its checks",
    ),
)

#: Beginning of a command -> what it must print.
KEY_LINES = {
    "trace-eval judge": "pairs scored",
    "trace-eval fuse run": "policy acceptability_cap",
    "trace-eval show answer": "pitch",
    "trace-eval extract": "recording",
    "trace-eval doctor": "yes  trace-s2s",
    "trace-eval schema": '"blueprint"',
    "trace-eval agree RUN": "agrees with human labels",
    "trace-eval agree hcot": "agrees with human labels",
    "trace-eval agree rated": "Spearman",
    "trace-eval rank": "by this judge",
    "trace-eval report": "report",
    "trace-eval runs": "pairs",
    "trace-eval export run --to parquet": "export",
}


def reason(command: Printed) -> str | None:
    """Why a command is not typed here; None: it is."""
    return next(
        (why for pattern, why in NOT_HERE if re.search(pattern, command.text)), None
    )


def test_commands_are_found_in_every_page_that_has_some() -> None:
    assert len(ALL) > 30
    assert {command.where.split(":")[0] for command in ALL} >= {
        "README.md",
        "docs/how-to/large-runs.md",
    }


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.where)
def test_every_printed_command_exists_with_these_options(command: Printed) -> None:
    program, *arguments = command.words
    if program == "make":
        target = next((a for a in arguments if "=" not in a), "demo")
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), command
    elif program == "trace-eval" and arguments:
        _parse(typer.main.get_command(app), arguments, command)


def _parse(node: object, arguments: list[str], command: Printed) -> None:
    """Parse as the program would; words in brackets or capitals stand for values."""
    while arguments and (below := getattr(node, "commands", {}).get(arguments[0])):
        node, arguments = below, arguments[1:]
    given = [word.strip("[]") for word in arguments if word not in ("...", "[...]")]
    try:
        with node.make_context(command.words[0], given) as context:
            assert context
    except typer.Exit:
        pass  # --help, --version
    except Exception as error:
        if type(error).__name__ in ("UsageError", "NoSuchOption", "BadParameter"):
            pytest.fail(f"{command.where}: {command.text}: {error}")
        if type(error).__name__ == "MissingParameter" and len(arguments) > 1:
            pytest.fail(f"{command.where}: {command.text}: {error}")


def test_links_inside_the_repository_lead_somewhere() -> None:
    for path in files():
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_documents_are_short_enough_to_be_read() -> None:
    """Words written by hand count; tables of results and parts from code do not."""
    pages = [page for page in files() if page.parent.name != "results"]
    pages += [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    words = {
        page.relative_to(ROOT).as_posix(): len(_by_hand(page).split()) for page in pages
    }
    assert not {name: count for name, count in words.items() if count > 2000}
    tasks = {
        name: count for name, count in words.items() if name.startswith("docs/how-to/")
    }
    assert not {name: count for name, count in tasks.items() if not 300 <= count <= 800}
    assert sum(words.values()) <= 42_000
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 120


def _by_hand(page: Path) -> str:
    """Return a page without what a script has written into it."""
    return re.sub(
        r"<!-- (\w+): python.*?<!-- \1: end -->",
        "",
        page.read_text("utf-8"),
        flags=re.S,
    )


def test_the_glossary_has_at_most_thirty_terms() -> None:
    lines = (
        (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8").splitlines()
    )
    rows = [
        line
        for line in lines
        if line.startswith("| ") and not line.startswith("| word ")
    ]
    assert 20 < len(rows) <= 30


def test_the_options_that_may_change_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "reference" / "files.md").read_text()
    fixed, _ = text.split("These may change,")
    fixed = fixed.split("These options are part of a run")[1]
    for name in FIELDS:
        option = f"--{name.replace('_', '-')}"
        if name in MAY_CHANGE or (
            name in NOT_DECIDING and name not in ("base_url", "template")
        ):
            assert f"`{option}`" not in fixed, option
            assert f"`-J {name}`" not in fixed, name


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the reader's folder: the files that the commands name."""
    folder = tmp_path_factory.mktemp("reader")
    records = [
        json.loads(line)
        for line in (ROOT / "examples" / "pairs.jsonl").read_text().splitlines()
    ]
    few = [r for r in records if r["id"] in ("refusal", "silent", "clipped", "loud")]
    shutil.copytree(ROOT / "examples" / "clips", folder / "clips")
    lines = [json.dumps(record) + "\n" for record in few]
    (folder / "pairs.jsonl").write_text("".join(lines))
    names = ("content", "voice_quality", "paralinguistics", "overall")
    table = [f"id,{','.join(names)}"]
    for record in few:
        labels = [record["labels"][name] for name in names]
        table.append(",".join([record["id"], *labels]))
    (folder / "labels.csv").write_text("\n".join(table) + "\n")
    (folder / "folder").mkdir()
    sound, rate = soundfile.read(next((folder / "clips").glob("clipped-a.*")))
    for name in ("answer.wav", "a.wav", "b.wav", "folder/one.wav"):
        soundfile.write(folder / name, sound, rate)
    bin_ = folder / "bin"
    bin_.mkdir()
    script = bin_ / "trace-eval"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m trace_eval "$@"\n')
    script.chmod(0o755)
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


def provide(home: Path, text: str, data: Path) -> None:
    """Provide what a command reads and none before it made: runs and labels."""
    for name, made in {
        "reads": "run",
        "listens": "run",
        "all": "run",
        "lexical": "rated",
    }.items():
        if f"runs/{name}" in text and not (home / "runs" / name).exists():
            if not (home / made).exists():  # its page comes later
                maker = next(c for c in ALL if c.text.endswith(f"--out {made}"))
                check(maker, typed(home, maker.text, TRACE_EVAL_DATA=str(data)))
            shutil.copytree(home / made, home / "runs" / name)
    if "exports/" in text and not (home / "exports").exists():
        write_exports(home / "exports", home / "call" / "call.wav")
    if "hcot.json" in text:
        shutil.copy(data / "hcot" / "speakbench.json", home / "hcot.json")


def typed(home: Path, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell, in the reader's folder."""
    environment = {
        **os.environ,
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TRACE_EVAL_CACHE": str(home / "cache"),
        **variables,
    }
    return subprocess.run(
        ["bash", "-c", text],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )


def check(command: Printed, done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, (
        f"{command.where}: {command.text}\n{done.stderr[-2000:]}"
    )
    printed = done.stdout + done.stderr
    for name, line in KEY_LINES.items():
        if command.text.startswith(name):
            assert line in printed, (
                f"{command.where}: {command.text}\n{printed[-2000:]}"
            )


def test_the_commands_that_need_no_run_are_typed_as_printed(home: Path) -> None:
    quick = re.compile(
        r"trace-eval (doctor|schema)\b(?!.*judge)|trace-eval show answer"
    )
    chosen = {command.text: command for command in ALL if quick.search(command.text)}
    assert len(chosen) >= 3
    for command in chosen.values():
        check(command, typed(home, command.text))


def test_the_python_example_also_with_a_missing_clip(home: Path) -> None:
    (code,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S
    )[:1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 6
    (home / "example.py").write_text(code)
    (home / "missing.py").write_text(code.replace("b.wav", "nowhere.wav"))
    for name, wanted in (("example.py", "both_good"), ("missing.py", "clip_failed")):
        done = typed(home, f"{sys.executable} {name}")
        assert done.returncode == 0, done.stderr
        assert wanted in done.stdout


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from tests.support.servers import llama_server
    from tests.support.small_model import weights

    with llama_server(weights(), slots=2, context=16384) as url:
        yield url


def typed_here() -> list[Printed]:
    """List the commands that can be typed here, in their order."""
    return [
        command for command in ALL if command.words[0] != "make" and not reason(command)
    ]


def asks_a_model(command: Printed) -> bool:
    return bool(re.search(r"--judge (ollama|openai):", command.text))


@pytest.mark.slow
def test_every_command_that_needs_no_language_model_in_order(
    home: Path, data: Path
) -> None:
    chosen = [command for command in typed_here() if not asks_a_model(command)]
    assert len(chosen) > 35
    wrong = []
    for command in chosen:
        text = re.sub(r"\bRUN\b", "run", command.text)  # stands for a run folder
        provide(home, text, data)
        try:
            check(command, typed(home, text, TRACE_EVAL_DATA=str(data)))
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.slow
def test_every_command_for_a_language_model(home: Path, llama: str) -> None:
    chosen = {
        command.text: command for command in typed_here() if asks_a_model(command)
    }
    assert len(chosen) >= 2
    with ollama_front(llama, model="qwen3:8b") as front:
        for command in chosen.values():
            # The reader's server has its own port; a small model takes its time for
            # each pair.
            text = command.text.replace("http://127.0.0.1:8080", llama)
            done = typed(
                home, f"{text} --limit 2 -J max_tokens=400", OLLAMA_HOST=front.url
            )
            if done.returncode == 1:
                assert "pairs scored" in done.stderr  # its replies may be of no use
            else:
                check(command, done)


@pytest.mark.slow
def test_make_demo_in_a_fresh_clone(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    done = subprocess.run(
        ["git", "clone", "-q", str(ROOT), str(clone)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    # Everything but our own packages comes from this environment: nothing is
    # downloaded.
    venv.create(clone / ".venv", with_pip=False)
    (site,) = (clone / ".venv" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        clone / ".venv/bin/python",
        "install",
        "-q",
    ]
    built = subprocess.run(
        [*map(str, pip), "--no-deps", "--no-index", "--no-build-isolation", "."],
        cwd=clone,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    (clone / ".venv" / "installed").touch()
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    started = time.monotonic()
    done = subprocess.run(
        ["make", "demo"],
        cwd=clone,
        capture_output=True,
        text=True,
        timeout=900,
        env=environment | {"TRACE_EVAL_CACHE": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stderr
    assert "13 of 13 pairs scored (100.0%)" in done.stderr, time.monotonic() - started
    printed = (ROOT / "README.md").read_text().split("What `make demo` prints:")[1]
    table = printed.split("```")[1].strip().splitlines()
    for line in table[:14]:
        assert line.rstrip() in [row.rstrip() for row in done.stdout.splitlines()], line
    assert (clone / "runs" / "demo" / "report.html").is_file()


def _differences(
    page: str, tmp_path: Path, data: Path, patch: pytest.MonkeyPatch
) -> list[str]:
    patch.setenv("TRACE_EVAL_DATA", str(data))
    return typed_docs.differences(page, typed_docs.reader(tmp_path / "reader", ROOT))


def test_the_claims_of_pages_are_found_and_typed(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [step for page in typed_docs.claiming() for step in typed_docs.steps(page)]
    assert sum(len(step.lines) > 0 for step in claims) >= 18
    page = "docs/how-to/platforms.md"
    assert not _differences(page, tmp_path, data, monkeypatch)
    monkeypatch.setattr(
        typed_docs, "steps", lambda _: [typed_docs.Step("echo 1", ("2",))]
    )
    wrong = _differences("README.md", tmp_path / "wrong", data, monkeypatch)
    assert wrong == ["README.md: echo 1: not printed: 2"]


def test_all_lines_that_pages_show_stand_under_the_command_that_prints_them() -> None:
    assert typed_docs.without_command() == dict.fromkeys(typed_docs.NOT_HERE, 1)


@pytest.mark.slow
@pytest.mark.parametrize("page", typed_docs.claiming())
def test_what_a_page_shows_is_printed(
    page: str, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "few-labels" in page:
        pytest.importorskip("sklearn")
    assert not _differences(page, tmp_path, data, monkeypatch)


def test_the_recording_shows_what_the_demo_prints() -> None:
    """``docs/make_recording.py`` ran it; a test above compares README with the demo."""
    recording = unescape((ROOT / "docs" / "demo.svg").read_text("utf-8"))
    lines = re.findall(r"<text [^>]*>(.*?)</text>", recording)
    printed = (
        (ROOT / "README.md").read_text("utf-8").split("What `make demo` prints:")[1]
    )
    for line in printed.split("```")[1].strip().splitlines():
        assert line.rstrip() in [shown.rstrip() for shown in lines], line
    assert "13 of 13 pairs scored (100.0%)" in recording
    assert not re.search(r"<script|https?://(?!www\.w3\.org/)", recording)


def test_the_architecture_page_is_what_the_code_says() -> None:
    done = run_python("docs/make_architecture.py", "--check")
    assert done.returncode == 0, done.stderr


def test_the_walks_and_the_guide_name_files_that_exist() -> None:
    page = (ROOT / "docs" / "contributors" / "architecture.md").read_text("utf-8")
    walks = page.partition("## The rooms")[0]
    named = re.findall(r"`([\w/]+(?:\.py|/))`", walks)
    assert len(named) > 15
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named += re.findall(
        r"`(\w+/[\w/]+\.(?:py|toml))`", guide.replace("test_NAME.py", "")
    )
    gone = [
        n
        for n in named
        if not (ROOT / "trace_eval" / n).exists() and not (ROOT / n).exists()
    ]
    assert not gone
