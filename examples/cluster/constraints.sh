#!/bin/bash
# Write constraints.txt: the versions that a fresh environment gets today, for images.
#   examples/cluster/constraints.sh [EXTRAS]
set -euo pipefail
cd "$(dirname "$0")/../.."
extras=${1:-tiny-en,ray}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
python3 -m pip install --quiet --dry-run --ignore-installed --report "$report" ".[$extras]"
python3 - "$report" > examples/cluster/constraints.txt <<'END'
import json, sys
installed = json.load(open(sys.argv[1]))["install"]
lines = {f"{one['metadata']['name']}=={one['metadata']['version']}" for one in installed}
print(f"# Made by examples/cluster/constraints.sh on Python {sys.version_info.major}.{sys.version_info.minor}; do not edit.")
print("\n".join(sorted((line for line in lines if not line.startswith("trace-s2s==")), key=str.lower)))
END
