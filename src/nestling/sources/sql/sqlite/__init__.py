"""What only SQLite needs, beside its engine: the catalog of a file, and its texts."""
