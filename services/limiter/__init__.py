"""The limiter: how often callers may do things. It keeps its windows in Redis and nothing durable anywhere."""
