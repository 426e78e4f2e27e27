"""INSERT, UPDATE and DELETE to the algebra of writes: their rows, the values they set, and RETURNING."""
