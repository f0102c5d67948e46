"""Real llama.cpp servers with models made here, one with ears, and an Ollama front."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import tiny_model, tiny_projector
from tests.support.cases import case
from tests.support.servers import Server, llama_server, need, ollama_front
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.pair.naturalness import FILE
from trace_eval.judges.views.pair.text import PairTextView
from trace_eval.judges.views.text.tasks import common, load_listening, task_names


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a llama.cpp server on loopback."""
    need("xllamacpp", "gguf")
    pack = PairTextView(JudgeOptions())
    messages = pack.messages(pack.prepare(case()), "ab")
    text = "\n".join(message.content for message in messages)
    model = tiny_model.build(Path(tmp_path_factory.mktemp("model")) / "tiny.gguf", text)
    with llama_server(model) as url:
        yield url


@pytest.fixture(scope="session")
def ollama_url(llama: str) -> Iterator[str]:
    """Address of an Ollama front that hands to the llama.cpp server."""
    with ollama_front(llama) as server:
        yield server.url


@pytest.fixture
def front(llama: str) -> Iterator[Server]:
    """Serve the same, with a memory of what this one test asked."""
    with ollama_front(llama) as server:
        yield server


@pytest.fixture(scope="session")
def ears(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a model that takes ``input_audio``: random weights and real sound."""
    need("xllamacpp", "gguf")
    folder: Path = tmp_path_factory.mktemp("ears")
    texts = [common().model_dump_json()]
    texts += [load_listening(name).model_dump_json() for name in task_names()]
    texts += [FILE.read_text()]
    model = tiny_model.build(folder / "tiny.gguf", "\n".join(texts))
    projector = tiny_projector.build(folder / "mmproj.gguf")
    with llama_server(model, ears=projector) as url:
        yield url
