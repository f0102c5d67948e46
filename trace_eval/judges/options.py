"""The options of the LLM judges, checked in one place; command-line defaults come from here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import JsonValue

from blueprints import GROUPS, UserError
from blueprints.features import feature_groups
from trace_eval.judges.presets import PRESETS

Mode = Literal["blueprint", "transcript"]
RenderingName = Literal["compact", "paper"]
Elicitation = Literal["label", "acceptability", "flat"]
Swap = Literal["both", "off", "random"]
Structure = Literal["auto", "json_schema", "json_object", "text"]
Concat = Literal["none", "pairs", "examples", "test", "all"]
AudioFormat = Literal["wav", "mp3"]
Transcripts = Literal["none", "asr", "reference"]
InstructionForm = Literal["audio", "text", "both"]
Preset = Literal["audiojudge", "style_paper", "trace_paper"]
Sampling = Literal["ours", "server"]

#: Temperature when none is given: greedy for one sample, else warm enough to differ.
GREEDY_TEMPERATURE = 0.0
SAMPLING_TEMPERATURE = 0.7

#: Tokens that one reply may have when no bound is given: of a judge of pairs, and of a rater.
REPLY_TOKENS = 2048
RATING_TOKENS = 1024

#: Longest reply of chat models in use, tokens: the bound where the server is given none.
UNBOUNDED_TOKENS = 16_384

#: What ``sampling="server"`` does not send unless it was named.
_LEFT_TO_SERVER = frozenset({"temperature", "seed", "max_tokens"})


def texts_to_paths(options: Any) -> None:
    """Turn what stands for a path in new frozen options, a text or ``os.PathLike``, into one.

    Raises:
        UserError: a value is neither.
    """
    for option in fields(options):
        value = getattr(options, option.name)
        if "Path" not in str(option.type) or value is None or isinstance(value, Path):
            continue
        try:
            object.__setattr__(options, option.name, Path(value))
        except TypeError:
            raise UserError(f"{option.name}: {value!r:.60} is no path; give a text") from None


@dataclass(frozen=True)
class JudgeOptions:
    """What a judge is asked for. See docs/judges.md for each option's consequences.

    A ``preset`` fills in the options that were not named when the object was made. One that was
    named stays as it is, also where its value is the default's, so that
    ``JudgeOptions(preset="style_paper", samples=1)`` asks once.

    Raises:
        UserError: a value is out of range, or two options contradict each other.
    """

    # The server.
    base_url: str | None = None  # None: the provider's own variable, then its own default
    key_env: str = "OPENAI_API_KEY"  # environment variable that holds the key (openai)
    timeout_s: float = 300.0  # of one call, its time in the server's queue included
    # The prompt.
    mode: Mode = "blueprint"
    rendering: RenderingName = "compact"
    drop: tuple[str, ...] = ()  # blueprint groups that the judge is not shown
    elicitation: Elicitation = "label"
    template: Path | None = None  # Jinja file whose blocks replace those of the package
    show: tuple[str, ...] | None = None  # material beside the answer (rate); None: the rubric's
    preset: Preset | None = None  # settings of a published protocol, where none are named
    # Opinions.
    swap: Swap = "both"
    samples: int = 1  # calls per order
    temperature: float | None = None  # None: 0 for one sample, 0.7 for more
    top_p: float | None = None  # None: not sent
    top_k: int | None = None  # likeliest tokens to sample from; None: not sent
    seed: int = 0  # of the first sample; the next one gets seed + 1
    sampling: Sampling = "ours"  # server: what was not named of these and max_tokens is not sent
    max_tokens: int | None = None  # of one reply; None: 2,048, and 1,024 of a rater
    min_samples: int | None = None  # usable ones that make a score (rate); None: more than half
    choices: bool = False  # all samples of a question in one request (rate, openai)
    repair: bool = True  # one second chance for an unusable reply
    structure: Structure = "auto"  # how the reply's shape is enforced (openai)
    # Running many.
    concurrency: int | None = None  # calls in flight; None: 8, and 2 for ollama
    retries: int = 5  # of one call, after the first attempt
    backoff_s: float = 1.0  # before the first retry; doubles, with jitter
    max_wait_s: float = 120.0  # a longer Retry-After fails the call instead
    cache: Path | None = None  # SQLite file of replies; None: none are kept
    offline: bool = False  # answer from the cache (or a batch) only, send nothing
    # Money.
    prices: Path | None = None  # TOML table that extends the shipped one
    max_cost: float | None = None  # US dollars
    spent: float = 0.0  # US dollars spent before, counted against max_cost
    ledger: Path | None = None  # where calls are put down before they are sent
    # Sound (audio).
    task: str = "dimensions"  # what is asked of a pair: a name, or a .toml file
    concat: Concat = "all"  # how recordings are joined into audio parts
    examples: Path | None = None  # JSON lines of solved pairs, or of scored answers (rate)
    shots: int | None = None  # of them shown; None: 4, or as many as there are
    signals: str = "spoken"  # between recordings: spoken, tones, none, or a folder
    audio_rate: int | None = None  # Hz; None: the commonest of a waveform, at most 24,000
    level: float | None = None  # LUFS of every recording; None: as it is
    audio_format: AudioFormat = "wav"
    transcripts: Transcripts = "none"  # words that stand beside the recordings
    instruction: InstructionForm = "audio"  # how a spoken and written one is given
    noise_db: float | None = None  # white noise on one answer, chosen by the item's id
    max_request_mb: float = 20.0  # larger requests are not sent
    # In this process (scorer, reward).
    base: str | None = None  # path or hub id of the base, instead of the one an adapter names
    device: str = "auto"  # where the model runs; told by the session
    max_clip_seconds: float = 300.0  # longer clips are unscored, never cut (audio, reward)
    tie_margin: float = 0.0  # rewards closer than this are a tie (reward)
    # Ollama.
    num_ctx: int | None = None  # None: sized from the prompts, in powers of two
    keep_alive: str = "10m"
    think: bool | None = None  # None: the model's own default
    # Which of the above were named, by the user or his preset; told by the constructor.
    named: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    def __new__(cls, *args: Any, **options: Any) -> Self:
        """Remember which options are named: a default that was chosen beats a preset."""
        made = super().__new__(cls)
        if "named" not in options:  # dataclasses.replace hands on what was named before
            names = [each.name for each in fields(cls)]
            object.__setattr__(made, "_typed", frozenset({*names[: len(args)], *options}))
        return made

    def __post_init__(self) -> None:
        self._fill_in()
        texts_to_paths(self)
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise UserError(f"{name}: {value!r} is unknown; use one of {', '.join(allowed)}")
        for name, low in _AT_LEAST.items():
            value = getattr(self, name)
            if value is not None and not value >= low:
                raise UserError(f"{name}: {value} is too small; use at least {low:g}")
        for name in ("timeout_s", "max_cost", "max_request_mb", "top_p", "max_clip_seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UserError(f"{name}: {value} must be more than 0")
        if self.top_p is not None and self.top_p > 1:
            raise UserError(f"top_p: {self.top_p} is no share; use more than 0 and at most 1")
        if self.preset is not None and self.preset not in get_args(Preset):
            known = ", ".join(get_args(Preset))
            raise UserError(f"preset: {self.preset!r} is unknown; use one of {known}")
        self._check_together()

    def _fill_in(self) -> None:
        """Take from the preset what was not named; an unknown preset is refused later."""
        named = vars(self).pop("_typed", self.named)
        for name, value in PRESETS.get(self.preset or "", {}).items():
            if name not in named and getattr(self, name) == _default(name):
                object.__setattr__(self, name, value)
        object.__setattr__(self, "named", named | PRESETS.get(self.preset or "", {}).keys())

    def _check_together(self) -> None:
        if self.samples > 1 and self.temperature == 0:
            raise UserError(
                f"samples: {self.samples} calls at temperature 0 repeat one opinion;"
                " raise the temperature or use samples 1"
            )
        if self.min_samples is not None and self.min_samples > self.samples:
            raise UserError(
                f"min_samples: {self.min_samples} of {self.samples} samples cannot be reached;"
                " ask for more samples"
            )
        if self.mode == "transcript" and self.drop:
            raise UserError(
                f"drop: {', '.join(self.drop)} cannot be dropped in mode transcript, which shows"
                " no group but the transcript; use mode blueprint"
            )
        if set(GROUPS) <= feature_groups(self.drop):
            raise UserError("drop: every group is dropped; leave the judge at least one")

    def deciding(self, used: Collection[str]) -> dict[str, JsonValue]:
        """The options among ``used`` that decide a verdict, as they are recorded.

        A field that is not in :data:`NOT_DECIDING` decides. Fields that came after the first
        release are recorded only where they differ from their default, so that runs made
        before them can be continued.
        """
        record: dict[str, JsonValue] = {}
        for name in (each.name for each in fields(self)):
            if name not in used or name in NOT_DECIDING:
                continue
            if name in _ALWAYS_RECORDED or getattr(self, name) != getattr(_DEFAULTS, name):
                record[name] = self._recorded(name)
        return record

    def _recorded(self, name: str) -> JsonValue:
        match name:
            case "drop":
                return [*sorted(self.drop)]
            case "show":
                return None if self.show is None else [*sorted(self.show)]
            case name if name in self.unsent:
                return None
            case "temperature":
                return self.sampling_temperature
            case "max_tokens":
                return self.reply_tokens
        value = getattr(self, name)
        return str(value) if isinstance(value, Path) else value

    def changed(self) -> list[str]:
        """Fields that a user set to something else than their default; not those of his preset."""
        preset = PRESETS.get(self.preset or "", {})
        return [
            each.name
            for each in fields(self)
            if each.name not in STATE
            and getattr(self, each.name) != getattr(_DEFAULTS, each.name)
            and not (each.name in preset and getattr(self, each.name) == preset[each.name])
        ]

    @property
    def sampling_temperature(self) -> float:
        """The temperature that is sent."""
        if self.temperature is not None:
            return self.temperature
        return GREEDY_TEMPERATURE if self.samples == 1 else SAMPLING_TEMPERATURE

    @property
    def reply_tokens(self) -> int:
        """The bound on a reply that is sent; a rater sets its own before.

        Where none is sent, how long a reply may be expected to get at most.
        """
        if self.max_tokens is not None:
            return self.max_tokens
        return UNBOUNDED_TOKENS if "max_tokens" in self.unsent else REPLY_TOKENS

    @property
    def unsent(self) -> frozenset[str]:
        """Of temperature, seed and token limit, those that are left to the server."""
        return frozenset() if self.sampling == "ours" else _LEFT_TO_SERVER - self.named


def _default(name: str) -> object:
    """The value of an option that nobody chose."""
    return JudgeOptions.__dataclass_fields__[name].default


_CHOICES = {
    "mode": get_args(Mode),
    "rendering": get_args(RenderingName),
    "elicitation": get_args(Elicitation),
    "swap": get_args(Swap),
    "structure": get_args(Structure),
    "sampling": get_args(Sampling),
    "concat": get_args(Concat),
    "audio_format": get_args(AudioFormat),
    "transcripts": get_args(Transcripts),
    "instruction": get_args(InstructionForm),
}

_AT_LEAST = {
    "samples": 1,
    "min_samples": 1,
    "temperature": 0,
    "seed": 0,
    "max_tokens": 16,
    "top_k": 1,
    "concurrency": 1,
    "retries": 0,
    "backoff_s": 0,
    "max_wait_s": 0,
    "num_ctx": 256,
    "spent": 0,
    "tie_margin": 0,
    "shots": 0,
    "audio_rate": 8000,
}

_DEFAULTS = JudgeOptions()

#: Every option.
FIELDS = frozenset(each.name for each in fields(JudgeOptions))

#: What a session tells a judge, rather than what a user chooses.
STATE = frozenset({"cache", "device", "ledger", "named", "offline", "spent"})

#: Options of single clients: ``structure`` of openai, the others of ollama.
CLIENT_ONLY = frozenset({"structure", "num_ctx", "keep_alive", "think"})

#: Options of models that run in this process.
IN_PROCESS = frozenset({"base", "device", "max_clip_seconds", "tie_margin"})

#: Options of judges that listen.
AUDIO_ONLY = frozenset(
    {
        "task",
        "concat",
        "examples",
        "shots",
        "signals",
        "audio_rate",
        "level",
        "audio_format",
        "transcripts",
        "instruction",
        "noise_db",
        "max_request_mb",
    }
)

#: Options of what a judge reads in blueprints and prints of them.
TEXT_ONLY = frozenset({"mode", "rendering", "drop", "elicitation", "template"})

#: Options of judges that compare pairs, and of those that rate single answers.
PAIRS_ONLY = frozenset({"mode", "elicitation", "swap", "tie_margin"})
RATES_ONLY = frozenset({"show", "min_samples", "choices"})

#: Options of every judge of pairs over a chat model, whatever it shows; and of every rater.
CHAT_OPTIONS = FIELDS - CLIENT_ONLY - IN_PROCESS - AUDIO_ONLY - TEXT_ONLY - RATES_ONLY
RATING_OPTIONS = CHAT_OPTIONS - PAIRS_ONLY | RATES_ONLY

#: Options of how a rater sends sound; what is asked is its rubric's.
AUDIO_RATING_OPTIONS = frozenset(
    {"audio_rate", "level", "audio_format", "max_request_mb", "max_clip_seconds"}
    | {"examples", "shots", "concat", "signals"}
)

#: Options that cannot change a verdict. All others are part of a run's identity: an option
#: that is forgotten here costs a refusal to continue, never a run of two minds.
NOT_DECIDING = STATE | {
    "base",  # recorded by the hash of its files
    "base_url",  # recorded as the server
    "key_env",
    "timeout_s",
    "template",  # recorded by the prompt's hash
    "concurrency",
    "retries",
    "backoff_s",
    "max_wait_s",
    "prices",
    "max_cost",
    "keep_alive",
    "preset",  # recorded by what it sets
    "task",  # these four by what they hold, see AudioJudge.parameters
    "examples",
    "shots",
    "signals",
    "max_request_mb",
}

#: Recorded, because they decide which replies can be used, but free to change when a run is
#: continued: no verdict that was given with one value would be another with a different one.
MAY_CHANGE = frozenset({"max_tokens", "num_ctx", "repair"})

#: Recorded even at their defaults: those of the first release.
_ALWAYS_RECORDED = frozenset(
    {
        "mode",
        "rendering",
        "drop",
        "elicitation",
        "swap",
        "samples",
        "temperature",
        "seed",
        "max_tokens",
        "repair",
        "structure",
        "num_ctx",
        "think",
    }
)
