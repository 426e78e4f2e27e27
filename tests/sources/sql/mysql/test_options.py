"""What is written behind the `?` of a MySQL address is heeded or refused, never passed over."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from nestling.common.errors import AuthenticationFailed, NestlingError, SourceError
from nestling.sources.sql import open_database


def _tells_tls(address: str) -> str:
    """The cipher of a session."""
    from nestling.sources.sql.address import parse_address
    from nestling.sources.sql.connection import connect

    connection = connect(parse_address(address))
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
            return str(cursor.fetchone()[1])
    finally:
        connection.close()


def _address(mariadb: str, query: str, scheme: str = "mysql") -> str:
    url = make_url(mariadb).set(drivername="mysql", query={}).render_as_string(hide_password=False)
    return f"{url.replace('mysql', scheme, 1)}?{query}"


@pytest.mark.parametrize("scheme", ["mysql", "mysql2", "jdbc:mysql", "jdbc:mariadb"])
@pytest.mark.parametrize("query", ["ssl_mode=REQUIRED", "ssl-mode=required", "sslMode=REQUIRED&useUnicode=true"])
def test_required_tls_is_there_or_nothing(mariadb: str, scheme: str, query: str) -> None:
    """However it is spelled: the session is encrypted, or a server that cannot do so is not talked to."""
    with_choice = _tells_tls(_address(mariadb, "ssl_mode=preferred"))
    if with_choice:
        assert _tells_tls(_address(mariadb, query, scheme))
    else:
        with pytest.raises(NestlingError, match="SSL"):
            _tells_tls(_address(mariadb, query, scheme))


def test_tls_can_be_declined(mariadb: str) -> None:
    """`ssl_mode=DISABLED` is a plain session on any server."""
    assert _tells_tls(_address(mariadb, "ssl_mode=DISABLED")) == ""


def test_jdbc_names_the_user_behind_the_question_mark(mariadb: str, postgresql: str) -> None:
    """JDBC's own way to say who, for both servers; a wrong password is refused, so it was read."""
    for server, name in ((mariadb, "mysql"), (postgresql, "postgresql")):
        url = make_url(server)
        place = f"jdbc:{name}://{url.host}:{url.port}/{url.database}?user={url.username}&password="
        open_database(f"{place}{url.password}")
        with pytest.raises(AuthenticationFailed) as caught:
            open_database(f"{place}wrong-secret")
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("ssl_mod=REQUIRED", "ssl_mode"),
        ("ssl_mode=REQUIERD", "required"),
        ("ssl_mode=VERIFY_CA", "ssl_ca"),
        ("allowMultiQueries=true", "allowMultiQueries"),
        ("password=one&password=two", "`password` is given more than once"),
        ("ssl_mode=DISABLED&ssl-mode=REQUIRED", "given more than once"),
    ],
)
def test_what_would_not_be_heeded_is_refused(query: str, said: str) -> None:
    """With the nearest name there is; the server is not asked."""
    with pytest.raises(SourceError, match=said):
        open_database(f"mysql://u@127.0.0.1:1/d?{query}")


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_an_authority_that_cannot_be_read(tmp_path: Path, text: str | None) -> None:
    """A file that is not there, or no certificate, is an error in words."""
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_text(text)
    with pytest.raises(SourceError, match="certificate" if text else "no such file"):
        open_database(f"mysql://u@127.0.0.1:1/d?ssl_mode=verify_ca&ssl_ca={file}")
