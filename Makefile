.PHONY: install test demo bench lint clean
PYTHON ?= python3
BIN := .venv/bin

$(BIN)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Nightpost needs Python 3.11 or newer, and $(PYTHON) is %d.%d. With a newer one beside it: make install PYTHON=python3.12" % sys.version_info[:2])'
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
