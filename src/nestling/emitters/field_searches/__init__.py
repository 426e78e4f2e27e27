"""What the server is asked to find documents that differ from a design: unknown, NULL, reordered or missing fields."""
