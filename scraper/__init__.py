"""Forums and mailboxes: everything that comes from outside, turned into posts and messages. Knows nothing of games."""
