"""The tick, and APScheduler around it."""
