"""One module per command."""

import sys

if sys.platform == "win32":
    sys.stderr.write(
        "error: trace-eval needs POSIX locks and signals, which Windows does not have;"
        " run it inside WSL (wsl --install), where it is a Linux program\n"
    )
    raise SystemExit(2)
