"""How many rows and bytes there are, what is read of them, and what that costs."""
