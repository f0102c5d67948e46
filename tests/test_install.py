"""What ships: wheel and sdist installed on their own, container, citation, audit."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

import trace_eval as package
from benchmarks import packages
from blueprints import UserError, distribution
from blueprints.distribution import (
    DISTRIBUTION,
    SCRIPT,
    __version__,
    foreign_providers,
    install_line,
)
from blueprints.errors import require
from extractors.device import TORCH_PAIR
from tests.support.cli import ROOT, trace_eval
from tests.support.processes import run_python
from trace_eval.data import system


def _done(*command: object, cwd: Path) -> str:
    """Return a command's output; it must succeed without this tree on the path."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=_ENVIRONMENT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PIP_NO_INPUT": "1"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and the sdist into a folder."""
    pytest.importorskip("hatchling", reason=install_line("test"))
    folder = tmp_path_factory.mktemp("dist")
    _done(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=ROOT)
    return folder


@pytest.mark.parametrize("kind", ["whl", "tar.gz"])
def test_an_installed_distribution_judges_outside_the_clone(
    built: Path, kind: str, tmp_path: Path, examples_cache: Path
) -> None:
    (archive,) = built.glob(f"{DISTRIBUTION.replace('-', '_')}-{__version__}*.{kind}")
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    bin_ = home / "bin"
    (site,) = (home / "lib").glob("python*/site-packages")
    # Dependencies come from this environment, after its own packages: nothing is
    # downloaded.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        bin_ / "python",
        "install",
        "--quiet",
    ]
    _done(
        *pip, "--no-deps", "--no-index", "--no-build-isolation", archive, cwd=tmp_path
    )

    where = _done(
        bin_ / "python", "-c", "import trace_eval as t; print(t.__file__)", cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(site)
    version = _done(bin_ / "trace-eval", "--version", cwd=tmp_path)
    assert version == f"trace-eval {__version__} ({DISTRIBUTION})\n"
    if kind == "whl":
        _judges(bin_ / "trace-eval", tmp_path, examples_cache)


def _judges(program: Path, folder: Path, cache: Path) -> None:
    """Extract and judge a pair, and judge all examples by what was extracted before."""
    one = folder / "one.jsonl"
    lines = (ROOT / "examples" / "pairs.jsonl").read_text().splitlines()
    one.write_text(next(line for line in lines if json.loads(line)["id"] == "slow"))
    printed = {}
    for pairs, kept in (
        (one, folder / "cache"),
        (ROOT / "examples" / "pairs.jsonl", cache),
    ):
        command = [program, "judge", pairs, "--audio-root", ROOT / "examples"]
        judged = _done(
            *command, "--out", folder / pairs.stem, "--cache", kept, cwd=folder
        )
        printed[pairs] = [line.rstrip() for line in judged.splitlines()]
    readme = (ROOT / "README.md").read_text().split("What `make demo` prints:")[1]
    rows = [line.rstrip() for line in readme.split("```")[1].strip().splitlines()[:14]]
    assert len(rows) > 4
    assert [
        line for line in printed[ROOT / "examples" / "pairs.jsonl"] if line in rows
    ] == rows
    (row,) = (line for line in rows if line.startswith("slow "))
    assert printed[one][1].split() == row.split()


@pytest.mark.parametrize(
    ("module", "code"), [("trace_eval.commands.cli", 2), ("trace_eval.data.system", 1)]
)
def test_windows_is_told_of_wsl_before_anything_of_unix_is_imported(
    module: str, code: int
) -> None:
    script = f"""
import sys
sys.platform = "win32"
sys.modules["fcntl"] = None
try:
    import {module}
except ImportError as error:
    sys.exit(str(error))
"""
    done = run_python("-c", script)
    (line,) = done.stderr.splitlines()
    assert "trace-eval needs POSIX locks and signals" in line
    assert "inside WSL" in line
    assert done.returncode == code


def test_where_no_affinity_is_known_all_cores_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delattr(os, "sched_getaffinity")
    assert system.cores() == os.cpu_count()


@pytest.mark.parametrize("extra", ["", "tiny-en"])
def test_the_first_commands_need_nothing_that_lacks_wheels(extra: str) -> None:
    """As ``make wheels`` found; it asks the package index."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    first = (
        project["optional-dependencies"][extra] if extra else project["dependencies"]
    )
    praat = [line for line in first if line.startswith("praat-parselmouth")]
    assert all("platform_machine != 'aarch64'" in line for line in praat)


def test_torch_and_torchaudio_come_as_the_tested_pair() -> None:
    """A range lets pip take one of the two from another build, which does not load."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra, requirements in project["optional-dependencies"].items():
        torch = {line for line in requirements if line.startswith("torch")}
        pair = {f"torch=={TORCH_PAIR}", f"torchaudio=={TORCH_PAIR}"}
        assert torch in (set(), pair), extra


def test_the_version_has_one_source() -> None:
    assert package.__version__ == __version__
    assert trace_eval("--version").out == f"trace-eval {__version__} ({DISTRIBUTION})\n"
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert f"## {__version__}" in changelog


def test_every_printed_install_line_is_the_one_of_the_distribution() -> None:
    """No file but the one constant may spell out how the distribution is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for folder in ("blueprints", "extractors", "fusion", "trace_eval"):
        for path in (ROOT / folder).rglob("*.py"):
            if path == Path(distribution.__file__):
                continue
            text = path.read_text()
            for extra in extras:
                assert f"[{extra}]'" not in text, f"{path}: use install_line({extra!r})"
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        assert "pip install 'trace-eval" not in path.read_text(), path
        assert "pip install trace-eval" not in path.read_text(), path


def test_doctor_names_foreign_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "trace_eval-0.2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: trace-eval\nVersion: 0.2.0\n"
    )
    (info / "RECORD").write_text("trace_eval/__init__.py,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert foreign_providers() == ["trace-eval"]

    from trace_eval.api.doctor import diagnose

    ours, foreign, *_ = diagnose().sections["install"]
    assert ours.ok
    assert ours.name == DISTRIBUTION
    assert not foreign.ok
    assert "run: pip uninstall trace-eval && pip install ." in foreign.detail
    assert distribution.install_line("agree", "ray") == "pip install '.[agree,ray]'"


def test_packages_that_are_missing_name_their_extra() -> None:
    with pytest.raises(
        UserError, match=r"judging needs the package nosuch; run: .*\[review\]"
    ):
        require("nosuch", "nosuch", "review", "judging")


def test_the_container_is_made_of_files_of_the_repository() -> None:
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip()]
    steps = [line.split(maxsplit=1) for line in lines if not line.startswith("#")]
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "VOLUME", "USER", "ENTRYPOINT"}
    assert {word for word, _ in steps} <= known
    assert steps[0][0] == "FROM"
    image, _, tag = steps[0][1].partition(":")
    assert image
    assert tag not in ("", "latest")
    kept = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().split()
        if line[0] == "!"
    }
    copied = [
        word
        for step, rest in steps
        if step == "COPY"
        for word in shlex.split(rest)[:-1]
    ]
    assert kept == set(copied), "what is copied must not be ignored"
    assert all((ROOT / name).exists() for name in copied)
    assert {"pyproject.toml", "trace_eval", "blueprints"} <= set(copied)
    (extras,) = re.findall(r"pip install --no-cache-dir '\.\[([\w,-]+)\]'", str(steps))
    assert f"\n{extras} = [" in (ROOT / "pyproject.toml").read_text()
    users = [rest for step, rest in steps if step == "USER"]
    assert users
    assert users[-1] != "root"
    assert json.loads(steps[-1][1]) == [SCRIPT]


def test_the_citation_names_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    fields = dict(re.findall(r"^([\w-]+): (.+)$", text, re.M))
    assert (fields["cff-version"], fields["version"]) == ("1.2.0", __version__)
    assert {"title", "message", "type", "license"} <= fields.keys()


def test_an_unknown_tracker_is_refused_with_those_there_are(tmp_path: Path) -> None:
    done = trace_eval("export", tmp_path, "--to", "nobody", ends=2)
    assert "mlflow, wandb" in " ".join(done.err.split())


@pytest.mark.parametrize("name", ["mlflow", "wandb"])
def test_a_tracker_is_told_a_run_offline(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name)
    from trace_eval.report.trackers import _OWN, Figures

    figures = Figures("run", {"judge": "rules"}, {"coverage": 1.0, "win_rate/a:b": 0.5})
    assert name in _OWN[name](figures, tmp_path / "store")
    assert any((tmp_path / "store").rglob("*"))


SAFE = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


def test_advisories_and_what_was_not_looked_up_fail(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert packages.judge([SAFE, BAD, UNKNOWN]) == 1
    said = capsys.readouterr().out
    assert "b 2: CVE-1, fixed in 3" in said
    assert "2 packages looked up, 1 with advisories" in said
    assert "1 could not be looked up: c" in said
    assert packages.judge([UNKNOWN]) == 2  # never taken as safe
    assert "nothing is known" in capsys.readouterr().out
    assert packages.judge([SAFE, UNKNOWN]) == 0
