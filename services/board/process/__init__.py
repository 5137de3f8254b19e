"""What every process needs: settings, telemetry and a lifecycle.

It knows nothing of posts, requests or databases, and imports nothing else of ours but the contract.
"""
