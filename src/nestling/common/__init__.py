"""What every stage may use: errors, the embedded MongoDB, connections, the tokens of SQL, files, walks over trees."""
