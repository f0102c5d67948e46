"""What ships beside the code: the container's recipe, the citation, and trackers."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from blueprints.distribution import SCRIPT, __version__
from tests.support.cli import ROOT, trace_eval


def test_the_container_is_made_of_files_of_the_repository() -> None:
    lines = [line for line in (ROOT / "Dockerfile").read_text().splitlines() if line.strip()]
    steps = [line.split(maxsplit=1) for line in lines if not line.startswith("#")]
    known = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT"}
    assert {word for word, _ in steps} <= known
    assert steps[0][0] == "FROM"
    image, _, tag = steps[0][1].partition(":")
    assert image
    assert tag not in ("", "latest")
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"}
    copied = [word for step, rest in steps if step == "COPY" for word in shlex.split(rest)[:-1]]
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
    done = trace_eval("export", tmp_path, "--to", "nobody")
    assert done.code == 2
    assert "mlflow, wandb" in " ".join(done.err.split())


@pytest.mark.parametrize("name", ["mlflow", "wandb"])
def test_a_tracker_is_told_a_run_offline(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name)
    from trace_eval.report.trackers import _OWN, Figures

    figures = Figures("run", {"judge": "rules"}, {"coverage": 1.0, "win_rate/a:b": 0.5})
    assert name in _OWN[name](figures, tmp_path / "store")
    assert any((tmp_path / "store").rglob("*"))
