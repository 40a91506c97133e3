"""The game itself, pure: log, phases, acts, resolution, ballots, dice, events. No clock, no network, no files."""
