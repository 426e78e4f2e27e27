"""Statements as a server and a client run them, as plain data: commands, reads, writes, and the values put into them."""
