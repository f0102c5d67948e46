"""A package that is imported when it is used, and no sooner."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from extractors.on_use import on_use


@pytest.fixture(autouse=True)
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a slow package with a part, and another one that imports it."""
    slow = tmp_path / "slow_package"
    slow.mkdir()
    (slow / "__init__.py").write_text("WORD = 'used'\n")
    (slow / "part.py").write_text("WORD = 'of a part'\n")
    user = "import slow_package\n\ndef word():\n    return slow_package.WORD\n"
    (tmp_path / "user_of_slow.py").write_text(user)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("slow_package", "slow_package.part", "user_of_slow"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_package_is_imported_when_its_user_asks_for_something_of_it() -> None:
    with on_use("slow_package"):
        import user_of_slow  # type: ignore[import-not-found]
    assert "slow_package" not in sys.modules
    assert user_of_slow.word() == user_of_slow.word() == "used"
    assert sys.modules["slow_package"].WORD == "used"


def test_package_used_in_the_block_is_the_real_one_from_then_on() -> None:
    with on_use("slow_package"):
        import user_of_slow

        assert user_of_slow.word() == "used"
        from slow_package.part import WORD  # type: ignore[import-not-found]
    assert WORD == "of a part"
    assert sys.modules["slow_package"].__file__


def test_part_of_the_package_can_be_imported_in_the_block() -> None:
    with on_use("slow_package"):
        from slow_package.part import WORD
    assert WORD == "of a part"


def test_package_that_is_imported_already_stays_as_it_is() -> None:
    import slow_package  # type: ignore[import-not-found]

    with on_use("slow_package"):
        assert sys.modules["slow_package"] is slow_package
    assert sys.modules["slow_package"] is slow_package


def test_other_packages_find_it_in_the_block_without_its_import() -> None:
    with on_use("slow_package"):
        assert find_spec("slow_package") is not None
        import user_of_slow
    assert "slow_package" not in sys.modules
    assert user_of_slow.word() == "used"


def test_missing_package_is_missed_as_always() -> None:
    with on_use("no_such_package"):
        assert find_spec("no_such_package") is None
        with pytest.raises(ModuleNotFoundError, match="no_such_package"):
            import no_such_package  # type: ignore[import-not-found]  # noqa: F401
