"""The contract: what the board promises over HTTP, declared once as data. It imports nothing else of ours."""
