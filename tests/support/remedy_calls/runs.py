"""Remedies of runs: folders that are taken, files that are damaged, what is fused."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

from tests.support.cases import verdict
from tests.support.remedy_calls.typed import (
    BARE,
    ends,
    judged,
    lines_of,
    message_of,
    recorded,
    script,
    taken,
)
from trace_eval.data.judgement import PairScores
from trace_eval.decide.rank import rank
from trace_eval.runs.derived import typed_tie
from trace_eval.runs.job import open_again, open_job
from trace_eval.runs.options import Options
from trace_eval.runs.run import Run
from trace_eval.stats.options import RankOptions

#: Who prefers A, without hearing anything.
_JUDGE = "--judge audio:{} -J swap=off"


def _heard(out: str, folder: str = "heard") -> str:
    """Judge two recorded pairs by a script into a run, and return their manifest."""
    manifest = recorded(folder)
    by = _JUDGE.format(script("a.jsonl", [verdict()] * 4))
    assert "2 of 2 pairs scored" in judged(manifest, out, by)
    return manifest


def an_input_inside_its_run() -> str:
    """Judge a run from its own file of pairs into the folder that is named."""
    _heard("my run", "heard pairs")
    said = ends(2, f"judge 'my run/pairs.jsonl' --out 'my run' {' '.join(BARE)}")
    other = taken(r"use (--out '[^']+')", said)
    by = _JUDGE.format(script("a.jsonl", [verdict()] * 4))
    made = ends(0, f"judge 'my run/pairs.jsonl' {other} {' '.join(BARE)} {by}")
    assert "2 of 2 pairs scored" in made
    return said


def a_run_of_another_judge() -> str:
    """Put another judge's verdicts into the folder that is named."""
    manifest = _heard("one judge")
    said = judged(manifest, "one judge", "--judge rules")
    other = taken(r"use --out ('[^']+')", said)
    assert "0 of 2 pairs scored" in judged(manifest, other, "--judge rules")
    return said


def replaced_recordings() -> str:
    """Judge, export and review in a new folder what replaced a recording."""
    manifest = _heard("before")
    shutil.copy("heard/old0.wav", "heard/new0.wav")
    by = _JUDGE.format(script("a.jsonl", [verdict()] * 4))
    said = judged(manifest, "before", by)
    new = taken(r"judge what is there now with --out (\S+)", said)
    assert "2 of 2 pairs scored" in judged(manifest, new, by)
    for command in ("export {} --to preferences", "review {} --export back.csv"):
        refused = ends(2, command.format("before"))
        taken("judge again into a new --out, and (export|review) that", refused)
        ends(0, command.format(new))
        said = f"{said} {refused}"
    return said


def a_run_without_judgements() -> str:
    """Judge what a run lacks by the same command."""
    manifest = _heard("emptied")
    for name in ("judgements", "overall"):
        Path("emptied", f"{name}.jsonl").write_text("")
    asked = "rank emptied"
    said = ends(2, asked)
    taken("run `trace-eval judge` first", said)
    judged(manifest, "emptied", _JUDGE.format(script("a.jsonl", [verdict()] * 4)))
    assert "of 2 pairs by this judge" in ends(0, asked)
    return said


def a_run_without_scores() -> str:
    """Rate what a run lacks by the same command."""
    command = "rate answers.jsonl --judge lexical --rubric correctness --out lexical"
    ends(0, command)
    Path("lexical", "scores.jsonl").write_text("")
    rated = "id,rater,score\n" + "".join(f"a{n},r,{n + 1}\n" for n in range(3))
    Path("of_answers.csv").write_text(rated)
    said = ends(2, "agree lexical --labels of_answers.csv")
    taken("run `trace-eval rate` first", said)
    ends(0, command)
    assert "over 3 answers" in ends(0, "agree lexical --labels of_answers.csv")
    return said


def damaged_files() -> str:
    """Delete a damaged line, and judge again where a record is damaged."""
    manifest = _heard("damaged")
    by = _JUDGE.format(script("a.jsonl", [verdict()] * 4))
    path = Path("damaged/judgements.jsonl")
    lines = path.read_text().splitlines()
    path.write_text(f'{lines[0]}\n{{"pair": 1}}\n')
    said = ends(3, "rank damaged")
    number = int(taken(r"line (\d+): not a Judgement .* delete that line", said))
    del lines[number - 1]
    path.write_text("\n".join(lines) + "\n")
    assert "p0" in ends(0, "fuse damaged")
    path.write_text("\n".join((*lines, '{"pair": 1}')) + "\n")
    assert "delete that line" in ends(3, "fuse damaged")
    Path("damaged/manifest.json").write_text("{}")
    record = ends(3, "fuse damaged")
    taken("judge again into a new --out", record)
    assert "2 of 2 pairs scored" in judged(manifest, "mended", by)
    return f"{said} {record}"


def a_damaged_rubric() -> str:
    """Rate answers again where a rubric in the record is damaged."""
    command = "rate answers.jsonl --judge lexical --rubric correctness --out {}"
    ends(0, command.format("rubric"))
    path = Path("rubric/manifest.json")
    record = json.loads(path.read_text())
    record["rubrics"]["correctness"]["scale"] = "none"
    path.write_text(json.dumps(record))
    said = ends(3, "review rubric --export back.csv")
    taken("rate again into a new --out", said)
    ends(0, command.format("rubric-2"))
    return said


def a_run_of_the_other_kind() -> str:
    """Name a run of scores where one of pairs was named."""
    said = message_of(lambda: list(Run("run").singles()))
    taken("name a --out of rate", said)
    assert len(list(Run("rated").singles())) == 8
    return said


def a_judge_that_is_judged_again() -> str:
    """Judge a run again into another folder, one item of it, and by its own judge."""
    _heard("again")
    by = _JUDGE.format(script("a.jsonl", [verdict()] * 4))
    said = ends(2, f"judge again --out again {by}")
    taken("name another --out", said)
    assert "2 of 2 pairs scored" in ends(0, f"judge again --out again-2 {by}")
    none = message_of(lambda: open_again("again", items=0))
    taken("--aa 0: judge at least one item again", none)
    assert len(open_again("again", "x", Options(judge="rules"), items=1).manifest.items)
    other = ends(2, "judge again --aa 1 --judge rules")
    options = taken(r"trace-eval (show RUN --config) writes them", other)
    Path("again.toml").write_text(_printed(options.replace("RUN", "again")))
    ends(0, "judge again --aa 1 --config again.toml")
    assert len(lines_of("again-aa/judgements.jsonl")) == 1
    return f"{said} {none} {other}"


def _printed(typed: str) -> str:
    """Return what a command prints, line by line."""
    from tests.support.cli import output_of

    return output_of(*shlex.split(typed))


def options_in_a_file() -> str:
    """Take the options of a run and the packages that it was made with."""
    _heard("options")
    Path("wrong.toml").write_text("judge = \n")
    said = ends(2, "judge heard/pairs.jsonl --config wrong.toml")
    shown = taken("see trace-eval (show RUN --config)", said)
    config = _printed(shown.replace("RUN", "options"))
    Path("right.toml").write_text(config)
    ends(0, "judge heard/pairs.jsonl --config right.toml --out same")
    assert Run("same").record().judge == Run("options").record().judge
    packages = taken("its packages: trace-eval (show RUN --requirements)", config)
    assert "numpy==" in ends(0, packages.replace("RUN", "options"))
    return f"{said} {config}"


def a_policy_that_fused_nothing() -> str:
    """Fuse a run by the policy that it is exported by."""
    _heard("to fuse")
    for kind in ("csv", "preferences", "otel"):
        asked = f"export 'to fuse' --to {kind} --policy majority_vote"
        said = ends(2, asked)
    ends(0, taken(r"run: trace-eval (fuse '.*' --policy \w+)", said))
    for kind in ("csv", "preferences", "otel"):
        ends(0, f"export 'to fuse' --to {kind} --policy majority_vote")
    assert len(lines_of("to fuse/export.preferences.jsonl")) == 2
    return said


def naturalness_for_voice_quality() -> str:
    """Replace voice quality by scores of both answers."""
    manifest = _heard("base")
    asked = "fuse {} --onto base --acceptable 5 --out replaced"
    said = ends(2, asked.format("base"))
    stands = taken("with (--as)", said)
    asked += f" {stands} voice_quality"
    unscored = ends(2, asked.format("base"))
    task = taken("judge with (-J task=naturalness)", unscored)
    replies = script("n.jsonl", [{"score_1": 8, "score_2": 2}] * 4)
    by = f"--judge audio:{replies} {task} -J swap=off"
    assert "2 of 2 pairs scored" in judged(manifest, "natural", by)
    ends(0, asked.format("natural"))
    rewards = PairScores.model_validate(
        {"task": "reward", "p_a": 0.5, "margin": 1, "a": [1], "b": [0]}
        | {"mean_a": 1, "mean_b": 0}
    )
    unbounded = message_of(lambda: typed_tie(rewards, "1", 0))
    assert taken(r"\((-J task=naturalness)\)", unbounded) == task
    return f"{said} {unscored} {unbounded}"


def places_of_runs() -> str:
    """Name a folder where a URL was named."""
    manifest = recorded("placed")
    far = judged(manifest, "s3://bucket/run")
    taken("name a folder", far)
    assert "pairs scored" in judged(manifest, "near")
    extracted = ends(2, f"extract {manifest} --out s3://bucket/run")
    taken("name a folder", extracted)
    job = open_job(manifest, "s3://bucket/run", _on_ray())
    here = message_of(lambda: job.folder)
    taken("name one with --out", here)
    assert open_job(manifest, "near", _on_ray()).folder == Path("near")
    return f"{far} {extracted} {here}"


def _on_ray() -> Options:
    """Return options of judges on a cluster, which nothing here asks for."""
    from trace_eval.extracting.options import ExtractOptions

    return Options(ExtractOptions(engine="ray"))


def games_of_a_prior() -> str:
    """Give a prior that is no number of games below none."""
    said = message_of(lambda: rank("j.csv", options=RankOptions(prior=-1)))
    taken("give 0 or more games, 1 is usual", said)
    assert rank("j.csv", options=RankOptions(prior=1)).places
    return said


#: What follows the remedies of these rooms.
CALLS = (
    an_input_inside_its_run,
    a_run_of_another_judge,
    replaced_recordings,
    a_run_without_judgements,
    a_run_without_scores,
    damaged_files,
    a_damaged_rubric,
    a_run_of_the_other_kind,
    a_judge_that_is_judged_again,
    options_in_a_file,
    a_policy_that_fused_nothing,
    naturalness_for_voice_quality,
    places_of_runs,
    games_of_a_prior,
)
