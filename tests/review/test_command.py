from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from blueprints import UserError
from fusion import Rating
from tests.support import browser
from tests.support import reviewed as support
from tests.support.audio import tone, write
from trace_eval.commands.export import export as export_command
from trace_eval.commands.review import review
from trace_eval.review.labelstudio import PHASES
from trace_eval.review.session import open_review

app = typer.Typer()
app.command()(review)


def test_export_says_what_the_review_came_to(run: Path, tmp_path: Path) -> None:
    reviewed = open_review(run, {"budget": 4})
    for rating in (Rating.A, Rating.A, Rating.B, Rating.A):
        support.say(reviewed, "ada", rating)
    result = CliRunner().invoke(app, [str(run), "--export", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    # 3 of 4 drawn at random from 6: no pair was needed
    assert "overall: 75.0%, 95% interval" in result.output
    assert (tmp_path / "out" / "labels.csv").exists()


def test_a_run_is_exported_to_label_studio_and_its_labels_come_back(
    run: Path, tmp_path: Path
) -> None:
    exporting = typer.Typer()
    exporting.command()(export_command)
    done = CliRunner().invoke(exporting, [str(run), "--to", "label-studio"])
    assert done.exit_code == 0, done.output
    folder = run / "export-label-studio"
    assert done.output.strip() == str(folder)
    assert {path.name for path in folder.glob("[!.]*")} == {"audio", "config.xml", "tasks.json"}
    tasks = json.loads((folder / "tasks.json").read_text())
    assert len(tasks) == 6
    export = tmp_path / "export.json"
    export.write_text(json.dumps([{**tasks[0], "annotations": [{"result": []}]}]))
    read = CliRunner().invoke(app, [str(run), "--import", str(export)])
    assert (read.exit_code, "0 annotations stored" in read.output) == (1, True)
    # What is exported is the review's queue: labels made on it are read into the same review.
    choices = {"type": "choices", "to_name": "first", "value": {"choices": ["both_good"]}}
    result = [{**choices, "from_name": phase} for phase in PHASES]
    for task in tasks:
        task["annotations"] = [{"completed_by": 3, "was_cancelled": False, "result": result}]
    export.write_text(json.dumps(tasks))
    read = CliRunner().invoke(app, [str(run), "--import", str(export)])
    assert read.exit_code == 0, read.output
    assert "6 annotations stored" in read.output
    rows = open_review(run).labelled()
    assert {row.view.item for row in rows} == {f"p{n}" for n in range(6)}
    assert {rating for row in rows for rating in row.ratings.values()} == {Rating.BOTH_GOOD}


def test_a_pair_that_cannot_be_played_is_named(tmp_path: Path) -> None:
    pairs = support.pairs(tmp_path, 2)
    gone = write(tmp_path / "gone.wav", tone(0.3, hz=100))
    pairs[1] = pairs[1].model_copy(update={"a": pairs[1].a.model_copy(update={"audio": gone})})
    run = support.write_run(tmp_path / "run", pairs)
    gone.unlink()
    result = CliRunner().invoke(app, [str(run), "--export", str(tmp_path / "out")])
    assert result.exit_code == 0
    assert "pair p1 is left out" in result.output


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "python_multipart"])
def test_a_missing_package_comes_with_its_install_line(
    run: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    for module in ("server", "app", "security"):
        monkeypatch.delitem(sys.modules, f"trace_eval.review.{module}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    result = CliRunner().invoke(app, [str(run)])
    assert isinstance(result.exception, UserError)
    assert f"needs the package {package}; run: pip install '.[review]'" in str(result.exception)


def test_a_port_that_is_taken(run: Path) -> None:
    pytest.importorskip("uvicorn", reason="pip install '.[review]'")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, [str(run), "--port", port])
    assert isinstance(result.exception, UserError)
    assert f"127.0.0.1:{port} cannot be bound" in str(result.exception)


@pytest.mark.parametrize(
    "request_", [b"GET /audio/\xff\x00 HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\r\n"]
)
def test_a_broken_request_is_refused_without_a_word(
    run: Path, request_: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    """A line for each would fill the pipe of whoever keeps the output, and then all would wait."""
    server = browser.Server(str(run))
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
            line.sendall(request_)
            assert line.recv(100).startswith(b"HTTP/1.1 400")
    finally:
        server.stop()
    assert "HTTP" not in capfd.readouterr().err
