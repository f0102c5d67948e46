"""The options of judges: a class for each kind of judge, of material and of client.

The ``Attributes`` of these classes are the only help text: ``trace-eval doctor --judge
SPEC`` prints it. A new option is one field here, and its line.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

T = TypeVar("T")

Mode = Literal["blueprint", "transcript"]
RenderingName = Literal["compact", "brief", "paper"]
Elicitation = Literal["label", "acceptability", "flat"]
Beside = Literal["steps", "off"]
Concat = Literal["none", "pairs", "examples", "test", "all"]
AudioFormat = Literal["wav", "mp3"]
Reasons = Literal["off", "check", "retry"]
Preset = Literal["audiojudge", "style_paper", "trace_paper"]


def option(default: T, **rules: Any) -> T:
    """Make a field of an options class with the constraints on its values.

    Args:
        default: its value where none is named.
        **rules: ``at_least`` or ``more_than`` a number; ``decides=False``: it cannot
            change a verdict, so a run may be continued with another value;
            ``may_change``: it is recorded, but changes no verdict that was made;
            ``state``: a session sets it, no user; ``always``: recorded at its default
            too.
    """
    return field(default=default, metadata=rules)


def names_of(*groups: type[Any]) -> frozenset[str]:
    """Return the names of the options of these classes."""
    return frozenset(each.name for group in groups for each in fields(group))


@dataclass(frozen=True)
class CallOptions:
    """The options of calls to a server, with limits of time and cost.

    Attributes:
        base_url: OpenAI-compatible or Ollama server, e.g. http://127.0.0.1:8000/v1;
            default: the provider's own variable, then its own address.
        key_env: environment variable that holds the key (openai).
        timeout_s: seconds for one call, its time in the server's queue included.
        concurrency: calls in flight; default: 8, 2 for ollama and gguf, 64 for vllm and
            sglang.
        retries: retries of one call, after the first attempt.
        backoff_s: seconds before the first retry; doubles, with jitter.
        max_wait_s: a server that asks for a longer wait, in seconds, fails the call
            instead.
        cache: SQLite file of replies; none: none are kept.
        offline: answer from the cache or a batch only, send nothing.
        prices: TOML table of prices that extends the shipped one.
        max_cost: stop before spending more than this, in US dollars.
        spent: US dollars spent before, counted against ``max_cost``.
        ledger: where calls are put down before they are sent.
        purse: what is asked for money where several processes share one limit.
    """

    base_url: str | None = option(None, decides=False)  # recorded as the server
    key_env: str = option("OPENAI_API_KEY", decides=False)
    timeout_s: float = option(300.0, decides=False, more_than=0)
    concurrency: int | None = option(None, decides=False, at_least=1)
    retries: int = option(5, decides=False, at_least=0)
    backoff_s: float = option(1.0, decides=False, at_least=0)
    max_wait_s: float = option(120.0, decides=False, at_least=0)
    cache: Path | None = option(None, state=True)
    offline: bool = option(False, state=True)
    prices: Path | None = option(None, decides=False)
    max_cost: float | None = option(None, decides=False, more_than=0)
    spent: float = option(0.0, state=True, at_least=0)
    ledger: Path | None = option(None, state=True)
    purse: Any = option(None, state=True)


@dataclass(frozen=True)
class ChatOptions(CallOptions):
    """Options of a chat model that do not depend on its material.

    Attributes:
        preset: settings of a published protocol, where none are named: audiojudge,
            style_paper or trace_paper.
        samples: calls per order; for single answers, calls per rubric.
        temperature: temperature of sampling; default: 0 for one sample, 0.7 for more.
        top_p: share of the probability to sample from; default: not sent.
        top_k: likeliest tokens to sample from; default: not sent (GRM itself: 50).
        seed: seed of the first sample; each later sample gets one more.
        sampling: whose temperature, seed and token limit count where none are named:
            ours, or server (nothing is sent).
        max_tokens: most tokens of one reply; default: 2,048, or 1,024 on a single
            answer.
        repair: give an unusable reply one second chance.
    """

    preset: Preset | None = option(None, decides=False)  # recorded by what it sets
    samples: int = option(1, always=True, at_least=1)
    temperature: float | None = option(None, always=True, at_least=0)
    top_p: float | None = option(None, more_than=0)
    top_k: int | None = option(None, at_least=1)
    seed: int = option(0, always=True, at_least=0)
    sampling: Literal["ours", "server"] = option("ours")
    max_tokens: int | None = option(None, always=True, may_change=True, at_least=16)
    repair: bool = option(True, always=True, may_change=True)


@dataclass(frozen=True)
class PairwiseOptions:
    """Options of judges that compare two answers.

    Attributes:
        swap: orders in which the answers are shown: both, off or random.
    """

    swap: Literal["both", "off", "random"] = option("both", always=True)


@dataclass(frozen=True)
class PointwiseOptions:
    """Options of judges that score single answers.

    Attributes:
        show: material beside the answer, separated by commas: question, rationale,
            transcription; or none; default: the rubric's.
        min_samples: usable samples that make a score; default: more than half.
        choices: ask for all samples of an answer in one request (n), which pays its
            sound once (openai).
    """

    show: tuple[str, ...] | None = option(None)
    min_samples: int | None = option(None, at_least=1)
    choices: bool = option(False)


@dataclass(frozen=True)
class ConversationOptions:
    """Options of judges that read whole conversations and score them.

    Attributes:
        agent_policy: text file (.txt, .md, .yaml) with the instructions that the agent
            had to keep; shown of conversations that hold none themselves.
    """

    agent_policy: Path | None = option(None, decides=False)  # recorded by what it holds


@dataclass(frozen=True)
class BlueprintOptions:
    """Options of judges that read blueprints.

    Attributes:
        rendering: how blueprints are printed: compact; brief (levels in place of most
            numbers, for screening); or paper (the JSON of TRACE's prompts).
        drop: blueprint groups that the judge is not shown, separated by commas.
        context_budget: tokens that a conversation may take in a prompt; then tool
            responses, sound and middle turns are shortened, in this order.
    """

    rendering: RenderingName = option("compact", always=True)
    drop: tuple[str, ...] = option((), always=True)
    context_budget: int = option(24_000, at_least=500)


@dataclass(frozen=True)
class TextOptions(BlueprintOptions):
    """Options of judges that read two answers and compare them.

    Attributes:
        mode: what is shown: blueprint, or transcript (the baseline of words only).
        elicitation: how verdicts are asked for: label, acceptability (the HCoT steps),
            or flat (one reasoning for all, as TRACE's code).
        beside: how far two answers are apart, shown beside compact and brief
            blueprints: in steps that a listener hears, or off.
        template: Jinja file whose blocks replace those of the prompt.
        reasons: what becomes of the numbers, comparisons and quotations in reasons:
            check them against the blueprints, retry (ask once more where one is false),
            or off.
    """

    mode: Mode = option("blueprint", always=True)
    elicitation: Elicitation = option("label", always=True)
    beside: Beside = option("steps")
    template: Path | None = option(None, decides=False)  # recorded by the prompt's hash
    reasons: Reasons = option("check")


@dataclass(frozen=True)
class SoundOptions:
    """The options by which recordings are sent.

    Attributes:
        audio_rate: samples a second; default: the commonest of the recordings, at most
            24,000.
        level: loudness, LUFS, to which every recording is brought; default: left alone.
        audio_format: how sound is encoded: wav, or mp3 (needs ffmpeg).
        max_request_mb: larger requests are not sent.
        max_clip_seconds: longest clip that is heard, seconds; longer ones are unscored,
            never cut.
    """

    audio_rate: int | None = option(None, at_least=8000)
    level: float | None = option(None)
    audio_format: AudioFormat = option("wav")
    max_request_mb: float = option(20.0, decides=False, more_than=0)
    max_clip_seconds: float = option(300.0, more_than=0)


@dataclass(frozen=True)
class ExampleOptions:
    """Solved examples, and how recordings are joined. Recorded by what the files hold.

    Attributes:
        concat: how recordings are joined into audio parts: none, pairs, examples, test
            or all.
        examples: JSON lines of solved pairs, or of single answers with scores, shown
            before the question.
        shots: number of solved examples to show; default: 4, or all there are.
        signals: sounds between recordings: spoken, tones, none, or a folder of sounds.
    """

    concat: Concat = option("all")
    examples: Path | None = option(None, decides=False)
    shots: int | None = option(None, decides=False, at_least=0)
    signals: str = option("spoken", decides=False)


@dataclass(frozen=True)
class AudioOptions(ExampleOptions, SoundOptions):
    """Options of judges that hear two answers and compare them.

    Attributes:
        task: what is asked of a pair: a name, or your own .toml.
        transcripts: words beside the recordings: none, asr or reference.
        instruction: how an instruction that is both spoken and written is given: audio,
            text or both.
        noise_db: white noise on one answer, dB below it; for robustness studies.
    """

    task: str = option("dimensions", decides=False)  # recorded by what it holds
    transcripts: Literal["none", "asr", "reference"] = option("none")
    instruction: Literal["audio", "text", "both"] = option("audio")
    noise_db: float | None = option(None)


@dataclass(frozen=True)
class ModelOptions:
    """Options of models that run in this process.

    Attributes:
        base: base model of a scorer or reward model, instead of the one that it names:
            path or hub id.
        device: where the model runs.
    """

    base: str | None = option(None, decides=False)  # recorded by the hash of its files
    device: str = option("auto", state=True)


@dataclass(frozen=True)
class RewardOptions(ModelOptions):
    """Options of reward models.

    Attributes:
        tie_margin: rewards closer than this are a tie.
    """

    tie_margin: float = option(0.0, at_least=0)


@dataclass(frozen=True)
class OpenAIOptions:
    """Options of the client for OpenAI-compatible servers.

    Attributes:
        structure: how the shape of replies is enforced: auto, json_schema, json_object
            or text.
    """

    structure: Literal["auto", "json_schema", "json_object", "text"] = option(
        "auto", always=True
    )


@dataclass(frozen=True)
class ContextOptions:
    """Options of clients that decide how much context a model is given.

    Attributes:
        num_ctx: context of the model for one call, tokens; default: for ollama from the
            prompts, in powers of two; for gguf 8,192; for vllm and sglang the model's
            own.
    """

    num_ctx: int | None = option(None, always=True, may_change=True, at_least=256)


@dataclass(frozen=True)
class ServerOptions(ContextOptions):
    """Options of judges that start a server of their own.

    Attributes:
        server_args: further arguments of vllm or sglang, e.g. "--tensor-parallel-size
            2".
        start_s: seconds until the server must be ready, a download of the model
            included.
    """

    server_args: str | None = option(None)
    start_s: float = option(1800.0, decides=False, more_than=0)


@dataclass(frozen=True)
class OllamaOptions(ContextOptions):
    """Options of the client for Ollama.

    Attributes:
        keep_alive: how long the server keeps the model loaded.
        think: let reasoning models think; default: the model's own.
    """

    keep_alive: str = option("10m", decides=False)
    think: bool | None = option(None, always=True)
