"""From a run folder through the commands to tables and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blueprints import Blueprint, UserError
from fusion import DIMENSIONS, Rating
from tests.support import blueprints as make
from tests.support.cli import output_of
from tests.support.judged import write_folder
from tests.support.processes import python
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import (
    DimensionVerdict,
    Judgement,
    Overall,
    VerdictOpinion,
)
from trace_eval.data.measures import text
from trace_eval.data.measures.numbers import PairMeasures
from trace_eval.data.measures.pair import measure_pair
from trace_eval.data.outcome import Reason
from trace_eval.decide.agree import agree
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.run import Run
from trace_eval.stats.options import AgreeOptions

OPTIONS = AgreeOptions()

# id, systems, judge's label, human label; pairs 0 and 1 are the same recordings swapped
ROWS = [
    ("p0", "x", "y", "1", "1"),
    ("p1", "y", "x", "1", "2"),
    ("p2", "x", "z", "both_good", "both_bad"),
    ("p3", "y", "z", "2", "both_good"),
]


def blueprint(clip: str, seconds: float) -> Blueprint:
    return Blueprint(
        clip=clip,
        signal=make.signal(duration_s=seconds, speech_s=seconds, speech=[]),
        quality=make.quality(ovrl=seconds, p808=3),
        loudness=make.loudness(integrated_lufs=-20 - seconds),
    )


def judgement(pair: str, label: str) -> Judgement:
    verdict = DimensionVerdict(rating=Rating(label), reasoning="because")
    got = Judgement.scored(pair, "rules", dict.fromkeys(DIMENSIONS, verdict))
    ratings = dict.fromkeys(DIMENSIONS, Rating(label))
    other = dict.fromkeys(DIMENSIONS, Rating(label).swapped)
    opinions = [
        VerdictOpinion(order="ab", sample=0, ratings=ratings),
        VerdictOpinion(order="ba", sample=0, ratings=other),
        VerdictOpinion(order="ab", sample=1, ratings=ratings),
    ]
    return got.model_copy(update={"opinions": opinions})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    seconds = {"x": 1.0, "y": 2.0, "z": 3.0}
    pairs, judged, fused = [], [], []
    for name, a, b, label, human in ROWS:
        pairs.append(
            Pair(
                id=name,
                instruction=Instruction(text="say it"),
                a=Answer(audio=Path(f"/{a}.wav"), system=a),
                b=Answer(audio=Path(f"/{b}.wav"), system=b),
                labels=Labels(overall=Rating(human), content=Rating(human)),
                instruction_id="i" if name < "p2" else "j",
            )
        )
        judged.append(judgement(name, label))
        fused.append(
            Overall(pair=name, policy="content_first", rating=Rating(label), why="x")
        )
    stale = Judgement.unscored("p0", "rules", Reason.UNREACHABLE, "down")
    folder = write_folder(
        tmp_path / "run",
        {},
        pairs=pairs,
        judgements=[
            stale,
            *judged,
        ],  # a first failure, then the retry: the last line counts
        overall=fused,
        clips=[ClipRecord(source=f"/{s}.wav", clip=f"hash-{s}") for s in seconds],
        blueprints=[blueprint(f"hash-{s}", n) for s, n in seconds.items()],
    )
    with (folder / "judgements.jsonl").open("a") as file:
        file.write('{"pair": "p3", "ju')  # torn by a kill
    return folder


def test_a_run_is_read_whole(run: Path) -> None:
    source = read_opinions(run)
    assert source.policy == "content_first"
    assert len(source) == 4
    assert source.facts["duration_a"].tolist() == [1, 2, 1, 2]
    assert source.facts["clip_b"].tolist() == ["hash-y", "hash-x", "hash-z", "hash-z"]
    assert len(source.calls) == 12


def test_a_baseline_without_its_package_names_the_remedy(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "is_installed", lambda name: False)
    for name, *_ in ROWS:
        answer = Answer(audio=Path("/x.wav"), reference="say it")
        heard = Blueprint(clip=f"hash-{name}", transcript=make.transcript("say it"))
        measures = measure_pair(Pair(id=name, a=answer, b=answer), heard, heard)
        Run(run).add_measures(PairMeasures(pair=name, measures=measures))
    shown = output_of("agree", run, "--beat", "wer:lower", "--full")
    why = (
        "wer was measured of no pair (text errors need jiwer, whisper-normalizer; run:"
        " pip"
    )
    assert why in " ".join(shown.split())


def test_agreement_of_a_run(run: Path) -> None:
    report = agree([read_opinions(run)], None, OPTIONS)
    overall = next(score for score in report.scores if score.dimension == "overall")
    # only p0 agrees
    assert overall.metrics["accuracy_4way"].value == 0.25
    baselines = {b.name: b for b in overall.baselines}
    # the longer answer is 2, 1, 2, 2 by duration: never right; MOS says the same; the
    # louder answer is 1, 2, 1, 1: right on p0 and p1
    assert baselines["longer answer"].accuracy == 0
    assert baselines["higher MOS"].accuracy == 0
    assert baselines["louder answer"].accuracy == 0.5
    by = {row.basis: row.bias for row in report.position if row.dimension == "overall"}
    # p0 and p1 are x|y and y|x, and the judge says 1 both times
    by_audio, by_call = by["audio identity"], by["calls"]
    assert (by_audio.pairs, by_audio.first, by_audio.second) == (1, 1, 0)
    # the calls follow the position: p0, p1 first, p3 second, p2 a tie
    assert (by_call.pairs, by_call.first, by_call.second, by_call.tied) == (4, 2, 1, 1)
    length = next(row.bias for row in report.length if row.dimension == "overall")
    # human ties: p2 (judge ties) and p3 (judge says 2, the longer one)
    assert (length.human_ties, length.longer, length.tied) == (2, 1, 1)
    noise = next(row for row in report.noise if row.dimension == "content")
    assert (noise.basis, noise.noise.items, noise.noise.pairwise) == (
        "calls of one order",
        4,
        1,
    )


def test_a_run_without_judgements_says_so(run: Path) -> None:
    (run / "judgements.jsonl").write_text("")
    with pytest.raises(UserError, match="has no judgements yet"):
        read_opinions(run)


def test_agree_command_saves_a_policy(run: Path, tmp_path: Path, data: Path) -> None:
    pytest.importorskip("sklearn")
    hcot = str(data / "hcot" / "s2sarena.json")
    saved = tmp_path / "learned.csv"
    command = ["agree", hcot, "--labels", hcot]
    output_of(*command, "--save-policy", saved)
    out = tmp_path / "r.json"
    output_of(*command, "--policy", saved, "--json", out)
    assert json.loads(out.read_text())["mechanisms"][0]["right"] == 301


def test_reading_a_csv_file_imports_no_pandas(tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text("item_id,overall\na,A\nb,\n")
    code = (
        "import sys; from pathlib import Path; from trace_eval.data import tables;"
        f"print(tables.csv_columns(Path({str(table)!r}), ['item_id', 'overall']));"
        "print([m for m in ('pandas', 'pyarrow.compute') if m in sys.modules])"
    )
    assert python(code).splitlines() == [
        "{'item_id': ['a', 'b'], 'overall': ['A', None]}",
        "[]",
    ]


def test_a_report_imports_nothing_that_extracts() -> None:
    code = (
        "import sys, trace_eval.report.run_list;"
        "print([m for m in ('asyncio', 'multiprocessing', 'onnx', 'pandas') if m in"
        " sys.modules])"
    )
    assert python(code).strip() == "[]"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from importlib import import_module;"
        "[import_module(f'trace_eval.commands.{name}') for name in"
        " 'ablate agree best card compare convert drill plan rank review"
        " turns'.split()];print([m for m in ('numpy', 'scipy', 'sklearn', 'pyarrow') if"
        " m in sys.modules])"
    )
    assert python(code).strip() == "[]"
