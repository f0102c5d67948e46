"""The library in a notebook or plain script: in an event loop, without a guard."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import trace_eval
from blueprints import UserError
from fusion import POLICIES, Policy
from tests.support.audio import tone, write
from tests.support.cli import ROOT
from tests.support.cli import trace_eval as trace_eval_typed
from tests.support.judged import judged_run
from tests.support.processes import run_python
from tests.support.speed import PATIENCE_S
from trace_eval.extracting.event_loop import complete
from trace_eval.runs.options import PairOptions

#: Nothing but what is fast to measure.
ONLY = dict.fromkeys(("transcript", "quality", "pitch", "loudness", "rate"), "none")


@pytest.fixture
def options(tmp_path: Path) -> trace_eval.Options:
    cache = str(tmp_path / "cache")
    return trace_eval.Options(
        trace_eval.ExtractOptions(overrides={**ONLY}, workers=0, cache=cache)
    )


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Write a Parquet file with embedded recordings."""
    sounds = [write(tmp_path / f"{hz}.wav", tone(hz)).read_bytes() for hz in (200, 300)]
    sides = [{"bytes": sound, "path": f"{n}.wav"} for n, sound in enumerate(sounds)]
    row = {"id": "1", "instruction": "Say it.", "a": sides[0], "b": sides[1]}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "pairs.parquet")
    return str(tmp_path / "pairs.parquet")


def in_a_cell(work: Callable[[], Any]) -> Any:
    """Call plainly inside of a running event loop, as a notebook does."""

    async def cell() -> Any:
        return work()

    return asyncio.run(cell())


def test_a_notebook_judges_a_run(
    table: str, tmp_path: Path, options: trace_eval.Options
) -> None:
    out = str(tmp_path / "run")

    def cell() -> None:
        manifest = trace_eval.read_manifest(table)
        trace_eval.judge_manifest(manifest, out, options)
        (pair,) = trace_eval.Run(out).pairs()
        assert pair.a.audio.is_file()
        assert trace_eval.judge_pair(pair, options).pair == pair
        made = trace_eval.blueprint(str(pair.a.audio), options.extract)
        for sound in (
            [str(pair.a.audio)],
            str(pair.a.audio),
            pair.a.audio.read_bytes(),
        ):
            (again,) = trace_eval.extract(sound, options.extract)
            assert again.blueprint == made
        folder = tmp_path / "sound"
        folder.mkdir()
        (folder / "a.wav").write_bytes(pair.a.audio.read_bytes())
        (below,) = trace_eval.extract(str(folder), options.extract)
        assert below.blueprint == made
        assert trace_eval.write_report(out, str(tmp_path / "r.html")).is_file()
        assert trace_eval.fuse_again(out, "majority_vote")

    in_a_cell(cell)
    assert trace_eval.judge_manifest(table, out, options).total == 1  # continues it
    rating = trace_eval.RateOptions(
        options.extract, rubrics="quality", judge="openai:m"
    )
    assert (rating.rubrics, rating.judges) == (("quality",), ("openai:m",))


def test_what_fails_before_it_begins_leaves_no_folder(
    table: str,
    tmp_path: Path,
    options: trace_eval.Options,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise UserError("no")

    monkeypatch.setattr("trace_eval.runs.session.Session.record", fail)
    kept = tmp_path / "mine"
    kept.mkdir()
    for out in (tmp_path / "run", kept):
        with pytest.raises(UserError, match="no"):
            trace_eval.judge_manifest(table, out, options)
    assert not (tmp_path / "run").exists()
    assert kept.is_dir()


def test_texts_are_paths(tmp_path: Path) -> None:
    folder = judged_run(tmp_path / "run", {"x": "1", "y": "2", "z": "1"})
    labels = tmp_path / "labels.csv"
    labels.write_text("id,overall\nx,1\ny,2\nz,2\n")
    reports = [
        trace_eval.agree(source, str(labels))
        for source in (str(folder), folder, [str(folder)], trace_eval.Run(folder))
    ]
    assert all(report == reports[0] for report in reports)
    assert trace_eval.rank(str(folder), str(labels)) == trace_eval.rank(folder, labels)
    with pytest.raises(UserError, match="1 source; name two"):
        trace_eval.judge_change(str(folder))
    cached = trace_eval.JudgeOptions(cache="c", prices="p", examples="e", ledger="l")
    assert {cached.cache, cached.prices, cached.examples, cached.ledger} == set(
        map(Path, "cpel")
    )
    assert trace_eval.ExtractOptions(cache="c").cache == Path("c")
    made = PairOptions(onto="o", stands_for="content", acceptable=3)
    assert made.onto == Path("o")
    with pytest.raises(UserError, match="cache: 5 is no path"):
        trace_eval.ExtractOptions(cache=5)


def test_a_policy_of_ones_own(
    table: str, tmp_path: Path, options: trace_eval.Options
) -> None:
    rule = POLICIES["majority_vote"].rule
    given = trace_eval.Options(
        options.extract, policy=Policy("mine", "as the majority", rule)
    )
    trace_eval.judge_manifest(table, tmp_path / "run", given)
    run = trace_eval.Run(tmp_path / "run")
    assert run.record().policy == "mine"
    assert {fused.policy for fused in run.overall().values()} == {"mine"}
    (pair,) = run.pairs()
    assert trace_eval.judge_pair(pair, given).fused.policy == "mine"
    false = trace_eval.Options(
        options.extract, policy=Policy("content_first", "", rule)
    )
    with pytest.raises(UserError, match="give another"):
        trace_eval.judge_pair(pair, false)


VARIABLE = ContextVar("variable", default="")


def test_work_in_a_notebook_sees_its_context_and_its_errors() -> None:
    async def work() -> str:
        if VARIABLE.get() == "bad":
            raise UserError("told")
        return VARIABLE.get()

    VARIABLE.set("good")
    assert in_a_cell(lambda: complete(work)) == complete(work) == "good"
    VARIABLE.set("bad")
    with pytest.raises(UserError, match="told"):
        in_a_cell(lambda: complete(work))


def test_ctrl_c_in_a_notebook_ends_the_work_first() -> None:
    ended = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            ended.append("put away")

    async def cell() -> None:
        # As ipykernel has it: the signal is an exception in the main thread.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        killer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        killer.start()
        with pytest.raises(KeyboardInterrupt):
            complete(work)

    before = signal.getsignal(signal.SIGINT)
    started = time.monotonic()
    try:
        asyncio.run(cell())
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == ["put away"]
    assert time.monotonic() - started < 10


def test_two_sigterms_leave_ctrl_c_as_the_caller_had_it() -> None:
    async def work() -> None:
        for _ in range(2):
            signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(0)

    noted: list[int] = []

    def note(number: int, _: object) -> None:
        noted.append(number)

    before = {
        number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        signal.signal(signal.SIGTERM, note)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        with suppress(asyncio.CancelledError):
            complete(work)
        assert noted == [signal.SIGTERM] * 2
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is note
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_SCRIPT = """
import sys
import trace_eval
{more}
table, folder = sys.argv[1:]
overrides = {{**{only!r}, **{own}}}
extract = trace_eval.ExtractOptions(overrides=overrides, workers=2, cache=folder + "/c")
print(trace_eval.judge_manifest(table, folder + "/run", trace_eval.Options(extract)).clips, "clips")
"""

_OWN = """
from tests.support.fakes import Counting
from pathlib import Path
class Mine(Counting):
    pass
"""


def _script(folder: Path, table: str, more: str = "", own: str = "{}") -> Any:
    script = folder / "script.py"
    script.write_text(_SCRIPT.format(only=ONLY, more=more, own=own))
    return run_python(script, table, folder)


def test_a_script_needs_no_main_guard(table: str, tmp_path: Path) -> None:
    done = _script(tmp_path, table)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 clips\n", "")


def test_a_script_with_its_own_extractor_needs_one_and_says_so(
    table: str, tmp_path: Path
) -> None:
    own = "{'peak': Mine(Path(folder) / 'log')}"
    done = _script(tmp_path, table, _OWN, own)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1, done.stderr
    assert 'below `if __name__ == "__main__":`' in done.stderr.splitlines()[-1]


FAST = {"overrides": {**ONLY}, "workers": 0}

#: Three pairs as a table has them.
HEADER = ("prompt", "system_a_audio", "system_b_audio", "winner")


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    def place(hz: int) -> str:
        return str(write(tmp_path / f"{hz}.wav", tone(0.05, hz=hz)))

    said = ("A", "B", "draw")
    return [
        dict(
            zip(
                HEADER,
                ("Say it.", place(200 + n), place(300 + n), said[n]),
                strict=True,
            )
        )
        for n in range(3)
    ]


NAMED = {"a": "system_a_audio", "b": "system_b_audio"}


def _without_winner(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "winner"}


@pytest.mark.filterwarnings("ignore:.*row number")
def test_judge_takes_tables_and_the_run_answers(
    rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows)
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    fast = {**FAST, "cache": tmp_path / "cache"}
    given = {"list": rows, "frame": frame, "text": str(tmp_path / "pairs.csv")}
    runs = {
        name: trace_eval.judge(items, tmp_path / name, columns=NAMED, **fast)
        for name, items in {**given, "path": tmp_path / "pairs.csv"}.items()
    }
    run = runs["list"]
    pairs = [pair.model_dump() for pair in run.pairs()]
    for name in ("frame", "text", "path"):
        assert [pair.model_dump() for pair in runs[name].pairs()] == pairs
    assert len(run.to_pandas()) == 3
    labels = [
        {"id": str(n), "winner": said}
        for n, said in enumerate(("A", "right", "tie"), 1)
    ]
    for found in (
        run.agreement(),
        run.agreement(pandas.DataFrame(labels)),
        run.ranking(systems=("new", "old")),
        run.comparison(runs["frame"]),
        run.screening(),
        run.card(),
    ):
        page = found._repr_html_()
        assert page.count("<table>") == len(found.tables) > 0
        assert 1 <= len(found.sentences) <= 4  # the last: was enough labelled?
        first = f"<p><b>{found.title}</b></p><p>{escape(found.sentences[0])}</p>"
        assert page.startswith(first), page[:300]
        assert len(found.to_pandas())
        if found.points:
            drawn = found.plot()
            assert [t.get_text() for t in drawn.get_yticklabels()] == [
                p.name for p in found.points
            ]
            low, high = drawn.get_xlim()
            assert low > -0.5  # a count and a share begin at 0, and a share ends at 1
            assert found.title == "Screening" or high == pytest.approx(1.02)
    assert set(run.ranking(systems=("new", "old")).to_pandas()["name"]) == {
        "new",
        "old",
    }
    bare = [_without_winner(row) for row in rows]
    unlabelled = trace_eval.judge(bare, tmp_path / "bare", columns=NAMED, **fast)
    assert unlabelled.ranking(systems=("new", "old")).points
    with pytest.MonkeyPatch.context() as without:
        without.setitem(sys.modules, "pandas", None)
        written = run.report(str(tmp_path / "r.html"))
    assert written.is_file()
    assert escape(written.sentences[0]) in written._repr_html_()
    assert str(written) in written._repr_html_()
    assert len(written.to_pandas()) == 3
    assert written.plot().get_xlabel() == "pairs"
    # The sentences are those that the command prints first.
    said = run.ranking(systems=("new", "old"))
    typed = trace_eval_typed("rank", run.folder, "--systems", "new,old")
    assert list(said.sentences) == typed.out.splitlines()
    assert trace_eval.Run(str(run.folder)).agreement().sentences
    # The three pairs of tones have one label: one bar.
    (bar,) = run.plot().patches
    assert (bar.get_width(), run.plot().get_xlabel()) == (3, "pairs")
    said = run.report(str(tmp_path / "s.html")).sentences[0]
    assert repr(run) == f"<Run {run.folder}: rules, 3 of 3 scored. {said}>"
    assert escape(said) in run._repr_html_()
    assert (
        repr(trace_eval.Run(tmp_path / "no")) == f"<Run {tmp_path / 'no'}: no run yet>"
    )
    record = {
        "a": rows[0]["system_a_audio"],
        "b": rows[0]["system_b_audio"],
        "prompt": "Say it.",
    }
    options = trace_eval.Options(trace_eval.ExtractOptions(**fast))
    assert trace_eval.judge_pair(record, options).pair.instruction.text == "Say it."
    for call, told in (
        (
            lambda: trace_eval.judge(rows, tmp_path / "no"),
            r'perhaps columns=\{"a": "system_a_audio", "b": "',
        ),
        (lambda: trace_eval.judge(rows, judge="ruls"), "did you mean rules"),
        (
            lambda: trace_eval.judge(rows, sample=3),
            "sample: is unknown; did you mean samples?",
        ),
        (lambda: trace_eval.judge(5), "int is no table"),
        (
            lambda: run.ranking(resample=3),
            "resample: is unknown; did you mean resamples?",
        ),
        (
            lambda: trace_eval.judge(rows, colums={}),
            "colums: is unknown; did you mean columns?",
        ),
        (
            lambda: trace_eval.judge(rows, prompt="p"),
            "prompt: is unknown; did you mean prompts?",
        ),
        (lambda: run.ranking(label=[]), "label: is unknown; did you mean labels?"),
        (lambda: run.card(label=[]), "label: is unknown; did you mean labels?"),
        (lambda: run.report(audi=True), "audi: is unknown; did you mean audio?"),
        (lambda: run.ranking(systems=["new"]), "name two, those of A and of B"),
    ):
        with pytest.raises(UserError, match=told) as caught:
            call()
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "no").exists()
    with pytest.warns(UserWarning, match="check the path or audio_root") as warned:
        trace_eval.judge([{"a": "no.wav", "b": "no.wav"}], tmp_path / "lost", **fast)
    assert {one.filename for one in warned} == {__file__}


def test_agreement_is_drawn_beside_its_baselines(
    tmp_path: Path, examples_cache: Path
) -> None:
    pytest.importorskip("matplotlib")
    run = trace_eval.judge(
        ROOT / "examples" / "pairs.jsonl",
        tmp_path / "run",
        cache=examples_cache,
        workers=0,
    )
    found = run.agreement()
    rules = {point.name: point.value for point in found.points if point.baseline}
    # 6 of 13 labels are 1; of four labels one is right by chance.
    assert rules["majority class: overall"] == pytest.approx(6 / 13)
    assert rules["random, uniform (expected): overall"] == 0.25
    own = {point.name: point.value for point in found.points if not point.baseline}
    assert own["rules: overall"] == 1.0  # what the sentence says
    assert "100 %" in found.sentences[0]
    filled = [
        line.get_markerfacecolor()
        for line in found.plot().lines
        if line.get_marker() == "o"
    ]
    assert filled.count("white") == len(rules)
    # counts are bars: 1 and 2 six times, both_bad once
    assert [bar.get_width() for bar in run.plot().patches] == [6, 6, 1]


def test_errors_in_ipython_are_one_line_in_the_words_of_python(tmp_path: Path) -> None:
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    given = '[{"prompt": "x", "left_audio": "a.wav", "right_audio": "b.wav"}]'
    capture = pytest.importorskip("IPython.utils.capture").capture_output
    with capture() as shown:
        shell.run_cell(
            f"import trace_eval as te; te.judge({given}, {str(tmp_path / 'x')!r})"
        )
    (line,) = (shown.stdout + shown.stderr).splitlines()
    assert line.startswith("InputError: table: no column for a and b")
    assert line.endswith('perhaps columns={"a": "left_audio", "b": "right_audio"}')


def test_options_are_grouped_in_help() -> None:
    told = trace_eval.JudgeOptions.__doc__ or ""
    groups = ("CallOptions", "ChatOptions", "PairwiseOptions", "OllamaOptions")
    places = [told.index(f"\n{name}: ") for name in groups]
    assert places == sorted(places)
    assert places[2] < told.index("    swap: ") < places[3]
    known = set(vars(trace_eval.JudgeOptions())) - {"named"}
    assert {
        line.split(":")[0].strip() for line in told.splitlines() if ": " in line
    } >= known
    for kind in (
        trace_eval.AgreeOptions,
        trace_eval.GateOptions,
    ):  # options that are parts
        assert "\nIntervalOptions: " in (kind.__doc__ or "")
    assert "\nExtractOptions: " in (trace_eval.RateOptions.__doc__ or "")


def test_rate_takes_two_folders_and_tells_every_answer(tmp_path: Path) -> None:
    for name in ("new", "old"):
        write(tmp_path / name / "q1.wav", tone(0.05, hz=200))
    folders = {name: tmp_path / name for name in ("new", "old")}
    run = trace_eval.rate(folders, tmp_path / "run", cache=tmp_path / "cache", **FAST)
    assert {item.id: item.system for item in run.singles()} == {
        "new/q1": "new",
        "old/q1": "old",
    }
    assert run.to_pandas()["item"].tolist() == ["new/q1", "old/q1"]
    assert "<table>" in run._repr_html_()


def test_the_pictures_have_the_colours_of_the_report() -> None:
    from trace_eval.show.draw import palette

    page = (ROOT / "trace_eval" / "show" / "static" / "palette.css").read_text()
    assert {"a", "b", "ink", "quiet", "line"} <= palette().keys()
    assert all(f"light-dark({colour}," in page for colour in palette().values())


def test_the_example_notebook_runs_in_a_kernel(
    tmp_path: Path, examples_cache: Path
) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    for name in ("pairs.jsonl", "clips"):
        (tmp_path / name).symlink_to(ROOT / "examples" / name)
    page = nbformat.read(ROOT / "examples" / "first.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        page,
        timeout=PATIENCE_S,
        startup_timeout=PATIENCE_S,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    here = {"PYTHONPATH": str(ROOT), "TRACE_EVAL_CACHE": str(examples_cache)}
    client.execute(env={**os.environ, **here})
    shown = [output for cell in page.cells for output in cell.get("outputs", ())]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= kinds
    bars = [output.text for output in shown if output.output_type == "stream"]
    assert any("13/13" in text for text in bars)
    lines = next(
        c.source for c in page.cells if "class Longest" in c.source
    ).splitlines()
    assert len([line for line in lines if line.strip()]) <= 8
