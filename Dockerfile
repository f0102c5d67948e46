# The command line with its embedded judge; nothing is fetched when it runs.
#   docker build -t trace-eval .
#   docker run --rm -v "$PWD":/work trace-eval judge pairs.jsonl --out runs/new
FROM python:3.12-slim
WORKDIR /src
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY blueprints blueprints
COPY extractors extractors
COPY fusion fusion
COPY trace_eval trace_eval
COPY examples examples
# What is installed is this folder, which needs no version.
# hadolint ignore=DL3013
RUN pip install --no-cache-dir '.[tiny-en]' && useradd --create-home --uid 1000 judge
USER 1000
WORKDIR /work
ENTRYPOINT ["trace-eval"]
