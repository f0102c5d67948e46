from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.support.imports import (
    ROOT,
    arrows,
    circles,
    door_names,
    modules,
    statements,
    tree,
)
from tests.support.layers import FACADE, ROOMS, room_of
from tests.support.processes import python


def test_every_file_lies_in_a_room() -> None:
    loose = [
        name
        for name, path in modules().items()
        if room_of(name) == FACADE and path.parent != ROOT / "trace_eval"
    ]
    assert not loose, "give each folder a line in TABLE"


def test_the_table_points_upwards_to_lower_rooms_only() -> None:
    names = list(ROOMS)
    later = {
        f"{room}: {other}"
        for number, room in enumerate(names)
        for other in ROOMS[room]
        if other not in names[:number]
    }
    assert not later, "a room may import rooms that stand above it in TABLE"


def test_rooms_import_what_the_table_says() -> None:
    between = {}
    for arrow in arrows():
        source, target = room_of(arrow.source), room_of(arrow.target)
        if source != target and FACADE not in (source, target):
            between[source, target] = f"{arrow.source} -> {arrow.target}"
    allowed = {(room, other) for room, others in ROOMS.items() for other in others}
    new = [between[pair] for pair in sorted(between.keys() - allowed)]
    assert not new, (
        "imports that TABLE does not have; do without, or write them into it"
    )
    assert not allowed - between.keys(), (
        "nobody imports these any more; take them out of TABLE"
    )


#: Where strangers enter: names are re-exported here and nowhere else.
DOORS = {"blueprints", "extractors", "fusion", "trace_eval", "trace_eval.datasets"}


def test_names_are_imported_from_their_homes() -> None:
    doors = {name for name in modules() if door_names(name)}
    assert doors <= DOORS, (
        "import modules by their own names; only strangers need a door"
    )


def test_doors_list_what_they_give() -> None:
    for name, path in modules().items():
        listed = [
            set(ast.literal_eval(node.value))
            for node in tree(path).body
            if isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "__all__"
        ]
        given = {alias for alias, _ in door_names(name)}
        both = given & {
            other.rpartition(".")[2]
            for other in modules()
            if other.rpartition(".")[0] == name
        }
        assert not both, "a module of that name hides the function once it is imported"
        assert name == FACADE or not given or [given] == listed, name


def test_no_module_imports_the_facade() -> None:
    assert not [
        a for a in arrows() if a.target == FACADE and a.source != "trace_eval.__main__"
    ]


def test_no_circle_of_files() -> None:
    """Imports inside functions count: they hide a circle, and do not open it."""
    graph: dict[str, set[str]] = {}
    for arrow in arrows():
        graph.setdefault(arrow.source, set()).add(arrow.target)
    assert circles(graph) == []


def test_late_imports_are_seen(tmp_path: Path) -> None:
    package = tmp_path / "fusion"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("import fusion.two\n")
    (package / "two.py").write_text("def late():\n    from fusion.one import three\n")
    late = {(arrow.source, arrow.target): arrow.late for arrow in arrows(tmp_path)}
    assert late == {
        ("fusion.one", "fusion.two"): False,
        ("fusion.two", "fusion.one"): True,
    }


def test_the_finder_of_circles_finds_them() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}
    assert circles(graph) == [["a", "b", "c"]]


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def test_fusion_needs_the_standard_library_only() -> None:
    for path in (ROOT / "fusion").rglob("*.py"):
        assert _imports(path) <= set(sys.stdlib_module_names) | {"fusion"}, path


def test_what_only_some_systems_have_has_one_home() -> None:
    homes = {
        path.relative_to(ROOT).as_posix()
        for path in modules().values()
        for word in (
            "fcntl",
            "sched_getaffinity",
            "/proc/",
            "ctypes.CDLL",
            "import resource\n",
        )
        if word in path.read_text()
    }
    # What lies in a wheel is loaded wherever the wheel is.
    assert homes - {"extractors/cuda_libraries.py"} == {"trace_eval/data/system.py"}


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        (
            "trace_eval.commands.cli",
            {"numpy", "pyarrow", "openai", "ollama", "fastapi", "jinja2", "fsspec"},
        ),
        (
            "trace_eval.runs.fuse",
            {"numpy", "librosa", "onnxruntime", "openai", "soundfile"},
        ),
        (
            "trace_eval.commands.tables",
            {"numpy", "librosa", "onnxruntime", "openai", "soundfile"},
        ),
        (
            "trace_eval.runs.session",
            {"librosa", "onnxruntime", "openai", "ollama", "parselmouth", "fsspec"},
        ),
        (
            "trace_eval.runs.extraction",
            {
                "openai",
                "jinja2",
                "trace_eval.judges.claims",
                "trace_eval.conversations",
            },
        ),
        (
            "trace_eval.commands.cli",  # what --help waits for
            {"pydantic", "sqlite3", "importlib.metadata", "trace_eval.data.csv_cells"},
        ),
        ("extractors.dnsmos.kernels", {"onnxruntime", "scipy.linalg"}),
        (
            "trace_eval.commands.work.judge",
            {
                "trace_eval.judges.reward.load",
                "trace_eval.opinions.label_files",
                "trace_eval.stats.inference.calibrate",
                "trace_eval.stats.inference.labelled_run",
            },
        ),
        (
            "trace_eval.commands.work.fuse",
            {"trace_eval.runs.opinions", "trace_eval.stats", "trace_eval.decide"},
        ),
        ("trace_eval.decide.gates", {"trace_eval.decide.card"}),
    ],
)
def test_heavy_packages_are_imported_where_they_are_used(
    module: str, unwanted: set[str]
) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    assert not unwanted.intersection(python(code).split())


def test_no_test_module_imports_another() -> None:
    """What two of them need stands in tests/support."""
    found = [
        f"{path.relative_to(ROOT)}: {node.module}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in statements(tree(path))
        if isinstance(node, ast.ImportFrom)
        and f"{node.module}.".startswith("tests.")
        and not f"{node.module}.".startswith("tests.support.")
    ]
    # "from tests import support" would be listed as "tests".
    assert not found
