"""The right to act: tokens, and the rates at which their holders post."""
