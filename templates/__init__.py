"""Where the Jinja templates lie: `common/`, and one folder per ruleset."""

from pathlib import Path

ROOT = Path(__file__).parent
"""The folder of the built-in templates."""
