"""The load tests: whole runs against real boards, right ones and wrong ones."""
