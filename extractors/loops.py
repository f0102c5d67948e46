"""A library's loops over one clip each, which run in turns until they need something.

A recogniser's library transcribes one clip at a time, but its network works on any
number of windows at once. So the library's own loop runs unchanged for each clip, in a
thread of its own, until it wishes for what can be shared; then the next one runs. Once
all wait, equal wishes are fulfilled together.

Only one thread ever runs, so the threads share no more than coroutines would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

Wish = TypeVar("Wish")
Result = TypeVar("Result")
OneLoop = TypeVar("OneLoop", bound="Loop[Any, Any]")


class _Stopped(BaseException):
    """An exception that ends a loop nobody awaits.

    It is no Exception, which libraries catch.
    """


class Loop(Generic[Wish, Result]):
    """One loop, which runs only while somebody waits for its next wish.

    Args:
        work: the loop; it is given a function that states a wish and returns its
            answer.
    """

    result: Result

    def __init__(self, work: Callable[[Callable[[Wish], Any]], Result]) -> None:
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._wishes: SimpleQueue[Wish | BaseException | None] = SimpleQueue()
        self._thread = Thread(target=self._run, args=(work,), daemon=True)

    def run_on(self, answer: Any = None) -> Wish | None:
        """Run the loop up to its next wish, answering its last one; None at its end.

        Raises:
            Exception: that of the loop.
        """
        if self._thread.ident is None:
            self._thread.start()
        else:
            self._answers.put(answer)
        wish = self._wishes.get()
        if isinstance(wish, BaseException):
            raise wish
        return wish

    def stop(self) -> None:
        """End the loop wherever it is; harmless when it has ended or not begun."""
        if self._thread.ident is not None:
            self._answers.put(_Stopped())
            self._thread.join()

    def _run(self, work: Callable[[Callable[[Wish], Any]], Result]) -> None:
        end = None
        try:
            self.result = work(self._ask)
        except BaseException as error:
            end = error
        self._wishes.put(end)

    def _ask(self, wish: Wish) -> Any:
        self._wishes.put(wish)
        answer = self._answers.get()
        if isinstance(answer, _Stopped):
            raise answer
        return answer


def by_turns(
    loops: Sequence[OneLoop],
    fulfil: Callable[[Mapping[OneLoop, Any]], Mapping[OneLoop, Any]],
) -> list[Any]:
    """Return the loops' results; ``fulfil`` answers the wishes of all that wait.

    The error of the first loop that fails stops the others.
    """
    try:
        wishes = {loop: loop.run_on() for loop in loops}
        while True:
            waiting = {loop: wish for loop, wish in wishes.items() if wish}
            if not waiting:
                break
            answers = fulfil(waiting)
            wishes = {loop: loop.run_on(answers[loop]) for loop in waiting}
    finally:
        for loop in loops:
            loop.stop()
    return [loop.result for loop in loops]
