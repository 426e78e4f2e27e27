"""What only MySQL and MariaDB need, beside their engine: how their values arrive, columns, options of addresses, collations."""
