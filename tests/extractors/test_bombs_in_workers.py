"""What a worker process takes when a recording claims or unpacks to much."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import soundfile

from tests.support.audio import tone, write

#: Prints what each recording came to, and the worker's peak after it, kilobytes.
_EXTRACT = """
import multiprocessing, sys
from pathlib import Path
from trace_eval import ExtractOptions, extract

def look(found):
    (worker,) = multiprocessing.active_children()
    status = Path(f"/proc/{worker.pid}/status").read_text()
    peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(peak, found.error or "fine")

if __name__ == "__main__":
    unheard = dict.fromkeys(("transcript", "rate", "quality", "pitch"), "none")
    cache = Path(__file__).with_name("cache")
    options = ExtractOptions(workers=1, overrides=unheard, cache=cache)
    extract(sys.argv[1:], options, look)
"""

#: Beside what a worker takes of its own, bytes; the bombs hold 369 MB and claim 2 GB.
MOST = 100 << 20


def test_bombs_take_no_memory_of_the_worker(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.wav", tone(1.0))
    bomb = tmp_path / "bomb.flac"
    with soundfile.SoundFile(bomb, "w", 192_000, 8, "PCM_16") as file:
        for _ in range(60):
            file.write(np.zeros((192_000, 8), np.float32))
    claims = tmp_path / "claims.wav"
    soundfile.write(claims, tone(1.0), 16_000, subtype="PCM_16")
    data = bytearray(claims.read_bytes())
    data[4:8] = data[40:44] = b"\xff\xff\xff\x7f"
    claims.write_bytes(bytes(data))
    script = tmp_path / "script.py"
    script.write_text(_EXTRACT)
    done = subprocess.run(
        [sys.executable, script, plain, bomb, claims], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (own, fine), (after, refused), (last, claimed) = (
        line.split(maxsplit=1) for line in done.stdout.splitlines()
    )
    assert "fine" in fine
    assert "more than 86400000 samples in 8 channels" in refused
    assert "fine" in claimed
    more = (max(int(after), int(last)) - int(own)) * 1024
    assert more < MOST, f"{more:,} bytes beside {own} kB"
