"""Connections give typed errors, and nothing shows a password."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from dns.exception import Timeout
from dns.resolver import NXDOMAIN
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import BulkWriteError, ConfigurationError, DuplicateKeyError

from nestling.common.connection import NO_SPACE, connect, database_name, disk_is_full, typed_errors
from nestling.common.errors import AuthenticationFailed, ConnectionFailed, PermissionDenied
from nestling.common.server import Server
from nestling.common.supervised import free_port
from tests.servers import PASSWORD, guarded_mongod


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


def test_a_name_with_a_dot():
    """The driver takes what is behind the dot for a collection, and would use another database than is named."""
    with pytest.raises(ConnectionFailed, match=r"`a\.b` is not a database name") as caught:
        database_name("mongodb://ada:pass@host/a.b", "fallback")
    assert "ada:pass" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("n" * 64, r"`n{20}…` is too long for a database name: 64 bytes; MongoDB allows 63"),
        ("data%20base", r'Bad database name "data base"\n.*choose a name without blanks'),
    ],
)
def test_a_name_that_no_database_has(name: str, why: str):
    """It is refused before anything is sent, with what is wrong with it."""
    with pytest.raises(ConnectionFailed, match=why):
        database_name(f"mongodb://host/{name}", "fallback")


@pytest.mark.parametrize("uri", ["mongodb://ada:p@ss:w@host/db", "mongodb://host:99999/", "shop.db"])
def test_database_name_of_no_uri(uri: str):
    """Something that is no MongoDB URI is refused, without its password."""
    with pytest.raises(ConnectionFailed, match="the URI cannot be used") as caught:
        database_name(uri, "fallback")
    assert "ss:w" not in str(caught.value)


@pytest.mark.parametrize(
    "uri",
    ["mongodb://ada:p@ss:w@host/db", "mongodb://host:99999/", "mongodb://ada:p@ss:w@host/?tls=true&tlsCAFile=none.pem"],
)
def test_connect_refuses_a_broken_uri(uri: str):
    """A broken URI is an error with the way to mend it, without its password."""
    with pytest.raises(ConnectionFailed, match="percent-encode") as caught:
        connect(uri)
    assert "ss:w" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["mongodb", "mongodb+srv"])
@pytest.mark.parametrize("password", ["p@a#ss", "12/ss", "12?ss", "12?x=1@ss", "p@a/ss", "p@ss"])
def test_a_raw_password(scheme: str, password: str):
    """No part of a password is taken for a host or a port, which the driver would name; what to do is said."""
    for opened in (connect, lambda uri: database_name(uri, "fallback")):
        with pytest.raises(ConnectionFailed, match="percent-encode") as caught:
            opened(f"{scheme}://ada:{password}@host.invalid/db")
        said = str(caught.value)
        assert f"{scheme}://ada:***@host.invalid/db: the URI cannot be used" in said
        assert "12" not in said
        assert password not in said


@pytest.mark.parametrize(
    ("cause", "said", "move"),
    [
        (NXDOMAIN(), "`nohost` was not found in DNS: it has no record `_mongodb._tcp.nohost`", "check the name"),
        (Timeout(), "the DNS lookup of `nohost` failed", "reach its DNS server"),
    ],
)
def test_a_name_that_dns_does_not_tell(cause: Exception, said: str, move: str):
    """It is no matter of the password."""
    with (
        pytest.raises(ConnectionFailed) as caught,
        typed_errors("mongodb+srv://ada:secret@nohost/db?w=1"),
    ):
        raise ConfigurationError(str(cause)) from cause
    assert said in str(caught.value)
    assert move in str(caught.value)
    assert "percent-encode" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "meant"),
    [
        ("mongodb://host:1/?directConnection=true/pm", "mongodb://host:1/pm?directConnection=true"),
        (
            "mongodb://a:***@host/?tls=true&directConnection=true/pm",
            "mongodb://a:***@host/pm?tls=true&directConnection=true",
        ),
        ("mongodb://host/?directConnection=maybe/pm", ""),
        ("mongodb://host/?tls=maybe&tlsCAFile=certificates/ca", ""),
        ("mongodb://host/shop?directConnection=true/pm", ""),
    ],
    ids=["database last", "other options", "no use either", "the path of a file", "two databases"],
)
def test_a_database_behind_the_options(uri: str, meant: str):
    """Where it belongs is said if the URI can be used then; the path of a file is no database."""
    with pytest.raises(ConnectionFailed) as caught:
        connect(uri)
    said = f"name the database before the options: {meant}" if meant else "percent-encode"
    assert said in str(caught.value)


def test_an_at_in_options():
    """It is none of a password."""
    assert database_name("mongodb://host/shop?appName=a@b", "fallback") == "shop"


@pytest.mark.thorough
@pytest.mark.parametrize("host", ["nobody.docdb.amazonaws.com", "nobody.cosmos.azure.com"])
def test_connect_tries_servers_of_another_make(host: str):
    """What the driver remarks on them stays a remark: only that nobody answers is an error."""
    with (
        pytest.warns(UserWarning, match="You appear to be connected to"),
        pytest.raises(ConnectionFailed, match="cannot reach the server"),
    ):
        connect(f"mongodb://{host}/", selection_seconds=0.2)


def test_connect_refuses_an_option_that_is_none():
    """An option or a value the driver would only warn of and leave out is an error."""
    with pytest.raises(ConnectionFailed, match="the URI cannot be used"):
        connect("mongodb://host/?nosuch=1")


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
    """The address of a mongod with access control, and a user who may only read."""
    with guarded_mongod() as address, MongoClient[dict](f"mongodb://root:{PASSWORD}@{address}") as client:
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
    with connect(uri) as client, pytest.raises(PermissionDenied) as caught, typed_errors(uri):
        client.shop.orders.insert_one({})
    (problem,) = caught.value.problems
    assert problem.what == "the user may not `insert` in `shop.orders`"
    assert problem.next_move == "grant it the role readWrite on `shop`, or use another user"
    assert "readersecret" not in str(caught.value)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("ask", "what", "move"),
    [
        (lambda db: db.orders.find_one(), "`find` in `shop.orders`", "role read on `shop`"),
        (lambda db: db.list_collection_names(), "`listCollections` in the database `shop`", "role read on `shop`"),
        (lambda db: next(db.watch()), "`aggregate` in the database `shop`", "role read on `shop`"),
        (lambda db: list(db.orders.aggregate([{"$out": "x"}])), "`aggregate` in `shop.orders`", "role readWrite on"),
        (lambda db: db.command("collMod", "orders", validator={}), "`collMod` in `shop.orders`", "role dbAdmin on"),
        (lambda db: db.client.admin.command("shutdown"), "`shutdown` in the database `admin`", "grant it that right"),
    ],
)
def test_a_user_without_roles_is_told_which(guarded: str, ask: Any, what: str, move: str) -> None:
    """The command, where, and the role to grant, without what the driver sends with it."""
    with MongoClient[dict](f"mongodb://root:{PASSWORD}@{guarded}") as client:
        client.admin.command(
            "updateUser" if client.admin.command("usersInfo", "nobody")["users"] else "createUser",
            "nobody",
            pwd="no",
            roles=[],
        )
    uri = f"mongodb://nobody:no@{guarded}/"
    with connect(uri) as client, pytest.raises(PermissionDenied) as caught, typed_errors(uri):
        ask(client.shop)
    (problem,) = caught.value.problems
    assert problem.what.endswith(what)
    assert move in problem.next_move
    assert "lsid" not in str(caught.value)


def test_who_has_not_logged_in_is_told_so(guarded: str) -> None:
    """The way in is an address with user and password."""
    uri = f"mongodb://{guarded}/"
    with connect(uri) as client, pytest.raises(PermissionDenied, match="only after login") as caught, typed_errors(uri):
        client.shop.orders.find_one()
    assert caught.value.problems[0].next_move == "give user and password in the URI"


def test_what_a_refused_document_says_is_not_the_servers_disk(database: Database[Any]) -> None:
    """A log of other machines' full disks is data like any other."""
    database.create_collection("logs", validator={"level": {"$exists": True}})
    with pytest.raises(BulkWriteError) as refused:
        database["logs"].insert_many([{"message": f"write failed: {NO_SPACE}"}])
    assert not disk_is_full(refused.value)
    assert disk_is_full(BulkWriteError({"writeErrors": [{"code": 8, "errmsg": f"28: {NO_SPACE}"}]}))


def test_a_host_without_a_scheme_is_told_it() -> None:
    """It can be pasted."""
    with pytest.raises(ConnectionFailed) as caught, connect("localhost:27017/shop"):
        pass
    assert caught.value.problems[0].next_move == "write mongodb://localhost:27017/shop"
