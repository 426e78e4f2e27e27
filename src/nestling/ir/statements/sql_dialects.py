"""The SQL dialects there are, and what people, addresses and sqlglot call them."""

from __future__ import annotations

SQLITE, POSTGRESQL, MYSQL = DIALECTS = ("sqlite", "postgresql", "mysql")
NAMES = {
    **dict.fromkeys(("sqlite", "sqlite3"), SQLITE),
    **dict.fromkeys(("postgresql", "postgres", "postgis"), POSTGRESQL),
    **dict.fromkeys(("mysql", "mysql2", "mariadb"), MYSQL),
}
"""Every name, in lower case, to its dialect: those of Django's and Rails' adapters too."""
GRAMMARS = {SQLITE: "sqlite", POSTGRESQL: "postgres", MYSQL: "mysql"}
"""What sqlglot calls them."""
