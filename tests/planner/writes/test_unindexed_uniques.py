"""Unique groups that no index of the server keeps: writes keep them, also where two writers come at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.ir.paths.write_path import Violation

TABLES = """
CREATE TABLE tenant (id integer PRIMARY KEY, plan text NOT NULL);
CREATE TABLE member (id integer PRIMARY KEY, tenant_id integer NOT NULL REFERENCES tenant (id), role text NOT NULL,
  state text NOT NULL);
CREATE UNIQUE INDEX one_owner ON member (tenant_id) WHERE role = 'owner';
CREATE TABLE login (id serial PRIMARY KEY, email citext NOT NULL UNIQUE, nick citext NOT NULL, gone boolean NOT NULL,
  handle varchar(40));
CREATE UNIQUE INDEX one_handle ON login (lower(handle));
CREATE UNIQUE INDEX live_nick ON login (nick) WHERE NOT gone;
CREATE TABLE subscription (id serial PRIMARY KEY, tenant_id integer NOT NULL REFERENCES tenant (id), state text NOT NULL);
CREATE UNIQUE INDEX one_live ON subscription (tenant_id) WHERE state <> 'canceled';
"""
TRIES = 10
INSERT_LOGIN = "INSERT INTO login (email, nick, gone) VALUES (:email, :nick, false)"
UPSERT = f"{INSERT_LOGIN} ON CONFLICT (nick) WHERE NOT gone DO UPDATE SET email = excluded.email"


def store_of(folder: Path, database: Database[Any], strategy: str = "normalized") -> Store:
    """A store over empty collections of the tables."""
    (folder / "schema.sql").write_text(TABLES)
    proposal = pipeline.design(pipeline.inspect(folder / "schema.sql", dialect="postgresql"), strategy)
    pipeline.load(proposal, None, database)
    store = Store(proposal, database)
    for tenant in range(1, TRIES + 1):
        store.execute("INSERT INTO tenant VALUES (:id, 'team')", id=tenant)
    return store


def at_once(*works: Callable[[], object]) -> list[str]:
    """What becomes of these at the same moment."""
    gate, outcomes = Barrier(len(works)), list[object]()

    def go(work: Callable[[], object]) -> None:
        gate.wait()
        try:
            work()
        except ConstraintError as error:
            outcomes.append(error.violation)
        else:
            outcomes.append("written")

    threads = [Thread(target=go, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(map(str, outcomes))


ONE_OF_TWO = ["unique", "written"]


def test_citext(tmp_path: Path, database: Database[Any]) -> None:
    """UNIQUE over a citext, over all rows and over some."""
    store = store_of(tmp_path, database)

    def insert(email: str, nick: str) -> Callable[[], object]:
        return lambda: store.execute(INSERT_LOGIN, email=email, nick=nick)

    for number in range(TRIES):
        assert at_once(insert(f"a{number}@x", f"n{number}"), insert(f"A{number}@X", f"m{number}")) == ONE_OF_TWO
        assert at_once(insert(f"b{number}@x", f"Nick{number}"), insert(f"c{number}@x", f"nICK{number}")) == ONE_OF_TWO


@pytest.mark.thorough
def test_on_conflict(tmp_path: Path, database: Database[Any]) -> None:
    """Of two that find no row one writes it, and the other finds that."""
    store = store_of(tmp_path, database)

    def upsert(email: str, nick: str) -> Callable[[], object]:
        return lambda: store.execute(UPSERT, email=email, nick=nick)

    for number in range(TRIES):
        assert at_once(upsert(f"a{number}@x", f"n{number}"), upsert(f"b{number}@x", f"N{number}")) == ["written"] * 2
    assert store.execute("SELECT count(*) AS n FROM login")[0]["n"] == TRIES


@pytest.mark.thorough
def test_in_a_transaction_of_the_application(tmp_path: Path, database: Database[Any]) -> None:
    """A look before the write is one of the same snapshot."""
    store = store_of(tmp_path, database)

    def register(nick: str) -> Callable[[], object]:
        def work(t: Any) -> None:
            if not t.execute("SELECT 1 AS one FROM login WHERE nick = :nick AND NOT gone", nick=nick):
                t.execute(INSERT_LOGIN, email=f"{nick}@x", nick=nick)

        return lambda: store.transaction(work)

    for number in range(TRIES):
        assert at_once(register(f"n{number}"), register(f"N{number}")) == ["written"] * 2
    assert store.execute("SELECT count(*) AS n FROM login")[0]["n"] == TRIES


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_of_some_rows(strategy: str, tmp_path: Path, database: Database[Any]) -> None:
    """Whether an index can have the condition or not, wherever the rows lie: INSERT and UPDATE, row by row and at once."""
    store = store_of(tmp_path, database, strategy)
    subscribe = "INSERT INTO subscription (tenant_id, state) VALUES (:tenant, :state)"
    for tenant in range(1, TRIES + 1):
        store.execute(subscribe, tenant=tenant, state="canceled")
        store.execute(subscribe, tenant=tenant, state="canceled")
        twice = [lambda t=tenant: store.execute(subscribe, tenant=t, state="live") for _ in range(2)]
        assert at_once(*twice) == ONE_OF_TWO
        with pytest.raises(ConstraintError) as refused:
            store.execute("UPDATE subscription SET state = 'trial' WHERE tenant_id = :t", t=tenant)
        assert refused.value.violation is Violation.UNIQUE
        for number in range(3):
            store.execute("INSERT INTO member VALUES (:id, :t, 'guest', 'new')", id=10 * tenant + number, t=tenant)
        lift = [
            lambda key=10 * tenant + n: store.execute("UPDATE member SET role = 'owner' WHERE id = :id", id=key)
            for n in range(2)
        ]
        assert at_once(*lift) == ONE_OF_TWO
        with pytest.raises(ConstraintError) as refused:
            store.execute("UPDATE member SET role = 'owner' WHERE id = :id", id=10 * tenant + 2)
        assert refused.value.violation is Violation.UNIQUE
    live = store.execute("SELECT count(*) AS n FROM subscription WHERE state <> 'canceled'")
    owners = store.execute("SELECT count(*) AS n FROM member WHERE role = 'owner'")
    assert (live[0]["n"], owners[0]["n"]) == (TRIES, TRIES)


@pytest.mark.thorough
def test_a_row_that_stays_itself(tmp_path: Path, database: Database[Any]) -> None:
    """A row that is among them already may change, and the group may change hands."""
    store = store_of(tmp_path, database)
    store.execute(INSERT_LOGIN, email="a@x", nick="a")
    store.execute("UPDATE login SET nick = 'A', email = 'A@x' WHERE nick = 'a'")
    store.execute("UPDATE login SET gone = true WHERE nick = 'a'")
    store.execute(INSERT_LOGIN, email="b@x", nick="a")
    with pytest.raises(ConstraintError):
        store.execute("UPDATE login SET gone = false WHERE email = 'a@x'")


@pytest.mark.thorough
def test_lower(tmp_path: Path, database: Database[Any]) -> None:
    """A unique index over `lower(handle)`: of all alphabets, for INSERT, UPDATE and DO NOTHING; NULLs are never the same."""
    store = store_of(tmp_path, database)
    insert = "INSERT INTO login (email, nick, gone, handle) VALUES (:email, :email, true, :handle)"

    def write(email: str, handle: str | None, more: str = "") -> Callable[[], object]:
        return lambda: store.execute(f"{insert}{more}", email=email, handle=handle)

    for number in range(TRIES):
        assert at_once(write(f"a{number}", f"Élan{number}"), write(f"b{number}", f"éLAN{number}")) == ONE_OF_TWO
        write(f"c{number}", None)()
    (tried,) = at_once(write("d", "ÉLAN0", " ON CONFLICT DO NOTHING"))
    assert tried == "written"
    assert not store.execute("SELECT 1 AS one FROM login WHERE email = 'd'")
    with pytest.raises(ConstraintError) as refused:
        store.execute("UPDATE login SET handle = 'ÉLAN0' WHERE email = 'c3'")
    assert refused.value.violation is Violation.UNIQUE
    store.execute("UPDATE login SET handle = upper(handle) WHERE handle IS NOT NULL")


@pytest.mark.thorough
def test_an_index_finds_lower(tmp_path: Path, database: Database[Any]) -> None:
    """The case of a unique text, asked for or looked for before a write; also of letters that no collation knows the case of."""
    store = store_of(tmp_path, database)
    insert = "INSERT INTO login (email, nick, gone, handle) VALUES (:handle, :handle, true, :handle)"
    handles = [
        *(f"User{number}" for number in range(100)),
        "ISTANBUL",
        "\u0131stanbul",
        "\u10d2\u10d4\u10d0",
        "rosé",
        "Rose",
        "Straße",
        "ΣΑΣ",
    ]
    for handle in handles:
        store.execute(insert, handle=handle)
    asked = {
        "SELECT handle FROM login WHERE lower(handle) = :h": [
            ("user7", ["User7"]),
            ("User7", []),
            ("rosé", ["rosé"]),
            ("σας", []),
        ],
        "SELECT handle FROM login WHERE lower(handle) = lower(:h)": [
            ("ROSE", ["Rose"]),
            ("\u1c92\u10d4\u1c90", ["\u10d2\u10d4\u10d0"]),
        ],
        "SELECT handle FROM login WHERE upper(handle::text) = upper(:h)": [
            ("istanbul", ["ISTANBUL", "\u0131stanbul"]),
            ("σας", ["ΣΑΣ"]),
        ],
    }
    for sql, answers in asked.items():
        for given, expected in answers:
            assert sorted(str(row["handle"]) for row in store.execute(sql, h=given)) == expected, (sql, given)
            assert examined(database, partial(store.execute, sql, h=given)) <= 4, (sql, given)
    assert not store.execute("SELECT handle FROM login WHERE lower(handle) = :h", h=None)
    for there in ("uSER77", "\u1c92\u10d4\u10d0", "İSTANBUL"):
        with pytest.raises(ConstraintError) as refused:
            store.execute(insert.replace(":handle, :handle,", ":nick, :nick,"), handle=there, nick=f"x{there}")
        assert refused.value.violation is Violation.UNIQUE
    assert examined(database, lambda: store.execute(insert, handle="new")) <= 4
    change = "UPDATE login SET nick = 'changed' WHERE lower(handle) = lower(:h)"
    assert examined(database, lambda: store.execute(change, h="sTRAßE")) <= 4
    assert [row["handle"] for row in store.execute("SELECT handle FROM login WHERE nick = 'changed'")] == ["Straße"]


def examined(database: Database[Any], work: Callable[[], object]) -> int:
    """Documents of `login` that the server looks at meanwhile, at most, in one operation."""
    database["system.profile"].drop()
    database.command("profile", 2)
    work()
    database.command("profile", 0)
    told = database["system.profile"].find({"ns": f"{database.name}.login"})
    return max(each.get("docsExamined", 0) for each in told)


@pytest.mark.thorough
def test_an_index_finds_them(tmp_path: Path, database: Database[Any]) -> None:
    """Equality of a unique citext, over all rows or some, reads what an index leads to, and takes no other letters for equal."""
    store = store_of(tmp_path, database)
    for number in range(200):
        store.execute(INSERT_LOGIN, email=f"User{number}@x", nick=f"Élan{number}")
    same = [("rosé", 1), ("rose\u0301", 2), ("ROSÉ", 3), ("Rosé\u200d", 4), ("ｒosé", 5)]
    for nick, number in same:  # citext of A to Z: only the first and the last letter's case is no difference
        store.execute(INSERT_LOGIN, email=f"r{number}@x", nick=nick)
    asked = "SELECT email FROM login WHERE nick = :nick AND NOT gone"
    assert [row["email"] for row in store.execute(asked, nick="ROSé")] == ["r1@x"]
    assert [row["email"] for row in store.execute(asked, nick="rosÉ")] == ["r3@x"]
    for sql in ("SELECT id FROM login WHERE email = :e", "SELECT id FROM login WHERE nick = :e AND NOT gone LIMIT 1"):
        assert len(store.execute(sql, e="uSER77@X" if "email" in sql else "Élan77".replace("l", "L"))) == 1
        database.command("profile", 2)
        store.execute(sql, e="uSER77@X" if "email" in sql else "ÉLan77")
        database.command("profile", 0)
        (told,) = database["system.profile"].find({"ns": f"{database.name}.login"}).sort("ts", -1).limit(1)
        assert told["docsExamined"] <= 2, told["planSummary"]
