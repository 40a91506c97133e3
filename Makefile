.PHONY: install test demo bench lint clean
PYTHON ?= python3
BIN := .venv/bin

$(BIN)/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

install: $(BIN)/.ready  ## .venv/bin/nightpost, ready to use

lint: $(BIN)/.ready
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint  ## lint, types and every test
	$(BIN)/python -m pytest -n auto

demo: $(BIN)/.ready  ## a whole small game on a practice forum on this machine
	$(BIN)/nightpost demo

bench: $(BIN)/.ready  ## speeds, side by side with what one would otherwise pick
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
