from __future__ import annotations

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from blueprints import UserError
from trace_eval.review.forms import COMMENT
from trace_eval.review.store import Store
from trace_eval.review.views import Remark


def test_two_raters_never_overwrite_each_other(tmp_path: Path) -> None:
    store = Store(tmp_path / "r.sqlite")
    ada, bob = store.start("ada", "p", 0, "ab"), store.start("bob", "p", 0, "ba")
    assert store.start("bob", "p", 0, "ab").shown == "ba"  # the recorded order stays
    assert store.answer(ada, "content.a", "yes", Remark("mine", on_item=True))
    assert store.answer(bob, "content.a", "no", Remark("his", on_item=True))
    assert store.answers(ada) == {"content.a": "yes"}
    assert store.answers(bob) == {"content.a": "no"}
    again = store.start("ada", "p", 1, "ba")
    assert store.answer(again, "content.a", "no")
    assert store.answers(ada) == {"content.a": "yes"}
    assert [view.comment for view in store.views()] == ["mine", "his", ""]


def test_many_threads_and_two_servers_lose_nothing(tmp_path: Path) -> None:
    stores = [Store(tmp_path / "r.sqlite") for _ in range(2)]

    def rate(number: int) -> bool:
        store = stores[number % 2]
        view = store.start(f"r{number % 5}", f"p{number}", 0, "ab")
        done = store.answer(view, "content.a", "yes")
        return done and store.answer(view, COMMENT, "", end="hidden")

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(rate, range(60)))
    found = Store(tmp_path / "r.sqlite")
    assert len(found.views()) == 60
    assert len(found.stored()) == 120


def test_the_file_is_private_in_wal_mode_and_keeps_its_secret(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    store = Store(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    secret = store.secret
    store.close()
    assert Store(path).secret == secret
    assert sqlite3.connect(path).execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_other_files_and_versions_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, but long enough to be looked at " * 30)
    with pytest.raises(UserError, match="not usable as a review database"):
        Store(text)
    path = tmp_path / "r.sqlite"
    Store(path).set_meta("schema", "99")
    with pytest.raises(UserError, match="version 99, this is 2"):
        Store(path)


def test_an_answer_is_replaced_by_undo_alone_and_one_by_one(tmp_path: Path) -> None:
    store = Store(tmp_path / "r.sqlite", "style")
    view = store.start("ada", "i", 0, "ab")
    for turn in (1, 2):
        assert store.answer(view, f"style.{turn}", "4.0", Remark(f"turn {turn}", ["e"]))
    assert not store.answer(view, "style.2", "5.0")
    assert store.undo("ada")
    assert store.answers(view) == {"style.1": "4.0"}
    assert store.answer(view, "style.2", "2.0", end="hidden")
    assert [(a.step, a.comment, a.set_aside) for a in store.stored(all_=True)] == [
        ("style.1", "turn 1", None),
        ("style.2", "turn 2", "undone"),
        ("style.2", "", None),
    ]
    assert store.set_aside("i", "corrected") == 2
    assert store.answers(view) == {}
    assert [view.finished for view in store.views()] == [None]
