"""Where onnxruntime's networks run: the CPU, unless a GPU is asked for and there."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from blueprints import Advice, UserError
from extractors import packaged, sessions
from extractors.audio import Clip
from extractors.dnsmos import sections
from extractors.dnsmos.extractor import DnsmosExtractor, model_files
from extractors.dnsmos.scores import load_p808
from extractors.networks import fireredvad, graphs
from extractors.networks.sounds import FireRedVadExtractor
from extractors.registry import plan_extractors
from tests.support.imports import ROOT
from tests.support.model_parts import known, voice


def doubling() -> bytes:
    """Return a network that doubles."""
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy"
    ]
    node = helper.make_node("Add", ["x", "x"], ["y"])
    graph = helper.make_graph([node], "doubling", values[:1], values[1:])
    opset = [helper.make_opsetid("", 17)]
    content: bytes = helper.make_model(
        graph, opset_imports=opset, ir_version=9
    ).SerializeToString()
    return content


@pytest.fixture
def cuda_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let onnxruntime name CUDA among what it has built in."""
    names = [sessions.CUDA, sessions.CPU]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: names)


def test_the_cpu_needs_no_advice() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = sessions.open_session(doubling())
    assert session.get_providers() == [sessions.CPU]
    [doubled] = session.run(None, {"x": np.array([1.5], np.float32)})
    assert doubled == [3.0]


def eight_bits(weights: npt.NDArray[np.int8]) -> bytes:
    """Return a network that multiplies by weights of eight bits."""
    info = helper.make_tensor_value_info
    node = helper.make_node("MatMulInteger", ["x", "weights"], ["y"])
    graph = helper.make_graph(
        [node],
        "eight bits",
        inputs=[info("x", TensorProto.UINT8, ["n", len(weights)])],
        outputs=[info("y", TensorProto.INT32, ["n", weights.shape[1]])],
        initializer=[numpy_helper.from_array(weights, "weights")],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=9)
    return bytes(model.SerializeToString())


WIDE_SUMS = "session.x64quantprecision"


@pytest.mark.parametrize(
    ("content", "exact", "wide"),
    [
        (eight_bits(np.ones((4, 4), np.int8)), True, False),
        (eight_bits(np.ones((4, 4), np.int8)), False, True),
        (doubling(), True, True),
    ],
)
def test_sums_are_wide_but_where_a_processor_adds_eight_bits_exactly(
    monkeypatch: pytest.MonkeyPatch, content: bytes, exact: bool, wide: bool
) -> None:
    monkeypatch.setattr(sessions, "sums_are_exact", lambda: exact)
    options = sessions.open_session(content).get_session_options()
    if wide:
        assert options.get_session_config_entry(WIDE_SUMS) == "1"
        return
    with pytest.raises(RuntimeError, match=WIDE_SUMS):  # it has none
        options.get_session_config_entry(WIDE_SUMS)


def test_the_largest_products_of_eight_bits_are_added_exactly_everywhere() -> None:
    largest = np.full((1, 512), 255, np.uint8)
    for weight in (127, -128):
        content = eight_bits(np.full((512, 16), weight, np.int8))
        [sums] = sessions.open_session(content).run(None, {"x": largest})
        assert (sums == 512 * 255 * weight).all()


def test_a_build_for_cpus_says_what_to_install_and_goes_on() -> None:
    if sessions.CUDA in onnxruntime.get_available_providers():
        pytest.skip("this build has CUDA")
    with pytest.warns(
        Advice, match=r"cuda:0 run on the CPU .*build for CPUs; run: pip install"
    ):
        session = sessions.open_session(doubling(), "cuda:0")
    assert session.get_providers() == [sessions.CPU]


def test_cuda_comes_first_without_tf32(cuda_build: None) -> None:
    first, last = sessions.providers("cuda:1")
    assert last == sessions.CPU
    assert first[0] == sessions.CUDA
    assert first[1]["device_id"] == 1
    assert first[1]["use_tf32"] == 0
    assert sessions.providers("cpu") == [sessions.CPU]


@pytest.mark.usefixtures("cuda_build")
def test_libraries_that_do_not_load_cost_the_gpu_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = onnxruntime.InferenceSession

    def without_libraries(content: bytes, options: Any, providers: list[Any]) -> Any:
        assert providers[0][0] == sessions.CUDA
        return real(
            content, options, providers=[sessions.CPU]
        )  # what onnxruntime then does

    monkeypatch.setattr(onnxruntime, "InferenceSession", without_libraries)
    with pytest.warns(Advice, match=r"CUDA or cuDNN does not load"):
        sessions.open_session(doubling(), "cuda:0")


def test_the_device_is_no_part_of_what_decides_values() -> None:
    for kind in (DnsmosExtractor, FireRedVadExtractor):
        here, there = kind(), kind(device="cuda:0")
        assert here.parameters() == there.parameters()
        assert (here.runs_on, there.runs_on) == ("cpu", "gpu")
        assert here.placed == "cpu"
        with pytest.raises(UserError, match="use auto, cpu, cuda or cuda:N"):
            kind(device="tpu")


def test_the_option_of_extraction_reaches_networks() -> None:
    plan = plan_extractors("screen", {"sounds": "fireredvad"}, {"device": "cuda"})
    devices = {
        one.name: one.device
        for one in plan
        if isinstance(one, sessions.NetworkExtractor)
    }
    assert devices == {"dnsmos": "cuda", "fireredvad": "cuda"}


def test_a_gpu_that_is_not_there_is_refused() -> None:
    clip: Clip = voice(3.0)
    extractor = DnsmosExtractor(device="cuda:7")
    with pytest.raises(UserError, match="dnsmos: device 'cuda:7'"):
        extractor.extract(clip, known(clip))


def test_onnxruntime_computes_the_whole_of_dnsmos_elsewhere() -> None:
    """On a device our own kernels do not serve; here its layers run on the CPU."""
    path: Path = model_files()[1]
    audio = np.random.default_rng(0).normal(0, 0.1, (1, 1, 120, 120)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Advice)
        there = load_p808(path, "cuda:0")
    for mine, theirs in zip(
        load_p808(path).front(audio, 0), there.front(audio, 0), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, atol=1e-4)
    assert sections.kernels_problem() is None


def test_networks_are_kept_by_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "open_session", lambda _, device: f"on {device}")
    fireredvad_on = []
    for device in ("cuda:0", "cpu"):
        with graphs.on(device):
            graphs.forget(packaged.FIREREDVAD)
            fireredvad_on.append(fireredvad.session())
            graphs.forget(packaged.FIREREDVAD)
    assert fireredvad_on == ["on cuda:0", "on cpu"]


def test_onnxruntime_reports_nothing_and_keeps_no_identifier(tmp_path: Path) -> None:
    (tmp_path / "network.onnx").write_bytes(doubling())
    lines = (
        "import sys; from extractors.sessions import open_session;"
        " open_session(sys.argv[1])"
    )
    # It is quiet by itself where it sees a service for tests.
    kept = {
        name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ
    }
    subprocess.run(
        [sys.executable, "-c", lines, str(tmp_path / "network.onnx")],
        cwd=ROOT,
        env=kept | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=True,
    )
    assert [path.name for path in tmp_path.rglob("*")] == ["network.onnx"]
