"""Source is written to be read aloud: the dense shapes become fewer, and never more."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.support.density import dense_places, density, homes
from tests.support.docstrings import without_verb
from tests.support.imports import ROOT, modules, tree

#: How many places of the product have each shape, and docstrings a first line over 88
#: columns. A change that removes some lowers the number here; a change that adds one is
#: unfolded instead.
LIMITS = {"nested": 0, "positional": 25, "splatted": 0, "long": 0}

#: The same of tests and benchmarks, which may call with many positional arguments.
LIMITS_BESIDE = {"nested": 0, "splatted": 0, "long": 0}


@pytest.fixture(scope="module")
def product() -> dict[str, list[str]]:
    return dense_places({path: tree(path) for path in modules().values()}, ROOT)


@pytest.mark.parametrize("shape", LIMITS)
def test_dense_shapes_do_not_become_more(
    product: dict[str, list[str]], shape: str
) -> None:
    places = product[shape]
    assert len(places) <= LIMITS[shape], "\n".join(places)


@pytest.mark.parametrize("shape", LIMITS)
def test_limits_follow_what_was_removed(
    product: dict[str, list[str]], shape: str
) -> None:
    assert len(product[shape]) > LIMITS[shape] - 10, f"lower LIMITS[{shape!r}]"


def test_tests_and_benchmarks_have_no_dense_shapes() -> None:
    trees: dict[Path, ast.Module] = {}
    for room in ("tests", "benchmarks"):
        for path in sorted((ROOT / room).rglob("*.py")):
            trees[path] = ast.parse(path.read_text("utf-8"))
    places = dense_places(trees, ROOT)
    for shape, limit in LIMITS_BESIDE.items():
        assert len(places[shape]) <= limit, "\n".join(places[shape])


def test_each_shape_is_seen(tmp_path: Path) -> None:
    text = [
        '"""A docstring that counts nothing."""',
        "import os",
        "a = [[x for x in y] for y in z]",
        "b = [w for x in y if (w := x)]",
        "f(1, 2, 3, 4, 5)",
        "g(*[x] * 2)",
        "h(*rows, **{'a': 1})",
        "c = 1 if a else 2",
    ]
    path = tmp_path / "dense.py"
    path.write_text("\n".join(text))
    counts = density([path], tmp_path)
    assert dense_places({path: tree(path)}, tmp_path) == {
        "nested": list(counts.nested),
        "positional": list(counts.positional),
        "splatted": list(counts.splatted),
        "long": [],
    }
    long = _file(tmp_path, f'def f():\n    """Do {"x" * 80}."""')
    assert dense_places({long: tree(long)}, tmp_path)["long"] == ["one.py:2"]
    assert counts.nested == ("dense.py:3", "dense.py:4")
    assert counts.positional == ("dense.py:5",)
    assert counts.splatted == ("dense.py:6", "dense.py:7")
    assert (counts.comprehensions, counts.ternaries, counts.stars) == (3, 1, 3)
    assert counts.lines == 6
    # c = 1 if a else 2
    assert density([_file(tmp_path, "c = 1 if a else 2")], tmp_path).tokens == 7


#: Names of classes and aliases that several modules define: public ones, which users
#: import.
SHARED_NAMES = {"Event", "Finding", "Item", "Part", "Run", "Speaker"}


def test_a_name_has_one_home() -> None:
    assert (
        homes({name: tree(path) for name, path in modules().items()}).keys()
        <= SHARED_NAMES
    )


def _names_bound_twice(text: str) -> set[str]:
    """Return constants that a module binds twice without reading the first value."""
    names: Counter[str] = Counter()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            names.update(ast.unparse(target) for target in node.targets)
    return {name for name, times in names.items() if times > 1}


def test_no_constant_of_a_module_takes_the_name_of_another() -> None:
    twice = {
        name: _names_bound_twice(path.read_text("utf-8"))
        for name, path in modules().items()
    }
    assert not {name: names for name, names in twice.items() if names}
    assert _names_bound_twice("A = {1}\n\ndef f(): return A\n\nA = {2}") == {"A"}


def test_docstrings_begin_with_a_verb() -> None:
    places = without_verb(modules().values(), ROOT)
    assert not places, "\n".join(places)


def test_a_docstring_that_begins_with_a_noun_is_seen(tmp_path: Path) -> None:
    text = [
        'def length():\n    """Seconds of speech."""',
        'def read():\n    """Read a file."""',
        'class Clip:\n    @property\n    def seconds(self):\n        """Length."""',
    ]
    path = _file(tmp_path, "\n".join(text))
    assert without_verb([path], tmp_path) == ["one.py:1 Seconds"]


def _file(folder: Path, text: str) -> Path:
    path = folder / "one.py"
    path.write_text(text)
    return path
