"""``doctor --probe``: a model that hears, one that guesses, and a real server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.audio_cases import said
from tests.support.cli import trace_eval
from tests.support.probe_sounds import sounds
from tests.support.servers import Answer, Asked, Server, completion
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import Check
from trace_eval.judges.registry.doctor import doctor


def is_voice(samples: np.ndarray[Any, Any]) -> bool:
    """Speech changes its level; a tone, noise and silence do not, or in one step."""
    frames = samples[: len(samples) // 1200 * 1200].reshape(-1, 1200)
    level = np.sqrt((frames**2).mean(1))
    return bool(level.max() > 0.01 and np.median(np.abs(np.diff(level))) > 0.004)


def listening(asked: Asked) -> Answer:
    """A model that hears as a person would."""
    if asked.path.startswith("/v1/models"):
        return Answer(body={"id": "m", "object": "model", "shutdown_date": "2027-01-20"})
    heard = sounds(asked)
    words = str(asked.body["messages"][-1]["content"])
    if "match" in words:
        reply = said(is_voice(heard[0]), key="match")
    elif "label" in words:
        same = len(heard[0]) == len(heard[1]) and (heard[0] == heard[1]).all()
        reply = said("tie" if same else "1" if is_voice(heard[0]) else "2")
    else:
        reply = '{"rating": "both_good"}'
    body = completion(reply)
    tokens = round(sum(map(len, heard)) / 2400)
    body["usage"]["prompt_tokens_details"] = {"audio_tokens": tokens}
    return Answer(body=body)


def guessing(asked: Asked) -> Answer:
    """A model that hears a voice in everything and likes the first place."""
    if asked.path.startswith("/v1/models"):
        return Answer(404, {"error": {"message": "no list"}})
    words = str(asked.body["messages"][-1]["content"])
    return Answer(body=completion(said(True, key="match") if "match" in words else said("1")))


def checks(server: Server) -> dict[str, Check]:
    options = JudgeOptions(base_url=f"{server.url}/v1", retries=0)
    found = asyncio.run(doctor("audio:openai:m", options, probe=True))
    return {check.name: check for check in found}


def test_a_model_that_hears() -> None:
    with Server(listening) as server:
        found = checks(server)
    names = ("voice in silence", "voice in a tone", "voice in speech", "one clip twice")
    assert all(found[name].ok for name in (*names, "both orders", "audio tokens")), found
    assert "2027-01-20" in found["end of the model"].detail
    # every call holds sound: models that listen refuse text alone
    assert all(sounds(asked) for asked in server.asked if asked.method == "POST")


def test_a_model_that_guesses() -> None:
    with Server(guessing) as server:
        found = checks(server)
    wrong = {name for name, check in found.items() if not check.ok}
    assert {"voice in silence", "voice in a tone", "one clip twice", "both orders"} <= wrong
    assert found["voice in speech"].ok
    assert "not counted apart" in found["audio tokens"].detail


@pytest.mark.slow
def test_the_command_probes_a_real_server(ears: str, tmp_path: Path) -> None:
    server = ["--judge", "audio:openai:tiny", "--base-url", f"{ears}/v1"]
    done = trace_eval("doctor", *server, "--probe", cwd=tmp_path)
    # random weights hear nothing: what counts is that every question was asked and answered
    for name in ("voice in silence", "one clip twice", "both orders"):
        assert name in done.out
    assert "Traceback" not in done.err
    text = trace_eval("doctor", "--judge", "openai:tiny", "--base-url", f"{ears}/v1", "--probe")
    assert "does not listen" in text.out
