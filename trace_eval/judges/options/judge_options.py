"""The options of all judges in one object, checked in one place."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Self

from pydantic import JsonValue

from blueprints import GROUPS, JudgeError, feature_groups
from trace_eval.data.outcome import Order
from trace_eval.data.settings import choices_of, hints_of, texts_to_paths, with_groups
from trace_eval.judges.options.groups import (
    AudioOptions,
    ChatOptions,
    ConversationOptions,
    OllamaOptions,
    OpenAIOptions,
    PairwiseOptions,
    PointwiseOptions,
    RewardOptions,
    ServerOptions,
    TextOptions,
    names_of,
)

#: Preset -> option -> value.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    # AudioJudge (arXiv 2507.12705): plain labels, everything joined, both orders.
    "audiojudge": {
        "task": "s2s",
        "concat": "all",
        "signals": "spoken",
        "swap": "both",
        "samples": 1,
        "temperature": 0.0,
        "max_tokens": 800,
    },
    # Audio-aware LLMs as judges for speaking styles (arXiv 2506.05984).
    "style_paper": {"samples": 5, "temperature": 1.0, "top_p": 0.9, "max_tokens": 256},
    # TRACE (arXiv 2601.13742), as its released code asks and reads: one call per pair.
    "trace_paper": {
        "rendering": "paper",
        "elicitation": "flat",
        "swap": "off",
        "samples": 1,
        "sampling": "server",
        "structure": "json_object",
        "repair": False,
    },
}

#: Presets for judges that listen; the others are for judges that read blueprints.
FOR_LISTENERS = frozenset({"audiojudge", "style_paper"})

#: Temperature when none is given: greedy for one sample, else warm enough to differ.
GREEDY_TEMPERATURE = 0.0
SAMPLING_TEMPERATURE = 0.7

#: Tokens that one reply may have when no bound is given: of a judge of pairs, and of a
#: rater.
REPLY_TOKENS = 2048
RATING_TOKENS = 1024

#: Longest reply of chat models in use, tokens: the bound where the server is given
#: none.
UNBOUNDED_TOKENS = 16_384

#: Fields that ``sampling="server"`` does not send unless they are named.
_LEFT_TO_SERVER = frozenset({"temperature", "seed", "max_tokens"})


# The fields of the last base come first.
@with_groups
@dataclass(frozen=True)
class JudgeOptions(
    ServerOptions,
    OllamaOptions,
    OpenAIOptions,
    RewardOptions,
    AudioOptions,
    ConversationOptions,
    PointwiseOptions,
    TextOptions,
    PairwiseOptions,
    ChatOptions,
):
    """Options of a judge, of every kind; ``doctor --judge SPEC`` explains them.

    A preset fills in the options that were not named when the object was made, so that
    ``JudgeOptions(preset="style_paper", samples=1)`` asks once.

    Raises:
        UserError: a value is out of range, or two options contradict each other.
    """

    # The options that were named, by the user or the preset; set by the constructor.
    named: frozenset[str] = field(
        default=frozenset(), repr=False, compare=False, metadata={"state": True}
    )

    def __new__(cls, *args: Any, **options: Any) -> Self:
        """Remember the named options: a default that was chosen beats a preset."""
        made = super().__new__(cls)
        if "named" not in options:  # dataclasses.replace hands on what was named before
            names = [each.name for each in fields(cls)]
            object.__setattr__(
                made, "_typed", frozenset(set(names[: len(args)]) | set(options))
            )
        return made

    def __post_init__(self) -> None:
        named = vars(self).pop("_typed", self.named)
        preset = PRESETS.get(self.preset or "", {})  # an unknown one is refused below
        defaults = {each.name: each.default for each in fields(self)}
        for name, value in preset.items():
            if name not in named and getattr(self, name) == defaults[name]:
                object.__setattr__(self, name, value)
        object.__setattr__(self, "named", named | preset.keys())
        texts_to_paths(self)
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None:
                _check(each, value)
        if self.top_p is not None and self.top_p > 1:
            raise JudgeError(
                f"top_p: {self.top_p} is not a share; use more than 0 and at most 1"
            )
        self._check_together()

    def _check_together(self) -> None:
        if self.samples > 1 and self.temperature == 0:
            raise JudgeError(
                f"samples: {self.samples} calls at temperature 0 repeat one opinion;"
                " raise the temperature or use samples 1"
            )
        if self.min_samples is not None and self.min_samples > self.samples:
            raise JudgeError(
                f"min_samples: {self.min_samples} of {self.samples} samples cannot be"
                " reached; ask for more samples"
            )
        if self.mode == "transcript" and self.drop:
            raise JudgeError(
                f"drop: {', '.join(self.drop)} cannot be dropped in mode transcript,"
                " which shows no group but the transcript; use mode blueprint"
            )
        if set(GROUPS) <= feature_groups(self.drop):
            raise JudgeError(
                "drop: every group is dropped; leave the judge at least one"
            )

    def deciding(self, used: Collection[str]) -> dict[str, JsonValue]:
        """Record the options among ``used`` that decide a verdict.

        Fields that came after the first release are recorded only where they differ
        from their default, so that runs made before them can be continued.
        """
        sent = {
            "temperature": self.sampling_temperature,
            "max_tokens": self.reply_tokens,
        }
        record: dict[str, JsonValue] = {}
        for name in (each.name for each in fields(self)):
            value = getattr(self, name)
            if name not in used or name in NOT_DECIDING:
                continue
            if name in _ALWAYS_RECORDED or value != getattr(_DEFAULTS, name):
                value = None if name in self.unsent else sent.get(name, value)
                record[name] = sorted(value) if isinstance(value, tuple) else value
        return record

    def changed(self) -> list[str]:
        """Return fields that the user set to other values, without presets."""
        preset = PRESETS.get(self.preset or "", {})
        names: list[str] = []
        for each in fields(self):
            value = getattr(self, each.name)
            is_default = value == getattr(_DEFAULTS, each.name)
            is_preset = each.name in preset and value == preset[each.name]
            if each.name not in STATE and not is_default and not is_preset:
                names.append(each.name)
        return names

    @property
    def sampling_temperature(self) -> float:
        """The temperature that is sent."""
        if self.temperature is not None:
            return self.temperature
        return GREEDY_TEMPERATURE if self.samples == 1 else SAMPLING_TEMPERATURE

    @property
    def reply_tokens(self) -> int:
        """The bound on a reply that is sent, or else its expected length."""
        if self.max_tokens is not None:
            return self.max_tokens
        return UNBOUNDED_TOKENS if "max_tokens" in self.unsent else REPLY_TOKENS

    @property
    def unsent(self) -> frozenset[str]:
        """The options of sampling that are left to the server."""
        return frozenset() if self.sampling == "ours" else _LEFT_TO_SERVER - self.named

    def orders(self, pair: str) -> tuple[Order, ...]:
        """Return the orders in which a pair is shown; a seed decides ``random``."""
        if self.swap == "both":
            return ("ab", "ba")
        if self.swap == "off":
            return ("ab",)
        coin = hashlib.sha256(
            f"{self.seed}\x00{pair}".encode("utf-8", "replace")
        ).digest()
        return ("ab",) if coin[0] % 2 == 0 else ("ba",)


def _check(option: Field[Any], value: Any) -> None:
    """Refuse a value that this option does not take."""
    name, rules = option.name, option.metadata
    allowed = _CHOICES[name]
    if allowed and value not in allowed:
        raise JudgeError(
            f"{name}: {value!r} is unknown; use one of {', '.join(allowed)}"
        )
    low, above = rules.get("at_least"), rules.get("more_than")
    if low is not None and not value >= low:
        raise JudgeError(f"{name}: {value} is too small; use at least {low:g}")
    if above is not None and not value > above:
        raise JudgeError(f"{name}: {value} must be more than {above:g}")


_CHOICES = {name: choices_of(hint) for name, hint in hints_of(JudgeOptions).items()}

_DEFAULTS = JudgeOptions()

#: Every option.
FIELDS = names_of(JudgeOptions)

_RULES = {each.name: each.metadata for each in fields(JudgeOptions)}

#: Options that a session sets, and no user.
STATE = frozenset(name for name, rules in _RULES.items() if rules.get("state"))

#: Options that cannot change a verdict. All others are part of a run's identity: an
#: option without a mark costs a refusal to continue, never a run with two settings.
NOT_DECIDING = STATE | {
    name for name, rules in _RULES.items() if not rules.get("decides", True)
}

#: Recorded, because they decide which replies can be used, but free to change when a
#: run is continued: a verdict made with one value would be the same with another.
MAY_CHANGE = frozenset(
    name for name, rules in _RULES.items() if rules.get("may_change")
)

#: Recorded even at their defaults: those of the first release.
_ALWAYS_RECORDED = frozenset(
    name for name, rules in _RULES.items() if rules.get("always")
)
