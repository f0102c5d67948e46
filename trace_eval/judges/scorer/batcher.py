"""Collects single requests of many coroutines into batches for one worker thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Ask = TypeVar("Ask")
Answer = TypeVar("Answer")


class Batcher(Generic[Ask, Answer]):
    """Hands whatever is waiting to ``work``, one batch at a time.

    Args:
        work: called in a thread, never twice at once; answers in the order of the asks.
        size: asks that it is given at most.
        length: of an ask; those of like length go together. None: first come, first
            served.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Ask]], Sequence[Answer]],
        size: int,
        length: Callable[[Ask], int] | None = None,
    ) -> None:
        self._work = work
        self._size = size
        self._length = length
        self._waiting: list[tuple[Ask, asyncio.Future[Answer]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def ask(self, ask: Ask) -> Answer:
        """Answer one request; what ``work`` raises goes to all of its batch."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((ask, future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        await asyncio.sleep(0)  # let others that are ready join the first batch
        while self._waiting:
            if length := self._length:
                self._waiting.sort(key=lambda waiting: length(waiting[0]))
            batch, self._waiting = (
                self._waiting[: self._size],
                self._waiting[self._size :],
            )
            try:
                answers = await asyncio.to_thread(self._work, [ask for ask, _ in batch])
            except Exception as error:
                answers = []
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
            for (_, future), answer in zip(batch, answers, strict=False):
                if not future.done():
                    future.set_result(answer)
