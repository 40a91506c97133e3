"""Text in, values out: markup to styled runs, text to declarations and orders, names to players. Touches nothing."""
