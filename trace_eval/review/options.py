"""Options of a review, apart, so that a command's help imports no web package."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from blueprints import UserError
from trace_eval.data.settings import option_field


@dataclass(frozen=True)
class QueueOptions:
    """How pairs are chosen and shown.

    Attributes:
        budget: pairs that you can review; None: all. May grow later.
        random_share: share of the budget, 0 to 1, that is drawn at random; 1: all in
            random order.
        repeat: pairs shown a second time, for test-retest.
        overall_first: ask for a blind overall impression before the dimensions.
        confidence: ask after each rating how sure the rater is.
        seed: seed of the sample and of the order of A and B.

    Raises:
        UserError: a number is out of range.
    """

    budget: int | None = None
    random_share: float = 0.5
    repeat: int = 0
    overall_first: bool = option_field(False, flag="--overall-first/--no-overall-first")
    confidence: bool = option_field(False, flag="--confidence/--no-confidence")
    seed: int = 0

    def __post_init__(self) -> None:
        if self.budget is not None and self.budget < 1:
            raise UserError(
                f"--budget {self.budget}: give the number of pairs to review, 1 or more"
            )
        if not 0 <= self.random_share <= 1:
            raise UserError(
                f"--random-share {self.random_share:g}: give a share from 0 to 1"
            )
        if self.repeat < 0:
            raise UserError(
                f"--repeat {self.repeat}: give the number of pairs to repeat, 0 or more"
            )


@dataclass(frozen=True)
class ReviewOptions:
    """The items of a review, and what raters see of them.

    Attributes:
        rubric: rate single answers by this rubric, 1-5 or 0/1; None: by that of a run
            of rate, and pairs by the protocol.
        protocol: how people rate, a shipped name or a .toml file; None: pairs as HCoT.
        show_judge: show the judge's opinion once a pair is finished.
        allow_unplayed: take ratings of answers that were not both played.
        database: SQLite file where answers are kept; None: review.sqlite in the run, or
            in runs/INPUT-review of this folder.
        audio_root: folder of relative audio paths, or its URL; None: the manifest's.
    """

    rubric: str | None = None
    protocol: str | None = None
    show_judge: bool = False
    allow_unplayed: bool = False
    database: Path | None = field(default=None, metadata={"flag": "--db"})
    audio_root: str | None = None


@dataclass(frozen=True)
class ServeOptions:
    """Where the review app is served.

    Attributes:
        host: address to serve at; anything but loopback needs a token.
        port: port; 0: a free one.
        token: token that browsers must bring; None: made if needed.
    """

    host: str = "127.0.0.1"
    port: int = option_field(8765, min=0, max=65535)
    token: str | None = None
