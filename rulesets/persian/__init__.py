"""The Persian forum's mafia: four parties, nights reported in four texts of which one is true (clauses PER-…, in clauses.md).

Where a rule lives: `roles.csv` and `actions.toml` the facts, `setup.py` the start, `cast.py` sides and state, `orders.py` private
orders, `night.py` the order of action, `reach.py` what stands between an act and its target, `strikes.py` deaths in the making,
`dawn.py` what a night comes to, `answers.py` what detective and police hear, `day.py` and `votes.py` day and defence,
`disguise.py` announced roles, `endings.py` deaths and victory, `conduct.py` what the GM is told of posts, `report.py` the four
texts, `posts.py` what templates are given, and `rules.py` the phases.
"""

from rulesets.persian.rules import RULESET

__all__ = ["RULESET"]
