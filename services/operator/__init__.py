"""The operator's command, `agent-board`."""
