"""Subscriptions, and the inboxes into which their events are written."""
