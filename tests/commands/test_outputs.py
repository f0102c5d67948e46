"""Every door that writes: what a user has in a folder or a file is there afterwards."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support import calls
from tests.support import reviewed as support
from tests.support.audio import tone, write
from tests.support.cli import ROOT, leaves, refused, trace_eval
from trace_eval.commands.listing import GROUPS, ImportedOnUse
from trace_eval.commands.result_files import COMMANDS as FIGURES
from trace_eval.commands.result_files import WRITTEN
from trace_eval.data.files import write_all
from trace_eval.data.outputs import (
    RECORD,
    check_folder,
    check_output,
    claimed,
    write_file,
)
from trace_eval.runs.run import Run

#: What a command with figures is given, where it is not one run.
_READ = {"turns": "CALLS", "gate": "RUN RUN"}

#: Command and option -> a call that writes to MINE, a user's folder, or FILE, a user's
#: file there.
DOORS = {
    "judge out": "judge PAIRS --out MINE",
    "judge batch_file": "judge PAIRS --judge openai:m --out NEW --batch-file FILE",
    "rate out": "rate PAIRS --out MINE",
    "rate batch_file": "rate PAIRS --judge openai:m --out NEW --batch-file FILE",
    "best out": "best PAIRS --by duration --out MINE",
    "extract out": "extract CLIP --out MINE",
    "extract csv_file": "extract CLIP --out NEW --csv FILE",
    "report out": "report RUN --out FILE",
    "export out": "export RUN --to csv --out FILE",
    "review export": "review RUN --export MINE",
    "review label_studio": "review RUN --label-studio MINE",
    "agree csv": "agree RUN --csv MINE",
    "agree save_policy": "agree RUN --save-policy FILE",
    "rank csv": "rank RUN --csv MINE",
    "rank junit": "rank RUN --fail-under alder=0.1 --junit FILE",
    "compare csv": "compare RUN RUN --csv MINE",
    "turns csv": "turns CALLS --csv MINE",
    "turns html": "turns CALLS --html FILE",
    "turns junit": "turns CALLS --fail-under x=1 --junit FILE",
    "compare html": "compare RUN RUN --html FILE",
    "gate junit": "gate RUN RUN --junit FILE",
    "screen out": "screen RUN --out MINE",
    "plan out": "plan RUN --out FILE",
    "card out": "card RUN --out MINE",
    "convert out": "convert hcot PAIRS MINE",
    "fuse out": "fuse RUN --out MINE",
    "merge out": "merge RUN RUN --out MINE",
    "ablate csv": "ablate RUN --csv MINE",
    "drill injection out": "drill injection PAIRS --out MINE",
    "drill judge out": "drill judge PAIRS --out MINE",
    "train fusion out": "train fusion PAIRS --runs RUN --out MINE",
    "train scorer out": "train scorer PAIRS --base b --out MINE",
    "card csv": "card RUN --csv FILE",
    **{
        f"{name} {option}": f"{name} {_READ.get(name, 'RUN')} --{option} FILE"
        for name in FIGURES
        for option in ("plot", "latex", "markdown")
    },
}

#: What a user's folder may hold under names that we use, too.
THEIRS = (
    *(
        "pairs.jsonl",
        "items.jsonl",
        "results.csv",
        "clips.jsonl",
        "blueprints.jsonl",
        "card.md",
    ),
    *(
        "best.jsonl",
        "summary.json",
        "labels.csv",
        "tasks.json",
        "decided.csv",
        "published.json",
    ),
    *(
        "training.json",
        ".lock",
        "scores.jsonl",
        "judgements.jsonl",
        "plain/pairs.jsonl",
    ),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with RUN, PAIRS and CLIP."""
    home = tmp_path_factory.mktemp("home")
    pairs = support.pairs(home, 2)
    support.write_run(home / "RUN", pairs)
    lines = (pair.model_dump_json(exclude_none=True) for pair in pairs)
    (home / "PAIRS.jsonl").write_text("".join(f"{line}\n" for line in lines))
    write(home / "CLIP.wav", tone(0.3, hz=440))
    return home


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Make a user's folder whose files have no line end, as a record cut by a kill."""
    for name in THEIRS:
        path = tmp_path / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"mine: {name}")
    return tmp_path / "mine"


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file()
    }


def test_every_door_is_listed() -> None:
    """A new option that names an output has a row in ``WRITTEN`` and a call above."""
    names = [name for commands in GROUPS.values() for name in commands]
    every = [pair for name in names for pair in leaves(ImportedOnUse()[name], name)]
    doors = {
        f"{name} {p.name}"
        for name, command in every
        for p in command.params
        if p.name in WRITTEN
    }
    assert {door for door in doors if not door.endswith("json_file")} == set(DOORS)
    written = {
        p.name
        for _, command in every
        for p in command.params
        if (p.help or "").startswith("Write ") and not getattr(p, "is_flag", False)
    }
    assert written <= set(WRITTEN)


@pytest.mark.parametrize("door", DOORS)
def test_no_door_writes_over_user_files(
    home: Path, mine: Path, tmp_path: Path, door: str
) -> None:
    before, typed = _tree(mine), DOORS[door]
    words = {
        "RUN": home / "RUN",
        "PAIRS": home / "PAIRS.jsonl",
        "CLIP": home / "CLIP.wav",
    }
    words |= {"MINE": mine, "FILE": mine / "results.csv", "NEW": tmp_path / "new"}
    done = trace_eval(*(words.get(word, word) for word in typed.split()), ends=2)
    [line] = [line for line in done.err.splitlines() if line.startswith("error:")]
    assert str(mine) in line
    assert "name " in line or "choose " in line
    assert _tree(mine) == before
    assert not (tmp_path / "new").exists()


def test_the_judge_of_a_folder_does_not_write_into_it(
    home: Path, tmp_path: Path
) -> None:
    """The case that lost 11 of 13 pairs; the remedy that is printed works."""
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(home / "PAIRS.jsonl", data / "pairs.jsonl")
    (data / "results.csv").write_text("theirs\n")
    before = _tree(data)
    call = ["judge", "data/pairs.jsonl", "--limit", "1", "--profile", "screen", "--out"]
    refused("name a new folder, e.g. --out data/run", *call, "data", cwd=tmp_path)
    assert _tree(data) == before
    for _ in range(2):  # made, and continued
        assert trace_eval(*call, "data/run", cwd=tmp_path).code in (0, 1)
    assert {name: _tree(data)[name] for name in before} == before


@pytest.mark.parametrize("link", ["symlink", "hard link"])
def test_an_output_behind_a_link_is_not_an_input(tmp_path: Path, link: str) -> None:
    """The link is named directly, or is a file of a run that is written or replaced."""
    theirs = tmp_path / "labels.csv"
    theirs.write_text("id,preference\np0,1")
    run = support.write_run(tmp_path / "run", support.pairs(tmp_path, 1))
    for path in (
        tmp_path / "out.json",
        run / "judgements.jsonl",
        run / "overall.jsonl",
    ):
        path.unlink(missing_ok=True)
        path.symlink_to(theirs) if link == "symlink" else path.hardlink_to(theirs)
    with pytest.raises(
        UserError, match=r"out\.json: no record says trace-eval wrote it"
    ):
        write_file(tmp_path / "out.json", "{}")
    with pytest.raises(UserError, match=r"judgements\.jsonl: is a link"), Run(run):
        pass
    (run / "judgements.jsonl").unlink()
    with Run(run) as opened:
        # takes the place of the link, not of what it leads to
        write_all(opened.path("overall.jsonl"), [])
    assert not (run / "overall.jsonl").is_symlink()
    assert theirs.read_text() == "id,preference\np0,1"


def test_an_input_is_no_output_though_we_wrote_it(home: Path, tmp_path: Path) -> None:
    labels, other = tmp_path / "labels.csv", tmp_path / "other.csv"
    write_file(labels, "id,preference\np0,1\n")
    other.hardlink_to(labels)
    for given in ([home / "RUN", "--labels", labels], [f"{labels}:preference"]):
        done = trace_eval("agree", *given, "--json", other, ends=2)
        assert "other.csv: is read by this call; name another file to write" in done.err
    run = home / "RUN"
    done = trace_eval("judge", run / "pairs.jsonl", "--out", run, ends=2)
    assert f"lies in the folder that is written to; use --out {run}-2" in done.err
    assert labels.read_text() == "id,preference\np0,1\n"


def test_what_was_written_is_replaced_until_somebody_changes_it(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    for text in ("one", "two", "one"):
        with claimed(folder):
            write_file(folder / "a.csv", text)
    assert (
        len((folder / RECORD).read_text().splitlines()) == 3
    )  # the folder, and two contents
    moved = folder.rename(tmp_path / "moved")
    with claimed(moved):
        write_file(moved / "a.csv", "three")
    (moved / "a.csv").write_text("three, and my remarks")
    with (
        claimed(moved),
        pytest.raises(UserError, match="was changed since trace-eval wrote it"),
    ):
        write_file(moved / "a.csv", "four")
    assert (moved / "a.csv").read_text() == "three, and my remarks"
    with pytest.raises(UserError, match="was not made by this command"):
        check_folder(moved, "run")
    with (moved / RECORD).open(
        "a"
    ) as record:  # a line that a full disk cut, and odd ones
        record.write('[]\n{"file": 3}\n{"file": "a.c')
    with claimed(moved):
        write_file(moved / "b.csv", "b")


def test_another_program_s_manifest_is_no_run(home: Path, mine: Path) -> None:
    for content in ("{}", '{"name": "app", "version": "1"}', "not JSON", "[1]"):
        (mine / "manifest.json").write_text(content)
        before = _tree(mine)
        done = trace_eval("judge", home / "PAIRS.jsonl", "--out", mine)
        assert done.code in (2, 3)
        assert len([x for x in done.err.splitlines() if x.startswith("error:")]) == 1
        assert _tree(mine) == before
        with pytest.raises(UserError), Run(mine):
            pass
        assert _tree(mine) == before


def test_what_a_kill_left_is_taken_over(home: Path, tmp_path: Path) -> None:
    """A run killed before its record was in place has a lock and half a file."""
    run = tmp_path / "run"
    run.mkdir()
    (run / ".lock").touch()
    (run / "manifest.json.4711-0123abcd.part").write_text("{")
    with Run(run):
        pass
    check_folder(run, "run")


def test_a_folder_beside_a_new_run_is_not_cleared(tmp_path: Path) -> None:
    """``fuse --out NEW`` builds in NEW.part, which may be somebody's."""
    rows = [
        {"id": s, "question_id": "q", "system": s, "question": "a?", "reference": "b"}
        | {
            "candidate": {
                "audio": str(write(tmp_path / f"{s}.wav", tone(0.3))),
                "text": "b",
            }
        }
        for s in "st"
    ]
    rated = tmp_path / "rated"
    words = ("--rubric", "correctness", "--out", rated)
    done = trace_eval("rate", calls.manifest(tmp_path, rows), *words)
    assert done.code in (0, 1), done.err
    (tmp_path / "new.part").mkdir()
    (tmp_path / "new.part" / "mine.txt").write_text("mine")
    refused("new.part: is in the way", "fuse", rated, "--out", tmp_path / "new")
    assert (tmp_path / "new.part" / "mine.txt").read_text() == "mine"


def test_a_url_is_no_place_to_write_to(tmp_path: Path) -> None:
    """It became a folder called ``https:`` where the command ran."""
    typed = ("--out", "https://me:secret@host/run", "--limit", 1)
    done = trace_eval("judge", ROOT / "examples" / "pairs.jsonl", *typed, cwd=tmp_path)
    assert done.code == 2
    assert "https://host/run: only -X engine=ray writes to a URL" in done.err
    assert "secret" not in done.err
    assert not list(tmp_path.iterdir())
    for check in (check_output, check_folder):
        with pytest.raises(
            UserError, match=r"s3://bucket/x: is a URL, and results are written"
        ):
            check(Path("s3://bucket/x"))
