"""A practice forum on this machine and the small game that `nightpost demo` plays on it."""
