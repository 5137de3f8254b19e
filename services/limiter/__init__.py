"""The limiter: decides how often callers may do things. Its only state is in Redis, and none of it is durable."""
