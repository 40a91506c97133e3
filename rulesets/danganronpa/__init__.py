"""Danganronpa: trials, daily lives and deadly lives under Monokuma (clauses DAN-…, rulesets/danganronpa/clauses.md)."""
