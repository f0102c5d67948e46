"""The shipped example pairs: valid, small, decodable, and judged as they were built."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from blueprints import Blueprint
from extractors.audio import decode
from extractors.registry import plan_extractors
from fusion import DIMENSIONS, POLICIES, Rating
from trace_eval.data.items import Pair
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract
from trace_eval.judges.base import Case
from trace_eval.judges.rules.judge import RulesJudge
from trace_eval.judges.rules.requests import find_requests

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PAIRS = [
    Pair.model_validate_json(line)
    for line in (EXAMPLES / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


def answers(pair: Pair) -> list[Path]:
    """Paths of A and B."""
    paths = (pair.a.audio, pair.b.audio)
    return [EXAMPLES / path for path in paths if path is not None]


def clips(pair: Pair) -> list[Path]:
    """Paths of all recordings of a pair."""
    spoken = pair.instruction.audio
    return [*answers(pair), *([EXAMPLES / spoken] if spoken else [])]


def test_there_are_enough_pairs_and_each_is_complete() -> None:
    assert len(PAIRS) >= 8
    assert len({pair.id for pair in PAIRS}) == len(PAIRS)
    for pair in PAIRS:
        assert all((pair.instruction.text, pair.a.system, pair.b.system)), pair.id
        cell = [getattr(pair.labels, name) for name in DIMENSIONS]
        assert None not in cell
        assert POLICIES["content_first"](*cell) is pair.labels.overall, pair.id
        asked = find_requests(pair.instruction.text or "")
        assert bool(asked) == (pair.category == "paralinguistics"), pair.id
    assert sum(pair.instruction.audio is not None for pair in PAIRS) >= 2
    overall = {pair.labels.overall for pair in PAIRS if pair.labels}
    assert {Rating.A, Rating.B, Rating.BOTH_BAD} <= overall
    assert {pair.category for pair in PAIRS} == set(DIMENSIONS)


def test_every_clip_decodes_is_short_and_none_lies_around_unused() -> None:
    used = {path for pair in PAIRS for path in clips(pair)}
    assert used == set((EXAMPLES / "clips").iterdir())
    assert sum(path.stat().st_size for path in used) < 1_500_000
    for path in used:
        clip = decode(path)
        assert clip.channels == 1, path.name
        assert 16_000 <= clip.rate <= 22_050, path.name
        assert 2.0 <= clip.seconds <= 8.0, path.name


@pytest.fixture(scope="module")
def blueprints(examples_cache: Path) -> dict[Path, Blueprint]:
    """Blueprints of all answers by the recogniser of the embedded profile."""
    asr = {"transcript": "faster-whisper:tiny.en"}
    for extractor in plan_extractors("screen", asr):
        reason = extractor.unavailable()
        if reason:
            pytest.skip(reason)
    paths = sorted({path for pair in PAIRS for path in answers(pair)})
    results = extract(paths, ExtractOptions("screen", asr, examples_cache, workers=0))
    both = zip(paths, results, strict=True)
    return {
        path: result.blueprint for path, result in both if result.blueprint is not None
    }


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.id for pair in PAIRS])
def test_rules_judge_each_pair_as_built(
    pair: Pair, blueprints: dict[Path, Blueprint]
) -> None:
    a, b = (blueprints[path] for path in answers(pair))
    judgement = RulesJudge().judge_case(Case.of(pair, a, b))
    assert judgement.status == "scored"
    for name in DIMENSIONS:
        verdict = judgement.dimensions[name]
        assert verdict.rating is getattr(pair.labels, name), (
            f"{name}: {verdict.reasoning}"
        )


def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_examples", EXAMPLES / "make_examples.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def test_missing_programs_are_named_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _maker().main() == 1
    told = capsys.readouterr().err
    assert "flite, espeak-ng, sox not found" in told
    assert "apt-get install" in told


def _records(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "pairs.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_the_script_writes_the_shipped_manifest_again(tmp_path: Path) -> None:
    maker = _maker()
    absent = [program for program in maker.PROGRAMS if shutil.which(program) is None]
    if absent:
        pytest.skip(f"{', '.join(absent)} not installed; {maker.INSTALL}")
    maker.make(tmp_path)
    assert _records(tmp_path) == _records(EXAMPLES)
    for path in (EXAMPLES / "clips").iterdir():
        # Other versions of the voices may time a sentence a little differently: 10 %.
        again = decode(tmp_path / "clips" / path.name).seconds
        assert again == pytest.approx(decode(path).seconds, rel=0.1), path.name
