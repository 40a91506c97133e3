"""The game's SQLite file: schema, migrations and queries. `record.py` is the one way to it."""
