"""Rehearsals: scenario files read, played through the real engine and checked."""
