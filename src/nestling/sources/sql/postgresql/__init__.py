"""What only PostgreSQL needs, beside its engine: how its values arrive, its own types, and its collations."""
