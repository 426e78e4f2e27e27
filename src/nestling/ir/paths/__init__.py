"""How a statement is answered or done on a design, step by step, and the work that is."""
