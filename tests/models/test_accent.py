from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blueprints import Absent, Span, Status, UserError
from extractors.voices import EcapaExtractor, cosine, excerpt
from tests.support.model_parts import known, measured, refused, spoken_in, voice
from tests.support.tiny_ecapa import ACCENTS, write_ecapa


def changed(folder: Path, tmp_path: Path) -> Path:
    """Make a copy to damage."""
    return Path(shutil.copytree(folder, tmp_path / "damaged"))


def load(folder: Path) -> None:
    EcapaExtractor(model=str(folder)).load()


def test_labels_come_from_the_checkpoint(accent_folder: Path, tmp_path: Path) -> None:
    backwards = write_ecapa(tmp_path / "backwards", labels=ACCENTS[::-1])
    a = measured(EcapaExtractor(model=str(accent_folder)), voice())
    b = measured(EcapaExtractor(model=str(backwards)), voice())
    assert list(a.similarities) == list(ACCENTS)
    assert list(b.similarities) == list(ACCENTS[::-1])
    # The same weights, so the same cosines in the same places, under other names.
    assert list(a.similarities.values()) == list(b.similarities.values())
    assert all(-1 <= value <= 1 for value in a.similarities.values())
    assert a.similarities[a.top] == max(a.similarities.values())
    assert a.top != b.top


def test_it_equals_the_library_called_directly(
    accent_folder: Path, tmp_path: Path
) -> None:
    import torch
    from speechbrain.inference import EncoderClassifier

    clip = voice()
    direct = EncoderClassifier.from_hparams(
        source=str(accent_folder),
        savedir=str(tmp_path / "saved"),
        overrides={"pretrained_path": str(accent_folder)},
    )
    cosines, _, _, (label,) = direct.classify_batch(torch.from_numpy(clip.speech)[None])
    accent = measured(EcapaExtractor(model=str(accent_folder), device="cpu"), clip)
    assert list(accent.similarities.values()) == pytest.approx(
        cosines[0].tolist(), abs=1e-6
    )
    assert accent.top == label


def test_a_changed_folder_is_not_the_old_model(tmp_path: Path) -> None:
    folder = write_ecapa(tmp_path / "model")
    extractor = EcapaExtractor(model=str(folder))
    before = measured(extractor, voice())
    revision = extractor.revision()
    write_ecapa(folder, labels=ACCENTS[::-1])
    after = measured(extractor, voice())
    assert extractor.revision() != revision
    assert list(after.similarities) == list(before.similarities)[::-1]


@pytest.mark.parametrize(
    ("transcript", "present"),
    [
        (spoken_in("en"), True),
        (spoken_in("de"), False),
        (spoken_in("de", "given", None), False),
        (spoken_in("de", probability=0.3), True),  # hardly known
        (spoken_in("en", "model", None), True),
        (Absent(status=Status.FAILED, reason="no recogniser"), True),
    ],
)
def test_english_accents_only(
    accent_folder: Path, transcript: object, present: bool
) -> None:
    clip = voice()
    blueprint = known(clip).model_copy(update={"transcript": transcript})
    accent = EcapaExtractor(model=str(accent_folder)).extract(clip, blueprint)
    assert isinstance(accent, Absent) is not present
    if isinstance(accent, Absent):
        assert accent.status is Status.UNAVAILABLE
        assert "the speech is in 'de'" in accent.reason
        assert "English accents only" in accent.reason


def test_of_a_long_clip_a_minute_is_heard(accent_folder: Path) -> None:
    long = voice(90.0).speech
    heard = excerpt(long, [Span(start_s=5, end_s=80)])
    assert len(heard) == 60 * 16_000
    assert (heard == long[5 * 16_000 : 65 * 16_000]).all()
    late = excerpt(long, [Span(start_s=85, end_s=89)])
    assert (late == long[30 * 16_000 :]).all()
    assert measured(EcapaExtractor(model=str(accent_folder)), voice(90.0)).similarities


def test_cosines_only() -> None:
    assert cosine(1.0000001) == 1.0
    with pytest.raises(UserError, match=r"3 is not a cosine"):
        cosine(3.0)
    with pytest.raises(UserError, match=r"nan is not a cosine"):
        cosine(float("nan"))


def test_a_wrong_class_count_is_refused(tmp_path: Path) -> None:
    folder = write_ecapa(tmp_path / "fewer", labels=ACCENTS[:15], classes=16)
    with refused(
        folder, "classifier.ckpt has 16 classes, accent_encoder.txt names 15 labels"
    ):
        load(folder)


def test_the_label_file_may_have_another_name(tmp_path: Path) -> None:
    folder = write_ecapa(tmp_path / "other", label_file="label_encoder.txt")
    assert measured(EcapaExtractor(model=str(folder)), voice()).similarities


def test_what_the_library_only_warns_of_is_refused(
    accent_folder: Path, tmp_path: Path
) -> None:
    import torch

    folder = changed(accent_folder, tmp_path)
    path = folder / "embedding_model.ckpt"
    whole = torch.load(path, weights_only=True)
    name = next(name for name in whole if name.endswith("weight"))
    torch.save({k: v for k, v in whole.items() if k != name}, path)
    with refused(folder, name):
        load(folder)
    torch.save({**whole, "extra": torch.zeros(1)}, path)
    with refused(folder, "extra"):
        load(folder)
    torch.save({**whole, name: torch.zeros(2)}, path)
    with refused(folder, name):
        load(folder)
    path.write_bytes(path.read_bytes()[:2000])
    with refused(path, "cannot be read as a checkpoint"):
        load(folder)
    path.unlink()
    with refused(path, "no such file"):
        load(folder)
    (folder / "accent_encoder.txt").unlink()
    with refused(folder, "accent_encoder.txt (the labels) is missing"):
        load(folder)


def test_code_in_the_model_is_refused_and_elsewhere_never_run(
    accent_folder: Path, tmp_path: Path
) -> None:
    folder, mark = changed(accent_folder, tmp_path), tmp_path / "ran"
    path = folder / "hyperparams.yaml"
    clean = path.read_text()
    # Beside the model it is dropped ...
    path.write_text(f"{clean}bad: !apply:os.mkdir ['{mark}']\n")
    assert measured(EcapaExtractor(model=str(folder)), voice()).similarities
    assert not mark.exists()
    # ... and in a part of the model, or in what that refers to, it is refused.
    for old, new in (
        ("norm_type: sentence", f"norm_type: !apply:os.mkdir ['{mark}']"),
        ("emb_dim: 16", f"emb_dim: !apply:os.mkdir ['{mark}']"),
        ("!name:torch.nn.LeakyReLU", "!name:torch.nn.functional.torch.hub.load"),
        ("!new:speechbrain.lobes.features.Fbank", "!new:subprocess.Popen"),
        ("norm_type: sentence", "norm_type: !!python/object/apply:os.getcwd []"),
    ):
        assert old in clean
        path.write_text(clean.replace(old, new, 1))
        with refused(path, "could run code", "line "):
            load(folder)
        assert not mark.exists()


def test_broken_hyperparameters_are_refused(
    accent_folder: Path, tmp_path: Path
) -> None:
    folder = changed(accent_folder, tmp_path)
    path = folder / "hyperparams.yaml"
    clean = path.read_text()
    path.write_text("a: [1")
    with refused(path, "cannot be read"):
        load(folder)
    path.write_text(clean.replace("classifier: !new", "something_else: !new"))
    with refused(path, "has no entry classifier"):
        load(folder)
    path.write_text(clean.replace("attention_channels", "no_such_option"))
    with refused(folder, "no_such_option"):
        load(folder)


def test_a_model_that_is_not_here_is_one_line(tmp_path: Path) -> None:
    extractor = EcapaExtractor()
    assert extractor.unavailable() == (
        "ecapa: model Jzuluaga/accent-id-commonaccent_ecapa is not on this machine;"
        " run: trace-eval models fetch ecapa:Jzuluaga/accent-id-commonaccent_ecapa"
    )
    assert extractor.revision() is None


def test_hugging_faces_cache_is_found(
    accent_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    # The library reads its environment when it is imported.
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--Jzuluaga--accent-id-commonaccent_ecapa"
    shutil.copytree(accent_folder, repository / "snapshots" / "abc")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc")
    extractor = EcapaExtractor()
    assert extractor.unavailable() is None
    assert measured(extractor, voice()).similarities
    (repository / "snapshots" / "abc" / "classifier.ckpt").unlink()
    assert "models fetch" in (extractor.unavailable() or "")
