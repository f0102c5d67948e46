"""What a group knows of itself is all that renderings, reports and tables ask for."""

from typing import ClassVar

import pytest
from pydantic import Field

from blueprints import (
    GROUPS,
    Absent,
    Blueprint,
    Contour,
    Emotion,
    EmotionWindow,
    Extension,
    Present,
    Status,
)
from blueprints.records import Fact
from tests.support.samples import spoken, spoken_with


class Harmonicity(Present):
    """A group that says nothing of itself but its fields."""

    mean_db: float = Field(description="mean harmonics-to-noise ratio, dB")
    voice: str = Field(description="name of the voice")
    contour: Contour = Field(description="dB; null where unvoiced")
    contour_unit: ClassVar[str] = "dB"


PLAIN = Harmonicity(
    mean_db=12.5,
    voice="a\nb",
    contour=Contour(start_s=0, step_s=1, values=[12.5, None]),
)


def test_the_fields_of_a_blueprint_are_its_groups() -> None:
    assert list(GROUPS) == [
        "signal", "transcript", "quality", "pitch", "loudness", "rate", "emotion", "accent",
    ]  # fmt: skip
    assert all(
        isinstance(spoken().group(name), model) for name, model in GROUPS.items()
    )


@pytest.mark.parametrize("name", GROUPS)
def test_every_group_explains_its_line_in_words_of_its_own(name: str) -> None:
    model = GROUPS[name]
    assert not model.legend().startswith("JSON")
    assert not model.legend().endswith(".")  # the legend adds it


def test_a_group_without_a_rendering_is_json_on_one_line_with_its_fields_as_legend() -> (
    None
):
    assert PLAIN.render(None) == (
        '{"mean_db":12.5,"voice":"a\\nb","contour":{"start_s":0.0,"step_s":1.0,"values":[12.5,null]}}'
    )
    assert Harmonicity.legend() == (
        "JSON; mean_db: mean harmonics-to-noise ratio, dB; voice: name of the voice;"
        " contour: dB; null where unvoiced"
    )


def test_single_values_are_facts_and_of_an_extension_all() -> None:
    assert list(PLAIN.facts("hnr")) == [
        Fact("hnr mean_db", 12.5),
        Fact("hnr voice", "a\nb"),
    ]
    assert list(Extension(values={"x": [1]}).facts("mine")) == [Fact("mine x", [1])]
    words = spoken_with("rate", syllables_per_s=None, syllables=None, contour=None).rate
    assert [fact.name for fact in words.facts("rate")] == [
        "rate",
        "articulation",
        "tempo trend",
    ]


@pytest.mark.parametrize(("seconds", "known"), [(16.8, 16.8), (0.0, None)])
def test_the_length_of_a_clip_is_null_where_it_is_nothing(
    seconds: float, known: float | None
) -> None:
    assert spoken_with("signal", duration_s=seconds).clip_s == known
    absent = Absent(status=Status.FAILED, reason="no")
    assert Blueprint(clip="c", signal=absent).clip_s is None


def test_facts_of_every_group_of_a_spoken_answer() -> None:
    blueprint = spoken()
    facts = {}
    for name in ("signal", "pitch", "loudness", "rate"):
        group = blueprint.group(name)
        assert isinstance(group, Present)
        facts |= {(name, fact.name): fact.value for fact in group.facts(name)}
    assert {name for name, _ in facts} == {"signal", "pitch", "loudness", "rate"}
    assert str(facts["signal", "duration"]).endswith(" s")
    assert str(facts["pitch", "mean pitch"]).endswith(" Hz")
    assert str(facts["rate", "rate"]).endswith(" words/min")
    assert all(value and "nan" not in str(value) for value in facts.values())


def test_windows_without_scores_have_no_course() -> None:
    sad = {"sad": 0.9, "neutral": 0.1}
    windows = [
        EmotionWindow(start_s=s, end_s=s + 1, scores=x) for s, x in ((0, {}), (1, sad))
    ]
    emotion = Emotion(scores=sad, top="sad", trajectory=windows)
    assert emotion.render(None) == "sad 90 neutral 10; sad at 1"
