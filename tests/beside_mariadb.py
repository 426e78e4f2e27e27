"""The same statements on a MariaDB and on what was loaded from it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from pymongo import MongoClient
from pymongo.database import Database
from sqlalchemy import make_url

from nestling import pipeline
from nestling.common.errors import ConstraintError
from nestling.executors.calls import read_call
from nestling.executors.run import run_read
from nestling.executors.write import run_write
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal


@dataclass
class Both:
    """A MariaDB and what was loaded from it."""

    address: str
    cursor: Any
    proposal: Proposal
    database: Database[Any]

    def convert(self, sql: str) -> CompiledRead:
        """The query compiled."""
        found = pipeline.convert(self.proposal, sql, dialect="mysql")
        assert isinstance(found, CompiledRead), found
        return found

    def gap(self, sql: str) -> str:
        """Why a statement is not compiled."""
        found = pipeline.convert(self.proposal, sql, dialect="mysql")
        assert isinstance(found, NotCompiled), found
        return str(found.gap)

    def answers(self, sql: str) -> tuple[list[Any], list[Any]]:
        """The rows here and there."""
        read = self.convert(sql)
        self.cursor.execute(sql)
        return list(run_read(self.database, read)), list(self.cursor.fetchall())

    def written(self, sql: str) -> tuple[bool, bool]:
        """Whether a write is done here and there."""
        write = pipeline.convert(self.proposal, sql, dialect="mysql")
        assert isinstance(write, CompiledWrite), f"{sql}: {write}"
        return self._done_here(write), self._done_there(sql)

    def _done_here(self, write: CompiledWrite) -> bool:
        try:
            run_write(self.database, write)
        except ConstraintError:
            return False
        return True

    def _done_there(self, sql: str) -> bool:
        import pymysql

        try:
            self.cursor.execute(sql)
        except pymysql.err.IntegrityError:
            return False
        return True

    def examined(self, sql: str) -> int:
        """The documents the server looks at for a `find`."""
        read = self.convert(sql)
        call = read_call(read)
        assert call is not None
        assert call.method == "find", sql
        found = call.on(self.database).explain()["executionStats"]
        return int(found["totalDocsExamined"])

    def assert_equal(self) -> None:
        """Every row is as it is there."""
        report = pipeline.verify(self.proposal, self.address, self.database)
        assert report.equal, "\n".join(map(str, report.differences))


@contextmanager
def cursor_of(mariadb: str) -> Iterator[Any]:
    """A cursor on the server, whose statements are done at once."""
    pymysql = pytest.importorskip("pymysql")
    url = make_url(mariadb)
    connection = pymysql.connect(
        host=url.host, port=url.port, user=url.username, password=str(url.password), autocommit=True
    )
    with closing(connection), connection.cursor() as cursor:
        yield cursor


@contextmanager
def beside_mariadb(mariadb: str, database: Database[Any], script: str, strategy: str) -> Iterator[Both]:
    """The script's tables, in `utf8mb4_unicode_ci` where they say nothing else, read and loaded."""
    url, name = make_url(mariadb), f"t_{uuid.uuid4().hex}"
    with cursor_of(mariadb) as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
        cursor.execute(f"USE {name}")
        for statement in filter(str.strip, script.split(";\n")):
            cursor.execute(statement)
        address = url.set(drivername="mysql", database=name).render_as_string(hide_password=False)
        proposal = pipeline.design(pipeline.inspect(address), strategy)
        pipeline.load(proposal, address, database)
        yield Both(address, cursor, proposal, database)
        cursor.execute(f"DROP DATABASE {name}")


def both_of(script: str, *strategies: str, scope: Literal["function", "module"] = "function") -> Any:
    """A fixture: the script's tables filled, read and loaded, by each strategy; once for a module that only reads."""

    @pytest.fixture(params=strategies, scope=scope)
    def both(request: pytest.FixtureRequest, mariadb: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Both]:
        name = f"test_{uuid.uuid4().hex}"
        with beside_mariadb(mariadb, mongo_client[name], script, request.param) as found:
            yield found
        mongo_client.drop_database(name)

    return both
