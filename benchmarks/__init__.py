"""Speeds, side by side with what one would otherwise pick: `python -m benchmarks`."""
