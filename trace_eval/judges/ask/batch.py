"""Batch files: the same calls through a provider's batch API, at about half the price.

Requests are the calls that the reply cache cannot answer, with their key as
``custom_id``. Usable replies are read into that cache: a run with ``offline`` then
judges from it alone, and one without makes the calls that the batch left open.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blueprints import UserError
from trace_eval.data import strict_json
from trace_eval.data.outcome import Reason, Usage
from trace_eval.data.outputs import writing
from trace_eval.judges.ask.base import CallFailed, Reply, Unusable
from trace_eval.judges.ask.prices import sum_usage, usage_of
from trace_eval.judges.ask.replies import StoredReply
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.base import Case

if TYPE_CHECKING:
    from trace_eval.judges.ask.judge import LLMJudge
    from trace_eval.judges.ask.openai import OpenAIClient

#: Limits of OpenAI for one file; a longer batch is written as several files.
MAX_REQUESTS = 50_000
MAX_BYTES = 200_000_000

ENDPOINT = "/v1/chat/completions"


@dataclass(frozen=True)
class BatchWritten:
    """The request files that were written.

    Attributes:
        files: in order.
        requests: lines in all of them.
        cached, unscored: left out, because their reply is cached or evidence is
            missing.
    """

    files: tuple[Path, ...]
    requests: int
    cached: int
    unscored: int


@dataclass(frozen=True)
class BatchReplies:
    """The number of usable replies that went into the cache, and their cost.

    ``failed``: reason code -> requests without a usable reply.
    """

    replies: int
    failed: dict[str, int] = field(default_factory=dict)
    usage: Usage | None = None


def check_batches(judges: Iterable[LLMJudge]) -> None:
    """Refuse judges whose calls cannot be made by a batch.

    Raises:
        UserError: a judge is not ``openai:``, its model takes no batch, or one call
            gives several samples.
    """
    for judge in judges:
        _client(judge)


def write_batch(
    judges: Sequence[LLMJudge],
    cases: Callable[[], Iterable[Case]],
    path: Path,
) -> BatchWritten:
    """Write the request file ``path``, and ``STEM-2.jsonl`` ... where one is full.

    Requests hold a JSON schema of the reply unless the option ``structure`` says
    otherwise: a file cannot try out the server. ``cases`` gives the cases anew for each
    judge.

    Raises:
        UserError: a judge is not ``openai:``, or of another model; a file cannot be
            written.
    """
    if len(specs := {judge.spec for judge in judges}) > 1:
        raise UserError(
            f"batch file: holds requests to one model, not {', '.join(sorted(specs))};"
            " name one judge at a time"
        )
    requests = cached = unscored = 0
    with _Writer(path) as writer:
        for judge in judges:
            client = _client(judge)
            for case in cases():
                requested = judge.calls_to_make(case)
                unscored += requested is None
                for call, kept in requested or ():
                    if kept:
                        cached += 1
                        continue
                    line = {
                        "custom_id": call.key,
                        "method": "POST",
                        "url": ENDPOINT,
                        "body": client.body(call.request),
                    }
                    writer.write(json.dumps(line, ensure_ascii=False) + "\n")
                    requests += 1
    return BatchWritten(tuple(writer.files), requests, cached, unscored)


class _Writer(ExitStack):
    """Files of lines, bounded in size; the stack closes the open one and names it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.files: list[Path] = []
        self._path = path
        self._open()

    def _open(self) -> None:
        number = len(self.files) + 1
        stem = self._path.stem if number == 1 else f"{self._path.stem}-{number}"
        path = self._path.with_name(stem + self._path.suffix)
        part = self.enter_context(writing(path))
        self._file = self.enter_context(part.open("wb"))
        self.files.append(path)
        self._lines = self._bytes = 0

    def write(self, line: str) -> None:
        data = line.encode("utf-8", "replace")
        full = self._lines + 1 > MAX_REQUESTS or self._bytes + len(data) > MAX_BYTES
        if self._lines and full:
            self.close()
            self._open()
        self._file.write(data)
        self._lines += 1
        self._bytes += len(data)


def read_batch(judge: LLMJudge, paths: Iterable[Path]) -> BatchReplies:
    """Read result and error files of a batch into the judge's reply cache.

    A request that failed is remembered on the judge, so that an offline run can say why
    a pair is unscored. Lines of other runs are harmless: no call has their keys.

    Raises:
        UserError: the judge has no batches or no reply cache, or a file holds no batch
            results.
    """
    client = _client(judge)
    if not judge.options.cache:
        raise UserError("batch results: they are read into the reply cache; name one")
    failed: Counter[str] = Counter()
    usages: list[Usage | None] = []
    replies = 0
    for path in paths:
        for where, result in _lines(path):
            key = str(result["custom_id"])
            try:
                reply = _reply(judge, client, result)
            except (CallFailed, Unusable) as failure:
                failed[str(failure.reason)] += 1
                judge.sender.failures[key] = (
                    failure.reason,
                    f"{where}: {failure.detail}",
                )
                if isinstance(failure, Unusable):
                    usages.append(usage_of(failure.tokens, judge.price, batch=True))
                continue
            replies += 1
            judge.sender.failures.pop(key, None)
            usages.append(usage_of(reply.tokens, judge.price, batch=True))
            judge.sender.keep(key, StoredReply.of(reply.text, reply.tokens, batch=True))
    return BatchReplies(replies, dict(failed), sum_usage(usages))


def _reply(judge: LLMJudge, client: OpenAIClient, result: dict[str, Any]) -> Reply:
    response = result.get("response")
    if not isinstance(response, dict):
        message = client.redact(json.dumps(result.get("error")))
        raise CallFailed(Reason.REFUSED, f"the batch has no response: {message}")
    status, body = response.get("status_code"), response.get("body")
    if status != 200:
        code = status if isinstance(status, int) else 502
        raise client.replies.failure_of(code, json.dumps(body), {})
    reply = client.replies.read_choices(json.dumps(body).encode(), None).first
    try:
        judge.form.read(reply.text)
    except ReplyError as error:
        raise Unusable(error.reason, error.detail, reply.text, reply.tokens) from None
    return reply


def _lines(path: Path) -> Iterable[tuple[str, dict[str, Any]]]:
    try:
        for number, result in strict_json.lines(path):
            where = f"{path}, line {number}"
            if not isinstance(result, dict) or "custom_id" not in result:
                message = (
                    f" ({result})" if isinstance(result, strict_json.BadJson) else ""
                )
                raise UserError(
                    f"{where}: not a batch result{message}; give the file that the"
                    " provider returned"
                )
            yield where, result
    except OSError as error:
        raise UserError(f"batch results {path}: cannot be read ({error})") from error


def _client(judge: LLMJudge) -> OpenAIClient:
    if judge.options.choices:
        raise UserError(
            "batch files: hold one request per sample; leave out -J choices=true"
        )
    if why := judge.client.no_batches:
        raise UserError(f"batch files: judge {judge.spec} has none; {why}")
    client: OpenAIClient = judge.client  # type: ignore[assignment] # no other has batch files
    return client
