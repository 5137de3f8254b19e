"""`python -m services.board`: the operator's command under its second published name (interface 14.1)."""

from services.operator.__main__ import main

main()
