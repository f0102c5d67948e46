from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: What each import package may import of ours.
ALLOWED: dict[str, set[str]] = {
    "fusion": set(),
    "blueprints": set(),
    "extractors": {"blueprints"},
    "trace_eval": {"blueprints", "extractors", "fusion"},
}


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("package", ALLOWED)
def test_arrows_point_downwards(package: str) -> None:
    files = list((ROOT / package).rglob("*.py"))
    assert files
    for path in files:
        ours = (_imports(path) & ALLOWED.keys()) - {package}
        assert ours <= ALLOWED[package], f"{path} imports {ours - ALLOWED[package]}"


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
