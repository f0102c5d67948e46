from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.imports import arrows, circles, modules

ROOT = Path(__file__).resolve().parent.parent

#: The rooms, lowest first, and after the colon all that a room imports: each of them stands
#: above it. A new import between rooms is a line changed here, and one that is gone leaves it.
#: A module belongs to the room with the longest matching name, so ``judges`` is what lies loose
#: in that folder. Rooms without a package's name lie in ``trace_eval``.
TABLE = """
blueprints:
fusion:
extractors: blueprints
audio: blueprints extractors
data: blueprints fusion
static:
judges.presets:
judges.options: blueprints judges.presets
measures: blueprints data
rubrics: blueprints data fusion
scores: blueprints data fusion
judges.base: blueprints data fusion rubrics
options: blueprints extractors fusion judges.options
extracting: blueprints data extractors options
judges.chat: blueprints data judges.base judges.options
judges: blueprints data extractors fusion judges.chat judges.options
judges.rules: blueprints data extractors fusion judges.base
judges.text: blueprints data extractors judges judges.base judges.chat judges.options
judges.naturalness: blueprints data judges judges.chat judges.text
judges.rating: blueprints data extractors fusion judges judges.base judges.chat judges.options judges.text rubrics scores
judges.audio: audio blueprints data extractors fusion judges judges.base judges.chat judges.naturalness judges.options judges.rating judges.text rubrics
judges.lexical: blueprints data fusion judges.base judges.rating rubrics scores
scorer: blueprints data extractors fusion judges judges.base judges.rating rubrics scores
judges.reward: audio blueprints data extractors fusion judges judges.base judges.chat judges.naturalness judges.options judges.text rubrics
judges.registry: blueprints judges.audio judges.base judges.chat judges.lexical judges.options judges.presets judges.rating judges.reward judges.rules judges.text rubrics scorer
judges.doctor: blueprints data fusion judges.audio judges.base judges.chat judges.options judges.registry
runs: blueprints data extracting extractors fusion judges.base judges.chat judges.options judges.rating judges.registry measures options rubrics
agreement: audio blueprints data fusion measures rubrics runs scores
api: blueprints data extracting judges.registry options runs
ranking: agreement blueprints data fusion
select: blueprints data extracting extractors fusion judges judges.chat judges.options judges.registry measures options ranking runs
conclude: agreement blueprints data fusion judges.naturalness ranking runs
report: agreement blueprints conclude data extractors fusion ranking rubrics runs static
review: agreement blueprints data extracting extractors fusion rubrics runs static
compare: agreement blueprints data fusion ranking report rubrics runs
gate: agreement blueprints compare data runs
doctor: blueprints data extracting extractors fusion judges.doctor judges.options judges.registry
drill: agreement blueprints conclude data extracting extractors fusion judges.base judges.registry options runs
commands: agreement api blueprints compare conclude data doctor drill extracting extractors fusion gate judges.options judges.registry options ranking report review rubrics runs scorer select
__main__: commands
"""  # noqa: E501

#: ``import trace_eval`` re-exports from everywhere, on first use.
FACADE = "trace_eval"

_OUTSIDE = ("fusion", "blueprints", "extractors")


def _full(room: str) -> str:
    return room if room in _OUTSIDE else f"{FACADE}.{room}"


#: Room -> the rooms that it imports.
ROOMS = {
    _full(name): {_full(other) for other in others.split()}
    for name, _, others in (line.partition(":") for line in TABLE.strip().splitlines())
}


def room_of(module: str) -> str:
    """The room that a module lies in."""
    return max((r for r in (*ROOMS, FACADE) if f"{module}.".startswith(f"{r}.")), key=len)


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
    between = {
        (source, target): f"{arrow.source} -> {arrow.target}"
        for arrow in arrows()
        if (source := room_of(arrow.source)) != (target := room_of(arrow.target))
        and FACADE not in (source, target)
    }
    allowed = {(room, other) for room, others in ROOMS.items() for other in others}
    new = [between[pair] for pair in sorted(between.keys() - allowed)]
    assert not new, "imports that TABLE does not have; do without, or write them into it"
    assert not allowed - between.keys(), "nobody imports these any more; take them out of TABLE"


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


def test_what_only_some_systems_have_has_one_home() -> None:
    homes = {
        path.relative_to(ROOT).as_posix()
        for path in modules().values()
        for word in ("fcntl", "sched_getaffinity", "/proc/", "ctypes.CDLL", "import resource")
        if word in path.read_text()
    }
    assert homes == {"trace_eval/data/system.py"}


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
