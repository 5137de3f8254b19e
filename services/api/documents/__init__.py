"""The documents about the board itself: pages, the OpenAPI description and the agent card."""
