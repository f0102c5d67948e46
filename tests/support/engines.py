"""Stand-ins for the executables of vLLM and SGLang: their flags and their protocol."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

_SCRIPT = r'''#!PYTHON
import argparse, http.server, json, os, signal, subprocess, sys, threading, time

KIND = "KIND_OF"
MISBEHAVES = os.environ.get("STAND_IN", "")
parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("command", choices=["serve"])
if KIND == "vllm":  # as documented by `vllm serve --help`
    parser.add_argument("model")
    parser.add_argument("--max-model-len", type=int)
    parser.add_argument("--enable-prefix-caching", action="store_true")
    parser.add_argument("--tensor-parallel-size", type=int)
    parser.add_argument("--quantization")
    KEY = os.environ["VLLM_API_KEY"]
else:  # as documented in SGLang's server arguments
    parser.add_argument("--model-path", dest="model", required=True)
    parser.add_argument("--context-length", type=int)
    parser.add_argument("--tp-size", type=int)
    parser.add_argument("--config", required=True)
parser.add_argument("--host", required=True)
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--served-model-name", required=True)
parser.add_argument("--revision")
args = parser.parse_args()
if KIND == "sglang":
    KEY = json.load(open(args.config))["api-key"]
Path = __import__("pathlib").Path
log = Path(os.environ["STAND_IN_LOG"])
with log.open("a") as file:
    quiet = os.environ.get("DO_NOT_TRACK"), os.environ.get("VLLM_NO_USAGE_STATS")
    file.write(json.dumps({"argv": sys.argv[1:], "pid": os.getpid(), "quiet": quiet}) + "\n")
# Engines have workers that a killed server would leave behind.
worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with log.open("a") as file:
    file.write(json.dumps({"worker": worker.pid}) + "\n")
starts = sum("argv" in json.loads(line) for line in log.read_text().splitlines())
if MISBEHAVES == "port" and starts == 1:
    sys.exit(f"OSError: [Errno 98] Address already in use: ({args.host!r}, {args.port})")
if MISBEHAVES == "memory":
    sys.exit("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")
if MISBEHAVES == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if MISBEHAVES == "model":
    sys.exit(f"OSError: {args.model} is not a local folder and is not a valid model identifier")
if MISBEHAVES == "slow":
    print("Loading weights", flush=True)
    time.sleep(600)
served = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def give(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def allowed(self):
        if self.headers.get("authorization") == f"Bearer {KEY}":
            return True
        self.give(401, {"error": "Unauthorized"})
        return False

    def do_GET(self):
        if self.path == {"vllm": "/version", "sglang": "/server_info"}[KIND]:
            self.give(200, {"version": "0.30.0"})
        elif self.path == "/v1/models" and self.allowed():
            self.give(200, {"object": "list", "data": [{"id": args.served_model_name}]})
        elif self.path != "/v1/models":
            self.give(404, {})

    def do_POST(self):
        global served
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.allowed():
            return
        served += 1
        if MISBEHAVES == "dies" and served > 2:
            print("CUDA error: an illegal memory access was encountered", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if MISBEHAVES == "hangs":
            time.sleep(600)
        schema = body["response_format"]["json_schema"]["schema"]
        reply = {
            "id": "c", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": json.dumps(of(schema))}}],
            "usage": {"prompt_tokens": 2000, "completion_tokens": 100, "total_tokens": 2100},
        }
        self.give(200, reply)


def of(schema):
    """The first value that a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: of(each) for name, each in schema["properties"].items()}
    if schema.get("type") == "array":
        return []
    return {"integer": 1, "number": 1, "boolean": True}.get(schema.get("type"), "It is so.")


http.server.ThreadingHTTPServer((args.host, args.port), Handler).serve_forever()
'''


def stand_in(kind: str, folder: Path) -> Path:
    """Write an engine's executable into a folder of its own, for the path's front."""
    place = folder / "bin"
    place.mkdir(exist_ok=True)
    path = place / kind
    path.write_text(_SCRIPT.replace("PYTHON", sys.executable).replace("KIND_OF", kind))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return place
