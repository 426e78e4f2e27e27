"""A small TPC-H: tables, rows, the 22 questions in SQL, and the pipelines an expert would write for them."""
