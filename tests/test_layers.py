from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.imports import arrows, circles, modules

ROOT = Path(__file__).resolve().parent.parent

#: The rooms of the house, lowest floor first. A room may import rooms of lower floors only;
#: rooms of one floor do not know each other. A module belongs to the room with the longest
#: matching name, so ``trace_eval.judges`` is what lies loose in that folder.
FLOORS: list[set[str]] = [
    {"fusion", "blueprints"},
    {"extractors"},
    {"trace_eval.data", "trace_eval.static", "trace_eval.audio"},
    {"trace_eval.measures", "trace_eval.rubrics", "trace_eval.scores", "trace_eval.judges.options"},
    {"trace_eval.judges.base", "trace_eval.options"},
    {"trace_eval.judges.chat", "trace_eval.extracting"},
    {"trace_eval.judges"},
    {"trace_eval.judges.text", "trace_eval.judges.rules"},
    {"trace_eval.judges.rating", "trace_eval.judges.naturalness"},
    {"trace_eval.judges.audio", "trace_eval.judges.lexical"},
    {"trace_eval.scorer"},
    {"trace_eval.judges.reward"},
    {"trace_eval.judges.registry"},
    {"trace_eval.judges.doctor"},
    {"trace_eval.runs"},
    {"trace_eval.api", "trace_eval.agreement"},
    {"trace_eval.ranking"},
    {"trace_eval.select"},
    {"trace_eval.conclude"},
    {"trace_eval.report", "trace_eval.review"},
    {"trace_eval.compare"},
    {"trace_eval.doctor", "trace_eval.drill"},
    {"trace_eval.commands"},
    {"trace_eval", "trace_eval.__main__"},
]

#: Room -> its floor.
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

#: ``import trace_eval`` re-exports from everywhere, on first use.
FACADE = "trace_eval"


def room_of(module: str) -> str:
    """The room that a module lies in."""
    return max((r for r in FLOOR if f"{module}.".startswith(f"{r}.")), key=len)


def test_every_file_lies_in_a_room() -> None:
    loose = [
        name
        for name, path in modules().items()
        if room_of(name) == FACADE and path.parent != ROOT / "trace_eval"
    ]
    assert not loose, "give each folder a floor in FLOORS"


def test_arrows_point_downwards() -> None:
    upwards = {
        f"{arrow.source} -> {arrow.target}"
        for arrow in arrows()
        if (source := room_of(arrow.source)) != (target := room_of(arrow.target))
        and FLOOR[source] <= FLOOR[target]
        and target != FACADE
    }
    assert not upwards


def test_no_module_imports_the_facade() -> None:
    assert not [a for a in arrows() if a.target == FACADE and a.source != "trace_eval.__main__"]


def test_no_circle_of_files() -> None:
    graph: dict[str, set[str]] = {}
    for arrow in arrows():
        if not arrow.late:
            graph.setdefault(arrow.source, set()).add(arrow.target)
    assert circles(graph) == []


def test_the_finder_of_circles_finds_them() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}
    assert circles(graph) == [["a", "b", "c"]]


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def test_fusion_needs_the_standard_library_only() -> None:
    for path in (ROOT / "fusion").rglob("*.py"):
        assert _imports(path) <= set(sys.stdlib_module_names) | {"fusion"}, path


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        (
            "trace_eval.commands.cli",
            {"numpy", "pyarrow", "openai", "ollama", "fastapi", "jinja2", "fsspec"},
        ),
        ("trace_eval.runs.fuse", {"numpy", "librosa", "onnxruntime", "openai", "soundfile"}),
        ("trace_eval.commands.tables", {"numpy", "librosa", "onnxruntime", "openai", "soundfile"}),
        (
            "trace_eval.runs.session",
            {"librosa", "onnxruntime", "openai", "ollama", "parselmouth", "fsspec"},
        ),
    ],
)
def test_heavy_packages_are_imported_where_they_are_used(module: str, unwanted: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert not unwanted & {name.split(".")[0] for name in done.stdout.split()}
