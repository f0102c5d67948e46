"""What a judge may be asked for: small classes of options, and all of them in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.options.groups import (
        AudioOptions,
        BlueprintOptions,
        ChatOptions,
        Concat,
        ConversationOptions,
        Elicitation,
        ExampleOptions,
        Mode,
        ModelOptions,
        OllamaOptions,
        OpenAIOptions,
        PairwiseOptions,
        PointwiseOptions,
        RewardOptions,
        SoundOptions,
        TextOptions,
        names_of,
    )
    from trace_eval.judges.options.judge_options import (
        FIELDS,
        MAY_CHANGE,
        NOT_DECIDING,
        RATING_TOKENS,
        STATE,
        JudgeOptions,
        texts_to_paths,
    )
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "FIELDS",
    "MAY_CHANGE",
    "NOT_DECIDING",
    "RATING_TOKENS",
    "STATE",
    "AudioOptions",
    "BlueprintOptions",
    "ChatOptions",
    "Concat",
    "ConversationOptions",
    "Elicitation",
    "ExampleOptions",
    "JudgeOptions",
    "Mode",
    "ModelOptions",
    "OllamaOptions",
    "OpenAIOptions",
    "PairwiseOptions",
    "PointwiseOptions",
    "RewardOptions",
    "SoundOptions",
    "TextOptions",
    "names_of",
    "texts_to_paths",
]
