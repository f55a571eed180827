# For a fresh machine that has Python 3.11 or newer. Everything is installed into .venv, nothing elsewhere; except that
# root on Debian gets the Chromium that tests of the report need.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

BROWSER = { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null
DEBIAN = { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq -y chromium; } >/dev/null 2>&1
export PLAYWRIGHT_BROWSERS_PATH := $(abspath $(VENV))/browsers

.PHONY: grow test fast format docs screenshot clean

# The main job, on a bundled subject.
grow: $(VENV)/installed
	$(BIN)/bonsai grow chocopy --force -o out

# Everything that continuous integration checks.
test: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 -m "" --hypothesis-profile=thorough --durations=12

# The tests that take seconds.
fast: $(VENV)/installed-test
	$(BIN)/pytest -n 2

format: $(VENV)/installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The pages that are made from the source.
docs: $(VENV)/installed-test
	$(BIN)/python -m typer bonsai.cli utils docs --name bonsai --title "Commands" --output docs/cli.md

# The picture of a report in the README, from a run of `make grow`.
screenshot: $(VENV)/installed-test
	$(BIN)/python docs/images/screenshot.py out docs/images/report.png

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: Bonsai needs Python 3.11 or newer (hint: make PYTHON=python3.12 ...)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-test: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@$(BROWSER) || $(DEBIAN) || $(BIN)/playwright install chromium || \
		echo "there is no Chromium: tests of the report in a browser are skipped"
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
