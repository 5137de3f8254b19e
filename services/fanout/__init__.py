"""The process that follows the log and does the work that can wait until a post is acknowledged."""
