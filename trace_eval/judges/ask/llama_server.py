"""A llama.cpp server for one model on loopback; started by its path, as a process."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time

#: Environment variable of the key that callers must send.
KEY = "TRACE_EVAL_LLAMA_KEY"

#: Time for the thread that writes llama.cpp's log, which ends with the process, seconds.
_LOG_S = 0.5


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--alias", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    chosen = parser.parse_args()

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = chosen.model
    params.model_alias = {chosen.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = chosen.port
    params.api_keys = [os.environ[KEY]]
    params.n_ctx, params.n_parallel = chosen.context * chosen.slots, chosen.slots
    # Calls share the instructions before the pair: each slot keeps its own copy of
    # them.
    params.cache_prompt = True
    params.offline = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = chosen.threads
    params.verbosity = 1
    try:
        _server = xllamacpp.Server(params)  # serves until it is deleted
    except Exception as error:
        time.sleep(_LOG_S)  # the log says what is wrong with the model
        sys.exit(f"error: {type(error).__name__}: {error}")
    threading.Event().wait()


if __name__ == "__main__":
    main()
