"""Random expressions of PostgreSQL's and MariaDB's SQL: the server's answer, or a typed error, and no other answer."""

from __future__ import annotations

import json
import random
import re
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient

from nestling import Store, pipeline
from nestling.common.errors import NestlingError
from tests.generators.expressions import MYSQL, POSTGRESQL, Grammar
from tests.laws.tally import Counts
from tests.soaking import examples

STATEMENTS = examples(400, 50_000, "EXPRESSIONS")
SEED = examples(1, 2, "EXPRESSIONS_SEED")
ON_POSTGRESQL = """
CREATE TYPE size AS ENUM ('small', 'big', 'Large');
CREATE TABLE every (id integer PRIMARY KEY, i integer, b bigint, n numeric(12, 3), x numeric, f float8, r real, t text,
    v varchar(20), o boolean, d date, at timestamp, z timestamptz, u uuid, s size, j jsonb,
    fine timestamptz);
INSERT INTO every VALUES
    (1, 1, 9007199254740993, 2.5, 1e20, 2.5, 0.1, 'a', 'Ab', true, '2024-01-31', '2024-01-31 10:00', '2024-01-31 10:00Z',
     'a0000000-0000-0000-0000-00000000000a', 'small', '{"a": 1}', '2024-03-31 00:59:59.123456Z'),
    (2, 0, 0, 0, 0.10, 0, -0.0, '', ' ab ', false, '1969-07-20', '1969-07-20 20:17:40.5', '1969-07-20 20:17:40.5Z',
     'a0000000-0000-0000-0000-00000000000b', 'Large', '[]', '1969-07-20 20:17:40.999999Z'),
    (3, -7, -5, -2.5, -2.25, -1e300, 16777216, 'Ab', 'a_c', NULL, '2024-02-29', '2024-02-29 23:59:59.999', '2024-01-31 12:00+02',
     NULL, 'big', '"a"', '1999-12-31 23:59:59.000001Z'),
    (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (5, 3, 2147483648, 12345.678, 12.50, 0.1, 1.5, 'é', '12', true, '1999-12-31', '1999-12-31', '1970-01-01Z',
     'a0000000-0000-0000-0000-00000000000a', 'small', 'null', '2024-01-31 10:00Z'),
    (6, 2, 10, 0.5, 0.5, -2.5, -0.5, 'a%b', 'Ünï cod', false, '0099-03-01', '0999-03-01 00:00:00.001', '2038-01-19 03:14:08Z',
     NULL, NULL, '{}', '0999-03-01 00:00:00.000007Z');
"""
ON_MARIADB = """
CREATE TABLE every (id integer PRIMARY KEY, i integer, b bigint, n decimal(12, 3), f double, y year, t varchar(40), v varchar(20),
    k varchar(20) COLLATE utf8mb4_nopad_bin, c char(5), o boolean, d date, at datetime(3), fine datetime(6), tm time,
    s enum('small', 'big', 'Large'), j json) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_nopad_ai_ci;
INSERT INTO every VALUES
    (1, 1, 9007199254740993, 2.5, 2.5, 2024, 'a', 'Ab', 'a', 'ab', true, '2024-01-31', '2024-01-31 10:00',
     '2024-01-31 10:00:00.123456', '10:00', 'small', '{"a": 1}'),
    (2, 0, 0, 0, 0, 1999, '', ' ab ', 'A', '', false, '1969-07-20', '1969-07-20 20:17:40.5', '1969-07-20 20:17:40.5',
     '00:00', 'Large', '[]'),
    (3, -7, -5, -2.5, -1e15, 2000, 'AB', 'a_c', 'b ', 'x y', NULL, '2024-02-29', '2024-02-29 23:59:59.999', '2024-02-29',
     '23:59:59', 'big', '"a"'),
    (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (5, 3, 2147483648, 12345.678, 0.1, 1970, 'é', '12', 'Ann', 'é', true, '1999-12-31', '1999-12-31', '1999-12-31',
     '12:30', 'small', 'null'),
    (6, 2, 10, 0.5, -2.5, 2155, 'ann%b', 'Ünï cod', 'ANN', 'Ann', false, '1000-03-01', '1000-03-01 00:00:00.001',
     '9999-12-31', '01:02:03', NULL, '{}')
"""
OWN = re.compile(r"replace\(")
"""What MariaDB answers otherwise than MySQL: where there is nothing to replace by NULL, the text stays."""
SEARCHES = {"postgresql": POSTGRESQL, "mariadb": MYSQL}
SESSION = {
    "postgresql": "SET TIME ZONE 'UTC'",
    "mariadb": "SET collation_connection = utf8mb4_uca1400_nopad_ai_ci",
}
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?")
HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
Answer = Counter[tuple[object, ...]]


@dataclass(frozen=True)
class Sides:
    """The table on a server, and in MongoDB."""

    engine: sa.Engine
    store: Store

    def theirs(self, sql: str) -> Answer | None:
        """The server's rows; None where it refuses, or warns of a value it had to change."""
        try:
            with self.engine.connect() as connection:
                return Counter(tuple(map(written, row)) for row in connection.exec_driver_sql(sql))
        except (sa.exc.DBAPIError, UnicodeDecodeError, ValueError):
            return None

    def mine(self, sql: str) -> Answer | str:
        """Ours, or what kind of error it is."""
        try:
            return Counter(tuple(map(written, row.values())) for row in self.store.execute(sql))
        except NestlingError as error:
            return type(error).__name__


def written(value: object) -> object:
    """A value as both sides can say it: numbers by twelve digits, times by their text."""
    match value:
        case bool():
            return Decimal(value)
        case int() | float() | Decimal():
            return number(value)
        case datetime():
            return (
                (value.astimezone(UTC) if value.tzinfo is not None else value)
                .isoformat()[:26]
                .removesuffix("T00:00:00")
            )
        case date() | time():
            return value.isoformat()
        case timedelta():
            return f"{value // HOUR:02}:{value // MINUTE % 60:02}:{value // SECOND % 60:02}"
        case dict() | list():
            return json.dumps(value)
        case bytes():
            return value.decode(errors="replace")
        case str() if MOMENT.fullmatch(value):  # as which MySQL shows what it makes of a text
            return value.replace(" ", "T")
        case _:
            return value


def number(value: int | float | Decimal) -> object:
    """The number to twelve digits, beyond which sums of floats differ."""
    try:
        found = Decimal(f"{Decimal(repr(value) if isinstance(value, float) else value):.11e}").normalize()
    except InvalidOperation:
        return str(value)
    return found if found else abs(found)


@pytest.fixture(scope="module", params=SEARCHES)
def searched(request: pytest.FixtureRequest, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[tuple[str, Sides]]:
    """A server's name, and the table there and in MongoDB."""
    url = request.getfixturevalue(request.param)
    with _database(request.param, url) as (engine, address):
        proposal = pipeline.design(pipeline.inspect(address), "normalized")
        database = mongo_client[f"every_{uuid.uuid4().hex}"]
        pipeline.load(proposal, address, database, mode=pipeline.LoadMode.REPLACE)
        yield request.param, Sides(engine, Store(proposal, database))
        mongo_client.drop_database(database.name)


@contextmanager
def _database(server: str, url: str) -> Iterator[tuple[sa.Engine, str]]:
    """A database of its own with the table: an engine for it, and its address."""
    name = f"every_{uuid.uuid4().hex}"
    with sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool).connect() as connection:
        made = "ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8' TEMPLATE template0" if server == "postgresql" else ""
        connection.exec_driver_sql(f"CREATE DATABASE {name} {made}")
    address = sa.make_url(url).set(database=name)
    engine = sa.create_engine(address, isolation_level="AUTOCOMMIT", poolclass=sa.StaticPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(SESSION[server])
        script = ON_POSTGRESQL if server == "postgresql" else ON_MARIADB
        for statement in script.split(";\n"):
            connection.exec_driver_sql(statement.replace("%", "%%"))
    yield engine, address.render_as_string(hide_password=False)
    engine.dispose()


def verdict(theirs: Answer | None, mine: Answer | str) -> str:
    """What came of a statement on both sides."""
    if theirs is None:
        return "refused by both" if isinstance(mine, str) else "answered alone"
    if isinstance(mine, str):
        return mine
    return "equal" if mine == theirs else "wrong"


@pytest.mark.one_in(2)
def test_answers_are_the_servers(searched: tuple[str, Sides], tally: Counts) -> None:
    """Of random statements, each found again by its number."""
    server, sides = searched
    grammar: Grammar = SEARCHES[server]
    found, wrong = Counter[str](), []
    for number in range(STATEMENTS):
        sql = grammar.statement(random.Random(f"{SEED}/{number}"))
        theirs, mine = sides.theirs(sql.replace("%", "%%")), sides.mine(sql)
        said = verdict(theirs, mine)
        said = "MariaDB's own" if said == "wrong" and OWN.search(sql) else said
        found[said] += 1
        if said == "wrong":
            wrong.append(f"{number}: {sql}\n  there {theirs}\n  here  {mine}")
    tally.update({(f"random expressions beside {server}", each): count for each, count in found.items()})
    assert not wrong, f"{len(wrong)} of {found.total()}\n" + "\n".join(wrong)
