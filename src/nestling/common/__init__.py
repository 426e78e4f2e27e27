"""What every stage may use: errors, the embedded MongoDB, connections."""
