from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from blueprints import Span, UserError
from extractors.emotion2vec import (
    Emotion2vecExtractor,
    english,
    named_scores,
    speech_within,
    split,
    weighted,
)
from tests.support.model_parts import measured, refused, voice
from tests.support.tiny_emotion2vec import LABELS, write_emotion2vec

ENGLISH = [
    "angry",
    "disgusted",
    "fearful",
    "happy",
    "neutral",
    "other",
    "sad",
    "surprised",
    "unknown",
]


def changed(folder: Path, tmp_path: Path) -> Path:
    """Make a copy to damage."""
    return Path(shutil.copytree(folder, tmp_path / "damaged"))


def load(folder: Path) -> None:
    Emotion2vecExtractor(model=str(folder)).load()


def test_scores_carry_the_models_labels_in_english(emotion_folder: Path) -> None:
    emotion = measured(Emotion2vecExtractor(model=str(emotion_folder)), voice())
    assert list(emotion.scores) == ENGLISH
    # One logit is about 4, eight are about 0: e^4 / (e^4 + 8) = 0.872; random weights
    # of a tenth of the usual size move that by a few hundredths.
    assert emotion.top == "happy"
    assert emotion.scores["happy"] == pytest.approx(0.872, abs=0.05)
    assert sum(emotion.scores.values()) == pytest.approx(1, abs=1e-5)
    assert emotion.trajectory == []


def test_labels_follow_the_folder_and_not_a_list_of_ours(tmp_path: Path) -> None:
    moved = [LABELS[3], *LABELS[:3], *LABELS[4:]]
    first = write_emotion2vec(tmp_path / "first", favours=None)
    second = write_emotion2vec(tmp_path / "second", labels=moved, favours=None)
    a = measured(Emotion2vecExtractor(model=str(first)), voice())
    b = measured(Emotion2vecExtractor(model=str(second)), voice())
    # The same weights, so the same scores in the same places, under other names.
    assert list(a.scores.values()) == list(b.scores.values())
    assert list(b.scores) == [english(label) for label in moved]
    assert a.scores != b.scores


def test_it_equals_the_library_called_directly(emotion_folder: Path) -> None:
    from funasr import AutoModel

    clip = voice()
    model = AutoModel(
        model=str(emotion_folder), disable_update=True, disable_pbar=True, device="cpu"
    )
    (direct,) = model.generate(
        clip.speech, granularity="utterance", extract_embedding=False
    )
    emotion = measured(
        Emotion2vecExtractor(model=str(emotion_folder), device="cpu"), clip
    )
    assert list(emotion.scores.values()) == pytest.approx(direct["scores"], abs=1e-6)


def test_half_precision_moves_scores_by_rounding(tmp_path: Path) -> None:
    import torch

    folder = write_emotion2vec(tmp_path / "random", favours=None)
    extractor = Emotion2vecExtractor(model=str(folder), device="cpu")
    single = measured(extractor, voice()).scores
    with torch.autocast("cpu", dtype=torch.float16):  # as on a GPU
        half = measured(extractor, voice()).scores
    assert half != single
    # Eleven bits: 5e-4 of logits near 0.
    assert list(half.values()) == pytest.approx(list(single.values()), abs=1e-3)


def test_a_long_clip_has_a_trajectory(tmp_path: Path) -> None:
    folder = write_emotion2vec(tmp_path / "random", favours=None)
    extractor = Emotion2vecExtractor(model=str(folder))
    # 25 s in windows of about 10 s: round(2.5) = 2 windows of 12.5 s.
    found = measured(extractor, voice(25.0))
    assert [(w.start_s, w.end_s) for w in found.trajectory] == [(0, 12.5), (12.5, 25)]
    alone = measured(extractor, voice(12.5))
    assert list(found.trajectory[0].scores.values()) == pytest.approx(
        list(alone.scores.values()), abs=1e-5
    )
    # Nobody speaks in the second half, so there is nothing to say of it.
    part = measured(extractor, voice(25.0), (0.0, 12.0))
    assert [w.start_s for w in part.trajectory] == [0]


def test_over_a_minute_the_whole_is_the_mean_of_the_windows(tmp_path: Path) -> None:
    folder = write_emotion2vec(tmp_path / "random", favours=None)
    emotion = measured(Emotion2vecExtractor(model=str(folder)), voice(70.0))
    assert len(emotion.trajectory) == 7
    mean = sum(window.scores["sad"] for window in emotion.trajectory) / 7
    assert emotion.scores["sad"] == pytest.approx(mean, abs=1e-9)
    assert sum(emotion.scores.values()) == pytest.approx(1, abs=1e-5)


def test_windows_weighted_by_speech() -> None:
    windows = [Span(start_s=0, end_s=10), Span(start_s=10, end_s=20)]
    spans = [Span(start_s=1, end_s=2), Span(start_s=9, end_s=13)]
    assert [speech_within(window, spans) for window in windows] == [2, 3]
    # (2 x 1 + 3 x 0.5) / 5 = 0.7
    assert weighted([{"sad": 1.0}, {"sad": 0.5}], [2, 3])["sad"] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("seconds", "count"),
    [(9.0, 0), (14.9, 0), (15.0, 2), (24.0, 2), (31.0, 3), (1800.0, 180)],
)
def test_windows_fill_the_clip(seconds: float, count: int) -> None:
    windows = split(seconds, 10.0)
    assert len(windows) == count
    if windows:
        assert (windows[0].start_s, windows[-1].end_s) == (0, seconds)
        assert {round(window.seconds, 3) for window in windows} == {
            round(seconds / count, 3)
        }


def test_the_shortest_speech_is_scored(emotion_folder: Path) -> None:
    assert measured(Emotion2vecExtractor(model=str(emotion_folder)), voice(0.25)).scores


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("生气/angry", "angry"),
        ("<unk>", "unknown"),
        ("Happy", "happy"),
        ("中立/neutral ", "neutral"),
    ],
)
def test_labels_in_english(label: str, name: str) -> None:
    assert english(label) == name


@pytest.mark.parametrize(
    ("labels", "scores", "told"),
    [
        (["a", "b"], [1.0], "1 scores for 2 labels"),
        (["x/a", "y/a"], [0.5, 0.5], "not all different"),
        (["a", "b"], [float("nan"), 0.5], "add up to nan"),
    ],
)
def test_scores_that_cannot_be(
    labels: list[str], scores: list[float], told: str
) -> None:
    with pytest.raises(UserError, match=told):
        named_scores(labels, scores)


def test_unused_labels_vanish(tmp_path: Path) -> None:
    labels = [*LABELS[:5], "unuse_0", *LABELS[6:]]
    folder = write_emotion2vec(tmp_path / "unused", labels=labels)
    emotion = measured(Emotion2vecExtractor(model=str(folder)), voice())
    assert list(emotion.scores) == [name for name in ENGLISH if name != "other"]


def test_training_leftovers_are_no_mismatch(tmp_path: Path) -> None:
    import torch

    folder = write_emotion2vec(tmp_path / "with", without_decoder=False)
    load(folder)
    state = torch.load(folder / "model.pt", weights_only=True)
    torch.save(
        {**state, "_ema": torch.zeros(1), "recon_proj.bias": torch.zeros(2)},
        folder / "model.pt",
    )
    load(folder)


def test_tensors_under_a_prefix_are_found(emotion_folder: Path, tmp_path: Path) -> None:
    import torch

    folder = changed(emotion_folder, tmp_path)
    state = torch.load(folder / "model.pt", weights_only=True)
    named = {
        name if name.startswith("proj") else f"d2v_model.{name}": value
        for name, value in state.items()
    }
    torch.save({"model": named}, folder / "model.pt")
    # proj.* beside the prefixed backbone is how the published models come.
    assert measured(Emotion2vecExtractor(model=str(folder)), voice()).top == "happy"


def test_what_the_library_takes_silently_is_refused(
    emotion_folder: Path, tmp_path: Path
) -> None:
    import torch

    folder = changed(emotion_folder, tmp_path)
    weights = folder / "model.pt"
    whole = torch.load(weights, weights_only=True)

    def save(changes: dict[str, Any]) -> None:
        torch.save({**whole, **changes}, weights)

    save({"blocks.0.norm1.weight": torch.zeros(5)})
    with refused(weights, "blocks.0.norm1.weight is 5, the model has 32"):
        load(folder)
    torch.save(
        {k: v for k, v in whole.items() if k != "blocks.0.norm1.weight"}, weights
    )
    with refused(weights, "1 tensors are missing (blocks.0.norm1.weight)"):
        load(folder)
    save({"blocks.1.norm1.weight": torch.zeros(32)})
    with refused(
        weights, "1 tensors are not part of the model (blocks.1.norm1.weight)"
    ):
        load(folder)
    torch.save({k: v for k, v in whole.items() if not k.startswith("proj")}, weights)
    with refused(weights, "has no classifier (proj.weight)"):
        load(folder)
    weights.write_bytes(weights.read_bytes()[:5000])
    with refused(weights, "cannot be read as a checkpoint"):
        load(folder)
    weights.unlink()
    with refused(folder, "model.pt is missing"):
        load(folder)


def test_a_wrong_class_count_is_refused(tmp_path: Path) -> None:
    folder = write_emotion2vec(tmp_path / "eight", classes=8, favours=None)
    with refused(folder, "model.pt has 8 classes, tokens.txt names 9"):
        load(folder)


def test_another_kind_of_model_is_refused(emotion_folder: Path, tmp_path: Path) -> None:
    folder = changed(emotion_folder, tmp_path)
    config = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(config.replace("Emotion2vec", "Paraformer"))
    with refused(folder / "config.yaml", "model 'Paraformer', not Emotion2vec"):
        load(folder)
    (folder / "config.yaml").write_text("- nothing")
    with refused(folder / "config.yaml", "names no model"):
        load(folder)
    (folder / "tokens.txt").unlink()
    with refused(folder, "tokens.txt (the labels) is missing"):
        load(folder)


def test_a_folder_cannot_run_code_or_pull_in_models(
    emotion_folder: Path, tmp_path: Path
) -> None:
    folder, mark = changed(emotion_folder, tmp_path), tmp_path / "ran"
    code = folder / "model.py"
    code.write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n")
    (folder / "requirements.txt").write_text("no-such-package-anywhere\n")
    with (folder / "config.yaml").open("a") as config:
        config.write(
            f"trust_remote_code: true\nremote_code: {code}\nvad_model: fsmn-vad\n"
        )
    assert measured(Emotion2vecExtractor(model=str(folder)), voice()).top == "happy"
    assert not mark.exists()
    # The same without configuration.json, which funasr reads by another way.
    (folder / "configuration.json").unlink()
    assert measured(Emotion2vecExtractor(model=str(folder)), voice()).top == "happy"
    assert not mark.exists()


def test_a_model_that_is_not_here_is_one_line(tmp_path: Path) -> None:
    extractor = Emotion2vecExtractor()
    assert extractor.unavailable() == (
        "emotion2vec: model iic/emotion2vec_plus_large is not on this machine;"
        " run: trace-eval models fetch emotion2vec:iic/emotion2vec_plus_large"
    )
    assert extractor.revision() is None
    gone = tmp_path / "gone"
    assert str(gone) in (Emotion2vecExtractor(model=str(gone)).unavailable() or "")


@pytest.mark.parametrize(
    "layout",
    [
        "models/iic--emotion2vec_plus_large/snapshots/master",
        "models/iic/emotion2vec_plus_large",
        "hub/models/iic/emotion2vec_plus_large",
        "hub/iic/emotion2vec_plus_large",
    ],
)
def test_modelscopes_cache_is_found(
    emotion_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    monkeypatch.setenv("MODELSCOPE_CACHE", str(tmp_path))
    shutil.copytree(emotion_folder, tmp_path / layout)
    extractor = Emotion2vecExtractor()
    assert extractor.unavailable() is None
    assert (
        extractor.revision()
        == Emotion2vecExtractor(model=str(emotion_folder)).revision()
    )


def test_revision_covers_labels_and_configuration(
    emotion_folder: Path, tmp_path: Path
) -> None:
    folder = changed(emotion_folder, tmp_path)
    before = Emotion2vecExtractor(model=str(folder)).revision()
    assert before == Emotion2vecExtractor(model=str(emotion_folder)).revision()
    metas = json.loads((folder / "configuration.json").read_text())
    (folder / "configuration.json").write_text(json.dumps({**metas, "more": 1}))
    assert Emotion2vecExtractor(model=str(folder)).revision() != before


def test_a_window_must_be_sensible() -> None:
    with pytest.raises(UserError, match="window_s 0; give 1 to 60 seconds"):
        Emotion2vecExtractor(window_s=0)
