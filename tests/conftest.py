"""What every test gets: real data where it is, and a home of its own."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from extractors import default_asr
from extractors.models import cache_folder
from tests.support.cli import ROOT, environment_of_all, trace_eval
from trace_eval.data.access import UrlAccess, set_url_access

# No property has a time limit, because a loaded machine is not a failure.
settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")
# Output has the width of a file: pytest imports readline, which writes COLUMNS past
# os.environ into the environment that child processes, those of pytest-xdist among
# them, inherit.
os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")
# What a shell starts in the background ignores Ctrl-C, and hands that on to what tests
# start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Machine code is kept outside of the homes that tests get: to compile it takes seconds.
# All test processes share it, because those that compile wait for each other; see
# extractors.pitch. What torch's libraries compile asks nobody, and numba mixes up what two
# processes compile at once: beside them each process has a folder of its own.
_APART = os.environ.get("PYTEST_XDIST_WORKER", "") if find_spec("torch") else "shared"
_KEPT = Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder() / "numba")
_MACHINE_CODE = _KEPT / _APART
_MACHINE_CODE.mkdir(parents=True, exist_ok=True)
os.environ["NUMBA_CACHE_DIR"] = str(_MACHINE_CODE)
# Each test process and what it starts has one thread for numbers: where several share
# the cores, threads that wait for each other spin, and small models take four times as
# much processor time.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

#: Names of the folders that tests have as their cache.
_NUMBERS = count()

DATA_VARIABLE = "TRACE_EVAL_DATA"

PAIRS = ROOT / "examples" / "pairs.jsonl"

#: Files of tests that take longest, most of it waiting. They begin, so that no process
#: is left alone with one of them at the end.
LONGEST = (
    "extracting/test_ray.py",
    "test_recipes.py",
    "review/test_browser.py",
    "test_site.py",
    "test_notebooks.py",
    "judges/test_served.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the tests of the longest files to the beginning."""
    order = {ROOT / "tests" / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path, len(order)))


def pytest_collection_finish() -> None:
    """Keep the environment in which all tests begin; conftests have set theirs."""
    environment_of_all()


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real speech and human labels."""
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        pytest.skip(
            f"{DATA_VARIABLE} is not set; export it to run the checks on real data"
        )
    return Path(folder).resolve()


@pytest.fixture(scope="session")
def extracted_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fill a clip cache with all example recordings, extracted once for all workers."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # that of the processes that run tests together
    folder = base / "extracted-examples"
    with FileLock(base / "extracted-examples.lock"):
        if not folder.exists():
            made = tmp_path_factory.mktemp("examples")
            done = trace_eval(
                "extract", PAIRS, "--out", made / "out", "--cache", made / "cache"
            )
            assert done.code == 0, done.err
            (made / "cache").rename(folder)
    return folder


@pytest.fixture(scope="module")
def examples_cache(
    tmp_path_factory: pytest.TempPathFactory, extracted_examples: Path
) -> Path:
    """Copy that cache for a module, which may add replies and other groups."""
    return Path(
        shutil.copytree(extracted_examples, tmp_path_factory.mktemp("module") / "cache")
    )


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to the folder of the test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def memory_urls() -> Iterator[None]:
    """URLs ``memory://`` may be opened: nobody's manifest names them."""
    before = set_url_access(UrlAccess({"memory"}))
    yield
    set_url_access(before)


@pytest.fixture(autouse=True)
def _nothing_was_told() -> None:
    """Let what is told once per process be told in each test."""
    default_asr._advise.cache_clear()


@pytest.fixture(autouse=True)
def _own_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hide the user's cache and keys; joined weights, large, and a lock are shared."""
    base = tmp_path_factory.getbasetemp()
    # A counter: pytest looks for a free number among all folders of all tests.
    cache = base / "caches" / str(next(_NUMBERS))
    cache.mkdir(parents=True)
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    (shared / "weights").mkdir(exist_ok=True)
    (cache / "weights").symlink_to(shared / "weights")
    # Whoever compiles librosa waits for all that share the machine code.
    (cache / ".librosa.lock").symlink_to(_MACHINE_CODE / ".librosa.lock")
    monkeypatch.setenv("TRACE_EVAL_CACHE", str(cache))
    for name in ("OPENAI_API_KEY", "OLLAMA_HOST", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
