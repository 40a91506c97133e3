"""The GM's desk: the game folder and its game.toml, and what the commands do and show."""
