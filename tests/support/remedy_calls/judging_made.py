"""Remedies for judges that cannot be made: plug-ins, engines, rewards and scorers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from tests.support.audio_cases import case as sound_case
from tests.support.audio_cases import with_texts
from tests.support.cases import blueprint
from tests.support.cases import case as text_case
from tests.support.cli import code_and_words
from tests.support.datasets_made import write_lines
from tests.support.engines import stand_in
from tests.support.llm_judges import judged, unasked
from tests.support.openai_faults import OK
from tests.support.rated_sound import clip
from tests.support.remedy_calls.judging_replies import named_in, setting
from tests.support.remedy_calls.judging_sound import refused_of
from tests.support.servers import Answer, Server
from trace_eval.data.items import Single
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.ask.batch import check_batches
from trace_eval.judges.ask.engine_faults import why_ended
from trace_eval.judges.ask.engines import ENGINES, Start, arguments
from trace_eval.judges.base import Case
from trace_eval.judges.combine.panel import Panel
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge, create_scorers
from trace_eval.judges.reward.judge import ReplyJudge, RewardRater
from trace_eval.judges.scorer import checkpoint
from trace_eval.judges.scorer.clamp import _unseen
from trace_eval.judges.scorer.data import read_ratings, train_and_dev
from trace_eval.judges.scorer.options import TrainOptions
from trace_eval.judges.scorer.train import _claim
from trace_eval.runs.pipeline import decode_recording

#: A plug-in with a judge of pairs, and one of single answers.
PLUG_IN = """
from trace_eval.judges.lexical.judge import LexicalJudge
from trace_eval.judges.rules.judge import RulesJudge


def pairs(argument, options):
    return RulesJudge()


def answers(argument, options):
    from trace_eval.data.rubrics.load import load_rubric
    return LexicalJudge(load_rubric("correctness"))
"""


@contextmanager
def _environment(**variables: str | None) -> Iterator[None]:
    """Set variables of the environment, or unset them, for a block."""
    before = {name: os.environ.get(name) for name in variables}
    try:
        _set(variables)
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _typed(command: str, *more: object) -> tuple[int, str]:
    return code_and_words(*shlex.split(command), *more)


def judges_of_packages() -> str:
    """Use judges of a package that take no argument, or judge other items."""
    site = Path("site").absolute()
    write_lines(site / "mine-1.dist-info" / "METADATA", [])
    folder = site / "mine-1.dist-info"
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    points = (
        "[trace_eval.judges]\nof_pairs = of_mine:pairs\nof_answers = of_mine:answers\n"
    )
    (folder / "entry_points.txt").write_text(points)
    (site / "of_mine.py").write_text(PLUG_IN)
    sys.path.insert(0, str(site))
    try:
        argued = refused_of(create_judge, "of_pairs:x")
        spec = named_in(argued, r"use --judge (\w+)\.")
        assert create_judge(spec).spec == "rules"
        single = refused_of(create_judge, "of_answers")
        command = named_in(single, r"use trace-eval (\w+)")
        pairs = f"{command} answers.jsonl --judge of_answers --rubric correctness"
        code, said = _typed(f"{pairs} --out of-answers")
        assert (code, "3 of 3 items scored" in said) == (0, True), said
        code, wrong = _typed("rate answers.jsonl --judge of_pairs --rubric correctness")
        assert code == 2, wrong
        command = named_in(wrong, r"or use trace-eval (\w+)")
        code, said = _typed(f"{command} j.csv --judge of_pairs")
        assert (code, "of_pairs" in said) == (2, False), "the judge is none's fault"
    finally:
        sys.path.remove(str(site))
        sys.modules.pop("of_mine", None)
    return f"{argued} {single} {wrong}"


def judges_of_ours() -> str:
    """Name a judge with an argument, twice, and without its package."""
    argued = refused_of(create_judge, "rules:x")
    assert create_judge(named_in(argued, r"use --judge (\w+)")).spec == "rules"
    rubric = load_rubric("correctness")
    twice = [create_scorers("openai:m", [rubric], unasked())[0] for _ in range(2)]
    named = refused_of(Panel, twice)
    option = named_in(named, r"use (--\w+)")
    typed = "rate answers.jsonl --rubric correctness --judge openai:m --estimate"
    code, said = _typed(f"{typed} --base-url http://127.0.0.1:9/v1 {option} 2")
    assert (code, "6 calls to make" in said) == (0, True), said
    package = "openai"
    there = sys.modules[package]
    sys.modules[package] = None  # type: ignore[assignment] # as if it were not there
    try:
        lacking = refused_of(create_judge, "openai:m", unasked())
    finally:
        sys.modules[package] = there
    assert named_in(lacking, r"run: pip install (\w+)$") == package
    assert create_judge("openai:m", unasked()).spec == "openai:m"
    return f"{argued} {named} {lacking}"


def proxies() -> str:
    """Unset a proxy whose package is missing: the judge is made."""
    others = dict.fromkeys(("all_proxy", "HTTP_PROXY", "http_proxy"))
    with _environment(ALL_PROXY="socks5://127.0.0.1:9", **others):
        message = refused_of(create_judge, "openai:m", unasked())
        assert named_in(message, r"pip install (\w+)") == "socksio"
        with _environment(**setting(named_in(message, r"unset (\w+)"), None)):
            assert create_judge("openai:m", unasked()).spec == "openai:m"
    return message


def judges_that_the_doctor_asks() -> str:
    """Leave out the probe of a judge that reads; give a slow server its time."""

    def answer(_: Any) -> Answer:
        return replace(OK, sleep=0.1)

    with Server(answer) as server:
        typed = f"doctor --judge openai:m --base-url {server.url}/v1"
        code, said = _typed(f"{typed} --probe")
        assert code == 1, said
        option = named_in(said, r"leave out (--probe)")
        assert option not in typed
        code, slow = _typed(f"{typed} -J timeout_s=0.02")
        option = named_in(slow, r"raise -J (\w+)")
        code, enough = _typed(f"{typed} -J {option}=20")
        assert "no answer in" not in enough
        assert "answers; model" in enough
    return f"{said} {slow}"


def engines_and_their_arguments() -> str:
    """Leave out an argument that is refused, or set the option that stands for it."""
    vllm = ENGINES["vllm"]
    unknown = refused_of(arguments, vllm, "--dtype half --hos 0.0.0.0")
    assert arguments(vllm, "--dtype half") == ("--dtype", "half")
    for name in named_in(unknown, r"can be added: ([^)]+)\)").split(", "):
        assert arguments(vllm, f"{name} 1") == (name, "1")
    ours = refused_of(arguments, vllm, "--max-model-len 999")
    option = named_in(ours, r"use -J (\w+)")
    context = getattr(JudgeOptions(**setting(option, 999)), option)
    command = vllm.command(
        Start("m", "m", "", key="", port=1, slots=1, context=context)
    )
    assert "--max-model-len 999" in " ".join(command)
    memory = why_ended("vLLM", "m", 1, ["CUDA out of memory"])
    assert named_in(memory, r"lower -J (\w+)") == option
    code = why_ended("vLLM", "m", 1, ["pass trust_remote_code=True"])
    unread = why_ended("vLLM", "m", 2, ["error: unrecognized arguments: --dtyp"])
    option = named_in(unread, r"check -J (\w+)")
    assert (
        getattr(JudgeOptions(**setting(option, "--dtype half")), option)
        == "--dtype half"
    )
    kind, option = re.findall(r"judge with (\w+):MODEL -J (\w+)=URL", code)[0]
    assert kind in unknown, "and it may be served by hand"
    with Server(lambda _: OK) as server:
        chosen = JudgeOptions(**setting(option, f"{server.url}/v1"), swap="off")
        (by_hand,) = judged(create_judge(f"{kind}:m", chosen), [text_case()])
    assert by_hand.status == "scored"
    return f"{unknown} {ours} {memory} {code} {unread}"


def engines_that_are_missing_or_slow() -> str:
    """Install an engine, which is then found, and give it its time."""
    lacking = [refused_of(create_judge, f"{kind}:m") for kind in ("vllm", "sglang")]
    for message, kind in zip(lacking, ("vllm", "sglang"), strict=True):
        assert named_in(message, r"pip install (\w+)$") == kind
        place = stand_in(kind, Path())
    path = f"{place.absolute()}{os.pathsep}{os.environ['PATH']}"
    log = str(Path("engine.log").absolute())
    with _environment(PATH=path, STAND_IN_LOG=log, STAND_IN="slow"):
        for kind in ("vllm", "sglang"):
            assert create_judge(f"{kind}:m").spec == f"{kind}:m"
        typed = "rate answers.jsonl --judge vllm:m --rubric correctness --out served"
        code, batched = _typed(f"{typed} --batch-file b.jsonl")
        assert code == 2, batched
        assert not Path(log).exists(), "no model is loaded for that"
        option = named_in(batched, r"judge without (--batch-file)")
        assert option not in typed
        code, slow = _typed(f"{typed} -J start_s=0.3")
        assert code == 2, slow
        option = named_in(slow, r"raise -J (\w+)")
        with _environment(STAND_IN=""):
            code, said = _typed(f"{typed} -J {option}=60")
        assert (code, "3 of 3 items scored" in said) == (0, True), said
    return f"{' '.join(lacking)} {batched} {slow}"


def models_that_have_no_batch() -> str:
    """Ask a model that listens without a batch, which it has not."""
    with _environment(OPENAI_API_KEY="sk-test"):
        judge: Any = create_judge(
            "audio:openai:gpt-audio-1.5", JudgeOptions(task="s2s")
        )
        message = refused_of(check_batches, [judge])
        named_in(message, r"judge without (--batch-file)")
        assert len(judge.calls(sound_case(Path("sound").absolute()))) == 2
    return message


class _Reply(NamedTuple):
    """A reply of a model in this process."""

    text: str
    tokens: int
    cut: bool


class _Replies(ReplyJudge):
    """Judges by replies that are written here; the model needs torch."""

    def _generate(self, requests: Any) -> list[Any]:
        cut = (self.options.max_tokens or 0) < 100
        text = "Output A: 9, Output B: 7"
        return [([_Reply(text[:9] if cut else text, 9, cut)], 50) for _ in requests]


class _Rewards(RewardRater):
    """Rates by rewards that are written here; the model needs torch."""

    def _score(self, requests: Any) -> list[float]:
        return [0.5 for _ in requests]


def _rated(item: Single, options: JudgeOptions, heard: Mapping[str, Any] = {}) -> Any:
    files: Any = SimpleNamespace(sha256="0" * 64)
    rater = _Rewards("reward:x", files, options, "")
    rater.rubric = load_rubric("naturalness")
    return asyncio.run(rater.judge(Case(item, heard, decode_recording)))


def rewards() -> str:
    """Give replies room for their end, and answers a text."""
    folder = Path("rewards").absolute()
    files: Any = SimpleNamespace(sha256="0" * 64)
    asked = with_texts(sound_case(folder, spoken=False))
    options = JudgeOptions(max_tokens=32, structure="text", repair=False)
    (cut,) = judged(_Replies("reward:x", files, options, "text"), [asked])
    option = named_in(cut.detail, r"raise -J (\w+)")
    longer = replace(options, **setting(option, 400))
    (whole,) = judged(_Replies("reward:x", files, longer, "text"), [asked])
    assert (cut.status, whole.status) == ("unscored", "scored"), whole.detail
    item = clip(folder)
    plain = JudgeOptions()
    lacking = _rated(item, plain)
    given = item.model_copy(update={"reference": ("Hello.",)})
    assert _rated(given, plain).value == 0.5
    name, value = re.findall(r"use -J (\w+)=(\w+)", str(lacking.detail))[0]
    heard = {"answer": blueprint()}  # with the words that a recogniser heard
    assert _rated(item, replace(plain, **setting(name, value)), heard).value == 0.5
    return f"{cut.detail} {lacking.detail}"


def bases_of_scorers() -> str:
    """Name an adapter's base, which must be the one that it was trained on."""
    folder = Path("released").absolute()
    lm = folder / "model" / "lm"
    for place in (lm, folder / "tokenizer", folder / "base"):
        place.mkdir(parents=True)
    (folder / "model" / checkpoint.RELEASED_FILE).write_text("score_type: beta\n")
    (folder / "model" / checkpoint.RELEASED_HEAD).write_bytes(b"head")
    config = json.dumps({"base_model_name_or_path": "nobody/nothing"})
    (lm / "adapter_config.json").write_text(config)
    (folder / "base" / "config.json").write_text("{}")
    missing = refused_of(checkpoint.locate, folder)
    option = named_in(missing, r"-J (\w+)=PATH")
    chosen = JudgeOptions(**setting(option, str(folder / "base")))
    files = checkpoint.locate(folder, chosen.base)
    assert files.base == folder / "base"
    record = files.record.model_copy(update={"base_sha256": "f" * 64, "base": "theirs"})
    changed = refused_of(checkpoint.check_files, replace(files, record=record))
    assert named_in(changed, r"-J (\w+)$|-J (\w+)=PATH") or "-J base=PATH" in changed
    own = checkpoint.model_sha256(files.base)
    record = files.record.model_copy(update={"base_sha256": own})
    checkpoint.check_files(replace(files, record=record))
    return f"{missing} {changed}"


def trainings_of_scorers() -> str:
    """Divide rows, choose another folder, and give ratings that were not learned."""

    def row(number: int, split: str | None = None) -> dict[str, Any]:
        words = {
            "question": f"What {number}?",
            "reference": "a dog",
            "candidate": "a cat",
        }
        fields = {"id": f"r{number}", "question_id": f"q{number}", "rationale": ""}
        record = {
            **fields,
            **words,
            "transcription": "",
            "ratings": [4],
            "feedback": [None],
        }
        return record | ({"split": split} if split else {})

    ratings = read_ratings(write_lines(Path("few.jsonl"), [row(n) for n in range(4)]))
    few = refused_of(train_and_dev, ratings.rows, 0.0, 0)
    option = named_in(few, r"another --(dev-share)").replace("-", "_")
    assert hasattr(TrainOptions(base="x"), option)
    train, dev = train_and_dev(ratings.rows, 0.5, 0)
    assert len(train) + len(dev) == 4
    split = [row(n, "dev" if n else "train") for n in range(4)]
    named_in(few, r"a column (split)")
    given = read_ratings(write_lines(Path("split.jsonl"), split))
    assert [len(part) for part in train_and_dev(given.rows, 0.0, 0)] == [1, 3]
    learned = {"file_sha256": ratings.sha256, "dev_sha256": "d" * 64}
    used = refused_of(_unseen, ratings, learned, Path("few.jsonl"))
    named_in(used, r"the file of its (--dev)")
    assert len(_unseen(given, learned, Path("split.jsonl"))) == 3
    first, other = Path("scorer"), Path("scorer-2")
    data: dict[str, str | None] = {"file_sha256": ratings.sha256}
    _claim(first, TrainOptions(base="x"), data)
    taken = refused_of(_claim, first, TrainOptions(base="y"), data)
    (first / checkpoint.OWN_FILE).write_text("{}")
    finished = refused_of(_claim, first, TrainOptions(base="x"), data)
    for message in (taken, finished):
        named_in(message, r"choose another (--out)")
    _claim(other, TrainOptions(base="y"), data)
    return f"{few} {used} {taken} {finished}"


CALLS = (
    judges_of_packages,
    judges_of_ours,
    proxies,
    judges_that_the_doctor_asks,
    engines_and_their_arguments,
    engines_that_are_missing_or_slow,
    models_that_have_no_batch,
    rewards,
    bases_of_scorers,
    trainings_of_scorers,
)
