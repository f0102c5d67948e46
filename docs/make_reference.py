"""The parts of the reference that are made from the code, as Markdown.

``docs/make_site.py`` puts each in the place of its mark, ``<!-- made: NAME -->``. To
see one:

    python docs/make_reference.py NAME
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import click
import typer

# Of an import of this script from elsewhere, too: the benchmarks lie beside docs/.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.people.pages import agreement_with_listeners
from extractors import PROFILES
from extractors.formats import FORMATS
from extractors.networks.listed import NETWORKS
from extractors.registry import load, names
from fusion import POLICIES
from trace_eval.commands.cli import app
from trace_eval.commands.listing import GROUPS, RESULTS
from trace_eval.commands.schema import result_schema, schemas
from trace_eval.data.names import PAIR, SINGLE
from trace_eval.data.rubrics.load import load_pair_rubric, load_rubric, rubric_names
from trace_eval.data.rubrics.pairs import ScoreQuestion
from trace_eval.data.settings import help_of
from trace_eval.judges.options import groups
from trace_eval.judges.options.judge_options import PRESETS
from trace_eval.judges.registry.kinds import KINDS
from trace_eval.judges.views.text.tasks import task_names
from trace_eval.stats.agreement.metrics import METRICS, SCORE_METRICS, Metric
from trace_eval.stats.ranking.fit import MODELS


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Write a table; bars within cells are written out."""
    head = list(head)
    lines = [
        head,
        ["---"] * len(head),
        *([_cell(value) for value in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    """Write a cell; between backticks every sign stands for itself."""
    text = " ".join(str(value).split()).replace("|", "\\|").replace("``", "`")
    parts = text.split("`")
    parts[::2] = [
        part.replace("<", "&lt;").replace("*", "&#42;") for part in parts[::2]
    ]
    return "`".join(parts)


def _name(option: Any, context: click.Context) -> tuple[str, str]:
    """Return an option as its help page shows it, ``--limit NUMBER``, with its help."""
    name, text = option.get_help_record(context) or (option.name, "")
    if hasattr(
        option, "display_type_rich"
    ):  # typer's own types, which help pages put into words
        word = option.display_type_rich(context) or ""
        name = re.sub(r" <\S+( range)?>$", lambda _: f" {word}" if word else "", name)
    return name, text


def first_of(thing: Any) -> str:
    """Return the first paragraph of a docstring, without roles."""
    text = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0]
    return re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)


def commands() -> str:
    """Every command with all its options, by shelf of the help."""
    group: Any = typer.main.get_command(app)
    parts = []
    for heading, members in GROUPS.items():
        parts.append(f"## {heading}")
        for name in members:
            command = group.get_command(click.Context(group), name)
            parts += _command(f"trace-eval {name}", command)
    return "\n\n".join(parts)


def _command(path: str, command: Any) -> Iterator[str]:
    yield f"### {path}"
    yield " ".join((command.help or "").partition("\f")[0].split())
    below = getattr(command, "commands", {})
    for name, sub in below.items():
        yield from _command(f"{path} {name}", sub)
    rows: dict[str, list[tuple[str, str]]] = {}
    context = click.Context(command)
    for option in [] if below else command.get_params(context):
        if not getattr(option, "hidden", False) and option.name != "help":
            panel = getattr(option, "rich_help_panel", None) or "Options"
            name, text = _name(option, context)
            rows.setdefault(panel, []).append((f"`{name}`", text))
    for panel, lines in rows.items():
        title = "" if panel == "Options" else f"{panel}:\n\n"
        yield title + table(("option", "what it does"), lines)


def extractors() -> str:
    """List what each extractor measures, where it is trusted, and how it agrees.

    Agreement is with listeners.
    """
    rows = []
    for name in sorted(names(), key=lambda name: (load(name).group, name)):
        kind = load(name)
        spec = f"{name}:{kind.argument.upper()}" if _takes(kind) else name
        profiles = ", ".join(
            p for p, specs in PROFILES.items() if _named(specs, kind.group, name)
        )
        agrees = agreement_with_listeners(kind.group)
        rows.append(
            (
                kind.group,
                f"`{spec}`",
                first_of(kind),
                profiles or "-",
                kind.limits,
                agrees,
            )
        )
    head = (
        "group",
        "spec",
        "tells you",
        "profile",
        "trusted where",
        "agrees with people",
    )
    return table(head, rows)


def networks() -> str:
    """List what each network tells, its weights, licence, size, cost and its limits."""
    rows = []
    for one in NETWORKS:
        run = "yes" if one.published else "never"
        spec = f"`-x {one.extractor}`" if one.extractor else "a part of others"
        cells = (
            one.name,
            spec,
            one.tells,
            one.origin,
            one.licence,
            one.size,
            one.cost or "-",
        )
        rows.append((*cells, one.trusted, run))
    head = (
        "network",
        "runs by",
        "tells",
        "weights from",
        "licence",
        "size",
        "CPU s per s",
    )
    return table((*head, "trusted", "run with published weights"), rows)


def _takes(kind: Any) -> bool:
    return any(field.name == kind.argument for field in fields(kind))


def _named(specs: Mapping[str, str], group: str, name: str) -> bool:
    spec = specs.get(group, "").partition(":")[0]
    return spec == name or (spec == "auto" and name == "faster-whisper")


def measures() -> str:
    """Per group of the blueprint: every value with its unit."""
    kinds = schemas("blueprint")["$defs"]
    rows = []
    measured = ("signal", "transcript", "quality", "pitch", "loudness", "rate")
    for group in (*measured, "emotion", "accent"):
        for name, field in kinds[group.title()]["properties"].items():
            if name != "status":
                rows.append(
                    (f"`{group}.{name}`", _kind(field), field.get("description", ""))
                )
    return table(("value", "type", "unit, meaning"), rows)


def rubrics() -> str:
    """Rubrics of single answers."""
    collected = [load_rubric(name) for name in rubric_names()]
    rows = (
        (f"`{r.name}`", r.numbers.name, r.title, ", ".join(r.inputs), r.origin)
        for r in collected
    )
    return table(("rubric", "scale", "question", "the judge is shown", "origin"), rows)


def tasks() -> str:
    """Rubrics of pairs, for judges that listen."""
    rows = []
    for name in sorted({*task_names(), "naturalness"}):
        task = load_pair_rubric(name)
        if isinstance(task, ScoreQuestion):
            rows.append(
                (f"`{name}`", "two scores", "see its template", ", ".join(task.inputs))
            )
            continue
        asked = " / ".join(
            dict.fromkeys(part.question for part in task.parts if part.question)
        )
        scales = ", ".join(dict.fromkeys(part.scale for part in task.parts))
        inputs = ", ".join(
            dict.fromkeys(one for part in task.parts for one in part.inputs)
        )
        rows.append(
            (f"`{name}`", scales, asked or "three dimensions, as TRACE asks", inputs)
        )
    return table(("task", "labels", "question", "the judge is given"), rows)


def judges() -> str:
    """List the kinds of judges."""
    rows = (
        (
            *(f"`{kind.usage}`", kind.about),
            " and ".join(what for what, made in _judged(name, kind) if made),
            ", ".join(f"`{each}`" for each in kind.packages) or "-",
        )
        for name, kind in KINDS.items()
    )
    return table(("judge", "what it is", "judges", "package"), rows)


def _judged(name: str, kind: Any) -> tuple[tuple[str, bool], ...]:
    return ("pairs", kind.pairs is not None), (
        "single answers",
        kind.scores is not None or name == "fusion",
    )


def judge_options() -> str:
    """List the ``-J`` options, by what they belong to."""
    parts = []
    for kind in vars(groups).values():
        if not is_dataclass(kind) or not isinstance(kind, type):
            continue
        said = help_of(kind)
        rows = [
            (f"`{field.name}`", _default(field), said.get(field.name, ""))
            for field in fields(kind)
            if field.name in kind.__annotations__ and not field.metadata.get("state")
        ]
        if rows:
            parts += [
                f"### {first_of(kind)}",
                table(("option", "default", "meaning"), rows),
            ]
    return "\n\n".join(parts)


def _default(field: Any) -> str:
    if field.default is MISSING or field.default is None:
        return "-"
    return f"`{field.default}`" if field.default != () else "-"


def presets() -> str:
    """List the settings of published protocols."""
    rows = (
        (f"`{name}`", ", ".join(f"`{key}={value}`" for key, value in values.items()))
        for name, values in PRESETS.items()
    )
    return table(("preset", "options"), rows)


def policies() -> str:
    """List the policies."""
    return table(
        ("policy", "rule"), ((f"`{p.name}`", p.summary) for p in POLICIES.values())
    )


def label_statistics() -> str:
    """Statistics of labels, from the rows that ``agree`` computes."""
    return _metrics(METRICS)


def score_statistics() -> str:
    """List the statistics of scores."""
    return _metrics(SCORE_METRICS)


def _metrics(metrics: Iterable[Metric[Any]]) -> str:
    rows = (
        (
            metric.title,
            f"`{metric.name}`",
            metric.about,
            formula(metric),
            metric.better or "-",
        )
        for metric in metrics
    )
    return table(
        ("figure", "name", "what it counts", "formula and source", "better"), rows
    )


def formula(metric: Metric[Any]) -> str:
    """Return what a statistic's docstring says: formula, range, source."""
    text = inspect.cleandoc(metric.statistic.__doc__ or "")
    kept = [
        part
        for part in text.split("\n\n")
        if not part.startswith(("Args:", "Returns:", ">>>"))
    ]
    return re.sub(r":\w+:`~?([^`]+)`", r"`\1`", " ".join(kept))


def ranking_models() -> str:
    """Models of strengths, by the docstring of each."""
    rows = (
        (f"`{name}`", inspect.cleandoc(m.likelihood.__doc__ or ""))
        for name, m in MODELS.items()
    )
    return table(("method", "model and source"), rows)


def columns() -> str:
    """Columns of pairs that are understood, the first of each ours."""
    rows = ((f"`{'.'.join(place)}`", _names(known)) for place, known in PAIR.items())
    return table(("field", "columns"), rows)


def single_columns() -> str:
    """Columns of single answers."""
    rows = ((f"`{place}`", _names(known)) for place, known in SINGLE.items())
    return table(("field", "columns"), rows)


def _names(known: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in known)


def recordings() -> str:
    """List the formats of recordings."""
    rows = ((each.name, _names(each.suffixes), each.reader) for each in FORMATS)
    return table(("format", "endings", "read by"), rows)


def record_schemas() -> str:
    """Top-level fields of the records that are read and written."""
    return "\n\n".join(_schema(name, schema) for name, schema in schemas(None).items())


def result_schemas() -> str:
    """Top-level keys of what ``--json`` writes, by command."""
    return "\n\n".join(
        _schema(name, result_schema(name), _meanings(types))
        for name, types in RESULTS.items()
    )


def _meanings(types: Iterable[str]) -> dict[str, str]:
    """Field -> what the docstrings of these classes, ``MODULE:NAME``, say of it."""
    meanings: dict[str, str] = {}
    for target in types:
        module, _, name = target.rpartition(" ")[2].partition(":")
        kind = getattr(import_module(module, "trace_eval"), name)
        for one in get_args(kind) or (kind,):
            meanings |= help_of(one)
    return meanings


def _schema(
    name: str, schema: Mapping[str, Any], meanings: Mapping[str, str] = {}
) -> str:
    parts = [f"#### {name}"]
    for shape in _shapes(schema, schema.get("$defs", {})):
        rows = [
            (
                f"`{key}`",
                _kind(field),
                field.get("description") or meanings.get(key, ""),
            )
            for key, field in shape.get("properties", {}).items()
        ]
        said = shape.get("description", "").partition("\n")[0]
        if rows:
            parts += [
                *([said] if said else []),
                table(("key", "type", "meaning"), rows),
            ]
    return "\n\n".join(parts if len(parts) > 1 else [*parts, "An object."])


def _shapes(
    schema: Mapping[str, Any], kinds: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield the objects that a schema may hold."""
    if "$ref" in schema:
        yield from _shapes(kinds[schema["$ref"].rpartition("/")[2]], kinds)
    elif "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from _shapes(one, kinds)
    elif schema.get("type") == "array":
        yield from _shapes(schema.get("items", {}), kinds)
    else:
        yield schema


def _kind(field: Mapping[str, Any]) -> str:
    """Name a field's type in a word or two."""
    if "$ref" in field:
        return str(field["$ref"].rpartition("/")[2])
    if "anyOf" in field:
        kinds = " or ".join(_kind(one) for one in field["anyOf"]).split(" or ")
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    if field.get("type") == "array":
        return f"list of {_kind(field.get('items', {}))}"
    kind = field.get("type", field.get("const", "any"))
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


#: Name of a mark -> what stands in its place.
PARTS: Mapping[str, Callable[[], str]] = {
    made.__name__: made
    for made in (
        *(
            commands,
            extractors,
            networks,
            measures,
            rubrics,
            tasks,
            judges,
            judge_options,
            presets,
        ),
        *(policies, label_statistics, score_statistics, ranking_models),
        *(columns, single_columns, recordings, record_schemas, result_schemas),
    )
}

_MARK = re.compile(r"<!-- made: (\w+) -->")


def filled(text: str) -> str:
    """Replace every mark of a page.

    Raises:
        KeyError: a mark names nothing that is made.
    """
    return _MARK.sub(lambda mark: PARTS[mark[1]](), text)


if __name__ == "__main__":
    for part in sys.argv[1:]:
        sys.stdout.write(PARTS[part]() + "\n")
