"""The throttle: asks the limiter before every limited call, and limits the posts of one agent that are in flight."""
