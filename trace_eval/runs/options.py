"""Options of judging, rating and ablating, with defaults, for commands and library.

As a TOML file, which ``--config`` reads and ``show RUN --config`` prints, options of
the command line stand at the top; the table ``[judge]`` holds ``spec`` and the fields
of :class:`~trace_eval.judges.options.JudgeOptions`, ``[extract]`` those of
:class:`~trace_eval.extracting.options.ExtractOptions`, ``extractor`` and a table for
each one. In a run's record the same stands flat.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import JsonValue

from blueprints import UserError, feature_groups
from fusion import DEFAULT_POLICY, PlainPolicy, Policy
from trace_eval.data.settings import nearest, option_field, texts_to_paths, with_groups
from trace_eval.data.strict_toml import read_toml
from trace_eval.data.urls import is_url, redacted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import STATE, JudgeOptions

if TYPE_CHECKING:
    from trace_eval.judges.base import Judge

#: Judge used when none is named: no LLM, no network.
DEFAULT_JUDGE = "rules"


@with_groups
@dataclass(frozen=True)
class Options:
    """How pairs are judged.

    Attributes:
        extract: how clips become blueprints.
        judge: judge spec, e.g. ``rules`` or ``ollama:qwen3:8b``, or a judge of one's
            own; of single answers several specs, whose scores are pooled.
        judging: what the judge is asked for; ``rules`` needs none of it.
        policy: name, table file or entry point of the fusion policy, or a policy of
            one's own.
        min_coverage: share of the items, 0 to 1, that must be scored for exit code 0.
        tag: a name for ``trace-eval runs --tag`` to find the run by.
        rubrics: names of shipped rubrics of single answers, or files; each gives a
            score of its own. Empty: pairs are judged by the rubric of their judge.
    """

    extract: ExtractOptions = field(default_factory=ExtractOptions)
    judge: str | Judge | tuple[str, ...] = DEFAULT_JUDGE
    judging: JudgeOptions = field(default_factory=JudgeOptions)
    policy: str | Path | Policy | PlainPolicy = DEFAULT_POLICY
    min_coverage: float = 1.0
    tag: str | None = None
    rubrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rubrics = (
            (self.rubrics,) if isinstance(self.rubrics, str | Path) else self.rubrics
        )
        object.__setattr__(self, "rubrics", tuple(map(str, rubrics)))
        if isinstance(self.judge, list):
            object.__setattr__(self, "judge", tuple(self.judge))
        if not 0 <= self.min_coverage <= 1:
            raise UserError(
                f"min_coverage {self.min_coverage:g}: give a share from 0 to 1"
            )
        for name, chosen in (("judge", self.judges), ("rubric", self.rubrics)):
            if any(one in chosen[:n] for n, one in enumerate(chosen)) or (
                name == "judge" and not chosen
            ):
                raise UserError(
                    f"{name}: name one or more different ones, not {list(chosen)}"
                )
        if not self.rubrics and len(self.judges) > 1:
            raise UserError(f"judge: pairs have one judge, not {list(self.judges)}")

    @property
    def judges(self) -> tuple[str | Judge, ...]:
        """The judges, each by its spec or itself."""
        return self.judge if isinstance(self.judge, tuple) else (self.judge,)

    @property
    def only_judge(self) -> str | Judge:
        """The judge, where there is one."""
        (judge,) = self.judges
        return judge

    @property
    def policy_name(self) -> str:
        """The policy as it is recorded: as it was given, or an object's own name."""
        policy = self.policy
        return policy.name if isinstance(policy, Policy | PlainPolicy) else str(policy)


#: Judge and rubric of single answers when none are named: no LLM, no network.
DEFAULT_RATERS = ("lexical",)
DEFAULT_RUBRICS = ("correctness",)


def usual_rubrics(judges: Sequence[str]) -> tuple[str, ...]:
    """Return the rubrics if none is named; a reward model knows naturalness alone."""
    if judges and all(judge.startswith("reward:") for judge in judges):
        return ("naturalness",)
    return DEFAULT_RUBRICS


@with_groups
@dataclass(frozen=True)
class RateOptions(Options):
    """:class:`Options` with the defaults of single answers."""

    judge: str | Judge | tuple[str, ...] = DEFAULT_RATERS
    rubrics: tuple[str, ...] = DEFAULT_RUBRICS


@dataclass(frozen=True)
class PairOptions:
    """How two scores become a label.

    Attributes:
        tie_margin: of a run of rate: call means on 0-1 a tie up to this distance.
        acceptable: score from which an answer is acceptable; types ties.
        stands_for: dimension that the scores stand for, with typed ties; None: a
            preference, with plain ones.
        rubric: of a run of rate: the rubric of the scores, where there are several.
        onto: run of pairs in which that dimension is replaced.
    """

    tie_margin: float = 0.0
    acceptable: float | None = None
    stands_for: Literal["content", "voice_quality"] | None = field(
        default=None, metadata={"flag": "--as"}
    )
    rubric: str | None = None
    onto: Path | None = None

    def __post_init__(self) -> None:
        texts_to_paths(self)
        if not 0 <= self.tie_margin < 1:
            raise UserError(
                f"tie_margin {self.tie_margin:g}: give a share of the scale, 0 to 1"
            )
        if self.stands_for not in (None, "content", "voice_quality"):
            raise UserError(f"as {self.stands_for!r}: use content or voice_quality")
        if self.stands_for and self.acceptable is None:
            raise UserError(
                f"--as {self.stands_for} and --acceptable go together, because typed ties"
                " need to know which answers are acceptable; give --acceptable, e.g. 3"
                " on 1-5"
            )
        if self.onto and not self.stands_for:
            raise UserError("onto: name the dimension that is replaced, with --as")


@dataclass(frozen=True)
class AblateOptions:
    """The options of an ablation.

    Attributes:
        judge: who judges.
        judging: what the judge is asked for, before anything is dropped.
        drops: group to leave out, one condition each; may be repeated; None: each in
            turn that any of the run's blueprints has, and ``properties``.
        modes: also judge from transcripts alone, and by other policies.
        repeats: judgings of each condition, with different seeds.
        policy: fusion policy.
    """

    judge: str = DEFAULT_JUDGE
    judging: JudgeOptions = field(
        default_factory=JudgeOptions, metadata={"shown": False}
    )
    drops: tuple[str, ...] = option_field((), flag="--without")
    modes: bool = False
    repeats: int = option_field(1, min=1)
    policy: str = DEFAULT_POLICY

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise UserError(
                f"repeats {self.repeats}: judge each condition at least once"
            )
        feature_groups(self.drops)


#: Where the replaced extractors are, as ``GROUP=SPEC``, and options of single ones.
_EXTRACTOR, _OWN = "extractor", "extractor_options"

#: Table -> what it may hold. ``judge`` in a record is ``spec`` in the table of that
#: name.
_TABLES = {
    "judge": {field.name for field in fields(JudgeOptions)} - STATE,
    "extract": {field.name for field in fields(ExtractOptions)} - {"overrides", _OWN},
}

#: How the columns of the input are called, as ``FIELD=COLUMN``.
COLUMN = "columns"

#: Settings that decide what a judge is shown: of a run that judges another one again,
#: those of the other.
EVIDENCE = (
    "profile",
    "language",
    "max_seconds",
    "beam_size",
    "compute_type",
    _EXTRACTOR,
    _OWN,
    COLUMN,
)

#: What may stand at the top, whichever command reads the file.
_TOP = (
    "judge",
    "rubric",
    "policy",
    "min_coverage",
    "tag",
    "base_url",
    "samples",
    "swap",
    "concurrency",
    "max_cost",
    "profile",
    "language",
    "workers",
    "device",
    "cache",
    _EXTRACTOR,
    COLUMN,
)


def settings_of(options: Options) -> dict[str, JsonValue]:
    """Return all set options by name; an extractor or judge object goes by its name."""
    judges = [one if isinstance(one, str) else one.spec for one in options.judges]
    results: dict[str, Any] = {
        "judge": judges if options.rubrics else judges[0],
        "rubric": options.rubrics,
        "policy": None if options.rubrics else options.policy_name,
        "min_coverage": options.min_coverage,
        "tag": options.tag,
    }
    extract = options.extract
    for each in fields(extract):
        if each.name != "overrides":
            results[each.name] = getattr(extract, each.name)
    extractors: list[str] = []
    for group, spec in sorted(extract.overrides.items()):
        extractors.append(f"{group}={spec if isinstance(spec, str) else spec.name}")
    results[_EXTRACTOR] = extractors
    judging = options.judging
    for each in fields(judging):
        if each.name not in STATE | judging.unsent:
            results[each.name] = getattr(judging, each.name)
    settings: dict[str, JsonValue] = {}
    for key, value in results.items():
        if value not in (None, [], (), {}):
            settings[key] = _plain(value)
    return settings


def _plain(value: Any) -> JsonValue:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    plain: JsonValue = redacted(value) if is_url(value) else value
    return plain


def to_toml(settings: Mapping[str, JsonValue]) -> str:
    """Write a TOML document of these settings, as :func:`read_config` takes it."""
    judge = _TABLES["judge"]
    extract = _TABLES["extract"] | {_EXTRACTOR}
    top: dict[str, JsonValue] = {}
    of_judge: dict[str, JsonValue] = {}
    of_extract: dict[str, JsonValue] = {}
    if "judge" in settings:
        of_judge["spec"] = settings["judge"]
    for key, value in settings.items():
        if key in judge:
            of_judge[key] = value
        if key in extract:
            of_extract[key] = value
        if key not in {"judge", _OWN} | judge | extract:
            top[key] = value
    tables = {"judge": of_judge, "extract": of_extract}
    own_section = settings.get(_OWN)
    if isinstance(own_section, dict):
        for name, options in own_section.items():
            title = f"extract.{json.dumps(name, ensure_ascii=False)}"
            tables[title] = cast("dict[str, JsonValue]", options)
    text = _lines(top)
    for title, table in tables.items():
        if table:
            text += f"\n[{title}]\n{_lines(table)}"
    return text


def _lines(values: Mapping[str, JsonValue]) -> str:
    # A JSON string, number, boolean or list of strings is spelled in the same way in
    # TOML.
    texts = {
        key: json.dumps(value, ensure_ascii=False) for key, value in values.items()
    }
    return "".join(f"{key} = {text}\n" for key, text in texts.items())


def read_config(path: Path) -> dict[str, Any]:
    """Read the settings of a TOML file, flat, by the names of the fields.

    Raises:
        UserError: it cannot be read, is no TOML, holds what is no option, or one twice.
    """
    result = read_toml(path, str(path), "see trace-eval show RUN --config")
    flat: dict[str, Any] = {}

    def add(key: str, value: Any) -> None:
        if key in flat:
            raise UserError(
                f"{path}: {key!r} is given twice, at the top and in a table"
            )
        flat[key] = value

    for table, available in _TABLES.items():
        values = result.pop(table) if isinstance(result.get(table), dict) else {}
        for key, value in values.items():
            if table == "judge" and key == "spec":
                add("judge", value)
            elif table == "extract" and isinstance(value, dict):
                flat.setdefault(_OWN, {})[key] = value
            elif key in available or (table == "extract" and key == _EXTRACTOR):
                add(key, value)
            else:
                details = nearest(key, available)
                raise UserError(f"{path}: no option {key!r} in [{table}]; {details}")
    for key, value in result.items():
        if isinstance(value, dict):
            raise UserError(
                f"{path}: has a table [{key}]; known are [judge] and [extract]"
            )
        name = key.replace("-", "_")
        _check_top(path, key, name)
        add(name, value)
    return flat


def _check_top(path: Path, key: str, name: str) -> None:
    if name in _TOP:
        return
    for table, available in _TABLES.items():
        if name in available:
            raise UserError(
                f"{path}: {key!r} belongs to the table [{table}]; write it below that"
            )
    known = _TABLES["judge"].union(_TABLES["extract"], _TOP)
    details = nearest(name, known)
    raise UserError(f"{path}: no option {key!r}; {details}")
