"""Monitoring of the board: rules, alerts, runbooks and dashboards, for any deployment that keeps the job names."""
