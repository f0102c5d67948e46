"""Remedies of benchmarks, decisions and turns, followed on files made here."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from blueprints import GROUPS, UserError
from tests.support import calls
from tests.support import datasets_made as made
from tests.support.audio_cases import pair as tones
from tests.support.cli import code_and_words
from tests.support.datasets_made import write_lines
from tests.support.judged import extracted_run, judged_run
from trace_eval.conversations.corrected import set_event
from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.data.conversation import Conversation
from trace_eval.data.corrections import EventCorrection
from trace_eval.decide.rank import rank
from trace_eval.stats.options import RankOptions


def follow(
    typed: str, printed: str, then: str, *, code: int = 0, says: str = ""
) -> str:
    """Type a command, then what its message says, and return the message.

    Args:
        printed: pattern of the remedy in the message.
        then: what is typed next, with the groups of ``printed`` in its holes.
        code, says: how that ends, and words of what it prints.
    """
    _, said = code_and_words(*shlex.split(typed))
    follow_what(said, printed, then, code=code, says=says)
    return said


def follow_what(
    said: str, printed: str, then: str, *, code: int = 0, says: str = ""
) -> None:
    """Type what a message says; as :func:`follow`, of a message that is there."""
    found = re.search(printed, said)
    assert found, f"{printed} is not in {said[-800:]}"
    again = then.format(*found.groups())
    ended, shown = code_and_words(*shlex.split(again))
    assert (ended, says in shown) == (code, True), f"{again}: {ended}, {shown[-800:]}"


def prompts_of_benchmarks() -> str:
    """Name the set whose question the authors' prompt replaces, or leave it out."""
    made.voicebench(Path("voicebench"))
    made.orca(Path("orca"))
    Path("p.txt").write_text("Is it right?")
    Path("empty.txt").write_text("")
    benchmark = "convert voicebench voicebench"
    one_set = f"{benchmark} q1 --set"
    rubric = "rubric voicebench-harm"
    return " ".join(
        (
            follow(
                f"{benchmark} q0 --prompt p.txt",
                r"choose one with (--set) \(here: (\w+) asks",
                f"{benchmark} q0 --prompt p.txt {{}} {{}}",
                says=rubric,
            ),
            follow(
                f"{one_set} mmsu --prompt p.txt",
                r"choose one with (--set) \(here: none",
                f"{benchmark} q1 --prompt p.txt {{}} advbench",
                says=rubric,
            ),
            follow(
                "convert orca orca q2 --prompt p.txt",
                "leave it out",
                "convert orca orca q2",
                says="2 answers",
            ),
            follow(
                f"{one_set} advbench --prompt none.txt",
                "give a text file",
                f"{one_set} advbench --prompt p.txt",
                says=rubric,
            ),
            follow(
                f"{one_set} advbench --prompt empty.txt",
                r"a text of (1) to \d+$",
                f"{one_set} advbench --prompt p.txt",
                says=rubric,
            ),
        )
    )


def parts_of_benchmarks() -> str:
    """Choose a system or set that is not there, then one that the message names."""
    said = []
    made.orca(Path("orca"))
    for name in ("vocalbench", "emergent-tts", "mtalk-bench", "vstyle", "voicebench"):
        made.MADE[name](Path(name))
        for option in ("--system", "--set"):
            message = follow(
                f"convert {name} {name} of-{name} {option} zed",
                r"no such (?:system|set); use (?:\S+composite_properties, )?([^ ,]+)",
                f"convert {name} {name} of-{name} {option} {{}}",
                says="of the authors' rule",
            )
            said.append(message)
    said.append(
        follow(
            "convert voicebench voicebench q5 --set mtbench",
            r"nothing of it is here; use (\w+)",
            "convert voicebench voicebench q5 --set {}",
            says="of the authors' rule",
        )
    )
    said.append(
        follow(
            "convert orca orca q3 --system zed",
            "leave it out",
            "convert orca orca q3",
            says="2 answers",
        )
    )
    said.append(
        follow(
            "convert orca orca q4",
            r"rate them with (--rubric \w+)",
            "rate q4/items.jsonl --judge lexical --out q4/run {}",
            says="2 of 2 items scored",
        )
    )
    return " ".join(said)


def lists_of_authors() -> str:
    """Name a folder that is no checkout, and a commit whose tests are others."""
    made.voicebench(Path("runs"))
    code = Path("clone")
    code.mkdir()
    (code / "mcq.py").write_text("LISTED = ['is [CHOICE]']\n")
    (code / "harm.py").write_text("LISTED = ['Sure']\n")
    step = "def extract_answer_yn(self, r):\n    if 'yes' in r:\n        return 1\n"
    steps = (
        f"{step}def extract_answer_navigate(self, r):\n    if {{}}:\n        return 0\n"
    )
    (code / "bbh.py").write_text(steps.format("r == 'hm'"))
    read = "convert voicebench runs of-lists --lists"
    missing = follow(
        f"{read} runs", "name a checkout", f"{read} clone", says="bbh, phrases"
    )
    (code / "bbh.py").write_text(steps.format("len(r) > 3"))
    unread = follow(
        f"{read} clone",
        "leave out --lists, or name the commit",
        "convert voicebench runs of-lists",
        says="bbh, own",
    )
    return f"{missing} {unread}"


def labels_that_are_missing() -> str:
    """Give labels to an ablation and to probabilities."""
    run = extracted_run(Path("unlabelled"))
    path = run.path("pairs.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        del row["labels"]
    write_lines(path, rows)
    Path("four.csv").write_text(
        "id,overall\n" + "".join(f"{n},tie\n" for n in range(4))
    )
    ablate = "ablate unlabelled --without pitch"
    ablated = follow(
        ablate,
        r"with (--labels)",
        f"{ablate} {{}} four.csv",
        says="these 4 labelled pairs",
    )
    judged_run(Path("fused"), dict.fromkeys(map(str, range(4)), "1"))
    fused = follow(
        "fuse fused --calibrated --policy content_first",
        r"with (--labels)$",
        "agree fused {} four.csv",
        says="4 pairs",
    )
    return f"{ablated} {fused}"


def what_a_card_does_not_know() -> str:
    """Give a card what it lacks: labels, and probes of its judge."""
    folder = Path("carded").absolute()
    pairs = folder / "pairs.jsonl"
    asked = tones(folder, "q0", spoken=False)
    pairs.write_text(asked.model_dump_json(exclude_none=True) + "\n")
    groups = (group for group in GROUPS if group != "signal")
    fast = " ".join(f"-x {group}=none" for group in groups)
    fast += " --workers 0 --cache carded/cache"
    code, said = code_and_words(*f"judge {pairs} --out carded/run {fast}".split())
    assert code == 0, said
    code_and_words("card", "carded/run")
    card = " ".join(Path("carded/run/card.md").read_text().split())
    labels = re.findall(r"there are no labels; give some with (--\w+)", card)
    probe = re.findall(
        r"run trace-eval (.*) (PAIRS) (--out) DIR (--judge \w+), then", card
    )
    (command, _, out, judge) = probe[0]
    follow_what(
        card,
        r"then this with (--probes) DIR",
        f"{command} {pairs} {out} carded/probes {judge} {fast}",
        says="1 pair, changed",
    )
    typed = f"card carded/run --probes carded/probes {labels[0]} labels.csv"
    code, said = code_and_words(*typed.split())
    assert code == 0, said
    known = Path("carded/run/card.md").read_text()
    assert "identical | a tie between a recording and itself | 1 | 1 |" in known
    assert "there are no labels" not in known
    assert "sanity probes: run" not in known
    return card


def labels_to_plan_and_screen() -> str:
    """Screen a judge's file with its certainty by what raters said of its pairs."""
    pairs = range(100)
    rows = (f"p{n},{1 + n % 2},{n / 100},new,old\n" for n in pairs)
    Path("sure.csv").write_text(
        "id,overall,confidence,system_a,system_b\n" + "".join(rows)
    )
    both = (f"p{n},ann,{1 + n % 2}\np{n},bob,{1 + n // 2 % 2}\n" for n in pairs)
    Path("raters.csv").write_text("id,rater,overall\n" + "".join(both))
    few = (f"p{n},{1 + n % 2 if n % 10 else 2 - n % 2},0.5\n" for n in pairs[::2])
    Path("drawn.csv").write_text("id,overall,inclusion\n" + "".join(few))
    Path("part.csv").write_text(
        "id,overall\n" + "".join(f"p{n},{1 + n % 2}\n" for n in pairs[::2])
    )
    chance = (f"p{n},{1 + n // 2 % 2}\n" for n in pairs)
    Path("chance.csv").write_text("id,overall\n" + "".join(chance))
    screen = "screen sure.csv --labels"
    everything = "100 pairs (100% of the scored ones) may be decided"
    split = follow(
        f"{screen} raters.csv",
        r"or (--leave-out) RATER",
        f"{screen} raters.csv {{}} bob",
        says=everything,
    )
    follow_what(
        split,
        r"At (--agree) ([\d.]+) the judge could decide 100 pairs",
        f"{screen} raters.csv {{}} {{}}",
        says=everything,
    )
    said = [
        split,
        follow(
            f"{screen} chance.csv",
            r"A lower (--agree) is no help: not even (\d+)%",
            f"{screen} chance.csv {{}} 0.{{}}",
            says="None:",
        ),
        follow(
            f"{screen} part.csv",
            r"or pass (--as-sampled)",
            f"{screen} part.csv {{}}",
            says=everything,
        ),
        follow(
            f"{screen} part.csv --by zed",
            r"there is (\w+)",
            f"{screen} part.csv --as-sampled --by {{}}",
            says="may be decided",
        ),
        follow(
            "screen run --labels labels.csv --by zed",
            "leave (--by) out",
            "screen run --labels labels.csv",
            says="None:",
        ),
        follow(
            "plan run",
            r"once some pairs are labelled, (--width)",
            "plan run --labels few.csv {} 0.4",
            says="not 0.4",
        ),
    ]
    return " ".join(said)


def probabilities_of_a_plan() -> str:
    """Rank by labels that have the probabilities of their plan."""
    typed = "plan sure.csv --labels drawn.csv --width 0.2"
    code, said = code_and_words(*typed.split(), "--json", "plan.json")
    assert code == 0, said
    assert "give all of them those of --json" in said
    plan = json.loads(Path("plan.json").read_text())
    rows = [line.split(",") for line in Path("drawn.csv").read_text().splitlines()[1:]]
    labels = {row[0]: row[1] for row in rows} | dict.fromkeys(plan["pairs"], "1")
    shares = plan["inclusion"]
    assert shares.keys() == labels.keys(), "of the old and the new labels"
    text = (f"{name},{label},{shares[name]}\n" for name, label in labels.items())
    Path("planned.csv").write_text("id,overall,inclusion\n" + "".join(text))
    code, ranked = code_and_words("rank", "sure.csv", "--labels", "planned.csv")
    assert code == 0, ranked
    assert f"{len(labels)} pairs that annotators labelled" in ranked
    return said


def orders_of_ranks() -> str:
    """Rank from Python, where no command line checks the names."""
    run = judged_run(Path("ordered"), dict.fromkeys(("a", "b", "c"), "1"))
    try:
        rank(run, options=RankOptions(orders="zed"))  # type: ignore[arg-type]
    except UserError as error:
        message = str(error)
    names: list[Any] = re.findall(r"use (\w+) or (\w+)", message)
    reconciled, separate = names[0]
    assert rank(run, options=RankOptions(orders=reconciled)).systems
    with pytest.raises(UserError, match="needs both orders of a run's calls"):
        rank(run, options=RankOptions(orders=separate))  # this run has one
    return message


def limits_of_turns() -> str:
    """Write limits as the message shows them; a sign needs another system."""
    _calls("ours", calls.TURNS)
    _calls("theirs", calls.QUICK)
    turns = "turns ours/items.jsonl"
    written = follow(
        f"{turns} --fail-over x",
        r"e\.g\. (\w+=[\d.]+), or (\w+=\+[\d.]+)",
        f"{turns} --fail-over {{}} --fail-over {{}} --against theirs/items.jsonl",
        code=1,
        says="response_p95_s",
    )
    signed = f"{turns} --fail-over response_p90_s=+0.2"
    against = follow(
        signed,
        r"by (--against)",
        f"{signed} {{}} theirs/items.jsonl",
        says="scenario",
    )
    unsigned = follow(signed, "leave out the sign", signed.replace("+", ""), code=1)
    return f"{written} {against} {unsigned}"


def _calls(folder: str, turns: Any) -> None:
    Path(folder).mkdir(exist_ok=True)
    call = calls.conversation(None, turns)
    calls.manifest(Path(folder), [{"id": "c0", "conversation": call}])


def corrections_of_turns() -> str:
    """Correct no event, and events of another set of definitions."""
    _calls("ours", calls.TURNS)
    call = Conversation.model_validate(calls.conversation(None))
    events = TRACE_EVAL.measure(call).events
    event = set_event(next(one for one in events if one.kind == "response"))
    one = EventCorrection(
        item="c0",
        definitions=TRACE_EVAL.name,
        before=event,
        after=None,
        who="ada",
        when="2026-01-01",
    )
    Path("fixes.jsonl").write_text("")
    typed = "turns ours/items.jsonl --corrections fixes.jsonl"
    _, empty = code_and_words(*typed.split())
    assert re.search(r"correct some with trace-eval review RUN", empty), empty
    Path("fixes.jsonl").write_text(one.model_dump_json() + "\n")
    other = follow(
        f"{typed} --definitions eva/2026-08",
        r"measure with (--definitions \S+)",
        f"{typed} {{}}",
        says="as corrected",
    )
    return f"{empty} {other}"


CALLS = (
    prompts_of_benchmarks,
    parts_of_benchmarks,
    lists_of_authors,
    labels_that_are_missing,
    what_a_card_does_not_know,
    labels_to_plan_and_screen,
    probabilities_of_a_plan,
    orders_of_ranks,
    limits_of_turns,
    corrections_of_turns,
)
