"""The game's SQLite file: schema, migrations and queries."""
