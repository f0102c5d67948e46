"""What is heard of answers: recordings joined for a model that listens, and solved examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.audio.pair import PairSoundView
    from trace_eval.judges.audio.prefix import SolvedTurn, example_messages
    from trace_eval.judges.audio.probe import hearing, tone_part
    from trace_eval.judges.audio.rated import RatedExample, read_rated_examples
    from trace_eval.judges.audio.scores import PairScoresView
    from trace_eval.judges.audio.sending import Sending, audio_part, check_budget, kept_part
    from trace_eval.judges.audio.solved import Examples
    from trace_eval.judges.audio.tasks import common, load_heard
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "Examples",
    "PairScoresView",
    "PairSoundView",
    "RatedExample",
    "Sending",
    "SolvedTurn",
    "audio_part",
    "check_budget",
    "common",
    "example_messages",
    "hearing",
    "kept_part",
    "load_heard",
    "read_rated_examples",
    "tone_part",
]
