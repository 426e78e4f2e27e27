"""What a statement asks beside its rows: what its parameters are for, and where its answer hangs on an order of texts."""
