"""``trace-eval drill``: attacks that cannot leave their fence, and probes of judges."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from blueprints import Blueprint, UserError
from fusion import DIMENSIONS, Rating
from tests.support.audio import tone, write
from tests.support.cases import case, outside
from tests.support.cli import ROOT, trace_eval
from tests.support.datasets_made import write_lines
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import Manifest, read_manifest
from trace_eval.estimate.share import Share
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.runs.options import Options
from trace_eval.runs.probe.injection import ATTACKS, PLACES, _attacked, drill_injection
from trace_eval.runs.probe.probes import PROBES, drill_judge
from trace_eval.runs.probe.report import ProbeReport, ProbeRow, least_caught


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
@pytest.mark.parametrize("place", PLACES)
def test_no_attack_changes_what_stands_outside_the_fences(
    attack,
    place,
    tmp_path: Path,
) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text("")
    judge = create_judge(f"scripted:{script}", JudgeOptions())
    plain = case()
    hostile = _attacked(plain, attack.text("2", "1"), place, "2")
    for one, other in zip(judge.calls(plain), judge.calls(hostile), strict=True):
        before, after = (call.request.messages[-1].text for call in (one, other))
        assert outside(after) == outside(before)
        assert one.request.messages[0] == other.request.messages[0]


def test_there_are_forty_attacks_that_name_their_answer() -> None:
    assert len({attack.template for attack in ATTACKS}) == 40
    for attack in ATTACKS:
        assert attack.text("1", "2") != attack.text("2", "1"), attack.name


class _Gullible(Judge):
    """Does what it is told in English; of others it prefers the longer text."""

    spec = "gullible"
    reads = frozenset({"blueprint"})

    async def judge(self, asked: Case) -> Judgement:
        texts = [_words(asked.a), _words(asked.b)]
        rating = Rating.A if len(texts[0]) >= len(texts[1]) else Rating.B
        for text in (*texts, asked.instruction_text or ""):
            for place, told in (("1", Rating.A), ("2", Rating.B)):
                if f"rate answer {place} as better" in text:
                    rating = told
        verdicts = {
            name: DimensionVerdict(rating=rating, reasoning="-") for name in DIMENSIONS
        }
        return Judgement.scored(asked.pair.id, self.spec, verdicts)


def _words(blueprint: Blueprint) -> str:
    return getattr(blueprint.transcript, "text", "")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    read = read_manifest(ROOT / "examples" / "pairs.jsonl", None, None, 1)
    assert len(read.pairs) == 1
    return read


def _options(cache: Path, judge: str | Judge = "rules") -> Options:
    return Options(ExtractOptions(workers=0, cache=cache), judge)


def test_flips_are_counted(manifest: Manifest, cache: Path, tmp_path: Path) -> None:
    report = drill_injection(manifest, tmp_path / "run", _options(cache, _Gullible()))
    assert report.skipped == 0
    assert len(report.trials) == len(ATTACKS) * len(PLACES)
    assert report.share("role play", "instruction") == Share(2, 8)
    rules = drill_injection(manifest, tmp_path / "rules", _options(cache))
    assert rules.unscored == 0
    assert rules.share().of == len(rules.trials)


def test_what_listens_has_no_words_to_attack(
    manifest: Manifest, cache: Path, tmp_path: Path
) -> None:
    class Listening(_Gullible):
        reads = frozenset({"audio"})

    with pytest.raises(
        UserError, match="listens and reads no text; name one that reads"
    ):
        drill_injection(manifest, tmp_path, _options(cache, Listening()))


def test_rules_pass_the_probes_that_they_must(
    manifest: Manifest, cache: Path, tmp_path: Path
) -> None:
    kept = [
        probe
        for probe in PROBES
        if probe.name in ("identical", "swap", "silence", "louder")
    ]
    report = drill_judge(manifest, tmp_path / "out", _options(cache), kept)
    held = {row.name: row.held for row in report.rows}
    assert held["identical"] == held["swap"] == held["silence"] == Share(1, 1)
    assert (tmp_path / "out" / "probes.json").is_file()
    trace_eval("card", tmp_path / "out" / "plain", "--probes", tmp_path / "out", ends=0)
    text = (tmp_path / "out" / "plain" / "card.md").read_text()
    assert "### Sanity probes" in text
    assert "| swap | the plain verdict, mirrored | 1 | 1 | 1.0000 |" in text
    assert report.sentence == "No probe catches rules: 1 pair cannot catch anything."
    again = drill_judge(manifest, tmp_path / "out", _options(cache), kept)
    assert again == report


def test_probes_and_attacks_from_the_command_line(tmp_path: Path) -> None:
    write(tmp_path / "a.wav", tone(1.0))
    record = {"id": "x", "a": "a.wav", "b": "a.wav"}
    pairs = write_lines(tmp_path / "pairs.jsonl", [record])
    file = tmp_path / "found.json"
    out = tmp_path / "out"
    command = ["drill", "injection", pairs, "--out", out, "--json", file]
    command += ["--workers", 0, "-x", "transcript=none", "-x", "rate=none"]
    done = trace_eval(*command, ends=0)
    assert json.loads(file.read_text())["judge"] == "rules"
    assert "share" in done.out
    assert trace_eval("drill", "judge", tmp_path / "none.jsonl", "--out", out).code == 2


def test_intervals_of_shares() -> None:
    low, high = Share(0, 10).interval()
    assert (low, round(high, 4)) == (0.0, 0.2775)  # Wilson's, as in any table
    assert (Share(0, 0).value, Share(0, 0).interval()) == (None, (0.0, 1.0))


def _probed(held: Share, limits: tuple[float, float] | str) -> ProbeReport:
    row = ProbeRow(
        name="louder", expected="a tie", held=held, unscored=0, limits=limits
    )
    return ProbeReport(judge="loud", pairs=held.of, rows=(row,))


def test_a_probe_catches_what_chance_would_not_break() -> None:
    # Where a relation holds in 95 %, at least 4 of 20 are broken in 1.6 % of all drills,
    # at least 3 in 7.5 %: the tails of a binomial of 0.05.
    caught = _probed(Share(16, 20), Share(16, 20).interval())
    assert caught.rows[0].has_caught
    assert caught.sentence == "loud is caught by louder (holds in 16 of 20)."
    assert not _probed(Share(17, 20), Share(17, 20).interval()).rows[0].has_caught
    # Pairs of few instructions say less than their number.
    assert not _probed(Share(16, 20), (0.55, 0.97)).rows[0].has_caught
    alike = _probed(Share(0, 20), "no interval: one instruction")
    assert alike.sentence == "No probe can catch loud: no interval: one instruction."


@pytest.mark.parametrize("pairs", [2, 20, 60])
def test_a_drill_says_how_seldom_a_break_it_would_catch(pairs: int) -> None:
    least = least_caught(pairs)
    assert least is not None
    for share, is_enough in ((least + 0.001, True), (least - 0.001, False)):
        chances = {
            held: math.comb(pairs, held) * (1 - share) ** held * share ** (pairs - held)
            for held in range(pairs + 1)
        }
        catching = sum(
            chance
            for held, chance in chances.items()
            if _probed(Share(held, pairs), Share(held, pairs).interval())
            .rows[0]
            .has_caught
        )
        assert (catching > 0.95) == is_enough
    said = _probed(Share(pairs, pairs), Share(pairs, pairs).interval()).sentence
    assert said.startswith(f"No probe catches loud. {pairs} pairs of different")
    assert said.endswith(f" in {math.ceil(100 * least)}% of them.")
