"""The candidates, and what each kind of structure costs and allows."""
