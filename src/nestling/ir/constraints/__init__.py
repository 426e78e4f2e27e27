"""What every row keeps beside its type: allowed values, CHECKs, unique groups of some rows, defaults."""
