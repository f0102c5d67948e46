"""The reply cache: what it finds again, and what it survives."""

import stat
from pathlib import Path

import pytest

from blueprints import UserError
from trace_eval.judges.ask.replies import ReplyCache, StoredReply, reply_key

ASKED = {
    "messages": [{"role": "user", "content": "x"}],
    "seed": 0,
    "temperature": 0.0,
    "sample": 0,
}


def test_a_reply_is_found_again_by_another_process(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "replies.sqlite"
    reply = StoredReply(text="{}", repaired=True, input_tokens=5, output_tokens=None)
    one, two = ReplyCache(path), ReplyCache(path)
    one.put("k", reply)
    assert two.get("k") == reply
    assert two.get("other") is None
    one.close()
    two.close()
    again = ReplyCache(path)
    assert again.get("k") == reply
    again.close()


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    ReplyCache(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"sample": 1},
        {"temperature": 0.7},
        {"messages": [{"role": "user", "content": "y"}]},
        {"messages": [{"role": "system", "content": "x"}]},
        {"schema": {}},
    ],
    ids=str,
)
def test_the_key_covers_what_decides_a_reply(change: dict[str, object]) -> None:
    assert reply_key("s", "m", {**ASKED, **change}) != reply_key("s", "m", ASKED)
    assert reply_key("t", "m", ASKED) != reply_key("s", "m", ASKED)
    assert reply_key("s", "n", ASKED) != reply_key("s", "m", ASKED)
    assert reply_key("s", "m", dict(reversed(ASKED.items()))) == reply_key(
        "s", "m", ASKED
    )


def test_a_file_that_is_no_database_is_a_user_error(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_text(
        "this is not a database, and it is long enough to be seen as none" * 20
    )
    with pytest.raises(UserError, match="delete it"):
        ReplyCache(path)


def test_a_damaged_entry_counts_as_absent(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    cache._db.execute("INSERT INTO replies VALUES ('k', '{broken')")
    assert cache.get("k") is None
    cache.put("k", StoredReply(text="x"))
    assert cache.get("k") == StoredReply(text="x")
    cache.close()


def test_a_changed_bit_is_never_believed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache, reply = (
        ReplyCache(tmp_path / "replies.sqlite"),
        StoredReply(text='{"score": 4}', seed=7),
    )
    cache.put("k", reply)
    (stored,) = cache._db.execute("SELECT reply FROM replies").fetchone()
    assert "score" in stored
    for place, character in enumerate(stored):
        flipped = stored[:place] + chr(ord(character) ^ 1) + stored[place + 1 :]
        cache._db.execute("UPDATE replies SET reply = ?", (flipped,))
        assert cache.get("k") is None, flipped
    cache._db.execute("INSERT INTO replies VALUES ('other', ?)", (stored,))
    assert cache.get("other") is None  # moved to another key
    cache.put("k", reply)
    assert cache.get("k") == reply
    assert not caplog.text
    cache.close()
    assert caplog.text.count("2 replies were damaged and not believed") == 1


def test_entries_of_older_versions_are_believed(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    cache._db.execute("INSERT INTO replies VALUES ('k', '{\"text\":\"x\"}')")
    assert cache.get("k") == StoredReply(text="x")
    cache.close()


def test_a_cache_that_cannot_be_written_costs_no_judgement(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    cache.close()
    cache.put("k", StoredReply(text="x"))
    assert cache.get("k") is None
    assert "reply cache" in caplog.text
