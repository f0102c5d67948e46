"""Remedies of merged runs, clusters, estimates, ablations and probes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.support.cases import verdict
from tests.support.judged import extracted_run
from tests.support.remedy_calls.typed import (
    BARE,
    ends,
    judged,
    lines_of,
    recorded,
    script,
    taken,
)
from trace_eval.data.outputs import claimed
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extractors_of
from trace_eval.runs.guesses import Guesses
from trace_eval.runs.run import Run


def _by_script(number: int = 9) -> str:
    """Name a judge that prefers A, without hearing anything."""
    judge = script("a.jsonl", [verdict()] * number)
    return f"--judge audio:{judge} -J swap=off"


def _shards() -> str:
    """Judge pairs in two shards, ``first`` and ``last``, and return their manifest."""
    manifest = recorded("sharded", 3)
    for name, shard in (("first", "1/2"), ("last", "2/2")):
        said = judged(manifest, name, f"--shard {shard} {_by_script()}")
        assert "(100.0%)" in said
    return manifest


def shards_that_are_missing() -> str:
    """Name the folders of all shards, or merge some; finish one that was stopped."""
    manifest = _shards()
    said = ends(2, "merge first --out some")
    partial = taken("merge what is there with (--partial)", said)
    ends(0, f"merge first --out some {partial}")
    ends(0, "merge first last --out all")
    assert (len(list(Run("some").pairs())), len(list(Run("all").pairs()))) == (1, 3)
    taken_place = ends(2, "merge first last --out all")
    taken("choose another --out", taken_place)
    Path("judged-3.part").mkdir()
    in_the_way = ends(2, "merge first last --out judged-3")
    taken("move it or choose another --out", in_the_way)
    Path("all-5.part/.merging").mkdir(parents=True)
    nowhere = ends(2, "merge first last --out all-5")
    taken("choose another --out", nowhere)
    ends(0, "merge first last --out all-2")
    path = Path("last/judgements.jsonl")
    whole = path.read_text()
    path.write_text(whole.splitlines(keepends=True)[0])
    stopped = ends(2, "merge first last --out all-3")
    taken("repeat its command, or merge what is there with --partial", stopped)
    judged(manifest, "last", f"--shard 2/2 {_by_script()}")
    ends(0, "merge first last --out all-3")
    for name in ("pairs", "judgements", "overall"):
        Path("last", f"{name}.jsonl").write_text("")
    killed = ends(2, "merge first last --out all-4")
    taken("repeat the command of each, or merge what is there with --partial", killed)
    judged(manifest, "last", f"--shard 2/2 {_by_script()}")
    ends(0, "merge first last --out all-4")
    return " ".join((said, taken_place, in_the_way, nowhere, stopped, killed))


def blueprints_that_differ() -> str:
    """Restore a file of blueprints, or judge one of two runs again."""
    manifest = recorded("twice")
    for name in ("here", "there"):
        judged(manifest, name, _by_script(), "--cache kept")
    path = Path("there/blueprints.jsonl")
    own = path.read_text()
    path.write_text("")
    Path("here/blueprints.jsonl").rename("kept.jsonl")
    Path("here/blueprints.jsonl").write_text("")
    lost = ends(2, "merge here there --out joined")
    partial = taken("or merge what is there with (--partial)", lost)
    ends(0, f"merge here there --out in_part {partial}")
    path.write_text(own)
    Path("kept.jsonl").rename("here/blueprints.jsonl")
    ends(0, "merge here there --out joined")
    path.write_text(own.replace("no extractor was asked for it", "nobody asked"))
    differs = ends(2, "merge here there --out rejoined")
    cache = taken("into a new folder, with the (--cache) of the other", differs)
    judged(manifest, "there-2", _by_script(), f"{cache} kept")
    ends(0, "merge here there-2 --out rejoined")
    neither = ends(2, "merge twice --out nothing")
    taken("name an --out of judge", neither)
    ends(0, "merge here --out something")
    return f"{lost} {differs} {neither}"


def runs_on_a_cluster() -> str:
    """Leave the engine out where one machine judged, and a shard where it cuts."""
    manifest = recorded("clustered")
    by = _by_script()
    said = judged(manifest, "cut", f"--shard 1/2 -X engine=ray {by}")
    taken("leave one of them out", said)
    assert "(100.0%)" in judged(manifest, "cut", f"--shard 1/2 {by}")
    judged(manifest, "local", by)
    local = judged(manifest, "local", f"-X engine=ray {by}")
    taken("continue it without -X engine=ray", local)
    assert "(100.0%)" in judged(manifest, "local", by)
    with claimed(Path("made"), "run", private=True):
        shutil.copytree("local", "made/shards/1-of-1")
    record = json.loads(Path("made/shards/1-of-1/manifest.json").read_text())
    record["max_seconds"] = 1
    Path("made/shards/1-of-1/manifest.json").write_text(json.dumps(record))
    made = judged(manifest, "made", f"-X engine=ray {by}")
    taken("name another --out", made)
    return f"{said} {local} {made}"


def ablations_that_change_nothing() -> str:
    """Ablate by a judge and of a run where something is left out."""
    extracted_run(Path("evidence"), count=3)
    heard = ends(2, f"ablate evidence {_by_script()} -J transcripts=asr --modes")
    other = taken("; use (rules) or openai:MODEL", heard)
    assert "transcript" in ends(0, f"ablate evidence --judge {other} --modes")
    mode = f"ablate evidence --judge {script('m.jsonl', [verdict()] * 60)} -J swap=off"
    said = ends(2, f"{mode} -J mode=transcript")
    modes = taken(
        "leave it out, and compare blueprints with transcripts by (--modes)", said
    )
    ends(0, f"{mode} {modes}")
    return f"{heard} {said}"


def groups_that_are_left_out() -> str:
    """Ablate less, and judge by what reads blueprints where a run has none."""
    extracted_run(Path("measured"), count=3)
    judge = script("g.jsonl", [verdict()] * 60)
    asked = f"ablate measured --judge {judge} -J swap=off"
    groups = "pitch,signal,quality,loudness,rate,emotion,accent,properties"
    said = ends(2, f"{asked} -J drop={groups} --modes")
    taken("beside what -J drop leaves out, so --modes would .*; drop less", said)
    ends(0, f"{asked} -J drop=pitch --modes")
    manifest = recorded("unmeasured")
    judged(manifest, "heard alone", _by_script())
    labels = "id,overall\np0,1\np1,2\n"
    Path("of_two.csv").write_text(labels)
    Path("heard alone/blueprints.jsonl").write_text("")
    none = ends(2, "ablate 'heard alone' --labels of_two.csv")
    judge = taken("reads blueprints, such as (rules), into a new --out", none)
    judged(manifest, "read", f"--judge {judge} --extractor signal=signal")
    assert "signal" in ends(0, "ablate read --labels of_two.csv")
    return f"{said} {none}"


def durations_that_are_unknown() -> str:
    """Estimate by decoding where no duration is known."""
    manifest = recorded("estimated", 1)
    record = lines_of(manifest)[0]
    record |= {side: {"audio": "s3://bucket/a.wav"} for side in "ab"}
    Path("far.jsonl").write_text(json.dumps(record))
    by = f"--judge openai:gpt-4o --estimate {' '.join(BARE)}"
    said = ends(2, f"judge far.jsonl {by} --quick")
    taken("use --estimate without --quick", said)
    assert "calls" in ends(0, f"judge {manifest} {by}")
    return said


def a_language_that_most_speak() -> str:
    """Name the language that unsure clips are taken for."""
    said = str(Guesses(2, 8, unsure=2, sure={"es": 5, "en": 1}).line)
    language = taken(r"(--language \w+) would take them for that, too", said)
    (_, code) = language.split()
    options = ExtractOptions(
        language=code, overrides={"transcript": "faster-whisper:base"}
    )
    hears = [one for one in extractors_of(options) if one.group == "transcript"]
    assert [one.parameters()["language"] for one in hears] == ["es"]
    return said[said.index("; the language") :]


def probes_of_a_judge() -> str:
    """Make probes of the judge that a card is about."""
    manifest = recorded("probed", 2)
    judged(manifest, "carded", _by_script())
    said = ends(2, "card carded --probes 'no probes'")
    out = taken("drill judge PAIRS (--out 'no probes'), and name that", said)
    groups = " ".join(BARE)
    drilled = ends(0, f"drill judge {manifest} {out} {_by_script(400)} {groups}")
    card = taken("trace-eval (card RUN --probes .*)$", drilled)
    ends(0, card.replace("RUN", "carded"))
    other = ends(2, "card j.csv --labels labels.csv --probes 'no probes'")
    taken("run trace-eval drill judge with the judge of the card", other)
    return f"{said} {other}"


#: What follows the remedies of these rooms.
CALLS = (
    shards_that_are_missing,
    blueprints_that_differ,
    runs_on_a_cluster,
    ablations_that_change_nothing,
    groups_that_are_left_out,
    durations_that_are_unknown,
    a_language_that_most_speak,
    probes_of_a_judge,
)
