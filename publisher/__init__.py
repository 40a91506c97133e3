"""Events to posts: rendering for a forum's markup, the outbox, delivery exactly once."""
