"""Remedies of reviews: what is reviewed, its plan, its file, and how it is served."""

from __future__ import annotations

import json
import shutil
import socket
import warnings
from pathlib import Path

from tests.support import reviewed
from tests.support.datasets_made import write_lines
from tests.support.judged import rated_run
from tests.support.remedy_calls.typed import ends, message_of, recorded, taken
from tests.support.sheets import write_sheet
from trace_eval.data.rubrics.load import protocol_path
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.protocol_files import TrapAnswer
from trace_eval.review.protocol_notes import _too_many
from trace_eval.review.server import ServeOptions, serve
from trace_eval.review.store import Store

_EXPORT = "--export labels_of_review"


def _pairs(folder: str, number: int = 4) -> Path:
    """Write a run of pairs with recordings; the judge prefers A everywhere."""
    return reviewed.write_run(Path(folder), reviewed.pairs(Path("tones"), number))


def _protocol(name: str, *lines: str) -> str:
    """Write a shipped protocol with more lines in its last table."""
    text = protocol_path("ab").read_text()
    write_sheet(Path(name), text.rstrip(), lines)
    return name


def recordings_that_are_elsewhere() -> str:
    """Name the folder of the recordings, of a run by its manifest."""
    manifest = recorded("moved")
    records = [json.loads(line) for line in Path(manifest).read_text().splitlines()]
    write_lines(Path("away.jsonl"), records)
    said = ends(2, f"review away.jsonl {_EXPORT}")
    root = taken("check (--audio-root)$", said)
    ends(0, f"review away.jsonl {root} moved {_EXPORT}")
    of_run = ends(2, f"review run {_EXPORT}")
    root = taken("or review its manifest with (--audio-root)", of_run)
    ignored = ends(2, f"review run {root} moved {_EXPORT}")
    root = taken("or review its manifest with (--audio-root)", ignored)
    ends(0, f"review away.jsonl {root} moved {_EXPORT}")
    of_recordings = "; check the path or --audio-root"  # which others follow
    return f"{said} {of_run} {ignored}".replace(of_recordings, "")


def what_single_answers_are_rated_by() -> str:
    """Name one of the rubrics of a run, or the rubric of a manifest."""
    rated_run(Path("by_two"), {f"i{n}": 1.0 + n for n in range(3)})
    path = Path("by_two/manifest.json")
    record = json.loads(path.read_text())
    record["rubrics"]["other"] = record["rubrics"]["correctness"] | {"name": "other"}
    path.write_text(json.dumps(record))
    said = ends(2, f"review by_two {_EXPORT}")
    rubric, option = taken(r"rated by (\w+),", said), taken("with (--rubric)", said)
    ends(0, f"review by_two {option} {rubric} {_EXPORT}")
    Path("notes.txt").write_text("x")
    other = ends(2, f"review notes.txt --rubric correctness {_EXPORT}")
    option = taken("a manifest of single answers with (--rubric)", other)
    ends(0, f"review answers.jsonl {option} correctness {_EXPORT}")
    return f"{said} {other}"


def a_manifest_of_a_name_that_is_taken() -> str:
    """Go on with the review of a manifest that was moved here."""
    for folder in ("first", "second"):
        recorded(folder)
    ends(0, f"review first/pairs.jsonl {_EXPORT}")
    shutil.rmtree("first")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        open_review(Path("second/pairs.jsonl"))
        said = str(caught[0].message)
        database = taken(r"go on with (--db \S+)", said)
        del caught[:]
        ends(0, f"review second/pairs.jsonl {database} {_EXPORT}")
        assert not caught
    recorded("first")
    return said


def a_review_that_was_planned_otherwise() -> str:
    """Begin another review beside one that has another plan or other pairs."""
    manifest = Path(recorded("planned", 4))
    asked = f"review {manifest} {_EXPORT}"
    ends(0, f"{asked} --budget 3")
    less = ends(2, f"{asked} --budget 2")
    seed = ends(2, f"{asked} --seed 7")
    pairs = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(pairs[:3]))
    gone = ends(2, asked)
    for number, (message, options) in enumerate(
        ((less, "--budget 2"), (seed, "--seed 7"), (gone, ""))
    ):
        another = taken("start another (?:one|review) with (--db)", message)
        ends(0, f"{asked} {options} {another} other{number}.sqlite")
    return f"{less} {seed} {gone}"


def a_protocol_that_changed() -> str:
    """Restore the file of a protocol, or begin another review."""
    run = _pairs("by_protocol")
    path = _protocol("mine.toml", 'training = ["p2"]')
    asked = f"review {run} --protocol {path} {_EXPORT}"
    ends(0, asked)
    whole = Path(path).read_text()
    _protocol(path)
    training = ends(2, asked)
    ends(0, f"{asked} {taken('another review with (--db)', training)} untrained.sqlite")
    Path(path).write_text(whole.replace("rather get", "rather have"))
    changed = ends(2, asked)
    ends(0, f"{asked} {taken('another review with (--db)', changed)} changed.sqlite")
    taken("restore that file", changed)
    Path(path).write_text(whole)
    ends(0, asked)
    return f"{training} {changed}"


def a_file_that_is_no_review() -> str:
    """Name another file where one is damaged or of another version."""
    run = _pairs("stored")
    Path("text.sqlite").write_text("not a database, but long enough to be seen " * 30)
    damaged = ends(3, f"review {run} --db text.sqlite {_EXPORT}")
    store = Store(Path("later.sqlite"))
    store.set_meta("schema", "99")
    store.close()
    later = ends(2, f"review {run} --db later.sqlite {_EXPORT}")
    for number, message in enumerate((damaged, later)):
        option = taken("name another file with (--db)", message)
        ends(0, f"review {run} {option} new{number}.sqlite {_EXPORT}")
    return f"{damaged} {later}"


def an_address_that_is_taken() -> str:
    """Serve at a free port, under a token of letters."""
    review = reviewed.open_at(_pairs("served"))
    with socket.create_server(("127.0.0.1", 0)) as taken_port:
        port = taken_port.getsockname()[1]
        said = message_of(lambda: serve(review, ServeOptions(port=port)))
    free = int(taken(r"or (0) for a free one", said))
    token = message_of(lambda: serve(review, ServeOptions(token="\u00fc", port=free)))
    taken("use letters and digits", token)
    served: list[str] = []

    def stop(address: str) -> None:
        served.append(address)
        raise KeyboardInterrupt

    try:
        serve(review, ServeOptions(token="abc1", port=free), ready=stop)
    except KeyboardInterrupt:
        assert "abc1" in served[0]
    return f"{said} {token}"


def a_rater_who_failed() -> str:
    """Leave a rater out who failed more traps than the protocol allows."""
    answers = [
        TrapAnswer(
            rater="ann",
            item=f"t{n}",
            trap="",
            system=None,
            expected="1",
            given="2",
            is_right=False,
        )
        for n in range(3)
    ]
    said = _too_many(answers, 0.15)
    where = taken("leave this rater out with (--where '.*')$", said)
    rows = "".join(
        f"q{n},{who},{1 + n % 2}\n" for n in range(12) for who in ("ann", "bo")
    )
    Path("with_ann.csv").write_text(f"id,rater,overall\n{rows}")
    assert "raters agree" in ends(0, "agree run --labels with_ann.csv")
    assert "raters agree" not in ends(0, f"agree run --labels with_ann.csv {where}")
    return said


def pairs_that_were_chosen() -> str:
    """Draw all pairs of a review at random."""
    run = _pairs("chosen", 12)
    labels = "id,overall,inclusion\n"
    labels += "".join(f"p{n},{1 + n % 2},{1 if n < 4 else 0.5}\n" for n in range(12))
    Path("chosen.csv").write_text(labels)
    said = ends(0, f"rank {run} --labels chosen.csv")
    share = taken("plan another review with (--random-share 1)", said)
    ends(0, f"review {run} {share} --db drawn.sqlite {_EXPORT}")
    review = open_review(run, {}, ReviewOptions(database=Path("drawn.sqlite")))
    assert review.plan.random_share == 1
    assert not review.plan.needed
    return said


#: What follows the remedies of these rooms.
CALLS = (
    recordings_that_are_elsewhere,
    what_single_answers_are_rated_by,
    a_manifest_of_a_name_that_is_taken,
    a_review_that_was_planned_otherwise,
    a_protocol_that_changed,
    a_file_that_is_no_review,
    an_address_that_is_taken,
    a_rater_who_failed,
    pairs_that_were_chosen,
)
