"""Which input and options continue a run, which get another folder, and its record."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from blueprints import UserError
from extractors import packaged
from tests.support.cli import ROOT
from trace_eval.data.items import Pair
from trace_eval.data.manifests import Manifest, read_manifest
from trace_eval.data.outputs import refuse_package
from trace_eval.data.shards import Shard
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extractors_of
from trace_eval.judges.options.judge_options import (
    MAY_CHANGE,
    NOT_DECIDING,
    JudgeOptions,
)
from trace_eval.runs.folders import (
    check_continues,
    default_out,
    fresh,
    input_name,
    list_runs,
)
from trace_eval.runs.options import Options, read_config, settings_of, to_toml
from trace_eval.runs.record import JudgeRecord, RunRecord, SessionRecord, differences
from trace_eval.runs.run import Run
from trace_eval.runs.session import Session


def _manifest(path: Path | str, *ids: str, text: str = "Hi.") -> Manifest:
    pair = {
        "instruction": {"text": text},
        "a": {"audio": "/a.wav"},
        "b": {"audio": "/b.wav"},
    }
    return Manifest(path, [Pair.model_validate(pair | {"id": name}) for name in ids])


def _run(folder: Path, manifest: Manifest, **more: object) -> Run:
    with Run(folder) as run:
        run.start(RunRecord(input=input_name(manifest), **more), manifest)
    return run


def test_where_a_run_goes_when_nobody_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    part = _manifest("x/pairs.jsonl", *"abcdefgh").shard(Shard.parse("2/8"))
    assert default_out(part, "rules") == Path("runs/pairs-rules-2-of-8")
    remote = _manifest("s3://b/x/pairs.v2.jsonl?sig=1", "p")
    assert default_out(remote, "ollama:q:8b") == Path("runs/pairs.v2-ollama-q-8b")
    assert default_out(_manifest(Path("pairs.jsonl"), "p"), "rules") == Path(
        "runs/pairs-rules"
    )


def test_two_files_of_one_name_do_not_share_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    x, y = (
        _manifest(tmp_path / "x/pairs.jsonl", "p", "q"),
        _manifest("y/pairs.jsonl", "p", "r"),
    )
    folder = default_out(x, "rules")
    _run(folder, x)
    assert default_out(x, "rules") == folder
    other = default_out(y, "rules")
    assert other != folder
    assert other.name.startswith("pairs-rules-")
    _run(other, y)
    grown = replace(y, items=[*y.pairs, *_manifest("", "s").pairs])
    assert default_out(grown, "rules") == other
    # The same items at another path continue the run: nothing of it is lost.
    assert default_out(_manifest("z/pairs.jsonl", "p", "q"), "rules") == folder


def test_a_run_belongs_to_its_input(tmp_path: Path) -> None:
    x = _manifest(tmp_path / "x/pairs.jsonl", "p", "q")
    run = _run(tmp_path / "run", x)
    record = run.record()
    check_continues(run, record, x)
    check_continues(
        run, record, _manifest(tmp_path / "x/pairs.jsonl", "p", "q", "more")
    )
    (tmp_path / "run-2").mkdir()
    with pytest.raises(UserError) as shown:
        check_continues(run, record, _manifest(tmp_path / "y/pairs.jsonl", "p"))
    assert str(shown.value) == (
        f"{tmp_path}/run: belongs to {tmp_path}/x/pairs.jsonl, and 1 of its pairs are"
        f" not in {tmp_path}/y/pairs.jsonl ('q'); use --out {tmp_path}/run-3"
    )
    with pytest.raises(UserError, match="pair 'p' has changed since it was judged"):
        check_continues(
            run, record, _manifest(tmp_path / "x/pairs.jsonl", "p", "q", text="Ho.")
        )


def test_options_that_decide_no_given_verdict_may_change(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path / "pairs.jsonl", "p")
    options = JudgeOptions()
    names = [field.name for field in fields(JudgeOptions)]
    judge = JudgeRecord(spec="x", parameters=options.deciding(names))
    run = _run(tmp_path / "run", manifest, judge=judge)

    def now(**changed: object) -> RunRecord:
        chosen = replace(options, **changed)
        return RunRecord(judge=JudgeRecord(spec="x", parameters=chosen.deciding(names)))

    free = {"max_tokens": 4096, "num_ctx": 8192, "repair": False, "timeout_s": 9.0}
    check_continues(run, now(**free, concurrency=3, retries=1), manifest)
    assert set(free) - {"timeout_s"} == MAY_CHANGE
    assert not MAY_CHANGE & NOT_DECIDING
    for name, value in {
        "samples": 2,
        "swap": "off",
        "seed": 1,
        "rendering": "paper",
    }.items():
        change = {name: value}
        with pytest.raises(
            UserError, match=rf"another judge \(parameters.{name}: .*--out .*run-2"
        ):
            check_continues(run, now(**change), manifest)


def test_results_do_not_go_into_packages(tmp_path: Path) -> None:
    for folder in (ROOT / "blueprints", ROOT / "trace_eval" / "new"):
        with pytest.raises(UserError, match="is a Python package"):
            refuse_package(folder)
    refuse_package(tmp_path / "run")
    assert fresh(tmp_path) == tmp_path.with_name(f"{tmp_path.name}-2")


def test_the_file_is_hashed_and_the_limit_reads_no_further(tmp_path: Path) -> None:
    whole = read_manifest(ROOT / "examples" / "pairs.jsonl")
    few = read_manifest(ROOT / "examples" / "pairs.jsonl", limit=2)
    assert [pair.id for pair in few.pairs] == [pair.id for pair in whole.pairs[:2]]
    assert len(str(whole.sha256)) == 64
    assert whole.sha256 == few.sha256


def test_settings_survive_a_file(tmp_path: Path) -> None:
    options = Options(
        ExtractOptions(overrides={"pitch": "pyin"}, cache=tmp_path),
        judge='ollama:"q"',
        judging=JudgeOptions(samples=3, drop=("pitch",), think=False),
        tag="größer",
    )
    settings = settings_of(options)
    path = tmp_path / "run.toml"
    path.write_text(to_toml(settings))
    assert read_config(path) == settings
    assert settings["extractor"] == ["pitch=pyin"]
    assert not {"spent", "offline", "language"} & settings.keys()
    path.write_text("[extract]\nasr = 'x'\n")
    with pytest.raises(UserError, match=r"run.toml: no option 'asr' in \[extract\]"):
        read_config(path)
    path.write_text("judge = rules")
    with pytest.raises(UserError, match=r"run.toml: not TOML"):
        read_config(path)


def test_runs_are_listed_and_found_by_tag(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path / "pairs.jsonl", "p")
    _run(tmp_path / "runs" / "deep" / "one", manifest, tag="night")
    _run(tmp_path / "runs" / "two", manifest)
    _run(tmp_path / "runs" / "two" / "ablations" / "full", manifest)
    (tmp_path / "runs" / "torn").mkdir()
    (tmp_path / "runs" / "torn" / "manifest.json").write_text("{")
    result = {run.folder.name: run for run in list_runs(tmp_path / "runs")}
    assert result.keys() == {"one", "two", "torn"}
    assert "not the record of a run" in str(result["torn"].problem)
    (tmp_path / "runs" / "torn" / "manifest.json").write_text('{"sessions": 3}')
    with pytest.raises(
        UserError, match=r"manifest\.json: not the record of a run .*sessions"
    ):
        Run.open(tmp_path / "runs" / "torn").record()
    assert [run.folder.name for run in list_runs(tmp_path, tag="night")] == ["one"]
    with pytest.raises(UserError, match="no such folder"):
        list_runs(tmp_path / "nowhere")


def begin(out: Path, **options: str) -> None:
    with Session(
        read_manifest(ROOT / "examples" / "pairs.jsonl"),
        out,
        Options(ExtractOptions(overrides=options)),
    ):
        pass


def test_a_run_is_not_continued_with_another_recogniser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if problem := packaged.problem(packaged.ENGLISH):
        pytest.skip(problem)
    begin(tmp_path / "run")
    begin(tmp_path / "run")  # the same one continues
    with pytest.raises(UserError, match=r"made with other extractors .*use --out"):
        begin(tmp_path / "run", transcript="none", rate="none")
    # Nor when the weights have gone meanwhile and the default would be another one.
    monkeypatch.setattr(packaged, "_folder", lambda _: None)
    monkeypatch.setattr("extractors.faster_whisper.model_folder", lambda *_: None)
    with (
        pytest.warns(UserWarning, match="Nothing recognises the speech"),
        pytest.raises(UserError, match="made with other extractors"),
    ):
        begin(tmp_path / "run")


def test_options_that_no_recogniser_takes_are_refused() -> None:
    options = ExtractOptions(
        overrides={"transcript": "none", "rate": "none"}, beam_size=5
    )
    with pytest.raises(UserError, match="beam_size 5: no extractor of this plan takes"):
        extractors_of(options)


def test_what_a_later_version_wrote_survives(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(
        json.dumps({"judge": {}, "colour": "green"})
    )
    run = Run.open(tmp_path)
    run.write_record(run.record().model_copy(update={"policy": "majority_vote"}))
    assert json.loads((tmp_path / "manifest.json").read_text())["colour"] == "green"


def test_the_first_difference_is_told() -> None:
    one = RunRecord(judge=JudgeRecord(spec="x", parameters={"seed": 0}), max_seconds=9)
    other = RunRecord(
        judge=JudgeRecord(spec="x", parameters={"seed": 1}), max_seconds=9
    )
    assert list(differences(one, other, ("judge", "max_seconds"))) == [
        ("judge", "parameters.seed: 0, now 1")
    ]
    assert RunRecord(sessions=(SessionRecord(started="2026"),)).started == "2026"
