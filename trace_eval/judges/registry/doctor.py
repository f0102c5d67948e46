"""A judge before a run depends on it: its server by one tiny call, and its options."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from urllib.parse import urlsplit

from blueprints import Blueprint, JudgeError, Transcript, UserError, counted
from fusion import Rating
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.settings import help_of, sentence
from trace_eval.judges.ask.base import CallFailed, ChatClient, Request, Unusable
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.message import Message, Text, upper_tokens
from trace_eval.judges.ask.prices import is_local
from trace_eval.judges.ask.reply_length import object_schema
from trace_eval.judges.base import Case, Judge, judgement_of
from trace_eval.judges.options.judge_options import STATE, JudgeOptions
from trace_eval.judges.registry import spoken_numbers
from trace_eval.judges.registry.create import Check, create_judge, create_scorers
from trace_eval.judges.registry.kinds import KINDS

#: Rubrics to make a judge of single answers with, until one fits: of words, of sound,
#: of speech.
_RUBRICS = ("correctness", "style", "naturalness")

#: Tokens of a pair's part of the prompt that a model should have room for: two answers
#: of about two minutes with all groups.
ROOM_FOR_A_PAIR = 3_000


def _spoken(text: str) -> Blueprint:
    """Make an answer of these words."""
    return Blueprint(
        clip=hashlib.sha256(text.encode()).hexdigest(),
        transcript=Transcript(
            text=text, language="en", language_source="model", words=[]
        ),
    )


#: A right answer against a refusal: any judge should prefer the first one.
_EASY = Case.of(
    Pair(
        id="doctor",
        instruction=Instruction(
            text="What is the capital of France, and which river is it on?"
        ),
        a=Answer(audio=Path("doctor-a.wav")),
        b=Answer(audio=Path("doctor-b.wav")),
    ),
    _spoken(
        "The capital of France is Paris, and the river that runs through it is the"
        " Seine."
    ),
    _spoken("I am sorry, but I cannot help you with that."),
)

_SCHEMA = object_schema({"rating": {"type": "string", "enum": ["both_good"]}})

#: Requests something that the schema does not allow: only a server that enforces the
#: schema gives the one label.
_QUESTION = (
    Message("system", "You answer in one word, without JSON."),
    Message("user", "Say hello."),
)


async def doctor(
    spec: str, options: JudgeOptions | None = None, probe: bool = False
) -> list[Check]:
    """Check options, server, model, schema obedience and context of an LLM judge.

    Makes one call of a few tokens, and judges one easy pair as a run would; a judge
    that listens must name two spoken numbers instead, and ``probe`` makes six more
    calls that tell whether it hears. A fault is a check that is not ok, never an
    exception.
    """
    options = replace(
        options or JudgeOptions(), cache=None, max_cost=None, offline=False
    )
    kind = KINDS.get(spec.partition(":")[0])
    try:
        if kind and kind.scores and not kind.pairs:
            (judge,) = create_scorers(spec, [load_rubric(_RUBRICS[0])], options)
        else:
            judge = create_judge(spec, options)
    except UserError as error:
        return [Check("judge", False, str(error))]
    chat = judge if isinstance(judge, LLMJudge) else None
    if chat is None or chat.client.ordered:
        await judge.close()
        return [Check("judge", True, f"{spec} needs no server")]
    try:
        try:
            judge.load()
        except UserError as error:
            return [Check("judge", False, str(error))]
        checks = [Check("judge", True, f"{spec} at {chat.client.server}")]
        checks += key_check(chat.client)
        checks += await _server(chat, options)
        if all(check.ok for check in checks if check.name == "server"):
            if "blueprint" in judge.reads and "pair" in judge.accepts:
                checks += await _pair(judge)
            if "audio" in judge.reads:
                # A server may drop the sound and answer all the same.
                checks.append(await spoken_numbers.hearing(chat.client, options.seed))
        return checks + (await _probe(chat, options) if probe else [])
    finally:
        await judge.close()


async def _pair(judge: Judge) -> list[Check]:
    """Check that one easy pair, sent as a run would, fits and both orders agree."""
    started = time.monotonic()
    try:
        result = await judgement_of(judge, _EASY)
    except UserError as error:
        return [Check("pair", False, str(error))]
    seconds, calls = time.monotonic() - started, len(result.opinions)
    tokens = result.usage
    took = f"{counted(calls, 'call')}, {seconds / max(calls, 1):.1f} s each"
    if tokens and calls:
        took += (
            f", {tokens.input_tokens // calls} tokens in,"
            f" {tokens.output_tokens // calls} out"
        )
    if result.status != "scored":
        return [Check("pair", False, f"{result.reason}: {result.detail} ({took})")]
    content = result.dimensions["content"]
    checks = [Check("pair", True, f"judged, with reasons in words: {took}")]
    if result.consistent is not None:
        message = "both orders of an easy pair agree"
        if not result.consistent:
            message = (
                "contradict each other on an easy pair:"
                f" {', '.join(result.inconsistent)}"
            )
        checks.append(Check("orders", result.consistent, message))
    right = content.rating is Rating.A
    message = f"content of an answer against a refusal: {content.rating}, expected 1"
    checks.append(Check("verdict", right, message))
    return checks


async def _probe(judge: LLMJudge, options: JudgeOptions) -> list[Check]:
    if "audio" not in judge.reads:
        return [
            Check(
                "probe",
                False,
                f"{judge.spec} reads and does not listen; leave out --probe",
            )
        ]
    ends = await judge.client.shutdown_date()
    message = (
        f"the provider ends this model on {ends}" if ends else "the server names none"
    )
    checks = [Check("end of the model", ends is None, message)]
    async for check in spoken_numbers.probe(judge.client, options.seed):
        checks.append(check)
    return checks


def key_check(client: ChatClient) -> list[Check]:
    """Whether a key is set, and would travel safely; contacts nobody."""
    name = client.key_variable
    if name is None:
        return []
    there = bool(os.environ.get(name))
    parts = urlsplit(client.server)
    if there and parts.scheme == "http" and not is_local(client.server):
        message = f"{name} would travel in clear to {client.server}; use https"
        return [Check("key", False, message)]
    return [Check("key", True, f"{name} is {'set' if there else 'not set'}")]


async def _server(judge: LLMJudge, options: JudgeOptions) -> list[Check]:
    client = judge.client
    request = Request(
        messages=_question(judge),
        schema=_SCHEMA,
        seed=options.seed,
        temperature=0.0,
        max_tokens=64,
    )
    try:
        async with asyncio.timeout(options.timeout_s):
            reply = await client.chat(request)
    except TimeoutError:
        return [
            Check(
                "server",
                False,
                f"no answer in {options.timeout_s:g} s; raise -J timeout_s",
            )
        ]
    except CallFailed as failure:
        return [Check("server", False, f"{failure.reason}: {failure.detail}")]
    except Unusable as unusable:
        message = f"{unusable.reason}: {unusable.detail}"
        return [Check("server", True, "answers"), Check("reply", False, message)]
    shape = str(client.observed().get("structure", "json_schema"))
    obeys = "both_good" in reply.text and reply.text.strip().startswith("{")
    checks = [Check("server", True, f"answers; model {client.observed().get('model')}")]
    message = f"replies keep to it ({shape})"
    if not obeys:
        answer = reply.text[:60]
        message = (
            f"{shape}: the reply was {answer!r}; verdicts will rest on the prompt alone"
        )
    checks.append(Check("schema", obeys, message))
    counts_tokens = reply.tokens.input is not None and reply.tokens.output is not None
    message = "no token counts: cost and cuts stay unseen"
    if counts_tokens:
        message = "the server counts tokens"
    checks.append(Check("usage", counts_tokens, message))
    if client.reports_context:
        checks.append(_context(judge))
    return checks


def _question(judge: LLMJudge) -> tuple[Message, ...]:
    """Make the question; a short tone serves models that refuse calls without sound."""
    if "audio" not in judge.reads:
        return _QUESTION
    return _QUESTION[0], Message(
        "user", (spoken_numbers.tone_part(), Text(_QUESTION[1].text))
    )


def _context(judge: LLMJudge) -> Check:
    need = (
        upper_tokens(judge.view.static_messages)
        + ROOM_FOR_A_PAIR
        + judge.options.reply_tokens
    )
    result = judge.client.model_context
    if result is None:
        return Check(
            "context",
            True,
            f"the server does not say; a pair needs about {need} tokens",
        )
    message = f"{result} tokens; a pair needs about {need}"
    return Check("context", result >= need, message)


# --- the options of a judge -----------------------------------------------------------


@dataclass(frozen=True)
class ListedOption:
    """An option that a judge has."""

    # as in ``-J NAME=VALUE``, in ``[judge]`` of a file, and in ``JudgeOptions``
    name: str
    default: str  # as it is written; empty: none
    items: str  # what it is for: ``pairs``, ``answers`` or ``all``
    meaning: str  # one sentence


async def options_of(spec: str, options: JudgeOptions) -> list[ListedOption]:
    """List the options of this judge in ``JudgeOptions``' order; contacts no server.

    Args:
        spec: of the judge.
        options: those of the user, which may decide what the judge is (e.g. ``task``).

    Raises:
        UserError: the judge cannot be made, or does not say which options it uses.
    """
    with tempfile.TemporaryDirectory(prefix="trace-eval-doctor-") as folder:
        cache = Path(folder) / "replies.sqlite"
        # The options of the user; failing those, the server's address alone; failing
        # that, none.
        candidates = (
            options,
            JudgeOptions(base_url=options.base_url),
            JudgeOptions(),
        )
        tries = [
            replace(each, cache=cache, offline=True, max_cost=None)
            for each in candidates
        ]
        pairs = await _uses(lambda each, _: create_judge(spec, each), tries, [""])
        kind = KINDS.get(spec.partition(":")[0])
        answers = await _uses(
            lambda each, name: create_scorers(spec, [load_rubric(name)], each)[0],
            tries,
            _RUBRICS if kind is None or kind.scores else (),
        )
    if pairs is None and answers is None:
        create_judge(spec, replace(options, cache=None))  # raises the reason
        raise JudgeError(
            f"judge {spec}: does not say which options it has; see its own"
            " documentation"
        )
    used, helps = (
        (pairs or frozenset()) | (answers or frozenset()),
        help_of(JudgeOptions),
    )
    listed = []
    for field in fields(JudgeOptions):
        name, default = field.name, field.default
        if name not in used - STATE:
            continue
        items = "all"
        if pairs is not None and answers is not None and name not in pairs & answers:
            items = "pairs" if name in pairs else "answers"
        shown = "" if default is None or default == () else str(default)
        shown = shown.lower() if isinstance(default, bool) else shown
        listed.append(ListedOption(name, shown, items, sentence(helps[name])))
    return listed


async def _uses(
    make: Callable[[JudgeOptions, str], Judge],
    tries: Sequence[JudgeOptions],
    rubrics: Sequence[str],
) -> frozenset[str] | None:
    """Return the options of the first judge that can be made; None where none can."""
    for options in tries:
        for rubric in rubrics:
            try:
                judge = make(options, rubric)
            except UserError:
                continue
            await judge.close()
            return judge.uses
    return None
