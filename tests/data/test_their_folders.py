"""Folders of recordings as annotators have them: systems side by side or in names."""

from __future__ import annotations

import json
import os
import random
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from tests.support.audio import tone, write
from tests.support.cli import code_and_words
from tests.support.their_files import recordings, tables
from trace_eval.data.file_names import without_own_parts
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.system_folders import Systems
from trace_eval.runs.job import open_job
from trace_eval.runs.options import RateOptions
from trace_eval.runs.run import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return recordings(tmp_path)


def test_two_folders_are_pairs_of_systems(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "new" / "extra.wav").write_bytes((folder / "new" / "q1.wav").read_bytes())
    (folder / "prompts.csv").write_text("ID,Prompt\nq1.wav,Say one.\nq2,Say two.\n")
    requested = {"instruction": {"text": "Say one.", "audio": "prompts/q1.wav"}}
    lines = [json.dumps({"id": f"q{n}", **requested}) for n in (1, 2, 3)]
    (folder / "pairs.jsonl").write_text("\n".join(lines))
    for name in ("prompts", "prompts.csv", "pairs.jsonl", None):
        prompts = name and folder / name
        result = read_manifest(
            Systems.parse(f"tuned={folder / 'new'}", folder / "old", prompts)
        )
        assert [pair.id for pair in result.pairs] == ["q1", "q2", "q3"]
        assert {pair.systems for pair in result.pairs} == {("tuned", "old")}
        (alone,) = result.problems
        assert alone.what == "old has no recording 'extra', which tuned has"
        stated = result.pairs[0].instruction
        assert (stated.has_audio, stated.text) == {
            "prompts": (True, None),
            "prompts.csv": (False, "Say one."),
            "pairs.jsonl": (True, "Say one."),  # as our own manifests have it
            None: (False, None),
        }[name]
    (folder / "list.jsonl").write_text('{"id": "q1", "prompt": ["Say", "it."]}')
    with pytest.raises(
        UserError, match=r"list\.jsonl.*the prompt is \['Say', 'it\.'\]; give a text"
    ):
        read_manifest(
            Systems.parse(folder / "new", folder / "old", folder / "list.jsonl")
        )
    (folder / "others.csv").write_text("id,prompt\nx1,Say it.\n")
    with pytest.raises(
        UserError, match="has x1, and the recordings are called extra, q1, q2"
    ):
        read_manifest(
            Systems.parse(folder / "new", folder / "old", folder / "others.csv")
        )
    monkeypatch.chdir(folder)
    for provided, message in (
        (("new", "nowhere"), "--b nowhere: no such folder"),
        (("new", "new"), "both are"),
        (("x=new", "x=old"), "write --a NAME=DIR"),
    ):
        with pytest.raises(UserError, match=message):
            Systems.parse(*provided)


def test_prompts_by_numbers_of_a_spreadsheet(tmp_path: Path) -> None:
    for system, name in product(("new", "old"), ("001", "002")):
        (tmp_path / system).mkdir(exist_ok=True)
        write(tmp_path / system / f"{name}.wav", tone(0.1))
    for text in (
        "id,prompt\n1,Say one.\n2,Say two.\n",
        "file,sentence\n1,Say one.\n2.wav,Say two.\n",
    ):
        prompts = tmp_path / "prompts.csv"
        prompts.write_text(text)
        pairs = read_manifest(
            Systems.parse(tmp_path / "new", tmp_path / "old", prompts)
        ).pairs
        assert [(p.id, p.instruction.text) for p in pairs] == [
            ("001", "Say one."),
            ("002", "Say two."),
        ]


def test_a_folder_of_systems_is_all_their_pairs_and_all_their_answers(
    folder: Path,
) -> None:
    pairs = read_manifest(folder).pairs
    assert [(p.id, p.systems) for p in pairs] == [
        (f"q{n}", ("new", "old")) for n in (1, 2, 3)
    ]
    assert all(pair.instruction.has_audio for pair in pairs)
    shutil.copytree(folder / "new", folder / "third")
    more = read_manifest(folder).pairs
    assert len(more) == 9
    assert {p.systems for p in more} == {
        ("new", "old"),
        ("new", "third"),
        ("old", "third"),
    }
    assert {p.instruction_id for p in more} == {"q1", "q2", "q3"}
    singles = read_items(folder).singles
    assert len(singles) == 9
    assert singles[0].instruction.has_audio
    assert [s.id for s in read_items(folder / "new").singles] == ["q1", "q2", "q3"]
    with pytest.raises(UserError, match="recordings of one system; a pair needs two"):
        read_manifest(folder / "new")


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("new", ["q1", "q2", "q3"]),  # recordings alone
        (".", 6),  # of two systems
        ("described", ["1"]),  # beside a table, and on two channels, as calls are
        ("hub", 6),  # tables in parts
    ],
)
def test_rate_takes_each_folder_of_the_page(
    where: str, ids: list[str] | int, folder: Path
) -> None:
    if where == "hub":
        tables(folder)
    if where == "described":
        path = write(folder / where / "x.wav", np.zeros((800, 2), np.float32))
        (path.parent / "metadata.csv").write_text(
            "file_name,question\nx.wav,Say one.\n"
        )
    result = open_job(folder / where, folder / "run", RateOptions()).manifest.singles
    assert all(item.answer.has_audio for item in result)
    assert (
        [item.id for item in result] if isinstance(ids, list) else len(result)
    ) == ids


def test_from_own_files_to_a_ranking_by_the_commands_as_typed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    tables(folder)
    quick = [f"-x {name}=none" for name in ("transcript", "quality", "pitch", "rate")]
    fast = f" {' '.join(quick)} --workers 0 --cache {tmp_path / 'cache'}"

    def typed(line: str) -> tuple[int, str]:
        return code_and_words(*line.split())

    assert typed(f"judge --a new --b old --prompts prompts --out r1 {fast}")[0] == 0
    assert [p.systems for p in Run("r1").pairs()] == [("new", "old")] * 3
    assert typed(f"judge semi.csv --out r2 {fast}")[0] == 0
    code, told = typed("rank r2 --resamples 0")
    assert code == 0
    assert "A and B are the answers' places; name them by --systems new,old" in told
    code, told = typed("rank r2 --resamples 0 --systems new,old --full")
    assert (code, "new 3" in told, "places" in told) == (0, True, False)
    assert "name their systems" in typed("rank r1 --systems x,y")[1]
    code, told = typed("judge own.csv --out r3")
    assert (code, Path("r3").exists()) == (2, False)
    for line, stated in (
        ("judge", "two folders of recordings, --a DIR --b DIR"),
        ("judge x.csv --a new --b old", "x.csv and --a, --b: give one of them"),
        ("judge x.csv --prompts p", "belongs to folders of recordings"),
        ("judge --a new", "name the other, --b DIR"),
    ):
        code, told = typed(line)
        assert (code, stated in told) == (2, True), told
    code, told = typed("rank new")
    assert (code, "judge --a new --b OTHER --out run" in told) == (2, True), told
    code, told = typed("agree r2 --labels semi.csv --column preference=overall")
    assert code == 0, told


@pytest.mark.parametrize(
    ("names", "ids", "how"),
    [
        (
            ["gpt_001 gpt_002", "ours_001 ours_002"],
            "001 002",
            "'gpt_' of a and 'ours_' of b",
        ),
        (["apple_gpt apply_gpt", "apple apply"], "apple apply", "'_gpt' of a"),
        (
            ["gpt_apple gpt_apply", "x_apple x_pear"],
            None,
            None,
        ),  # one alone may be an accident
        (["q1 q2", "Q1 Q2 Q3"], "q1 q2", "without regard to upper and lower case"),
        (["m0v1x m0v2x", "a-1 a-2"], "1 2", "'m0v...x' of a and 'a-' of b"),
        (["q1 q2", "q1 x2"], "q1", None),
        (["gpt_1", "ours_1"], None, None),
    ],
)
def test_names_that_carry_the_system_are_matched_without_it(
    names: list[str], ids: str | None, how: str | None, tmp_path: Path
) -> None:
    for folder, listed in zip("ab", names, strict=True):
        (tmp_path / folder).mkdir()
        for name in listed.split():
            write(tmp_path / folder / f"{name}.wav", tone(0.1))
    result = read_manifest(Systems.parse(tmp_path / "a", tmp_path / "b"))
    assert [pair.id for pair in result.items] == (ids or "").split()
    assert bool(result.notes) == bool(how)
    assert all(how in note.what for note in result.notes if how)


def test_one_folder_of_two_systems_is_taken_apart_by_patterns(tmp_path: Path) -> None:
    sound = tmp_path / "all [v1]"  # a folder's own name is no pattern
    sound.mkdir()
    for name in ("q1_gpt", "q2_gpt", "q1 – Ours-2", "q2 – Ours-2", ".q3_gpt"):
        write(sound / f"{name}.wav", tone(0.1))
    result = read_manifest(Systems.parse(sound / "*_gpt.wav", sound / "*Ours-2*"))
    assert [(pair.id, pair.systems) for pair in result.items] == [
        ("1", ("gpt", "Ours-2")),
        ("2", ("gpt", "Ours-2")),
    ]
    named = Systems.parse(f"new={sound}/*_gpt.wav", sound / "q?_gpt.wav")
    assert list(named.folders) == ["new", "q_gpt"]
    with pytest.raises(UserError, match=r"\*_x\.wav: no recordings below it"):
        read_manifest(Systems.parse(sound / "*_x.wav", sound / "*_gpt.wav"))
    with pytest.raises(UserError, match=r"--a 'DIR/\*_x\.wav' --b 'DIR/\*_y\.wav'"):
        read_manifest(sound)


def test_names_that_cannot_be_read_match_nothing(tmp_path: Path) -> None:
    for folder, names in (("a", [b"x\xff.wav"]), ("b", [b"gpt_1.wav", b"gpt_2.wav"])):
        (tmp_path / folder).mkdir()
        for name in names:
            Path(os.fsdecode(os.fsencode(tmp_path / folder) + b"/" + name)).write_bytes(
                b"RIFF"
            )
    result = read_manifest(Systems.parse(tmp_path / "a", tmp_path / "b"))
    assert not result.items
    assert len(result.problems) == 3


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_of_matched_names_is_equal_and_the_rest_was_shared(
    seed: int,
) -> None:
    draw = random.Random(seed)
    ids = [
        draw.choice(("q%d", "%03d", "Q-%d b", "sub/%d x")) % n
        for n in range(draw.randint(2, 40))
    ]
    affixes = {"a": ("gpt_", ""), "b": (draw.choice(("", "v2-")), "_new")}
    folders = {}
    for system, (begin, end) in affixes.items():
        shuffled = draw.sample(ids, len(ids))
        folders[system] = {f"{begin}{name}{end}": Path(name) for name in shuffled}
    short = without_own_parts(folders)
    for key in set(short["a"][1]) & set(short["b"][1]):
        assert short["a"][1][key] == short["b"][1][key]
    assert len(short["a"][1]) == len(short["b"][1]) == len(ids)


def test_a_link_that_leads_nowhere_is_a_recording_that_is_missing(
    folder: Path, tmp_path: Path
) -> None:
    """As of a data set whose disk is not mounted: none of it may vanish in silence."""
    for system in ("new", "old"):
        (folder / system / "q2.wav").unlink()
        (folder / system / "q2.wav").symlink_to("/not/mounted/q2.wav")
    (folder / "new" / "q3.wav").unlink()
    (folder / "new" / "q3.wav").symlink_to("q3.wav")  # to itself
    (folder / "new" / "folder.wav").symlink_to(folder / "old")
    systems = ("--a", folder / "new", "--b", folder / "old")
    code, said = code_and_words("judge", *systems, "--out", tmp_path / "run")
    assert code == 1
    assert "0 of 3 pairs scored" in said or "1 of 3 pairs scored" in said
    failed = {
        pair: j.detail or "" for pair, j in Run(tmp_path / "run").judgements().items()
    }
    assert "q2.wav: no such file; check the path" in failed["q2"]
    assert "Too many levels of symbolic links" in failed["q3"]
    code, said = code_and_words("extract", folder / "new", "--out", tmp_path / "out")
    assert "1 of 3 recordings" in said
    assert (code, "q2.wav: no such file" in said) == (1, True)
