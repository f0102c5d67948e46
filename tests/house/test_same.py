"""Two texts that do the same have one form, and texts that do not have two."""

from __future__ import annotations

import textwrap

import pytest

from benchmarks.house.canonical import canonical


def _form(text: str) -> str:
    return canonical(textwrap.dedent(text))


SAME = {
    "a local has another name": (
        """
        def ends(spans):
            found = [end for _, end in spans]
            found.sort()
            return found
        """,
        """
        def ends(spans):
            times = [stop for _, stop in spans]
            times.sort()
            return times
        """,
    ),
    "a private function and its parameter have other names": (
        """
        def _x(found):
            return found + 1

        def total(a):
            return _x(a)
        """,
        """
        def _next(number):
            return number + 1

        def total(a):
            return _next(a)
        """,
    ),
    "a comprehension is a loop": (
        """
        def squares(numbers):
            return [n * n for n in numbers if n > 0]
        """,
        '''
        def squares(numbers):
            """Return the squares of the positive numbers."""
            values = []
            for number in numbers:
                if number > 0:
                    values.append(number * number)
            return values
        ''',
    ),
    "a dictionary is filled in a loop of two levels": (
        """
        def index(groups):
            return {name: group for group in groups for name in group.names}
        """,
        """
        def index(groups):
            homes: dict[str, object] = {}
            for group in groups:
                for name in group.names:
                    homes[name] = group
            return homes
        """,
    ),
    "a ternary is two branches": (
        """
        def sign(x):
            return 1 if x > 0 else -1
        """,
        """
        def sign(x):
            if x > 0:
                return 1
            return -1
        """,
    ),
    "a value has a name before it is used": (
        """
        def report(run):
            return render(read(run), width=80)
        """,
        """
        def report(run):
            rows = read(run)
            return render(rows, width=80)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAME.values(), ids=SAME)
def test_renamed_and_unfolded_code_is_the_same(before: str, after: str) -> None:
    assert _form(before) == _form(after)


DIFFERENT = {
    "a parameter of a public function has another name": (
        "def ends(spans): return spans",
        "def ends(times): return times",
    ),
    "two locals change places": (
        "def f(a):\n    x = a.x()\n    y = a.y()\n    return g(x, y)",
        "def f(a):\n    x = a.x()\n    y = a.y()\n    return g(y, x)",
    ),
    "two calls with effects change places": (
        "def f(a):\n    x = a.x()\n    return g(a.y(), x)",
        "def f(a):\n    return g(a.x(), a.y())",
    ),
    "a limit differs": ("def f(a): return a > 1", "def f(a): return a >= 1"),
    "a global is read in place of a local": (
        "LIMIT = 1\ndef f(a):\n    size = 2\n    return a < size",
        "LIMIT = 1\ndef f(a):\n    size = 2\n    return a < LIMIT",
    ),
    "a loop that adds reads what it made": (
        (
            "def f(a):\n    x = []\n    for n in a:\n        x.append(len(x))\n   "
            " return x"
        ),
        "def f(a):\n    x = []\n    return [len(x) for n in a]",
    ),
    "a loop's name lives on after it": (
        "def f(a):\n    x = []\n    for n in a:\n        x.append(n)\n    return x, n",
        "def f(a):\n    x = [n for n in a]\n    return x, n",
    ),
    "a default differs": ("def f(*, n=1): return n", "def f(*, n=2): return n"),
    "a keyword of a call differs": (
        "def f(a): return g(x=a)",
        "def f(a): return g(y=a)",
    ),
    "a decorator is gone": ("@cache\ndef f(): return 1", "def f(): return 1"),
    "a message differs": ("def f(): raise E('no')", "def f(): raise E('yes')"),
    "a field of a class is gone": (
        "class A:\n    x: int\n    y: int",
        "class A:\n    x: int",
    ),
}


@pytest.mark.parametrize(("before", "after"), DIFFERENT.values(), ids=DIFFERENT)
def test_another_program_has_another_form(before: str, after: str) -> None:
    assert _form(before) != _form(after)
