"""Recipes for clusters: their files fit their schemas, and their commands run."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.cli import ROOT
from trace_eval.data.shards import Shard

yaml = pytest.importorskip("yaml")

CLUSTER = ROOT / "examples" / "cluster"


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a trace-eval in the path that writes down what it was called with."""
    log = tmp_path / "typed.jsonl"
    program = tmp_path / "bin" / "trace-eval"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nfor each in "$@"; do printf "%s\\n" "$each"; done > {log}\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return log


def _shard(log: Path) -> tuple[Shard, str]:
    words = log.read_text().splitlines()
    assert words[0] == "judge"
    return Shard.parse(words[words.index("--shard") + 1]), words[
        words.index("--out") + 1
    ]


def test_a_task_of_an_array_judges_its_shard(typed: Path, tmp_path: Path) -> None:
    script = CLUSTER / "slurm.sh"
    text = script.read_text()
    assert re.search(r"^#SBATCH --array=1-\d+$", text, re.M), "shards count from 1"
    assert "#SBATCH --requeue\n" in text
    environment = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "32"}
    subprocess.run(
        ["bash", script], check=True, env={**os.environ, **environment}, cwd=tmp_path
    )
    assert _shard(typed) == (Shard(3, 32), "runs/part-3")


def _job() -> Any:
    return yaml.safe_load((CLUSTER / "kubernetes.yaml").read_text())


@pytest.mark.parametrize("index", [0, 31])
def test_an_indexed_job_judges_every_shard_once(typed: Path, index: int) -> None:
    spec = _job()["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    named = {each["name"]: each["value"] for each in container["env"]}
    environment = {**os.environ, **named, "JOB_COMPLETION_INDEX": str(index)}
    subprocess.run(
        [*container["command"], *container["args"]], check=True, env=environment
    )
    shard, out = _shard(typed)
    assert shard == Shard(index + 1, spec["completions"])
    assert out == f"/data/runs/part-{index + 1}"


def test_the_job_fits_the_schema_of_kubernetes() -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="108 MB of schemas")
    validator.validate(_job(), "1.37", strict=True)


def test_the_cluster_fits_the_schema_of_ray() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    ray = pytest.importorskip("ray")
    schema = json.loads(
        (Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text()
    )
    cluster = yaml.safe_load((CLUSTER / "ray.yaml").read_text())
    jsonschema.validate(cluster, schema)
    assert cluster["head_node_type"] in cluster["available_node_types"]


def _pins() -> dict[str, str]:
    lines = (CLUSTER / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


def test_constraints_fit_what_the_package_asks_for() -> None:
    """What is made long ago would make an image that cannot be built."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras, pins = project["optional-dependencies"], _pins()
    needed = [*project["dependencies"], *extras["tiny-en"], *extras["ray"]]
    for text in needed:
        asked = Requirement(text)
        if asked.marker is None or asked.marker.evaluate():
            assert pins.get(canonicalize_name(asked.name)) in asked.specifier, text
    for text in (text for some in extras.values() for text in some):
        asked = Requirement(text)
        pin = pins.get(canonicalize_name(asked.name))
        assert pin is None or pin in asked.specifier, text


def test_constraints_are_those_that_the_script_writes(tmp_path: Path) -> None:
    """In a copy, with a pip that answers as pip's own report does."""
    home = tmp_path / "repository"
    shutil.copytree(CLUSTER, home / "examples" / "cluster")
    (home / "examples" / "cluster" / "constraints.txt").write_text("old==1\n")
    install = [{"metadata": {"name": "trace-s2s", "version": "0"}}]
    install += [
        {"metadata": {"name": n, "version": v}} for n, v in reversed(_pins().items())
    ]
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"install": install}))
    program = tmp_path / "bin" / "python3"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/bash\n[ "$1" = - ] && exec {sys.executable} "$@"\n'
        f'echo "$@" > {tmp_path}/typed\nwhile [ "$1" != --report ]; do shift; done\n'
        f'cat {report} > "$2"\n'
    )
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    script = home / "examples" / "cluster" / "constraints.sh"
    subprocess.run(["bash", script], check=True, env={**os.environ, "PATH": path})
    words = (tmp_path / "typed").read_text().split()
    assert words[:4] == ["-m", "pip", "install", "--quiet"]
    assert words[-1] == ".[tiny-en,ray]"
    first, *lines = (home / "examples/cluster/constraints.txt").read_text().splitlines()
    assert first.startswith("# Made by examples/cluster/constraints.sh on Python ")
    assert lines == sorted(f"{name}=={version}" for name, version in _pins().items())


@pytest.mark.parametrize("path", ["Dockerfile", "examples/cluster/Dockerfile.gpu"])
def test_an_image_pins_keeps_its_cache_and_serves_any_user(path: str) -> None:
    text = (ROOT / path).read_text()
    assert "--constraint examples/cluster/constraints.txt" in text
    assert "mkdir -m 1777 /cache" in text
    assert re.search(r"^VOLUME /cache$", text, re.M)
    assert re.search(r"^ENV HOME=/cache XDG_CACHE_HOME=/cache ", text, re.M)
    copied = re.findall(r"^COPY (.+) \S+$", text, re.M)
    assert all((ROOT / name).exists() for line in copied for name in line.split())
