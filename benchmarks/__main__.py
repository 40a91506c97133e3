"""Runs `main()` of every module here that has one, in order of name; names on the command line choose among them."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main() -> None:
    """Run them all, or those named."""
    wanted = set(sys.argv[1:])
    for found in pkgutil.iter_modules(benchmarks.__path__):
        if found.name.startswith("_") or (wanted and found.name not in wanted):
            continue
        run = getattr(importlib.import_module(f"benchmarks.{found.name}"), "main", None)
        if run is not None:
            run()


if __name__ == "__main__":
    main()
