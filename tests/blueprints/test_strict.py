"""The contract refuses what JSON cannot say and what nobody declared."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from pydantic import ValidationError

from blueprints import (
    GROUPS,
    NOT_REQUESTED,
    Absent,
    Blueprint,
    Contour,
    Emotion,
    Extension,
    Provenance,
    Quality,
    Status,
)
from tests.support.samples import absent, blueprints, spoken


@settings(max_examples=60)
@given(blueprints)
def test_json_round_trips_and_is_strict(bp: Blueprint) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in JSON")

    text = bp.model_dump_json()
    json.loads(text, parse_constant=refuse)
    assert Blueprint.model_validate_json(text) == bp


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_lacks_are_refused(value: float) -> None:
    for made in (
        lambda: Contour(start_s=0, step_s=1, values=[1.0, value]),
        lambda: Emotion(scores={"happy": value}, top="happy"),
        lambda: Quality(sig=value, bak=1, ovrl=1, p808=1, windows=1, level_dbfs=None),
        lambda: Extension(values={"deep": [{"er": value}]}),
    ):
        with pytest.raises(ValidationError, match="finite"):
            made()


@pytest.mark.parametrize("name", [None, *GROUPS])
def test_unknown_fields_are_refused(name: str | None) -> None:
    record: dict[str, Any] = spoken().model_dump(mode="json")
    target = record if name is None else record[name]
    target["surprise"] = 1
    with pytest.raises(ValidationError, match="surprise"):
        Blueprint.model_validate(record)


@pytest.mark.parametrize("status", Status)
def test_absent_groups_round_trip_and_need_a_reason(status: Status) -> None:
    bp = Blueprint(clip="0" * 64, pitch=absent(status))
    assert Blueprint.model_validate_json(bp.model_dump_json()) == bp
    with pytest.raises(ValidationError, match="reason"):
        Absent(status=status, reason="")


def test_a_present_group_is_never_read_as_absent_nor_the_reverse() -> None:
    record = spoken().model_dump(mode="json")
    failed = record["pitch"] | {"status": "failed"}
    for pitch in (failed, {"status": "ok", "reason": "fine"}):
        with pytest.raises(ValidationError):
            Blueprint.model_validate(record | {"pitch": pitch})


def test_blueprints_do_not_change_in_place() -> None:
    bp = spoken()
    with pytest.raises(ValidationError, match="frozen"):
        bp.clip = "1"  # type: ignore[misc]
    source = Provenance(extractor="x", version="1")
    other = bp.with_group("pitch", absent(), source).with_group(
        "mine", absent(), source
    )
    assert isinstance(other.pitch, Absent)
    assert not isinstance(bp.pitch, Absent)
    assert set(other.provenance) == {"pitch", "mine"}
    assert other.group("mine") == absent()
    assert bp.group("mine") == NOT_REQUESTED


SCHEMA = Blueprint.model_json_schema()
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


def walk(node: Any) -> list[dict[str, Any]]:
    """Every subschema."""
    found = [node]
    for key in ("properties", "$defs"):
        found += [s for child in node.get(key, {}).values() for s in walk(child)]
    for key in ("items", "additionalProperties"):
        found += walk(node[key]) if isinstance(node.get(key), dict) else []
    for key in ("anyOf", "allOf", "oneOf"):
        found += [s for child in node.get(key, []) for s in walk(child)]
    return found


def test_the_schema_is_self_contained_json_schema() -> None:
    for node in walk(SCHEMA):
        assert isinstance(node, dict)
        assert node.get("type", "object") in TYPES
        if "$ref" in node:
            assert node["$ref"].removeprefix("#/$defs/") in SCHEMA["$defs"]
        assert set(node.get("required", [])) <= set(node.get("properties", {}))
    for name in GROUPS:
        options = [
            o["$ref"].rsplit("/", 1)[-1] for o in SCHEMA["properties"][name]["anyOf"]
        ]
        assert options == [GROUPS[name].__name__, "Absent"]
        assert SCHEMA["$defs"][GROUPS[name].__name__]["additionalProperties"] is False


#: The unit that a field's name promises -> how its description says it.
UNITS = {
    "_hz": ("Hz",),
    "_s": ("second",),
    "_dbfs": ("full scale", "full-scale"),
    "_lufs": ("LUFS",),
    "_lu": ("LU",),
    "_semitones": ("semitone",),
    "_lu_per_s": ("LU/s", "LU per second"),
    "wpm": ("words per minute",),
}


def test_the_schemas_descriptions_say_the_units() -> None:
    checked = 0
    for group in (*(m.__name__ for m in GROUPS.values()), "Span", "Word", "Contour"):
        for field, node in SCHEMA["$defs"][group]["properties"].items():
            fitting = [unit for unit in UNITS if field.endswith(unit)]
            if not fitting or (field.endswith("_per_s") and fitting == ["_s"]):
                continue
            words = UNITS[max(fitting, key=len)]
            assert any(word in node["description"] for word in words), (
                f"{group}.{field}"
            )
            checked += 1
    assert checked > 20
