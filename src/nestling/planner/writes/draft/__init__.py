"""The write while it is planned: its phases, the names it gives, and the reads that fetch its rows as columns."""
