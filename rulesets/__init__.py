"""One folder a ruleset: its facts as data, its mechanics as short functions, its clauses."""
