"""Stretches of sound that is no speech: named windows by hand, and made sounds."""

from __future__ import annotations

import numpy as np
import pytest

from blueprints import Absent, Event, Extension, render_compact
from extractors.audio import SPEECH_RATE, Clip
from extractors.networks import sounds, yamnet
from extractors.networks.sounds import FireRedVadExtractor, YamnetExtractor
from tests.support.speech import measured, noise, say, silence

EXTRACTORS = [YamnetExtractor(), FireRedVadExtractor()]


def need(extractor: sounds.SoundExtractor) -> None:
    if reason := extractor.unavailable():
        pytest.skip(reason)


def events(clip: Clip, extractor: sounds.SoundExtractor | None = None) -> list[Event]:
    extractor = extractor or YamnetExtractor()
    group = extractor.extract(clip, measured(clip))
    assert isinstance(group, Extension), group
    assert group.events is not None
    return group.events


def probabilities(windows: int, **likely: dict[int, float]) -> dict[str, np.ndarray]:
    """Return groups' probabilities: 0.1 for speech, else 0, except the given ones."""
    groups = {group: np.zeros(windows, np.float32) for group in sounds._CLASSES}
    groups["speech"][:] = 0.1
    for group, by_window in likely.items():
        for window, probability in by_window.items():
            groups[group][window] = probability
    return groups


# --- by hand --------------------------------------------------------------------------


def test_neighbouring_windows_of_one_kind_are_one_stretch_with_its_sureness() -> None:
    groups = probabilities(10, laughter={3: 0.3, 4: 0.8}, cough={6: 0.5}, cry={7: 0.25})
    named = sounds._named(groups, 5.0, narrow=False)
    # Window 3 begins at 1.44 s; its middle half lies from 1.68 to 2.16 s.
    assert [(one.kind, one.start_s, one.end_s) for one in named] == [
        ("laughter", 1.68, 2.64),
        ("vocal_sound", 3.12, 4.08),
    ]
    assert named[0].strength == pytest.approx(0.8 / 0.2)


def test_speech_that_is_surer_and_classes_that_are_not_known_name_nothing() -> None:
    groups = probabilities(6, laughter={0: 0.09}, singing={1: 0.9}, applause={2: 0.9})
    groups["whistling"][3] = 0.9
    groups["scream"][4] = 0.29  # under its least, 0.3
    assert sounds._named(groups, 3.0, narrow=False) == []


@pytest.mark.parametrize(
    ("laughter", "cough", "narrow", "kinds"),
    [
        (0.16, 0.0, False, ["laughter"]),
        (0.14, 0.0, False, []),
        (0.16, 0.17, False, []),  # another sound is surer, and speech surer still
        (0.16, 0.0, True, []),
    ],
)
def test_a_laugh_that_is_taken_for_speech_is_a_laugh_in_wide_band(
    laughter: float, cough: float, narrow: bool, kinds: list[str]
) -> None:
    groups = probabilities(6, speech={2: 0.9}, laughter={2: laughter}, cough={2: cough})
    named = sounds._named(groups, 3.0, narrow=narrow)
    assert [one.kind for one in named] == kinds
    assert all(one.strength >= 1 for one in named)


def test_on_a_telephone_a_laugh_is_a_vocal_sound_and_short_tones_are_none() -> None:
    groups = probabilities(6, laughter={1: 0.9}, tones={3: 0.9})
    [one] = sounds._named(groups, 3.0, narrow=True)
    assert one.kind == "vocal_sound"
    groups["tones"][4] = 0.9
    assert [one.kind for one in sounds._named(groups, 3.0, narrow=True)] == [
        "vocal_sound",
        "tones",
    ]


def test_music_is_half_a_second_and_more_that_both_networks_hear() -> None:
    music = np.zeros(400, np.float32)
    music[50:110] = 0.9
    music[150:200] = 0.6  # 0.4 s later: the same stretch
    music[300:340] = 0.9  # 0.4 s: too short
    heard = np.ones(400, bool)
    [one] = sounds._music(music, heard)
    assert (one.start_s, one.end_s, one.strength) == (0.5, 2.0, 1.8)
    heard[:] = False
    assert sounds._music(music, heard) == []


# --- with the published weights -------------------------------------------------------


def chord(seconds: float) -> np.ndarray:
    time = np.arange(round(44_100 * seconds)) / 44_100
    struck = sum(np.sin(2 * np.pi * hertz * time) for hertz in (262, 330, 392, 524))
    return (0.05 * struck * np.exp(-4 * (time % 0.5)))[:, np.newaxis].astype(np.float32)


@pytest.mark.parametrize("extractor", EXTRACTORS, ids=lambda one: one.name)
def test_music_is_heard_alone_and_not_in_speech(
    extractor: sounds.SoundExtractor,
) -> None:
    need(extractor)
    [music] = events(Clip(chord(4), 44_100, "music"), extractor)
    assert music.kind == "music"
    assert music.seconds > 3
    assert events(say(), extractor) == []


def test_music_under_the_end_of_an_answer_has_its_time() -> None:
    need(YamnetExtractor())
    speech = say().samples
    clip = Clip(np.concatenate([speech, chord(4)]), 44_100, "then music")
    [music] = events(clip)
    assert music.kind == "music"
    assert music.start_s == pytest.approx(len(speech) / 44_100, abs=0.6)


def test_few_windows_of_speech_are_listened_to_and_all_of_other_sound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need(YamnetExtractor())
    time = np.arange(SPEECH_RATE * 3) / SPEECH_RATE
    whistle = (0.2 * np.sin(2 * np.pi * 1500 * time)).astype(np.float32)
    speech, music = say().speech, Clip(chord(3), 44_100, "music").speech
    sound = np.concatenate([speech, music, speech, whistle])
    skimmed = YamnetExtractor().events(sound, narrow=False)
    assert {event.kind for event in skimmed} == {"music", "tones"}
    looked_at: list[int] = []
    probabilities = yamnet._probabilities

    def counted(windows: np.ndarray) -> np.ndarray:
        looked_at.append(len(windows))
        return probabilities(windows)

    monkeypatch.setattr(yamnet, "_probabilities", counted)
    everything = yamnet.classes(sound)
    answer = np.tile(speech, 4)
    assert YamnetExtractor().events(answer, narrow=False) == []
    first, *of_speech = looked_at
    assert first == len(everything)
    assert sum(of_speech) < 0.75 * len(yamnet._windows(answer))  # 20 of 29
    monkeypatch.setattr(yamnet, "classes", lambda *_: everything)
    assert YamnetExtractor().events(sound, narrow=False) == skimmed


def test_dialled_tones_are_tones_and_no_music() -> None:
    need(YamnetExtractor())
    time = np.arange(44_100 * 3) / 44_100
    both = np.sin(2 * np.pi * 697 * time) + np.sin(2 * np.pi * 1209 * time)
    dialled = (0.1 * both * ((time % 0.2) < 0.1)).astype(np.float32)
    kinds = {one.kind for one in events(Clip(dialled[:, None], 44_100, "DTMF"))}
    assert kinds == {"tones"}


@pytest.mark.parametrize("extractor", EXTRACTORS, ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("clip", "status"),
    [(silence(3), "silent"), (noise(0.3), "too_short")],
    ids=["silence", "0.3 s"],
)
def test_what_cannot_be_named_has_a_status(
    extractor: sounds.SoundExtractor, clip: Clip, status: str
) -> None:
    need(extractor)
    group = extractor.extract(clip, measured(clip))
    assert isinstance(group, Absent)
    assert group.status == status
    assert group.reason


@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (96_000, 1), (16_000, 6)])
def test_odd_formats_are_measured(rate: int, channels: int) -> None:
    need(YamnetExtractor())
    import soxr

    samples = soxr.resample(say().samples, 44_100, rate)
    odd = Clip(np.repeat(samples, channels, axis=1), rate, "odd")
    assert events(odd) == []


def test_a_prompt_has_one_line_of_the_group() -> None:
    found = [
        Event(kind="laughter", start_s=1.2, end_s=2.4, strength=2).model_dump(
            mode="json"
        )
    ]
    blueprint = measured(say()).model_copy(
        update={"extensions": {"sounds": Extension(values={"events": found})}}
    )
    lines = [
        one
        for one in render_compact(blueprint).splitlines()
        if one.startswith("sounds")
    ]
    assert lines == ["sounds: laughter 1.2-2.4 s"]


def test_yamnet_states_that_its_package_has_no_licence() -> None:
    assert "Its package states no licence." in YamnetExtractor.limits
