"""A scorer on a tiny Llama in the real format: heads, training, layouts, rating."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blueprints import UserError
from tests.support.cli import ROOT
from tests.support.scorer_rows import peft, released, rows, torch
from tests.support.tiny_llama import write_base
from trace_eval.data.scores import Score
from trace_eval.judges.scorer.checkpoint import locate
from trace_eval.judges.scorer.options import TrainOptions
from trace_eval.judges.scorer.text import ScorerFields, text_of

pytest.importorskip("accelerate", reason="pip install '.[scorer]'")

TRAINING = TrainOptions(
    base="",
    lora=4,
    steps=12,
    batch=4,
    learning_rate=1e-3,
    warmup=2,
    evaluate_every=4,
    device="cpu",
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("llama") / "base")


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ratings") / "ratings.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(40)))
    return path


@pytest.fixture(scope="module")
def trained(
    base: Path, ratings: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    from trace_eval.judges.scorer.train import train_scorer

    out = tmp_path_factory.mktemp("trained") / "scorer"
    training = train_scorer(ratings, out, replace(TRAINING, base=str(base)))
    assert training.steps == 12
    assert training.rows == {"train": 32, "dev": 8}
    assert math.isfinite(training.metrics["crps"])
    return out


def fields(row: dict[str, Any]) -> ScorerFields:
    return ScorerFields(
        row["question"], row["reference"], row["candidate"], row["rationale"]
    )


# --- heads ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "params", "mean", "variance", "losses"),
    [
        ("beta", (math.log(2), 0), 0.666667, 0.055556, (3.912023, 0, -0.683097)),
        (
            "beta",
            (math.log(8), math.log(2)),
            0.8,
            0.014545,
            (27.969578, 1.268512, 0.398857),
        ),
        (
            "beta",
            (math.log(0.5), math.log(0.5)),
            0.5,
            0.125,
            (-1.162880, 0.451583, -1.162881),
        ),
        (
            "multinomial",
            (0, 0, 0, 0, math.log(4)),
            0.6875,
            0.136719,
            (2.079442, 2.079442, 0.693147),
        ),
        (
            "multinomial",
            (math.log(3), 0, 0, 0, math.log(3)),
            0.5,
            0.180556,
            (1.098612, 2.197225, 1.098612),
        ),
    ],
)
def test_heads_give_the_values_derived_by_hand(
    kind: Any, params: Any, mean: float, variance: float, losses: Any
) -> None:
    from trace_eval.judges.scorer.heads import forecast, nll, shares

    outputs = torch.tensor([params], dtype=torch.float32)
    prediction = forecast(kind, outputs)
    assert prediction.mean.item() == pytest.approx(mean, abs=1e-6)
    assert prediction.variance.item() == pytest.approx(variance, abs=1e-6)
    loss = nll(kind, outputs, torch.tensor([[0.0, 0.5, 1.0, -1.0]]))
    # float32 of a density of e^-28 keeps five digits
    assert loss[0].tolist() == pytest.approx([*losses, 0.0], abs=2e-5)
    (levels,) = shares(kind, prediction.params)
    assert sum(levels) == pytest.approx(1)


def test_a_beta_head_is_cut_into_the_masses_between_its_bounds() -> None:
    from trace_eval.judges.scorer.heads import shares

    (uniform,) = shares("beta", torch.zeros(1, 2))
    assert uniform == pytest.approx([0.125, 0.25, 0.25, 0.25, 0.125])


def test_both_heads_start_near_uniform() -> None:
    from trace_eval.judges.scorer.heads import forecast
    from trace_eval.judges.scorer.model import new_head

    torch.manual_seed(0)
    hidden = torch.randn(4, 64)
    for kind, variance in (("multinomial", 0.125), ("beta", 1 / 12)):
        prediction = forecast(kind, new_head(kind, 64)(hidden))
        assert prediction.mean.tolist() == pytest.approx([0.5] * 4, abs=0.02)
        assert prediction.variance.tolist() == pytest.approx([variance] * 4, abs=0.01)


# --- training -------------------------------------------------------------------------


def test_unanimous_rows_are_learned_by_heart(base: Path) -> None:
    from trace_eval.judges.scorer.model import (
        Scorer,
        new_head,
        open_base,
        open_tokenizer,
        pad_id,
    )
    from trace_eval.judges.scorer.train import _with_lora, collated
    from trace_eval.judges.scorer.trainer import ScorerModule

    torch.manual_seed(1)
    unanimous = [{**row, "ratings": row["ratings"][:1]} for row in rows(32, seed=3)]
    backbone = _with_lora(open_base(base, "cpu"), 8)
    scorer = Scorer(
        backbone,
        new_head("multinomial", 64),
        "multinomial",
        open_tokenizer(base),
        "cpu",
        512,
    )
    examples: list[dict[str, Any]] = []
    for row in unanimous:
        ratings = [(rating - 1) / 4 for rating in row["ratings"]]
        ids = scorer.encode(text_of(fields(row)))
        examples.append({"input_ids": ids, "ratings": ratings})
    batch = collated(examples, pad_id(scorer.tokenizer))
    module = ScorerModule(scorer, "rows")
    optimiser = torch.optim.AdamW(
        [p for p in module.parameters() if p.requires_grad], lr=1e-2, weight_decay=0
    )
    losses = []
    for _ in range(30):
        loss = module(**batch)["loss"]
        losses.append(loss.item())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert losses[0] == pytest.approx(math.log(5), abs=0.05)
    assert losses[-1] < 0.1


def test_each_row_weighs_the_same_unless_told(base: Path) -> None:
    from trace_eval.judges.scorer.heads import nll
    from trace_eval.judges.scorer.train import _open, collated
    from trace_eval.judges.scorer.trainer import ScorerModule

    scorer = _open(replace(TRAINING, base=str(base)))
    with torch.no_grad():
        scorer.head.weight.normal_()
    scorer.backbone.eval()
    given = [[1.0, 1.0, 0.75], [0.0]]
    ids = [scorer.encode(text_of(fields(row))) for row in rows(2)]
    batch = collated(
        [{"input_ids": i, "ratings": r} for i, r in zip(ids, given, strict=True)], pad=0
    )
    with torch.no_grad():
        outputs = scorer.outputs(batch["input_ids"], batch["attention_mask"])
        each = nll("multinomial", outputs, batch["ratings"])
        by_rows = ScorerModule(scorer, "rows")(**batch)["loss"]
        by_ratings = ScorerModule(scorer, "ratings")(**batch)["loss"]
    assert by_rows.item() == pytest.approx(
        (each[0].mean() + each[1, 0]).item() / 2, abs=1e-5
    )
    assert by_ratings.item() == pytest.approx(
        (each[0].sum() + each[1, 0]).item(), abs=1e-5
    )


def test_parameters_of_a_beta_are_bounded() -> None:
    from trace_eval.judges.scorer.heads import forecast, nll, shares

    outputs = torch.tensor([[500.0, -500.0], [-500.0, 500.0]])
    prediction = forecast("beta", outputs)
    assert prediction.params.tolist() == [[10.0, -10.0], [-10.0, 10.0]]
    assert prediction.mean.tolist() == pytest.approx([1.0, 0.0], abs=1e-6)
    assert torch.isfinite(
        nll("beta", outputs, torch.tensor([[0.0, 1.0], [0.0, 1.0]]))
    ).all()
    assert np.isfinite(shares("beta", prediction.params)).all()


KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from tests.models.test_scorer import TRAINING
from trace_eval.judges.scorer.train import train_scorer

def tell(found):
    if "crps" in found.values and found.step >= 8 and os.environ.get("KILL"):
        os.kill(os.getpid(), signal.SIGKILL)

base, ratings, out = map(Path, sys.argv[1:])
train_scorer(ratings, out, replace(TRAINING, base=str(base)), listener=tell)
"""


@pytest.mark.slow
def test_a_killed_training_ends_as_an_uninterrupted_one(
    base: Path, ratings: Path, trained: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file

    command = [
        sys.executable,
        "-c",
        KILLED,
        str(base),
        str(ratings),
        str(tmp_path / "s"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed = subprocess.run(
        command,
        env={**environment, "KILL": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (tmp_path / "s" / "scorer.json").exists()
    assert list((tmp_path / "s" / "checkpoints").iterdir())
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for name in ("head.safetensors", "adapter/adapter_model.safetensors"):
        ours, theirs = load_file(tmp_path / "s" / name), load_file(trained / name)
        assert ours.keys() == theirs.keys()
        for key, value in ours.items():
            assert torch.equal(value, theirs[key]), (name, key)


def test_another_training_is_not_continued(
    base: Path, ratings: Path, trained: Path
) -> None:
    from trace_eval.judges.scorer.train import train_scorer

    with pytest.raises(UserError, match="holds a finished scorer"):
        train_scorer(ratings, trained, replace(TRAINING, base=str(base)))


# --- loading --------------------------------------------------------------------------


def predictions(
    folder: Path, texts: list[ScorerFields], base: Path | None = None
) -> list[float]:
    from extractors import device
    from trace_eval.judges.scorer.model import load

    device._MODELS.clear()
    scorer = load(locate(folder, str(base) if base else None), "cpu")
    fits = [ids for ids in map(scorer.fit, texts) if ids]
    return [found.mean for found in scorer.predict(fits)]


@pytest.mark.parametrize("lora", [None, 4])
@pytest.mark.parametrize("head", ["multinomial", "beta"])
def test_a_loaded_scorer_is_the_saved_one(
    base: Path, tmp_path: Path, head: Any, lora: int | None
) -> None:
    from trace_eval.judges.scorer.checkpoint import ScorerRecord, model_sha256
    from trace_eval.judges.scorer.train import _open, _save

    scorer = _open(replace(TRAINING, base=str(base), head=head, lora=lora))
    with torch.no_grad():
        for value in scorer.backbone.parameters():
            if value.requires_grad:
                value.add_(torch.randn_like(value) * 0.05)
        scorer.head.weight.normal_()
    scorer.backbone.eval()
    texts = [fields(row) for row in rows(6, seed=4)]
    fits = [ids for ids in map(scorer.fit, texts) if ids]
    before = [found.mean for found in scorer.predict(fits)]
    record = ScorerRecord(head=head, base=str(base), base_sha256=model_sha256(base))
    out = tmp_path / "saved"
    out.mkdir()
    _save(scorer, out, record)
    assert len(set(before)) == len(before)
    assert predictions(out, texts) == pytest.approx(before, abs=1e-6)


def test_a_scorer_of_another_text_format_is_refused(
    trained: Path, tmp_path: Path
) -> None:
    """Another name of a field is another format: other texts would be asked."""
    folder = tmp_path / "other"
    shutil.copytree(trained, folder)
    record = json.loads((folder / "scorer.json").read_text())
    (folder / "scorer.json").write_text(json.dumps({**record, "text_format": "orca-2"}))
    with pytest.raises(UserError, match="reads texts of format 'orca-2'"):
        locate(folder)


@pytest.mark.parametrize("lora", [None, 4])
def test_one_bit_of_the_weights_is_seen(
    base: Path, tmp_path: Path, lora: int | None
) -> None:
    """Another score without a word is worse than none."""
    from trace_eval.judges.scorer.checkpoint import ScorerRecord, model_sha256
    from trace_eval.judges.scorer.train import _open, _save

    out = tmp_path / "saved"
    out.mkdir()
    scorer = _open(replace(TRAINING, base=str(base), head="beta", lora=lora))
    _save(
        scorer,
        out,
        ScorerRecord(head="beta", base=str(base), base_sha256=model_sha256(base)),
    )
    text = [fields(rows(1)[0])]
    weights = (
        "model/model.safetensors"
        if lora is None
        else "adapter/adapter_model.safetensors"
    )
    before = predictions(out, text)
    for name in ("head.safetensors", weights, "tokenizer/tokenizer.json"):
        folder = shutil.copytree(out, tmp_path / Path(name).stem)
        data = bytearray((folder / name).read_bytes())
        data[-9] ^= 64
        (folder / name).write_bytes(data)
        with pytest.raises(
            UserError, match=rf"{name}: is not as it was written; copy the whole"
        ):
            predictions(folder, text)
    record = json.loads((out / "scorer.json").read_text())
    assert record["files"].keys() >= {
        "head.safetensors",
        weights,
        "tokenizer/tokenizer.json",
    }
    (out / "scorer.json").write_text(json.dumps({**record, "files": {}}))
    assert predictions(out, text) == before  # believed, and said: see UNCHECKED


def test_a_base_with_other_weights_is_refused(
    trained: Path, base: Path, tmp_path: Path
) -> None:
    """An adapter on other weights than its own would score nonsense without a word."""
    text = [fields(rows(1)[0])]
    moved = shutil.copytree(base, tmp_path / "moved")
    assert predictions(trained, text, base=moved) == predictions(trained, text)
    other = write_base(tmp_path / "other", seed=5)
    with pytest.raises(UserError, match=r"was trained on .*-J base=PATH"):
        predictions(trained, text, base=other)


def test_batches_and_order_change_nothing(trained: Path) -> None:
    texts = [fields(row) for row in rows(9, seed=5)]
    together = predictions(trained, texts)
    alone = [predictions(trained, [text])[0] for text in texts]
    assert together == pytest.approx(alone, abs=1e-5)
    assert predictions(trained, texts[::-1])[::-1] == pytest.approx(together, abs=1e-5)
    assert len(set(together)) == len(set(map(text_of, texts)))  # float32: no false ties


def test_a_field_under_another_name_scores_differently(trained: Path) -> None:
    text = fields(rows(1)[0])
    swapped = replace(text, reference=text.candidate, candidate=text.reference + " not")
    one, other = predictions(trained, [text, swapped])
    assert one != other


def test_a_rationale_that_is_too_long_is_cut(trained: Path) -> None:
    from trace_eval.judges.scorer.model import load

    scorer = load(locate(trained), "cpu")
    fit = scorer.fit(ScorerFields("Why?", "rain", "rain", "rain falls " * 900))
    assert fit is not None
    ids, cut = fit
    assert cut
    assert len(ids) <= scorer.limit == 512
    assert scorer.fit(ScorerFields("Why?", "rain", "rain " * 900)) is None


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("causal") / "base", causal=True, seed=3)


@pytest.mark.parametrize("head", ["multinomial", "beta"])
def test_the_released_layout_scores_as_its_parts_do(
    head: Any, causal: Path, tmp_path: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from trace_eval.judges.scorer.heads import forecast

    folder = released(tmp_path / "released", causal, head)
    texts = [fields(row) for row in rows(5, seed=9)]
    values = predictions(folder, texts)
    lm = peft.PeftModel.from_pretrained(
        AutoModelForCausalLM.from_pretrained(causal), folder / "model" / "lm"
    ).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    state = torch.load(folder / "model" / "model_minus_lm.pt", weights_only=True)
    wanted = []
    for text in texts:
        ids = tokenizer(text_of(text), add_special_tokens=False, return_tensors="pt")[
            "input_ids"
        ]
        assert ids[0, 0] != tokenizer.bos_token_id
        with torch.no_grad():
            last = lm(ids, output_hidden_states=True).hidden_states[-1][:, -1]
        outputs = last @ state["linear.weight"].float().T + state["linear.bias"].float()
        wanted.append(forecast(head, outputs).mean.item())
    assert values == pytest.approx(wanted, abs=1e-5)


def test_parts_that_do_not_fit_are_refused(causal: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = released(tmp_path / "released", causal)
    text = [fields(rows(1)[0])]
    weights = folder / "model" / "lm" / "adapter_model.safetensors"
    kept = load_file(weights)
    lost = dict(sorted(kept.items())[1:])
    save_file(lost, weights)
    with pytest.raises(UserError, match="has no weight for"):
        predictions(folder, text)
    save_file(
        {**kept, "base_model.model.vision.lora_A.weight": torch.zeros(2, 2)}, weights
    )
    with pytest.raises(UserError, match="no place for"):
        predictions(folder, text)
    save_file(kept, weights)
    torch.save(
        {"linear.weight": torch.zeros(2, 64), "linear.bias": torch.zeros(2)},
        folder / "model" / "model_minus_lm.pt",
    )
    with pytest.raises(UserError, match=r"head on this base needs .*5, 64"):
        predictions(folder, text)
    (folder / "model" / "config.yaml").write_text("score_type: bernoulli\n")
    with pytest.raises(UserError, match="head 'bernoulli' is unknown"):
        locate(folder)
    (folder / "model" / "config.yaml").write_text(
        "score_type: beta\nuse_cls_token: true\n"
    )
    with pytest.raises(UserError, match="use_cls_token"):
        locate(folder)


def test_a_base_that_lies_elsewhere_is_named(causal: Path, tmp_path: Path) -> None:
    folder = released(tmp_path / "released", causal)
    config = folder / "model" / "lm" / "adapter_config.json"
    config.write_text(
        json.dumps(
            json.loads(config.read_text()) | {"base_model_name_or_path": "/gone/base"}
        )
    )
    with pytest.raises(UserError, match="-J base=PATH"):
        locate(folder)
    assert len(predictions(folder, [fields(rows(1)[0])], base=causal)) == 1


def test_training_goes_on_from_a_scorer(
    base: Path, ratings: Path, trained: Path, tmp_path: Path
) -> None:
    from trace_eval.judges.scorer.train import train_scorer

    options = replace(
        TRAINING, base=str(base), start=trained, steps=4, learning_rate=1e-9
    )
    train_scorer(ratings, tmp_path / "next", options)
    texts = [fields(row) for row in rows(4, seed=2)]
    before, after = predictions(trained, texts), predictions(tmp_path / "next", texts)
    assert after == pytest.approx(before, abs=1e-5)
    with pytest.raises(UserError, match="multinomial head, not beta"):
        train_scorer(ratings, tmp_path / "other", replace(options, head="beta"))


# --- rating ---------------------------------------------------------------------------


def test_rate_by_a_trained_scorer(
    base: Path, ratings: Path, trained: Path, tmp_path: Path
) -> None:
    items = rows(6, seed=8)
    items[0]["reference"] = ["nothing like it", items[0]["candidate"]]
    items[1]["candidate"] = " "
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    command = [sys.executable, "-m", "trace_eval"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
        )

    card = run("train", "card", trained)
    assert "rows: 32 train, 8 dev; no question is in two of them" in card.stdout
    assert "licence: not stated" in card.stdout
    assert "Reads text only" in card.stdout
    fitted = run("train", "clamp", trained, ratings)
    assert fitted.returncode == 0, fitted.stderr
    assert "on 8 rows" in fitted.stdout
    out = tmp_path / "run"
    rate = ["rate", path, "--rubric", "correctness-brief"]
    judge = ["--judge", f"scorer:{trained}", "-X", "device=cpu"]
    done = run(*rate, *judge, "--out", out, "--cache", tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    scores = [Score.model_validate_json(line) for line in (out / "scores.jsonl").open()]
    by_item = {score.item: score for score in scores}
    assert len(by_item) == 6
    assert by_item["r1"].value == 1
    assert "empty" in " ".join(by_item["r1"].caveats)
    for name in ("r0", "r2", "r3"):
        score = by_item[name]
        assert score.estimate is not None
        assert score.estimate.variance is not None
        assert score.value == pytest.approx(1 + 4 * score.estimate.mean)
        assert score.sd is None
        assert sum((score.distribution or {}).values()) == pytest.approx(1)
        assert len(score.estimate.params["logits"]) == 5  # type: ignore[index,arg-type]
    both = predictions(
        trained, [replace(fields(items[0]), reference=r) for r in items[0]["reference"]]
    )
    assert by_item["r0"].estimate is not None
    assert by_item["r0"].estimate.mean == pytest.approx(max(both), abs=1e-5)
    assert by_item["r0"].estimate.reference == int(np.argmax(both))


def test_answers_are_rated_raw_as_they_were_trained_on(
    trained: Path, tmp_path: Path
) -> None:
    """Line breaks, markup and marks are text; a transcript is only if trained."""
    from trace_eval.data.manifests import read_items
    from trace_eval.judges.options.judge_options import JudgeOptions
    from trace_eval.runs.job import rate_manifest
    from trace_eval.runs.options import RateOptions

    hostile = [
        "rain\nfalls",
        "rain  falls ",
        "<rain> falls",
        "--- rain ===",
        "[INST] rain {{x}}",
    ]
    items = [
        {**row, "candidate": text, "transcription": "the rain falls"}
        for row, text in zip(rows(5, seed=6), hostile, strict=True)
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    wanted = predictions(trained, [fields(item) for item in items])
    options = RateOptions(
        judge=(f"scorer:{trained}",),
        rubrics=("correctness-brief",),
        judging=JudgeOptions(cache=tmp_path / "cache"),
    )
    rate_manifest(read_items(path), tmp_path / "run", options)
    scores = [
        Score.model_validate_json(line)
        for line in (tmp_path / "run/scores.jsonl").open()
    ]
    means = {score.item: score.estimate.mean for score in scores if score.estimate}
    assert [means[str(item["id"])] for item in items] == pytest.approx(wanted, abs=1e-6)


def test_a_beta_scorer_is_rated_clamped_and_measured(
    base: Path, ratings: Path, tmp_path: Path
) -> None:
    """The record keeps the mean raw and clamped; alpha and beta give NLL and CRPS."""
    from safetensors.torch import load_file, save_file

    from tests.support.scored import figure
    from trace_eval.data.manifests import read_items
    from trace_eval.decide.agree import agree
    from trace_eval.judges.options.judge_options import JudgeOptions
    from trace_eval.judges.scorer.checkpoint import ClampRecord, write_record
    from trace_eval.judges.scorer.train import train_scorer
    from trace_eval.opinions.scores import read_scores
    from trace_eval.runs.job import rate_manifest
    from trace_eval.runs.options import RateOptions
    from trace_eval.stats.agreement.forecasts import crps_beta
    from trace_eval.stats.options import AgreeOptions

    folder = tmp_path / "beta"
    train_scorer(
        ratings, folder, replace(TRAINING, base=str(base), head="beta", steps=4)
    )
    head = load_file(folder / "head.safetensors")
    save_file({**head, "bias": torch.tensor([2.0, -2.0])}, folder / "head.safetensors")
    files = locate(folder)
    clamp = ClampRecord(threshold=0.2, objective=None, unclamped=None, rows=1)
    changed = {"clamp": clamp, "files": files.digests()}
    write_record(folder, files.record.model_copy(update=changed))
    options = RateOptions(
        judge=(f"scorer:{folder}",),
        rubrics=("correctness-brief",),
        judging=JudgeOptions(cache=tmp_path / "cache"),
    )
    rate_manifest(read_items(ratings), tmp_path / "run", options)
    path = tmp_path / "run" / "scores.jsonl"
    scores = [Score.model_validate_json(line) for line in path.open()]
    estimates = [score.estimate for score in scores if score.estimate is not None]
    assert len(estimates) == 40
    crps: list[float] = []
    people = {row["id"]: row["ratings"] for row in rows(40)}
    for score, estimate in zip(scores, estimates, strict=True):
        alpha, beta = (estimate.params[name] for name in ("alpha", "beta"))  # type: ignore[index]
        assert estimate.mean == pytest.approx(alpha / (alpha + beta), abs=1e-6)
        assert score.value == pytest.approx(1 + 4 * estimate.mean)
        assert estimate.mean > 0.875
        assert estimate.clamped is not None
        assert (estimate.clamped.mean, estimate.clamped.threshold) == (1, 0.2)
        y = np.array([(r - 1) / 4 for r in people[score.item]])
        crps += crps_beta(np.full(len(y), alpha), np.full(len(y), beta), y).tolist()
    found = agree([read_scores(path)], ratings, options=AgreeOptions())
    name = f"scorer:{folder}"
    assert figure(found, "agreement", name, "nll_beta").rows == sum(
        map(len, people.values())
    )
    measured = figure(found, "agreement", name, "crps").estimate.value
    assert measured == pytest.approx(np.mean(crps), abs=1e-6)
    clamped = figure(found, "agreement", f"{name}, clamped", "mae").estimate.value
    errors = []
    for ratings_of_item in people.values():
        errors.append(1 - np.mean([(r - 1) / 4 for r in ratings_of_item]))
    assert clamped == pytest.approx(np.mean(errors), abs=1e-6)


# --- cost -----------------------------------------------------------------------------


def test_the_benchmark_of_a_gpu_runs_on_a_small_shape() -> None:
    from benchmarks.shapes import LLAMA_1B, rate, scorer_of, timed, train

    small = {"vocab_size": 500, "hidden_size": 64, "intermediate_size": 64}
    small |= {
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    scorer = scorer_of({**LLAMA_1B, **small}, "cpu", rank=4)
    _, seconds, peak = timed(lambda: rate(scorer, 500, batch=4, rows=8), "cpu")
    assert seconds > 0
    assert peak > 0
    before = scorer.head.weight.clone()
    train(scorer, 500, batch=2, steps=1)
    assert not torch.equal(before, scorer.head.weight)


@pytest.mark.gpu
def test_a_base_of_1b_runs_on_a_gpu() -> None:
    from benchmarks.shapes import scorer

    rows = scorer("cuda:0")
    assert [row["batch"] for row in rows] == [1, 8, 32, 8]
    assert all(row["per s"] > 5 for row in rows)
    assert 2 < rows[0]["peak GB"] < 8  # 1.2 billion weights in two bytes
