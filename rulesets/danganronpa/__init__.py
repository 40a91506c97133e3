"""Danganronpa: trials, daily lives and deadly lives under Monokuma (clauses DAN-…, in clauses.md beside this file).

Where a rule lives: `talents.py` the talent format, `cast.py` teams and state, `reading.py` declarations in the thread,
`orders.py` private orders, `effects.py` cancel, redirect, block and protect, `vote.py` the trial, `hangouts.py` the groups,
`investigation.py` deadly lives, `monokuma.py` commands and regulations, `endings.py` deaths and victory, and `rules.py` the
order of action in which all of these run.
"""

from rulesets.danganronpa.rules import RULESET

__all__ = ["RULESET"]
