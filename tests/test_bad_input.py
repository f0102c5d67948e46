"""Every kind of bad recording, through the whole path, with the real extractors."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from blueprints import GROUPS, Absent, Blueprint, UserError
from tests.support.audio import RATE, tone, write
from tests.support.cli import ROOT, trace_eval
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.datasets import read_dataset
from trace_eval.decide.rank import read_human_ranking
from trace_eval.opinions.label_files import read_columns
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.opinions.scores import read_scores
from trace_eval.runs.run import Run


def _speech() -> tuple[np.ndarray, int]:
    path = next((ROOT / "examples" / "clips").glob("slow-a.*"))
    samples, rate = soundfile.read(path, dtype="float32")
    return samples, rate


def _truncated(path: Path) -> None:
    samples, rate = _speech()
    soundfile.write(path, samples, rate)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _with(value: float) -> Callable[[Path], object]:
    samples = tone(1.0)
    samples[7] = value
    return lambda path: write(path, samples)


def _at(rate: int, channels: int = 1) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        import soxr

        samples, before = _speech()
        again = soxr.resample(samples, before, rate)[: 3 * rate]
        soundfile.write(path, np.repeat(again[:, None], channels, axis=1), rate)

    return make


def _two_hours(path: Path) -> None:
    with soundfile.SoundFile(
        path, "w", 8000, 1, subtype="PCM_U8", format="WAV"
    ) as file:
        for _ in range(120):
            file.write(np.zeros(60 * 8000, np.float32))


def _claims_2_gib(path: Path) -> None:
    samples, rate = _speech()
    soundfile.write(path, samples, rate)
    data = bytearray(path.read_bytes())
    where = data.index(b"data") + 4
    data[4:8] = data[where : where + 4] = struct.pack("<I", 2**31 - 1)
    path.write_bytes(bytes(data))


#: Name -> (maker, what the error says; None: the clip has a blueprint).
CASES: dict[str, tuple[Callable[[Path], object], str | None]] = {
    "missing": (lambda _: None, "no such file; check the path or --audio-root"),
    "empty": (Path.touch, "0 bytes; write the recording again"),
    "truncated": (_truncated, "lacks the end of its file"),
    "zero_length": (
        lambda path: write(path, tone()[:0]),
        "there are no samples; write it again",
    ),
    "50_ms": (lambda path: write(path, tone(0.05)), None),
    "silent": (lambda path: write(path, np.zeros(2 * RATE, np.float32)), None),
    "nan": (_with(np.nan), "1 of 16000 samples are NaN or infinite"),
    "infinite": (_with(np.inf), "1 of 16000 samples are NaN or infinite"),
    "8_khz": (_at(8000), None),
    "192_khz": (_at(192_000), None),
    "8_channels": (_at(16_000, 8), None),
    "two_hours": (_two_hours, "longer than 1800 s; cut it, or raise -X max_seconds"),
    "text": (
        lambda path: path.write_text("I am a text file.\n" * 10),
        "is not a recording but text ('I am a text file.",
    ),
    "claims_2_gib": (_claims_2_gib, None),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, int, str]:
    """All cases as answers B beside one good answer A, judged in one command."""
    folder = tmp_path_factory.mktemp("bad")
    samples, rate = _speech()
    soundfile.write(folder / "good.wav", samples, rate)
    records = []
    for name, (make, _) in CASES.items():
        make(folder / f"{name}.wav")
        sides = {"a": {"audio": "good.wav"}, "b": {"audio": f"{name}.wav"}}
        records.append(
            {"id": name, "instruction": {"text": "Describe the sea slowly."}, **sides}
        )
    manifest = folder / "pairs.jsonl"
    manifest.write_text("".join(json.dumps(record) + "\n" for record in records))
    done = trace_eval(
        "judge", manifest, "--out", folder / "run", "--cache", folder / "cache"
    )
    assert "Traceback" not in done.err
    return Run.open(folder / "run"), done.code, done.err


def clips_of(folder: Run) -> dict[str, str | None]:
    return {Path(source).stem: record.clip for source, record in folder.clips().items()}


def blueprint_of(folder: Run, name: str) -> Blueprint:
    clip = clips_of(folder)[name]
    return next(
        blueprint for blueprint in folder.blueprints() if blueprint.clip == clip
    )


def test_bad_clips_cost_their_own_pair_only(run: tuple[Run, int, str]) -> None:
    folder, code, told = run
    judgements = folder.judgements()
    assert judgements.keys() == CASES.keys()
    unscored = {name for name, j in judgements.items() if j.status == "unscored"}
    assert unscored == {name for name, (_, error) in CASES.items() if error}
    assert code == 1
    assert f"{len(CASES) - len(unscored)} of {len(CASES)} pairs scored" in told


@pytest.mark.parametrize("name", [name for name, (_, error) in CASES.items() if error])
def test_undecodable_clips_name_file_and_remedy(
    name: str, run: tuple[Run, int, str]
) -> None:
    judgement = run[0].judgements()[name]
    is_cut = name == "truncated"  # and decoded as far as it goes
    assert judgement.reason == ("not_the_answer" if is_cut else "clip_failed")
    assert is_cut or f"{name}.wav: " in judgement.detail
    assert str(CASES[name][1]) in judgement.detail


@pytest.mark.parametrize(
    "name", [name for name, (_, error) in CASES.items() if not error]
)
def test_every_group_has_a_value_or_a_reason(
    name: str, run: tuple[Run, int, str]
) -> None:
    blueprint = blueprint_of(run[0], name)
    asked = set(GROUPS) - {"emotion", "accent"}
    statuses = {group: str(blueprint.group(group).status) for group in asked}
    expected_failures = {"loudness"} if name == "8_channels" else set()
    failed = {group for group, status in statuses.items() if status == "failed"}
    assert failed == expected_failures, blueprint
    assert statuses["signal"] == "ok"
    for group in asked:
        value = blueprint.group(group)
        assert not isinstance(value, Absent) or value.reason


def test_silence_and_shortness_are_said_so(run: tuple[Run, int, str]) -> None:
    silent, short = blueprint_of(run[0], "silent"), blueprint_of(run[0], "50_ms")
    for group in ("transcript", "quality", "pitch", "loudness", "rate"):
        assert silent.group(group).status == "silent", group
    assert {short.group(g).status for g in ("pitch", "loudness")} == {"too_short"}


def test_no_bare_nan_in_any_file(run: tuple[Run, int, str]) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"bare {constant} in JSON")

    files = [*run[0].folder.glob("*.json"), *run[0].folder.glob("*.jsonl")]
    assert len(files) >= 6
    for path in files:
        lines = (
            path.read_text().splitlines()
            if path.suffix == ".jsonl"
            else [path.read_text()]
        )
        for line in lines:
            json.loads(line, parse_constant=refuse)


def test_the_claimed_length_is_not_believed(run: tuple[Run, int, str]) -> None:
    assert clips_of(run[0])["claims_2_gib"] == clips_of(run[0])["good"]


def _speechjudge(path: Path) -> object:
    return read_dataset("speechjudge", path)


SCORE_LINE = b'{"item": "i", "judge": "j", "status": "scored"}\n'


@pytest.mark.parametrize(
    ("read", "name", "data", "said"),
    [
        (read_columns, "x.csv", b"x" * 200_000, "it has a header but no rows"),
        (read_labels, "x.csv", b"id,overall,inclusion\nx,1,1.5\n", "inclusion"),
        (
            read_human_ranking,
            "x.csv",
            b"\xff",
            "cannot be read as csv .its header is not UTF-8",
        ),
        (read_human_ranking, "x.csv", b"system,score\na,much\n", "record 1: score"),
        (lambda path: load_rubric(str(path)), "x.toml", b"\xff", "cannot be read"),
        (_speechjudge, "x.parquet", b"PAR1 PAR1", "not a Parquet file"),
        (read_ratings, "x.jsonl", b"{\n", "x.jsonl, line 1: not JSON"),
        (
            read_ratings,
            "x.jsonl",
            b'{"id": "x", "reference": 7}\n',
            "no column for audio",
        ),
        (read_ratings, "x.csv", b"id,rater\nx,y\n", "score"),
        (
            read_ratings,
            "x.csv",
            b"id,score,rubric\nx,1,a\ny,1,b\n",
            "ratings of 2 rubrics",
        ),
        (read_scores, "x.jsonl", SCORE_LINE + b"{\n", "x.jsonl, line 2: not JSON"),
        (
            read_scores,
            "x.jsonl",
            SCORE_LINE + b"{}\n",
            "x.jsonl, line 2: no score record",
        ),
        (read_scores, "x.csv", b"id,judge,score\n,j,4\n", "record 1: the id is empty"),
        (
            read_scores,
            "x.csv",
            b"id,judge,score\nx,j,4\nx,j,5\n",
            "record 2: id x was given",
        ),
        (read_scores, "x.csv", b"id,judge,score\nx,j,high\n", "record 1: score"),
        *(
            (
                read_ratings,
                "x.csv",
                b"id,score\ns," + score,
                "record 1: score is .*; give a number",
            )
            for score in (b"51e999", b"-inf", b"1/2", b"9" * 400)
        ),
    ],
)
def test_files_that_are_none(
    read: Callable[[Path], object], name: str, data: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UserError, match=said):
        read(path)


def test_ratings_of_one_rubric_of_several_with_facts(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "id,rater,score,rubric,system,question_id\nx,r,4,a,s,q\ny,r,2,b,s,q\n"
    )
    ratings = read_ratings(path, "a")
    assert (ratings.ids.tolist(), ratings.facts["score"].tolist()) == (["x"], [4.0])
    assert (ratings.facts["instruction_id"][0], ratings.facts["system"][0]) == (
        "q",
        "s",
    )
