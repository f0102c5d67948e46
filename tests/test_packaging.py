"""What ships beside the code: the container's recipe, the citation, trackers, and the audit."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from benchmarks import audit
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


SAFE = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


def test_advisories_fail(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.judge([SAFE, BAD, UNKNOWN]) == 1
    said = capsys.readouterr().out
    assert "b 2: CVE-1, fixed in 3" in said
    assert "2 packages looked up, 1 with advisories" in said
    assert "1 could not be looked up: c" in said


def test_what_could_not_be_looked_up_is_never_taken_for_safe(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert audit.judge([UNKNOWN]) == 2
    assert "nothing is known" in capsys.readouterr().out
    assert audit.judge([SAFE, UNKNOWN]) == 0
