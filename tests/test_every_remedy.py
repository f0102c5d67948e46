"""Every remedy that a message prints names what exists, and does what it says.

Messages with something to type are found in the source. Each is checked against the
commands' own parsers, and followed by a case: what it prints is typed as it stands.
Cases of the command line stand in ``support/remedies_followed/*.txt``; those that need
a server or a call from Python are functions in ``support/remedy_calls/``. A new message
that no case follows fails, unless ``not_followed.lst`` says why none can.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from blueprints.distribution import install_line
from tests.support.cli import ROOT, code_and_words, leaves
from tests.support.judged import judged_run, rated_run
from tests.support.prices import price_table
from tests.support.remedy_calls import CALLS
from tests.support.remedy_calls.inputs import write_more_inputs
from tests.support.remedy_inputs import write_study_tables
from tests.support.remedy_tables import CASES as OF_TABLES
from tests.support.remedy_tables import JUDGED
from tests.support.remedy_templates import ROOMS, Template, templates
from tests.support.sheets import write_sheet
from trace_eval.commands.cli import app
from trace_eval.commands.known_options import with_known_options
from trace_eval.commands.listing import ImportedOnUse
from trace_eval.data.settings import hints_of, read_settings
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import JudgeOptions

#: The cases, and the list of messages without one.
FOLLOWED = ROOT / "tests" / "support" / "remedies_followed"

#: Messages that no case can follow here; the reason stands above them behind a ``#``.
NOT_FOLLOWED = FOLLOWED / "not_followed.lst"

#: Options of other programs that messages name.
OF_OTHERS = {
    *("--no-deps", "--target", "--only-binary", "--platform", "--python-version"),
    "--force-reinstall",
    *("--install", "--head", "--fail"),  # of wsl and ray; the last is cut at a value
}


class Case(NamedTuple):
    """A command that fails, and what comes of what it says.

    Attributes:
        typed: the command.
        printed: pattern of the remedy in the message.
        then: what is typed next, with the groups of ``printed`` in its holes.
        code: with which that ends.
        says: words of what it prints.
    """

    typed: str
    printed: str
    then: str
    code: int
    says: str


def cases_of(path: Path) -> Iterator[Case]:
    """Read the cases: a command, a pattern, a command, and what it comes to."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    for block in blocks[1:]:
        lines = block.strip().splitlines()
        typed, printed, then, end = (line[2:] for line in lines)
        code, _, says = end.partition(" ")
        yield Case(typed, printed, then, int(code), says)


def make_inputs() -> None:
    """Write what the cases name into the working folder, in a second or less."""
    labels = {f"q{n}": "1" if n % 3 else "2" for n in range(12)}
    judged_run(Path("run"), labels)
    judged_run(Path("other"), dict.fromkeys(labels, "1"), version="v2")
    scores = {f"i{n}": 1.0 + n % 5 for n in range(8)}
    ratings = {name: (value, 2.0) for name, value in scores.items()}
    rated_run(Path("rated"), scores, ratings=ratings)
    for name, count in {"labels": 12, "few": 10, "more": 14}.items():
        _write_table(
            f"{name}.csv", "id,overall", (f"q{n},{1 + n % 2}" for n in range(count))
        )
    _write_table("twin.csv", "id,verdict", (f"q{n},{1 + n % 2}" for n in range(12)))
    verdicts = {f"q{n}": 1 + (n % 3 > 0) for n in range(12)}
    named = [f"{name},new,old,{side}" for name, side in verdicts.items()]
    _write_table("j.csv", "id,system_a,system_b,overall", named)
    _write_table(
        "unnamed.csv",
        "id,overall",
        (f"{name},{3 - side}" for name, side in verdicts.items()),
    )
    both = [row.replace(",", f",{judge},", 1) for row in named for judge in "xy"]
    _write_table("jj.csv", "id,judge,system_a,system_b,overall", both)
    votes = [f"i{n},{who},{'AB'[n % 2]}" for n in range(4) for who in ("ann", "bob")]
    _write_table("cases.csv", "case,listener,better", votes)
    named = [f"{vote[:-1]}{'new' if vote.endswith('A') else 'old'}" for vote in votes]
    _write_table("sheet.csv", "case,listener,better one", named)
    raters = [(n, r) for n in range(8) for r in range(3)]
    of_raters = [f"i{n},r{r},{'ab'[n % 2]},{1 + (n + r) % 5}" for n, r in raters]
    _write_table("scores.csv", "id,rater,system,score", of_raters)
    _write_table("tens.csv", "id,rater,system,score", (f"{row}0" for row in of_raters))
    trials = [f"s{r},i{n},{'ab'[n % 2]},{1 + (n + r) % 5}" for n, r in raters]
    _write_table("trials.csv", "subject,stimulus,system,response", trials)
    steps = [f"i{n},{'ab'[n % 2]},{{}}" for n in range(60)]
    rows_of = {"hundred": range(60), "turned": range(100, 40, -1)}
    for name, values in rows_of.items():
        rows = map(str.format, steps, values)
        _write_table(f"{name}.csv", "id,system,score", rows)
    rubrics = [f"{row},{rubric}" for row in of_raters for rubric in ("mos", "cor")]
    _write_table("rub.csv", "id,rater,system,score,rubric", rubrics)
    _write_table("board.csv", "system,win", ("a,0.7", "b,0.6", "c,0.5"))
    _write_table("board2.csv", "system,win", ("a,0.6", "b,0.7", "c,0.4"))
    answer = {
        "instruction": {"text": "Which way?"},
        "reference": ["South"],
        "answer": {"text": "South"},
    }
    items = [json.dumps({"id": f"a{n}", **answer}) for n in range(3)]
    Path("answers.jsonl").write_text("\n".join(items))
    price_table(Path(), input=1, output=2)
    write_more_inputs()
    bare = {"instruction": {"text": "Which way?"}, "answer": {"text": "South"}}
    Path("no-reference.jsonl").write_text(json.dumps({"id": "bare"} | bare))
    write_study_tables()


def _write_table(name: str, header: str, rows: Iterable[str]) -> None:
    write_sheet(Path(name), header, rows)


def test_every_remedy_is_followed_or_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of cases has a folder of its own, and so has a module of calls.

    It takes a minute: two commands a message, and a message a template.
    """

    def enter(name: str) -> None:
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        make_inputs()

    left = {each.name: each for each in templates()}
    wrong: list[str] = []
    for path in sorted(FOLLOWED.glob("*.txt")):
        enter(path.stem)
        for case in cases_of(path):
            _, said = code_and_words(*shlex.split(case.typed))
            _leave_out_said(left, said)
            wrong += _wrongs(case, said)
    for module, calls in groupby(CALLS, key=attrgetter("__module__")):
        enter(module)
        for call in calls:
            _leave_out_said(left, call())
    enter("tables")
    for of_table in OF_TABLES:  # a test of their own follows these
        Path("judged.csv").write_text(JUDGED)
        Path("people.csv").write_text(of_table.table, encoding="utf-8")
        _, said = code_and_words(*of_table.command.split())
        _leave_out_said(left, said)
    assert not wrong, "\n".join(wrong)
    listed = _listed(NOT_FOLLOWED)
    assert left.keys() <= listed, f"no case follows: {sorted(left.keys() - listed)}"
    assert listed <= left.keys(), f"is followed: {sorted(listed - left.keys())}"


def _leave_out_said(left: dict[str, Template], said: str) -> None:
    """Leave out the messages that a command printed."""
    for name in [name for name, each in left.items() if each.stands_in(said)]:
        del left[name]


def _listed(path: Path) -> set[str]:
    """Read the names in a list, whose reasons stand behind a ``#``."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def _wrongs(case: Case, said: str) -> Iterator[str]:
    """Say what a remedy does that it should not."""
    found = re.search(case.printed, said)
    if found is None:
        yield f"{case.typed}: {case.printed} is not in {said[-600:]}"
        return
    typed = case.then.format(*found.groups())
    code, shown = code_and_words(*shlex.split(typed))
    if code != case.code or case.says not in shown:
        yield f"{case.typed} -> {typed}: {code}, {shown[-600:]}"


@cache
def _parsers() -> dict[str, frozenset[str]]:
    """Map each command to its options."""
    root: Any = typer.main.get_command(app)
    everywhere = {name for parameter in root.params for name in parameter.opts}
    of_commands: dict[str, frozenset[str]] = {}
    for name, command in leaves(root):
        names: set[str] = {"--help"} | everywhere
        for parameter in command.params:
            names.update(parameter.opts, parameter.secondary_opts)
        of_commands[name] = frozenset(names)
    return of_commands


@pytest.mark.parametrize("room", ["blueprints", "extractors", "fusion", "trace_eval"])
def test_what_a_message_tells_to_type_exists(room: str) -> None:
    wrong = []
    for template in templates():
        if template.file.startswith(room):
            wrong += [f"{template.name}: {what}" for what in _unknown(template.text)]
    assert not wrong, "\n".join(wrong)


def _unknown(text: str) -> Iterator[str]:
    """Yield the options, settings and commands of a message that do not exist."""
    known = frozenset().union(*_parsers().values()) | OF_OTHERS
    for option in re.findall(r"(?<![\w/-])--[a-z][a-z0-9-]*", text):
        if option.rstrip("-") not in known:
            yield option
    groups = {name.split()[0] for name in _parsers()} | {"help", "COMMAND"}
    for name in re.findall(
        r"(?:run|by|see|with|them|alone|first|`)\W*trace-eval ([a-z]+)", text
    ):
        if name not in groups:
            yield f"trace-eval {name}"
    settings = {"J": JudgeOptions, "X": ExtractOptions}
    for flag, name, value in re.findall(
        r"(?<![\w-])-([JX]) ([a-z_]+)(?:=([\w.]+))?", text
    ):
        hints = hints_of(settings[flag])
        if name not in hints:
            yield f"-{flag} {name}"
        elif value and value != value.upper():  # a blank is in capitals
            read_settings({name: value}, hints, f"-{flag} ")


def test_extras_of_install_lines_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named: set[str] = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            named.update(re.findall(r'\binstall_line\("(\w+)"\)', path.read_text()))
    assert {"agree", "ray", "mos"} & named
    assert named <= project["optional-dependencies"].keys()
    assert install_line("agree", "ray") == "pip install '.[agree,ray]'"


@pytest.mark.parametrize(
    ("command", "message", "shown"),
    [
        ("rate", "say which by --layout NAME", "say which by -X layout=NAME"),
        ("rate", "name one by --layout: vapi", "name one by -X layout=VALUE: vapi"),
        (
            "gate",
            "say which by --layout NAME",
            "say which by --layout NAME; gate has no --layout: it belongs to turns",
        ),
        (
            "compare",
            "judge them, or pass --missing drop",
            "judge them, or pass --missing drop; compare has no --missing: leave out what"
            " has no label, or no judgement",
        ),
        (
            "turns",
            "cut it, or raise -X max_seconds",
            "cut it, or raise -X max_seconds; turns has no -X: it belongs to judge, rate"
            " and extract",
        ),
        ("train", "give it with -J base=PATH", "give it with --base PATH"),
        ("turns", "say it with -X layout=stereo", "say it with --layout stereo"),
        # What stays as it is: options of a command that the clause names, of other
        # programs, in addresses, and those that were typed.
        ("rank", "run: judge again into a new --out", None),
        ("turns", "run: judge with -J swap=both and name it", None),
        ("train", "run: extract again with -X device=cpu", None),
        ("compare", "by trace-eval agree RUN RUN --labels FILE --missing drop", None),
        ("rank", "leave --tensor-parallel-size out of http://x/--out", None),
        ("compare", "x: --prediction and --map mean nothing for a run", None),
        ("report", "--audio-root x: no such folder", None),
    ],
)
def test_an_option_that_the_command_lacks_is_no_remedy(
    command: str, message: str, shown: str | None
) -> None:
    printed = with_known_options(message, ImportedOnUse()[command])
    assert printed == (shown or message)
