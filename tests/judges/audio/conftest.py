"""A real llama.cpp server with ears, made here: random weights, real sound."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support import tiny_model, tiny_projector
from tests.support.servers import llama_server
from trace_eval.judges.views.pair.naturalness import FILE
from trace_eval.judges.views.text.tasks import common, load_listening, task_names

NEEDED = ("xllamacpp", "gguf")


@pytest.fixture(scope="session")
def ears(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a llama.cpp server on loopback that takes ``input_audio``."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        pytest.skip(f"real hearing needs them: pip install {' '.join(missing)}")
    folder: Path = tmp_path_factory.mktemp("ears")
    texts = [common().model_dump_json()]
    texts += [load_listening(name).model_dump_json() for name in task_names()]
    texts += [FILE.read_text()]
    model = tiny_model.build(folder / "tiny.gguf", "\n".join(texts))
    projector = tiny_projector.build(folder / "mmproj.gguf")
    with llama_server(model, ears=projector) as url:
        yield url
