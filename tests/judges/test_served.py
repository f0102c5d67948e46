"""Judges with their own server: llama.cpp for real, stand-ins for vLLM and SGLang."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from blueprints import JudgeError, UserError
from tests.support import tiny_model
from tests.support.cases import case
from tests.support.cli import ROOT, trace_eval
from tests.support.datasets_made import write_lines
from tests.support.engines import stand_in
from tests.support.llm_judges import judged
from tests.support.processes import wait_for
from tests.support.servers import need
from tests.support.speed import PATIENCE_S
from trace_eval.judges.ask import warden
from trace_eval.judges.ask.engine_faults import why_ended
from trace_eval.judges.ask.engines import ServedEngine, Start
from trace_eval.judges.ask.model_server import ModelServer
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.judges.views.pair.text import PairTextView
from trace_eval.runs.run import Run

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a file of random weights whose words are those of a prompt."""
    need("xllamacpp", "gguf")
    pack = PairTextView(JudgeOptions())
    messages = pack.messages(pack.prepare(case()), "ab")
    text = "\n".join(message.content for message in messages)
    return tiny_model.build(Path(tmp_path_factory.mktemp("model")) / "tiny.gguf", text)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write twelve pairs of words alone, so that nothing is extracted."""
    records = [
        {
            "id": f"i{number}",
            "question": "Which way does it lean?",
            "reference": "To the south.",
            "candidate": f"It leans south, {number} times.",
            "system": "s",
        }
        for number in range(12)
    ]
    return write_lines(tmp_path_factory.mktemp("served") / "items.jsonl", records)


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put stand-ins at the front of the path; return their log."""
    for kind in ("vllm", "sglang"):
        place = stand_in(kind, tmp_path)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "engine.log"))
    return tmp_path / "engine.log"


def records_of(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def processes_of(log: Path) -> list[int]:
    """Return the processes of engines and of their workers."""
    records = records_of(log)
    return [int(record.get("pid") or record["worker"]) for record in records]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(pids: list[int], within_s: float = 20.0) -> bool:
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        if not any(map(alive, pids)):
            return True
        time.sleep(0.1)
    return False


def listening(pid: int) -> set[str]:
    """Return the addresses at which a process listens, as the kernel writes them."""
    sockets = {
        link.readlink().name[8:-1]
        for link in Path(f"/proc/{pid}/fd").iterdir()
        if link.readlink().name.startswith("socket:[")
    }
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in sockets:
                addresses.add(fields[1].partition(":")[0])
    return addresses


def rate(pairs: Path, judge: str, out: Path, *options: object) -> tuple[int, str]:
    done = trace_eval(
        "rate",
        pairs,
        "--judge",
        judge,
        "--rubric",
        "correctness",
        "--out",
        out,
        *options,
    )
    return done.code, done.out + done.err


def test_a_file_is_judged_by_llama_cpp_of_its_own(tiny: Path) -> None:
    judge = create_judge(f"gguf:{tiny}", JudgeOptions(num_ctx=16384, max_tokens=400))
    judge.load()
    server = judge.client._server
    warden = server._process.pid
    children = subprocess.run(
        ["pgrep", "-P", str(warden)], capture_output=True, text=True
    ).stdout
    started = [int(pid) for pid in children.split()]
    (child,) = filter(listening, started)  # the other one watches its group
    assert listening(child) == {"0100007F"}, "it listens on loopback alone"
    outcomes = judged(judge, [case(), case("second")])
    assert [outcome.judge for outcome in outcomes] == [f"gguf:{tiny}"] * 2
    opinions = [opinion for outcome in outcomes for opinion in outcome.opinions]
    assert len(opinions) == 4
    assert all(opinion.raw and opinion.usage.cost_usd == 0 for opinion in opinions)
    cached = [opinion.usage.cached_tokens for opinion in opinions]
    assert max(cached) > 500, (
        "the instructions come first, so that the server knows them"
    )
    parameters, observed = judge.parameters(), judge.observed()
    assert len(parameters["model_sha256"]) == 64
    assert (observed["engine"], observed["structure"]) == ("llama.cpp", "json_schema")
    assert observed["engine_version"][0].isdigit()
    assert gone([*started, warden]), "they end with the judge"


def test_an_estimate_of_a_model_of_ones_own_is_in_hours(
    tiny: Path, pairs: Path, tmp_path: Path
) -> None:
    """Four calls are sent to it, two at a time, and none is kept."""
    told = tmp_path / "estimate.json"
    arguments = (
        "--rubric",
        "correctness",
        "--judge",
        f"gguf:{tiny}",
        "--estimate",
        "--quick",
    )
    said = trace_eval("rate", pairs, *arguments, "--json", told).out
    estimate = json.loads(told.read_text())
    assert (estimate["calls"], estimate["measured_calls"], estimate["in_flight"]) == (
        12,
        4,
        2,
    )
    assert estimate["hours"] == pytest.approx(
        12 * estimate["measured_s"] / 4 / 3600, rel=0.6
    )
    assert estimate["no_hours"] is None
    assert "on this machine; 4 calls took" in said
    assert "US dollars" not in said


@pytest.mark.parametrize("kind", ["vllm", "sglang"])
def test_an_estimate_asks_the_server_that_an_engine_starts(
    kind: str, engine: Path, pairs: Path, tmp_path: Path
) -> None:
    """All 12 calls are sent, which are fewer than the 64 of two rounds would be."""
    told = tmp_path / "estimate.json"
    arguments = (
        "--rubric",
        "correctness",
        "--judge",
        f"{kind}:owner/model",
        "--estimate",
    )
    said = trace_eval("rate", pairs, *arguments, "--quick", "--json", told).out
    estimate = json.loads(told.read_text())
    assert (estimate["calls"], estimate["measured_calls"], estimate["in_flight"]) == (
        12,
        12,
        12,
    )
    assert estimate["hours"] == pytest.approx(estimate["measured_s"] / 3600, rel=0.6)
    assert estimate["no_hours"] is None
    assert "on this machine; 12 calls took" in said
    assert "US dollars" not in said
    starts = [record["argv"] for record in records_of(engine) if "argv" in record]
    assert len(starts) == 1, "one server measures and is asked nothing else"
    assert gone(processes_of(engine))


@pytest.mark.parametrize(
    ("kind", "fault", "words"),
    [
        ("vllm", "memory", "ran out of memory (torch.OutOfMemoryError"),
        ("sglang", "dies", "its server ended"),
    ],
)
def test_an_engine_that_fails_leaves_the_time_unknown(
    kind: str,
    fault: str,
    words: str,
    engine: Path,
    pairs: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STAND_IN", fault)
    arguments = (
        "--rubric",
        "correctness",
        "--judge",
        f"{kind}:owner/model",
        "--estimate",
    )
    done = trace_eval("rate", pairs, *arguments, "--quick")
    said = " ".join(done.out.split())
    assert done.code == 0
    assert "12 calls to make" in said
    assert f"time: unknown; judge {kind}:owner/model: " in said
    assert words in said
    assert gone(processes_of(engine))


def test_a_model_that_does_not_load_leaves_the_time_unknown(
    pairs: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    arguments = ("--rubric", "correctness", "--judge", f"gguf:{broken}")
    said = trace_eval("rate", pairs, *arguments, "--estimate", "--quick").out
    assert "12 calls to make" in said
    assert "time: unknown; " in said


@pytest.mark.parametrize("kind", ["vllm", "sglang"])
def test_an_engine_is_started_with_its_documented_flags(
    kind: str,
    engine: Path,
    pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    further = "--tensor-parallel-size 2" if kind == "vllm" else "--tp-size 2"
    options = ["-J", f"server_args={further}", "-J", "num_ctx=4096"]
    code, text = rate(pairs, f"{kind}:owner/model@abc", tmp_path / "run", *options)
    assert code == 0, text
    (started,) = [record for record in records_of(engine) if "argv" in record]
    start = started["argv"]
    assert started["quiet"] == ["1", "1"], "it reports nothing to its maker"
    assert start[start.index("--host") + 1] == "127.0.0.1"
    assert start[start.index("--revision") + 1] == "abc"
    assert "4096" in start
    assert "2" in start
    assert "--api-key" not in start, "arguments are seen by every user"
    if kind == "sglang":
        assert not Path(start[start.index("--config") + 1]).exists(), (
            "the key goes when it is read"
        )
    record = Run(tmp_path / "run").record()
    assert record.judge.parameters["revision"] == "abc"
    assert record.judge_observed["engine_version"] == "0.30.0"
    assert gone(processes_of(engine))
    again, text = rate(pairs, f"{kind}:owner/model@abc", tmp_path / "run", *options)
    assert again == 0, text
    assert len(records_of(engine)) == 2, "a finished run starts no server"
    other, text = rate(pairs, f"{kind}:owner/model@def", tmp_path / "run", *options)
    assert other == 2, "another revision is another judge"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            "memory",
            "vLLM ran out of memory (torch.OutOfMemoryError: CUDA out of memory",
        ),
        (
            "killed",
            (
                "vLLM was killed, as systems do where memory runs out; if so, use a"
                " smaller"
            ),
        ),
        ("model", "is not a valid model identifier); check the model 'owner/model'"),
        (
            "slow",
            "was not ready after 3 s (last line: 'Loading weights'); raise -J start_s",
        ),
    ],
)
def test_an_engine_that_does_not_start_is_one_line_with_its_remedy(
    fault: str,
    words: str,
    engine: Path,
    pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STAND_IN", fault)
    limit = 3 if fault == "slow" else 30
    run = tmp_path / "run"
    code, text = rate(pairs, "vllm:owner/model", run, "-J", f"start_s={limit}")
    assert code == 2
    (line,) = [line for line in " ".join(text.split()).split("error: ")[1:] if line]
    assert line.startswith("judge vllm:owner/model: ")
    assert words in line
    assert gone(processes_of(engine))


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("RuntimeError: Failed to infer device type", "found no GPU that it can use ("),
        (
            "RuntimeError: No CUDA GPUs are available",
            "or judge with gguf:FILE, which needs none",
        ),
        ("OSError: [Errno 28] No space left on device", "found the disk full ("),
        (
            "huggingface_hub.errors.GatedRepoError: 401 Client Error",
            "log in: hf auth login",
        ),
        (
            "OSError: We couldn't connect to 'https://hub' to load",
            "hf download owner/model",
        ),
        (
            "SafetensorError: Error while deserializing header: InvalidHeaderLength",
            "found no whole model in the file (",
        ),
        (
            "0.1 E gguf_init_from_reader: failed to read key-value pairs",
            "found no whole model in the file (",
        ),
        (
            "E gguf_init_from_reader: failed to read magic",
            "found no whole model in the file (",
        ),
        (
            "E gguf_init_from_reader: this GGUF file is version 9 but this software only"
            " supports up to version 3",
            "install a newer vLLM, or name another model",
        ),
        (
            "E llama_model_load: error loading model: unknown model architecture: 'x'",
            "install a newer vLLM, or name another model",
        ),
        (
            "ValueError: Model architectures ['X'] are not supported for now",
            "does not know this kind of model (",
        ),
        (
            "ValueError: ... set the option `trust_remote_code=True`",
            "start vLLM yourself if you",
        ),
        ("vllm: error: unrecognized arguments: --x", "does not know an argument ("),
        (
            "ImportError: libcudart.so.13: cannot open shared object file",
            "install it again",
        ),
        (
            "PermissionError: [Errno 13] Permission denied: '/m/a.safetensors'",
            "who may read",
        ),
        (
            "Segmentation fault",
            "ended with exit code 139 (Segmentation fault); check the model",
        ),
    ],
)
def test_each_kind_of_fault_has_its_remedy(printed: str, words: str) -> None:
    lines = ["INFO starting", printed, "INFO: shutting down", ""]
    said = why_ended("vLLM", "owner/model", 139, lines)
    assert words in said
    assert printed in said
    assert "\n" not in said


def test_a_port_that_is_taken_is_left_for_another_one(
    engine: Path, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN", "port")
    code, text = rate(pairs, "vllm:owner/model", tmp_path / "run")
    assert code == 0, text
    starts = [record["argv"] for record in records_of(engine) if "argv" in record]
    first, second = (start[start.index("--port") + 1] for start in starts)
    assert first != second


def test_a_server_that_dies_leaves_finished_items_and_the_command_goes_on(
    engine: Path, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN", "dies")
    run = tmp_path / "run"
    code, text = rate(pairs, "vllm:owner/model", run, "-J", "concurrency=1")
    words = " ".join(text.split())
    assert code == 2
    assert (
        "its server ended: vLLM was killed, as systems do where memory runs out"
        in words
    )
    assert "finished items are kept, and the same command goes on" in words
    assert gone(processes_of(engine))
    assert sorted(Run(run).scored(["correctness"])) == ["i0", "i1"]
    monkeypatch.delenv("STAND_IN")
    code, text = rate(pairs, "vllm:owner/model", run)
    assert code == 0, text


@pytest.mark.parametrize(
    ("ended", "how", "code"),
    [
        (["run"], signal.SIGINT, 130),
        (["run"], signal.SIGTERM, 143),
        (["run"], signal.SIGKILL, -signal.SIGKILL),
        (["warden"], signal.SIGKILL, 2),
        (["warden", "run"], signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_a_server_ends_with_its_run_however_that_ends(
    ended: list[str],
    how: signal.Signals,
    code: int,
    engine: Path,
    pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STAND_IN", "hangs")
    command = [
        sys.executable,
        "-m",
        "trace_eval",
        "rate",
        pairs,
        "--judge",
        "vllm:owner/model",
    ]
    run = subprocess.Popen(
        [*map(str, command), "--rubric", "correctness", "--out", str(tmp_path / "run")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    wait_for(
        lambda: engine.exists() and len(processes_of(engine)) == 2,
        "an engine with its worker",
    )
    processes = processes_of(engine)
    assert all(map(alive, processes))
    warden = int(Path(f"/proc/{processes[0]}/stat").read_text().split()[3])
    pids = {"run": run.pid, "warden": warden}
    if len(ended) > 1:  # neither sees the other's end
        os.kill(run.pid, signal.SIGSTOP)
        os.kill(warden, signal.SIGSTOP)
    for name in ended:
        os.kill(pids[name], how)
    assert run.wait(180) == code
    assert gone(processes)


@pytest.mark.parametrize(("word", "is_killed"), [("ended\n", False), ("", True)])
def test_a_group_is_killed_where_the_warden_tells_of_no_end(
    word: str, is_killed: bool
) -> None:
    group = subprocess.Popen(["sleep", "60"], process_group=0)
    try:
        shell = ["/bin/sh", "-c", warden.AFTER_A_KILL]
        done = subprocess.run(
            shell, input=f"{group.pid}\n{word}".encode(), timeout=PATIENCE_S
        )
        assert done.returncode == 0
        assert gone([group.pid], within_s=1.0) is is_killed
    finally:
        group.kill()
        group.wait()


def test_a_server_ends_where_its_run_has_ended_before_it_starts() -> None:
    """All that the warden started holds its standard error, which comes to an end."""
    readable, writable = os.pipe()
    os.close(readable)
    started = subprocess.Popen(
        [sys.executable, "-I", warden.__file__, "sleep", "60"],
        stdin=subprocess.DEVNULL,
        stdout=writable,
        stderr=subprocess.PIPE,
    )
    os.close(writable)
    assert started.communicate(timeout=PATIENCE_S) == (None, b"")
    assert started.returncode in {128 + signal.SIGPIPE, 128 + signal.SIGTERM}


def test_a_server_ends_where_its_warden_is_killed_at_once(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    script = f"echo $$ > {told}; kill -9 $PPID; exec sleep 60"
    engine = ServedEngine("Shell", "sh", "", lambda start: ["sh", "-c", script])

    def start(port: int, key: str) -> Start:
        return Start("m", None, "m", port, key, slots=1, context=None)

    with pytest.raises(JudgeError, match="Shell was killed"):
        ModelServer("vllm:m", engine, start, 30)
    assert gone([int(told.read_text())])


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("gguf", {}, "name the model, e.g. gguf:"),
        ("gguf:none.gguf", {}, "there is no file none.gguf"),
        (
            "vllm:owner/model",
            {},
            "needs vLLM, which is not installed; run: pip install vllm",
        ),
        ("sglang:owner/model", {}, "needs SGLang, which is not installed; run: pip"),
        ("gguf:FILE", {"base_url": "http://127.0.0.1:1/v1"}, "does not use base_url"),
        ("gguf:FILE", {"server_args": "--dtype half"}, "does not use server_args"),
        ("vllm:m", {"server_args": "--port 80"}, "--port is set by this program"),
        ("vllm:m", {"server_args": "--x 'y"}, "close the quote"),
        # vLLM and SGLang read shortened names, underscores and a file of further
        # arguments.
        (
            "vllm:m",
            {"server_args": "--hos 0.0.0.0"},
            "--hos cannot be added; leave it out",
        ),
        (
            "vllm:m",
            {"server_args": "--served_model_name x"},
            "--served_model_name cannot be added",
        ),
        ("vllm:m", {"server_args": "--config more.yaml"}, "--config cannot be added"),
        (
            "vllm:m",
            {"server_args": "--dtype half --trust-remote-code"},
            "start vLLM yourself",
        ),
        ("sglang:m", {"server_args": "--tokenizer-path=x"}, "start SGLang yourself"),
    ],
)
def test_what_cannot_be_served_is_said_before_any_work(
    spec: str, options: dict[str, str], words: str, tiny: Path
) -> None:
    spec = spec.replace("FILE", str(tiny))

    with pytest.raises(UserError, match=words.replace("(", r"\(")):
        create_judge(spec, JudgeOptions(**options))


@pytest.mark.parametrize(
    ("size", "why"),
    [
        (0, "failed to read magic"),
        (60_000, "failed to read key-value pairs"),
        (300_000, "not within the file bounds"),
    ],
)
def test_a_file_that_is_no_whole_model_is_one_line(
    size: int, why: str, tiny: Path, tmp_path: Path
) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(tiny.read_bytes()[:size])
    judge = create_judge(f"gguf:{path}", JudgeOptions())
    with pytest.raises(UserError, match=f"{why}.*fetch .*broken.gguf again") as refusal:
        judge.load()
    assert "\n" not in str(refusal.value)


@pytest.fixture
def little_memory() -> Iterator[None]:
    """Leave new programs some gigabytes to map, fewer than the machine has."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    mapped = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + 2 * 2**30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.usefixtures("little_memory")
def test_too_little_memory_for_a_file_is_said(tiny: Path) -> None:
    judge = create_judge(f"gguf:{tiny}", JudgeOptions(num_ctx=2**30, concurrency=1))
    with pytest.raises(UserError, match=r"ran out of memory\b.*lower -J num_ctx"):
        judge.load()
