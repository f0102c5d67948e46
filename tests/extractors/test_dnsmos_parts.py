"""The parts of DNSMOS in our cache give what the networks' own files give."""

import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from extractors.dnsmos import extractor as dnsmos
from extractors.dnsmos import reading
from extractors.dnsmos.scores import load_p808
from extractors.dnsmos.windows import SplitNetwork
from extractors.models import CACHE_VARIABLE

_MADE_NOW = "made now"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of parts in a new cache; P.808's are in it."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    load_p808(dnsmos.model_files()[1])
    return tmp_path / "graphs"


def _forbid_making(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(*_: object) -> bytes:
        raise AssertionError(_MADE_NOW)

    monkeypatch.setattr("extractors.dnsmos.making.parts_of", make)


def _cells(network: SplitNetwork) -> list[npt.NDArray[np.float32]]:
    frames = np.random.default_rng(3).uniform(-1, 1, (160, 120)).astype(np.float32)
    return network.front(frames[np.newaxis, np.newaxis], 0)


def test_second_load_takes_the_kept_parts_and_gives_the_same_cells(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [path] = kept.iterdir()
    here = load_p808(dnsmos.model_files()[1])
    path.unlink()
    made = load_p808(dnsmos.model_files()[1])
    for before, after in zip(_cells(made), _cells(here), strict=True):
        assert np.array_equal(before, after)
    _forbid_making(monkeypatch)
    load_p808(dnsmos.model_files()[1])


def test_parts_that_were_cut_short_are_made_again(kept: Path) -> None:
    [path] = kept.iterdir()
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    load_p808(dnsmos.model_files()[1])
    assert path.read_bytes() == content


def test_parts_are_of_the_file_that_is_asked_for(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.onnx"
    shutil.copyfile(dnsmos.model_files()[1], other)
    with other.open("ab") as file:
        file.write(b"\x3a\x00")  # an empty graph, which changes nothing
    _forbid_making(monkeypatch)
    with pytest.raises(AssertionError, match=_MADE_NOW):
        load_p808(other)


def test_network_runs_by_onnxruntime_where_kernels_do_not(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = dnsmos.model_files()[1]
    compiled = _cells(load_p808(path))
    monkeypatch.setattr(reading, "kernels_problem", lambda: "no compiler")
    for ours, theirs in zip(compiled, _cells(load_p808(path)), strict=True):
        positive = np.maximum(theirs, 0)
        assert np.abs(np.maximum(ours, 0) - positive).max() < 1e-5 * positive.max()
