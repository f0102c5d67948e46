"""Remedies of extraction, and of what pages and tables show, on files made here."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations
from multiprocessing import resource_tracker, spawn
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.synthetic_run import Recipe, make_run
from tests.support import calls
from tests.support.audio_cases import write as write_tone
from tests.support.cli import code_and_words
from tests.support.datasets_made import write_lines
from tests.support.fakes import Counting, extracted
from tests.support.judged import extracted_run, judged_run
from tests.support.remedy_calls.judging import follow, follow_what
from tests.support.remedy_calls.judging_replies import named_in
from tests.support.remedy_calls.judging_sound import refused_of
from tests.support.report_pages import fragment
from trace_eval.commands.listing import ImportedOnUse
from trace_eval.data.answers import Answer
from trace_eval.extracting import workers
from trace_eval.extracting.cache import Cache, cache_folder
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.ray.cluster import Size
from trace_eval.extracting.ray.driver import _split
from trace_eval.report.audio import AudioAssets
from trace_eval.report.write import write_report
from trace_eval.runs.run import Run
from trace_eval.turns.fidelity import Fidelity, SpokenEntity


def folders_of_caches() -> str:
    """Name another folder for a cache that is a file, or one that is damaged."""
    Path("a-file").write_text("x")
    is_file = refused_of(Cache, Path("a-file/below"))
    option, variable = re.findall(r"with (--cache) or \$(\w+)", is_file)[0]
    before = os.environ.get(variable)
    os.environ[variable] = "of-the-variable"
    try:
        assert cache_folder() == Path("of-the-variable")
    finally:
        os.environ[variable] = before or ""
        if before is None:
            del os.environ[variable]
    damaged = Path("damaged")
    Cache(damaged).close()
    table = damaged / "groups.sqlite"
    table.write_bytes(b"no database" * 99)
    clip = write_tone(Path("clips/a.wav"), 0.3, 300.0)
    fast = "--workers 0 --profile screen " + " ".join(
        f"-x {group}=none" for group in ("transcript", "quality", "rate")
    )
    typed = f"extract {clip} {fast} --out"
    code, said = code_and_words(*f"{typed} e1 --cache {damaged}".split())
    assert code == 0, "it costs time, never a clip"
    follow_what(said, rf"with ({option})", f"{typed} e2 {{}} another", says="1 of 1")
    found = re.search(r"(mend or delete) it", said)
    assert found
    shutil.rmtree(damaged)
    code, after = code_and_words(*f"{typed} e3 --cache {damaged}".split())
    assert (code, "not used any more" in after) == (0, False), after
    with sqlite3.connect(table) as database:
        assert database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return f"{is_file} {said}"


def workers_that_do_not_start() -> str:
    """Extract without worker processes where none can be started, or all end."""
    clip = write_tone(Path("clips/b.wav").absolute(), 0.3, 300.0)
    log = Path("counted").absolute()
    plan = Plan((Counting(log),), Path("worked").absolute())
    resource_tracker.ensure_running()  # by Python, as it is not yet replaced
    program = spawn.get_executable()
    spawn.set_executable(str(shutil.which("false")))  # it ends before its first clip
    try:
        ended = refused_of(extracted, plan, [clip], 1)
    finally:
        spawn.set_executable(program)

    def refuse(*_: object) -> ProcessPoolExecutor:
        raise OSError(38, "Function not implemented")

    there = workers.ProcessPoolExecutor
    workers.ProcessPoolExecutor = refuse  # type: ignore[assignment,misc]
    try:
        missing = refused_of(extracted, plan, [clip], 1)
        numbers = [re.findall(r"--workers (\d)", text) for text in (ended, missing)]
        assert numbers == [["0"], ["0"]]
        (done,) = extracted(plan, [clip], int(numbers[0][0]))
    finally:
        workers.ProcessPoolExecutor = there  # type: ignore[misc]
    assert done.blueprint is not None
    return f"{ended} {missing}"


def recordings_that_a_page_does_not_play() -> str:
    """Copy what is far away or muted; judge again what was replaced."""
    run = Run.open(make_run(Path("paged").absolute(), Recipe(1, seconds=0.3)))
    pair = next(iter(run.pairs()))
    clips = run.clips()
    source = pair.a.source_id
    muted = AudioAssets(Path("page.html"), muted={})
    redacted = str(muted.sound(pair.a, clips[source]).note)
    options = re.findall(r"report (--redact) (--audio) copies", redacted)[0]
    code, said = code_and_words("report", "paged", *options, "--out", "muted.html")
    assert code == 0, said
    assert "redacted: report" not in fragment(Path("muted.html").read_text(), "p0")
    far = Answer(url="memory://remedies/a.wav")
    distant = str(AudioAssets(Path("page.html")).sound(far, None).note)
    assert re.search(r"report (--audio) copies it", distant)
    copying = AudioAssets(Path("far.html").absolute(), copy=True)
    note = str(copying.sound(far, None).note)
    assert "report --audio" not in note, note
    path = Path(str(pair.a.audio))
    kept = path.read_bytes()
    write_tone(path, 0.4, 777.0)
    code, replaced = code_and_words("report", "paged", "--out", "replaced.html")
    page = fragment(Path("replaced.html").read_text(), "p0")
    assert re.search(r"judge again into a new (--out)", page), page
    path.write_bytes(kept)
    return " ".join((redacted, distant, " ".join(page.split()), replaced))


def pages_of_other_runs() -> str:
    """Fuse what was not fused, and write calls without redaction."""
    fused = judged_run(Path("unfused"), {"a": "1", "b": "2"})
    (fused / "overall.jsonl").unlink()
    page = write_report(Run.open(fused), Path("unfused.html").absolute())
    shown = " ".join(fragment(page.read_text("utf-8"), "p0").split())
    follow_what(shown, r"run trace-eval (fuse)", "{} unfused", says="policy asked")
    page = write_report(Run.open(fused), Path("unfused.html").absolute())
    assert "nothing was fused yet" not in fragment(page.read_text("utf-8"), "p0")
    run = extracted_run(Path("called"), count=1)
    path = run.path("pairs.jsonl")
    record = json.loads(path.read_text())
    for side in "ab":
        record[side] = {"conversation": calls.conversation(None)}
    path.write_text(json.dumps(record) + "\n")
    called = follow(
        "report called --redact --out called.html",
        "leave it out",
        "report called --out called.html",
    )
    return f"{shown} {called}"


def rows_of_long_tables() -> str:
    """Find the rows that tables leave out in the JSON, which has all."""

    def late(number: int) -> Any:
        start = 7.0 + 0.1 * number
        turns = (*calls.TURNS[:4], ("bot", start, start + 0.5, "Seat 12A is yours."))
        return calls.conversation(None, turns, end={"at_s": 20.0, "reason": "goodbye"})

    Path("late").mkdir()
    calls.manifest(
        Path("late"), ({"id": f"c{n}", "conversation": late(n)} for n in range(32))
    )
    _, faults = _told("turns late/items.jsonl", r"(\d+) more with (--json)")
    record = json.loads(Path("told.json").read_text())
    assert len(record["each"]) == 32
    found = re.search(r"29 more timelines with --json or (--shown)", faults)
    assert found, faults
    _, shown = code_and_words("turns", "late/items.jsonl", found[1], "32")
    assert "more timeline" not in shown
    rows = [
        f"{a}{b}{n},{a},{b},{1 + (n % 3 == 0)}"
        for n in range(4)
        for a, b in combinations("abcd", 2)
    ]
    Path("six.csv").write_text("\n".join(("id,system_a,system_b,overall", *rows)))
    labels = (f"{row.split(',')[0]},{row[-1]}" for row in rows)
    Path("six-labels.csv").write_text("\n".join(("id,overall", *labels)))
    typed = "rank six.csv --labels six-labels.csv"
    number, systems = _told(
        typed, r"(\d+) more comparisons? of two systems: see (--json)"
    )
    report = json.loads(Path("told.json").read_text())
    assert len(report["enough"]) > number
    return f"{faults} {systems}"


def _told(typed: str, printed: str) -> tuple[int, str]:
    """Write the JSON that a command's message names; return what it says is there."""
    code, said = code_and_words(*typed.split())
    assert code == 0, said
    found = re.search(printed, said)
    assert found, said[-900:]
    code, _ = code_and_words(*typed.split(), found[2], "told.json")
    assert code == 0
    return int(found[1]), said


def gains_that_nobody_checked() -> str:
    """Let another measure, or people, check what one measure picked."""
    folder = Path("candidates")
    rows = []
    for number, seconds in enumerate((0.3, 0.4, 0.5)):
        name = f"c{number}.wav"
        write_tone(folder / name, seconds, 300.0)
        rows.append({"group": "g", "candidate": name, "text": "Hi.", "audio": name})
    write_lines(folder / "items.jsonl", rows)
    for number, row in enumerate(rows):
        row["scores"] = {"anna": number}
    write_lines(folder / "scored.jsonl", rows)
    fast = " ".join(f"-x {group}=none" for group in ("transcript", "quality", "rate"))
    measured = (
        f"--by signal.peak_dbfs --workers 0 --cache candidates/cache {fast} --out"
    )
    said = follow(
        f"best {folder}/items.jsonl {measured} best-1",
        r"name another one with (--check)",
        f"best {folder}/items.jsonl {measured} best-2 {{}} signal.rms_dbfs",
        says="against one other",
    )
    follow_what(
        said,
        "give the candidates human scores",
        f"best {folder}/scored.jsonl {measured} best-3",
        says="against one other",
    )
    return said


def devices_of_clusters() -> str:
    """Use a device that the cluster's actors have."""
    heard = SimpleNamespace(runs_on="gpu")

    def split(device: str, gpus: int) -> bool:
        job: Any = SimpleNamespace(
            options=ExtractOptions(device=device),
            plan=SimpleNamespace(extractors=(heard,)),
        )
        return _split(job, Size(4, gpus))

    second = refused_of(split, "cuda:1", 2)
    device = named_in(second, r"use -X device=(\w+)")
    assert split(device, 2)
    none = refused_of(split, device, 0)
    assert not split(named_in(none, r"use -X device=(\w+)"), 0)
    return f"{second} {none}"


def entities_that_one_recogniser_missed() -> str:
    """Name a second recogniser: an entity is then missed by one of two."""
    entity = SpokenEntity(
        conversation="c",
        turn=2,
        kind="code",
        status="wrong",
        intended="ZK3FFW",
        heard=("ZK3FFV",),
        missed=1,
        start_s=1.0,
        end_s=2.0,
    )
    alone = Fidelity(("small",), (entity,), turns=1, unheard=())
    (note,) = [table.note for table in alone.tables() if "Listen" in str(table.title)]
    option = named_in(note, r"name a second one with (--\w+)")
    heard = replace(entity, heard=("ZK3FFV", "ZK3FFW"))
    both = Fidelity(("small", "large"), (heard,), turns=1, unheard=())
    (table,) = [table for table in both.tables() if "Listen" in str(table.title)]
    assert table.rows[0][-1] == "1 of 2"
    assert option not in str(table.note)
    given = {name: one for one in ImportedOnUse()["turns"].params for name in one.opts}
    assert given[option].multiple
    return str(note)


CALLS = (
    gains_that_nobody_checked,
    devices_of_clusters,
    folders_of_caches,
    workers_that_do_not_start,
    recordings_that_a_page_does_not_play,
    pages_of_other_runs,
    rows_of_long_tables,
    entities_that_one_recogniser_missed,
)
