"""The process that follows the log, for what need not be ready when a post is answered."""
