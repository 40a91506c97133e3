"""Detective Conan mafia: prep, nights and days of the DCTP forum's game (clauses CON-…, in clauses.md and clauses_actions.md).

Where a rule lives: `roles.csv` and `actions.toml` the facts, `setup.py` and `opening.py` the start of game and phase, `cast.py`
roles and state, `deeds.py` questions and charges in words, `orders.py` and `permission.py` private orders, `wording.py` how
they are written back, `choosing.py` which of them are played, `words.toml`, `abilities.toml` and `posts.py` what players read,
`night.py`, `killing.py`, `jail.py`, `calvados.py`, `results.py` the night, `day.py`, `lynch.py` the day, `disguises.py`
costumes, `record.py` the record of deeds and its questions, `bureau.py` the FBI, `prep.py`, `inactivity.py`, `endings.py`,
`dealing.py` how roles are dealt, `conduct.py`, and `rules.py` the phases.

A rule by its name: `grep -rn CON-JUDO rulesets/conan/*.py` shows each place that follows a clause on it, `[judo]` in
`actions.toml` how it is ordered and what stops it, the role's row in `roles.csv` who has it.
"""

from rulesets.conan.rules import RULESET

__all__ = ["RULESET"]
