# The command line with its embedded judge; nothing is fetched when it runs.
#   docker build -t trace-eval .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD":/work -v cache:/cache \
#     trace-eval judge pairs.jsonl --out runs/new
FROM python:3.12-slim
WORKDIR /src
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY blueprints blueprints
COPY extractors extractors
COPY fusion fusion
COPY trace_eval trace_eval
COPY examples examples
# What is installed is this folder, which needs no version, with the versions of a file that
# examples/cluster/constraints.sh makes.
# Whoever runs it may write to /cache, whatever his uid, and the cache outlives the container.
# hadolint ignore=DL3013
RUN pip install --no-cache-dir '.[tiny-en]' --constraint examples/cluster/constraints.txt \
    && mkdir -m 1777 /cache
ENV HOME=/cache XDG_CACHE_HOME=/cache NUMBA_CACHE_DIR=/cache/numba
VOLUME /cache
USER 10001
WORKDIR /work
ENTRYPOINT ["trace-eval"]
