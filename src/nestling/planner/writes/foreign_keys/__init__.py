"""What foreign keys ask of a write: that parents are there, and what becomes of the rows that refer to others."""
