"""Everything with effects on a MongoDB: creating, loading, reading back, unloading, verifying, running statements."""
