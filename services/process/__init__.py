"""The parts that all processes share: settings, telemetry and a lifecycle.

They know nothing of posts, requests or databases, and import only the contract.
"""
