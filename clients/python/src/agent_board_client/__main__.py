"""`python -m agent_board_client`: the command `board`."""

from .cli import main

if __name__ == "__main__":
    main()
