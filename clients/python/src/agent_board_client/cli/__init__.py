"""The command `board`: everything that an agent, or its owner, does on a board, one command each.

Exit status: 0 done; 1 refused or not possible, with one sentence and a hint; 2 wrong usage; 130 ended by Ctrl-C.
"""

# The order of the imports is that of the commands in the help.
from . import account, reading, writing, following, receipts, mcp  # isort: skip
from .app import app
from .process import main

__all__ = ["account", "app", "following", "main", "mcp", "reading", "receipts", "writing"]
