"""The application's statements asked of each kind of database: read-only, in time, and with parameters as drivers want them."""

from __future__ import annotations

import pytest

from nestling.common.errors import NestlingError
from nestling.ir.model import Model
from nestling.sources.front import ask_statements
from nestling.sources.sql.statements import TooSlow

SLOW = {
    "postgresql": "SELECT pg_sleep(20)",
    "mariadb": "SELECT sleep(20) FROM information_schema.tables",
}


@pytest.mark.parametrize("server", ["postgresql", "mariadb"])
def test_a_server_is_stopped_and_asked_again(request: pytest.FixtureRequest, server: str) -> None:
    """One that takes too long, or is refused, spoils nothing for the next; nothing can be written."""
    with ask_statements(request.getfixturevalue(server), Model("any", ())) as asked:
        with pytest.raises(TooSlow, match=r"no answer within 0\.2 s"):
            asked.rows(SLOW[server], {}, {}, 0.2)
        with pytest.raises(NestlingError, match="nowhere"):
            asked.rows("SELECT * FROM nowhere", {}, {}, 5.0)
        with pytest.raises(NestlingError, match=r"(?i)read.only"):
            asked.rows("CREATE TABLE odd (id integer)", {}, {}, 5.0)
        sql = "SELECT ':no', '100%', 7 % 4, :a WHERE :a IN :all -- :no"
        assert asked.rows(sql, {"a": "x", "all": ["x", "y"]}, {}, 5.0).rows == [(":no", "100%", 3, "x")]


@pytest.mark.parametrize(
    ("server", "sql"),
    [
        ("postgresql", "SELECT x.datname FROM pg_database x WHERE x.datname = :n FOR UPDATE OF x NOWAIT"),
        ("postgresql", "SELECT y.n FROM (SELECT datname AS n FROM pg_database FOR NO KEY UPDATE) y WHERE y.n = :n"),
        ("postgresql", "SELECT :n WHERE substring('for update' FOR 3) = 'for' FOR SHARE"),
        ("mariadb", "SELECT schema_name FROM information_schema.schemata WHERE schema_name = :n LOCK IN SHARE MODE"),
    ],
)
def test_a_read_that_locks_is_asked_without_its_lock(request: pytest.FixtureRequest, server: str, sql: str) -> None:
    """As the transaction only reads, where a lock is refused."""
    name = "template1" if server == "postgresql" else "mysql"
    with ask_statements(request.getfixturevalue(server), Model("any", ())) as asked:
        assert asked.rows(sql, {"n": name}, {}, 5.0).rows == [(name,)]
