"""What PostgreSQL alone does: its types, casts and functions, and what it refuses."""
