"""PostgreSQL: connections, the classification of failures, the schema and its migrations."""
