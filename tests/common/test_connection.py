"""Connections give typed errors, and nothing shows a password."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.errors import DuplicateKeyError

from nestling.common.binary import find_mongod
from nestling.common.connection import connect, database_name, redact, typed_errors
from nestling.common.errors import AuthenticationFailed, ConnectionFailed, PermissionDenied
from nestling.common.server import Server
from nestling.common.supervised import free_port, supervised


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("mongodb://ada:secret@host:27017/db", "mongodb://ada:***@host:27017/db"),
        ("mongodb+srv://ada:secret@host/db?w=1", "mongodb+srv://ada:***@host/db?w=1"),
        ("mongodb://ada:p%40ss%2Fw@a:1,b:2/db", "mongodb://ada:***@a:1,b:2/db"),
        ("mongodb://ada:p@ss/w?rd@host/db", "mongodb://ada:***@host/db"),
        ("postgresql+psycopg://ada:se cr@t@host/db", "postgresql+psycopg://ada:***@host/db"),
        ("mysql://:secret@host/db", "mysql://:***@host/db"),
        ("https://token@host/", "https://***@host/"),
        ("cannot open 'mysql://ada:secret@host/db'!", "cannot open 'mysql://ada:***@host/db'!"),
        ("mongodb://ada@host/?password=secret&w=1", "mongodb://***@host/?password=***&w=1"),
        ("mongodb://host/?tlsCertificateKeyFilePassword=secret", "mongodb://host/?tlsCertificateKeyFilePassword=***"),
        (
            "mongodb://host/?authMechanismProperties=AWS_SESSION_TOKEN:secret&w=1",
            "mongodb://host/?authMechanismProperties=***&w=1",
        ),
        ("host=h password='se cret' dbname=d", "host=h password=*** dbname=d"),
        ("from mysql://ada:one@a/x to mongodb://bob:two@b/y", "from mysql://ada:***@a/x to mongodb://bob:***@b/y"),
    ],
)
def test_redact_hides_secrets_and_keeps_the_rest(text: str, redacted: str):
    """Passwords and tokens go, whatever they hold; hosts, databases and users stay."""
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "mongodb://localhost:27017/db?replicaSet=rs0",
        "mongodb://a:1,b:2/db",
        "sqlite:///shop.db",
        "write to ada@example.org",
        "no attribute `titel` in `movie`; it has `title`",
    ],
)
def test_redact_leaves_text_without_secrets_alone(text: str):
    """What holds no secret is not changed."""
    assert redact(text) == text


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Z"], exclude_characters="*")))
def test_redact_hides_any_password_in_one_word(password: str):
    """No password without blanks survives, however odd its characters, even unescaped."""
    assert redact(f"cannot open mongodb://ada:@{password}x@host/db") == "cannot open mongodb://ada:***@host/db"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"], exclude_characters="*@")))
def test_redact_hides_any_password_of_several_words(password: str):
    """Nor does one with raw blanks, as long as it has no raw @ and does not look like a port."""
    assert redact(f"cannot open mongodb://ada:x {password}@host/db") == "cannot open mongodb://ada:***@host/db"


def test_redact_twice_is_redact_once():
    """Redacting redacted text changes nothing."""
    once = redact("mongodb://ada:secret@host/?token=abc")
    assert redact(once) == once


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("mongodb://host/shop", "shop"),
        ("mongodb://ada:p%40ss@host/shop?w=1", "shop"),
        ("mongodb+srv://nowhere.invalid/shop", "shop"),
        ("mongodb://host", "fallback"),
        ("mongodb://host/?w=1", "fallback"),
    ],
)
def test_database_name(uri: str, name: str):
    """The database is the one in the URI, else the default, and no name is looked up for that."""
    assert database_name(uri, "fallback") == name


@pytest.mark.parametrize("uri", ["mongodb://ada:p@ss:w@host/db", "mongodb://host:99999/", "shop.db"])
def test_database_name_of_no_uri(uri: str):
    """Something that is no MongoDB URI is refused, without its password."""
    with pytest.raises(ConnectionFailed, match="the URI cannot be used") as caught:
        database_name(uri, "fallback")
    assert "ss:w" not in str(caught.value)


@pytest.mark.parametrize("uri", ["mongodb://ada:p@ss:w@host/db", "mongodb://host:99999/"])
def test_connect_refuses_a_broken_uri(uri: str):
    """A broken URI is an error with the way to mend it, without its password."""
    with pytest.raises(ConnectionFailed, match="percent-encode") as caught:
        connect(uri)
    assert "ss:w" not in str(caught.value)


def test_connect_says_soon_that_nobody_answers():
    """An unreachable server is an error that names it, without its password."""
    port = free_port()
    with pytest.raises(ConnectionFailed, match="cannot reach the server") as caught:
        connect(f"mongodb://ada:secret@127.0.0.1:{port}/", selection_seconds=0.2)
    assert f"mongodb://ada:***@127.0.0.1:{port}/" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_connect_returns_a_client_that_works(mongod: Server):
    """A reachable server is connected to."""
    with connect(mongod.uri) as client:
        assert client.server_info()["version"] == mongod.version


def test_other_errors_pass_typed_errors_unchanged(mongod: Server, database):
    """Errors that are not about reaching the server stay the driver's."""
    database.things.insert_one({"_id": 1})
    with pytest.raises(DuplicateKeyError), typed_errors(mongod.uri):
        database.things.insert_one({"_id": 1})


@pytest.fixture(scope="module")
def guarded(mongod: Server) -> Iterator[str]:
    """The address of a mongod with access control, a root user and one who may only read."""
    run_directory = Path(tempfile.mkdtemp(prefix="nestling-test-"))
    port = free_port()
    places = ["--dbpath", str(run_directory), "--port", str(port), "--bind_ip", "127.0.0.1", "--nounixsocket"]
    with supervised([str(find_mongod().path), "--auth", *places], run_directory=run_directory) as server:
        assert server.wait_for("waiting for connections", timeout_seconds=30), server.log_text()
        address = f"127.0.0.1:{port}"
        with MongoClient[dict](f"mongodb://{address}") as client:
            client.admin.command("createUser", "root", pwd="rootsecret", roles=["root"])
        with MongoClient[dict](f"mongodb://root:rootsecret@{address}") as client:
            client.admin.command("createUser", "reader", pwd="readersecret", roles=["readAnyDatabase"])
        yield address


def test_wrong_password(guarded: str):
    """A refused password is its own error, and is not shown."""
    with pytest.raises(AuthenticationFailed, match="refuses this user or password") as caught:
        connect(f"mongodb://reader:wrongsecret@{guarded}/")
    assert "wrongsecret" not in str(caught.value)


def test_a_user_who_may_only_read(guarded: str):
    """Writing without the right to is its own error, and the password is not shown."""
    uri = f"mongodb://reader:readersecret@{guarded}/"
    with connect(uri) as client, pytest.raises(PermissionDenied, match="not authorized") as caught, typed_errors(uri):
        client.shop.orders.insert_one({})
    assert "readersecret" not in str(caught.value)
