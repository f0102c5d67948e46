"""Five kinds of work, typed from the help pages alone, and the calls that each takes.

Every option that is typed stands on the help page of its command, or is named there.
The first call that says something useful is at most the second.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.calls import CLIPS, write_spoken_call
from tests.support.cli import ROOT, output_of, trace_eval
from tests.support.plug_ins import install_plug_ins

PAIRS = [
    json.loads(line)
    for line in (ROOT / "examples" / "pairs.jsonl").read_text().splitlines()
]

#: The example pairs that are judged, and those of them that a listener prefers the new
#: answer of.
SOME = PAIRS[:6]
NEW_WINS = {"refusal", "clipped", "noise"}

#: A sheet of labels with headers of its own, as ``--column`` names them.
LABELS = "--labels labels.csv --column id=case --column rater=listener"
LABELS += " --column 'preference=better one'"


@dataclass(frozen=True)
class Work:
    """What somebody types to get a job done; ``> FILE`` keeps what is printed.

    A call after ``!`` is refused, and says what the next one types.

    Attributes:
        most: calls that the job may take.
        first: words that the first or the second call prints: the first useful result.
        written: files that are there at the end.
    """

    most: int
    first: str
    calls: tuple[str, ...]
    written: tuple[str, ...] = ()


WORK = {
    "lab": Work(
        12,
        "of 6 pairs by this judge",
        (
            "! judge --a new --b old --prompts prompts.csv --out run",
            "judge --a new --b old --prompts prompts.csv --column id=case"
            " --column 'instruction_text=what was asked' --out run",
            "! agree run --labels labels.csv",
            f"agree run {LABELS} --latex agree.tex",
            f"rank run {LABELS} --markdown rank.md --csv rank.csv",
            f"ablate run {LABELS}",
            f"card run {LABELS}",
            f"report run {LABELS} --audio --out paper.html",
            "show run --config > run.toml",
            "show run --requirements > requirements.txt",
        ),
        (
            "agree.tex",
            "rank.md",
            "rank.csv",
            "run/card.md",
            "paper.html",
            "paper_audio",
        ),
    ),
    "CI": Work(
        8,
        "6 of 6 pairs scored",
        (
            "judge pairs.jsonl --out baseline",
            "show baseline --config > judge.toml",
            "judge pairs.jsonl --config judge.toml --out candidate",
            "gate baseline candidate --junit gate.xml --markdown gate.md",
            "agree candidate --fail-under agreement=0.1 --json agree.json",
        ),
        ("gate.xml", "gate.md", "agree.json"),
    ),
    "product": Work(
        2,
        "The agent answers after",
        (
            "turns calls/new --html calls.html --audio",
            "turns calls/new --against calls/old --markdown summary.md",
        ),
        ("calls.html", "calls_audio", "summary.md"),
    ),
    "annotation": Work(
        8,
        "To see a difference of 10 points between two systems",
        (
            "plan 200",
            "! rank labels.csv",
            "rank labels.csv --column id=case --column rater=listener"
            " --column 'preference=better one' --map new=1 --map old=2 --systems"
            " new,old",
            "judge --a new --b old --out run",
            "review run --label-studio tasks",
            f"agree run {LABELS}",
            f"screen run {LABELS}",
            f"plan run {LABELS} --out next.csv",
        ),
        ("tasks/tasks.json", "run/screen/decided.csv", "next.csv"),
    ),
    "developer": Work(
        10,
        "longest",
        (
            "doctor --judge longest",
            "judge pairs.jsonl --judge longest --out longest",
            "agree longest",
            "judge pairs.jsonl --out rules",
            "compare rules longest --html compare.html",
        ),
        ("compare.html",),
    ),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write what they have: recordings, sheets with own headers, calls, a plug-in."""
    data = tmp_path_factory.mktemp("data")
    shutil.copytree(CLIPS, data / "clips")
    (data / "pairs.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in SOME))
    prompts, labels = (
        [["case", "what was asked", "topic"]],
        [["case", "listener", "better one"]],
    )
    for pair in SOME:
        for side, system in (("a", "new"), ("b", "old")):
            place = data / system / f"{pair['id']}.ogg"
            place.parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / "examples" / pair[side]["audio"], place)
        prompts.append([pair["id"], pair["instruction"].get("text") or "?", "speech"])
        winner = "new" if pair["id"] in NEW_WINS else "old"
        labels += [[pair["id"], listener, winner] for listener in ("ann", "bob")]
    for name, rows in (("prompts", prompts), ("labels", labels)):
        with (data / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    for system, pause in (("old", 0.3), ("new", 0.9)):
        folder = data / "calls" / system
        folder.mkdir(parents=True)
        for number in range(2):
            write_spoken_call(folder / f"{number}.wav", pause)
    return data


def _settings(words: Sequence[str]) -> set[str]:
    """Return what ``--column`` and ``--map`` name, without what a value means."""
    settings: set[str] = set()
    for option, value in pairwise(words):
        if option in ("--column", "--map"):
            settings.add(value if option == "--column" else value.partition("=")[0])
    return settings


def _options(words: Sequence[str]) -> set[str]:
    return {word for word in words if word.startswith("--")}


@pytest.mark.parametrize("name", WORK)
def test_a_job_is_done_by_what_help_pages_say(
    name: str,
    data: Path,
    tmp_path: Path,
    examples_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = WORK[name]
    home = tmp_path / "home"
    shutil.copytree(data, home)
    monkeypatch.chdir(home)
    monkeypatch.setenv("TRACE_EVAL_CACHE", str(examples_cache))
    monkeypatch.syspath_prepend(install_plug_ins(tmp_path / "site"))
    assert len(work.calls) <= work.most
    commands = output_of("help", "all")
    printed: list[str] = []
    offered: set[str] = set()
    for text in work.calls:
        call, _, file = text.removeprefix("! ").partition(" > ")
        words = shlex.split(call)
        assert offered <= _settings(words)
        if text.startswith("! "):
            refusal = trace_eval(*words, cwd=home, ends=2).err
            offered = _settings(shlex.split(refusal.rpartition("perhaps ")[2]))
            assert offered, refusal
            continue
        offered = set()
        assert f"│ {words[0]} " in commands
        page = output_of("help", words[0])
        unnamed = {
            option for option in _options(words) if not re.search(rf"{option}\b", page)
        }
        assert not unnamed, f"trace-eval help {words[0]} does not name them"
        if name == "developer":  # a plug-in is found by this process alone
            told = output_of(*words)
        else:
            done = trace_eval(*words, cwd=home, ends=0)
            told = done.out + done.err
            if file:
                (home / file).write_text(done.out)
        printed.append(" ".join(told.split()))
    assert any(work.first in told for told in printed[:2]), printed[:2]
    assert not [file for file in work.written if not (home / file).exists()]
