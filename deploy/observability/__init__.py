"""What watches the board: rules, alerts, runbooks and dashboards, for whoever keeps the names of the jobs."""
