"""The weights of the packaged recogniser in integers, as CTranslate2 makes them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from extractors import packaged
from extractors.eight_bits import FORMAT, WEIGHTS, eight_bits, kept_folder
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.models import CACHE_VARIABLE

FILES = ("config.json", WEIGHTS, "tokenizer.json", "vocabulary.txt")


def test_the_recogniser_opens_the_same_model_from_kept_integers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ctranslate2 import StorageView
    from ctranslate2.models import Whisper

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    extractor = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu")
    folder = packaged.folder_of(packaged.ENGLISH)
    assert folder is not None
    mine = extractor.open_model(folder, "cpu").model
    [kept] = (tmp_path / "weights").glob("integers-*")
    assert (kept / WEIGHTS).stat().st_size < 0.6 * (folder / WEIGHTS).stat().st_size
    own = Whisper(str(folder), device="cpu", compute_type="int8", intra_threads=1)
    sound = np.random.default_rng(1).normal(0, 0.4, (1, 80, 200)).astype(np.float32)

    def heard(model: Any) -> tuple[Any, ...]:
        encoded = model.encode(StorageView.from_array(sound), to_cpu=True)
        [words] = model.generate(
            encoded, [[50257, 50362]], beam_size=1, max_length=6, return_scores=True
        )
        return np.asarray(encoded).tobytes(), words.sequences_ids, words.scores

    assert heard(mine) == heard(own)


def variable(name: bytes, values: Any, kind: int) -> bytes:
    head = struct.pack("<H", len(name) + 1) + name + b"\0"
    shape = struct.pack(f"<B{values.ndim}I", values.ndim, *values.shape)
    return head + shape + struct.pack("<BI", kind, values.nbytes) + values.tobytes()


def model_file(
    *variables: bytes, version: int = FORMAT, kind: bytes = b"Whisper"
) -> bytes:
    name = kind + b"Spec\0"
    head = struct.pack("<IH", version, len(name)) + name
    return head + struct.pack("<II", 3, len(variables)) + b"".join(variables) + b"names"


def test_weights_become_integers_and_all_else_stays() -> None:
    weight = np.array([[1.0, -0.5, 0.0], [0.0, 0.0, 0.0]], np.float16)
    others = (
        variable(b"layer/bias", np.array([0.25], np.float16), 4),
        variable(b"conv1/weight", np.ones((1, 2), np.float16), 4),
        variable(b"layer/weight_of_what", np.ones((1, 2), np.float32), 0),
        variable(b"heads", np.array([[1, 2]], np.int16), 2),
    )
    content = model_file(variable(b"layer/weight", weight, 4), *others)
    integers = np.array([[127, -64, 0], [0, 0, 0]], np.int8)
    scales = np.array([127, 1], np.float32)
    made = (
        variable(b"layer/weight", integers, 1),
        variable(b"layer/weight_scale", scales, 0),
    )
    assert eight_bits(content) == model_file(*made, *others)


@pytest.mark.parametrize(
    "content",
    [
        model_file(version=FORMAT + 1),
        model_file(kind=b"Other"),
        model_file(variable(b"weight", np.ones((2, 2), np.float16), 9)),
        model_file(variable(b"weight", np.ones((2, 2), np.float16), 4))[:-12],
        b"",
    ],
)
def test_what_is_not_understood_is_opened_as_it_is(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    (tmp_path / WEIGHTS).write_bytes(content)
    assert kept_folder(tmp_path, [WEIGHTS], "a" * 64) == tmp_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of a small model."""
    made = tmp_path / "model"
    made.mkdir()
    for name in FILES:
        (made / name).write_text(name)
    weight = variable(b"weight", np.ones((2, 2), np.float16), 4)
    (made / WEIGHTS).write_bytes(model_file(weight))
    return made


def test_a_folder_that_was_damaged_is_made_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    kept = kept_folder(folder, FILES, "a" * 64)
    assert kept != folder
    assert kept_folder(folder, FILES, "a" * 64) == kept
    content = (kept / WEIGHTS).read_bytes()
    for damage in (content[:-1], content + b"1"):
        (kept / WEIGHTS).write_bytes(damage)
        assert kept_folder(folder, FILES, "a" * 64) == kept
        assert (kept / WEIGHTS).read_bytes() == content
    (kept / "tokenizer.json").unlink()
    assert kept_folder(folder, FILES, "a" * 64) == kept
    assert (kept / "tokenizer.json").read_text() == "tokenizer.json"
    assert [*kept.parent.glob("[!.]*")] == [kept]


def test_without_a_cache_folder_the_model_is_opened_as_it_is(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    assert kept_folder(folder, FILES, "a" * 64) == folder


def test_without_a_home_folder_the_model_is_opened_as_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless(_: str) -> str:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", homeless)
    assert kept_folder(folder, FILES, "a" * 64) == folder
