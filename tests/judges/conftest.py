"""A real llama.cpp server with a model that is made here, and its Ollama front."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.cases import case
from tests.support.servers import Server, llama_server, ollama_front
from tests.support.tiny_model import build

NEEDED = ("xllamacpp", "gguf")


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a llama.cpp server on loopback."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        pytest.skip(f"real sampling needs them: pip install {' '.join(missing)}")
    from trace_eval.judges.options.judge_options import JudgeOptions
    from trace_eval.judges.views.pair.text import PairTextView

    pack = PairTextView(JudgeOptions())
    messages = pack.messages(pack.prepare(case()), "ab")
    text = "\n".join(message.content for message in messages)
    model = build(Path(tmp_path_factory.mktemp("model")) / "tiny.gguf", text)
    with llama_server(model) as url:
        yield url


@pytest.fixture(scope="session")
def ollama_url(llama: str) -> Iterator[str]:
    """Address of an Ollama front that hands to the llama.cpp server."""
    with ollama_front(llama) as server:
        yield server.url


@pytest.fixture
def front(llama: str) -> Iterator[Server]:
    """The same, with a memory of what this one test asked."""
    with ollama_front(llama) as server:
        yield server
