"""An exact average is read from the sum and the number a parent keeps, with the digits the database gives it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.executors.write import run_write
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Bucket, Collection, Computed, Document, Holder, Reference, Summary
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.statements.algebra import Query
from nestling.ir.tolerance import Tolerated
from nestling.ir.types import INTEGER
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from tests.beside_mariadb import cursor_of
from tests.planner.reads.beside_postgresql import created

COLUMNS = ("stars", "marks", "price", "plain")
TABLES = """
CREATE TABLE listing (id INT PRIMARY KEY, title VARCHAR(10));
CREATE TABLE review (id INT PRIMARY KEY, listing_id INT NOT NULL REFERENCES listing (id), stars INT NOT NULL, marks INT,
                     price DECIMAL(6,2) NOT NULL, plain {plain});
INSERT INTO listing VALUES (1, 'a'), (2, 'b'), (3, 'none'), (4, 'NULLs');
INSERT INTO review VALUES (1, 1, 5, 1, 1.10, 2.5), (2, 1, 4, NULL, 2.25, 1), (3, 1, 4, 2, 99.99, NULL), (4, 2, 1, 7, 0.00, 0.125),
                          (5, 2, -3, 0, 9999.99, 7.5), (6, 4, 1, NULL, 0.01, NULL), (7, 4, 0, NULL, 0.02, NULL)"""
READS = (
    "SELECT AVG({0}) AS found FROM review WHERE listing_id = 1",
    "SELECT AVG({0}), SUM({0}), COUNT({0}) FROM review WHERE listing_id = 3",
    "SELECT l.id, AVG(r.{0}) AS mean FROM listing l JOIN review r ON r.listing_id = l.id GROUP BY l.id ORDER BY l.id",
    "SELECT l.id, AVG(r.{0}), SUM(r.{0}) FROM listing l LEFT JOIN review r ON r.listing_id = l.id GROUP BY l.id ORDER BY l.id",
    "SELECT l.title, (SELECT AVG({0}) FROM review r WHERE r.listing_id = l.id) * 2 AS twice FROM listing l ORDER BY l.id",
    "SELECT l.id FROM listing l WHERE (SELECT AVG({0}) FROM review r WHERE r.listing_id = l.id) > 2 ORDER BY l.id",
)
WRITES = (
    "INSERT INTO review VALUES (10, 1, 2, 9, 0.33, 1.75), (11, 3, 3, NULL, 7.77, 0)",
    "UPDATE review SET stars = stars + 1, marks = 4, price = 3.33 WHERE id = 2",
    "DELETE FROM review WHERE listing_id = 2",
)


@dataclass(frozen=True)
class Kept:
    """A database, and what was loaded from it into documents that keep sums and numbers of their children."""

    engine: sa.Engine
    dialect: str
    proposal: Proposal
    database: Database[Any]

    def both(self, sql: str) -> tuple[list[Any], list[Any]]:
        """The rows here and there, by the digits they are shown with."""
        read = pipeline.convert(self.proposal, sql, dialect=self.dialect)
        assert isinstance(read, CompiledRead), read
        with self.engine.begin() as connection:
            there = [tuple(map(_digits, row)) for row in connection.exec_driver_sql(sql)]
        return [tuple(map(_digits, row)) for row in run_read(self.database, read)], there

    def write(self, sql: str) -> None:
        """Do it here and there."""
        done = pipeline.convert(self.proposal, sql, dialect=self.dialect)
        assert isinstance(done, CompiledWrite), done
        run_write(self.database, done)
        with self.engine.begin() as connection:
            connection.exec_driver_sql(sql)


def _digits(value: object) -> object:
    """A number by its digits: MariaDB's sums of whole numbers are decimals."""
    return str(value) if isinstance(value, int | Decimal) else value


def _loaded(url: str, dialect: str, database: Database[Any]) -> Proposal:
    found = pipeline.design(pipeline.inspect(url), "normalized")
    link = next(each.name for each in found.design.model.relationships)
    kept = tuple(
        Computed(f"{function}_{name}", (Hop(link, up=False),), function, TRANSACTION, name)
        for name, function in product(COLUMNS, (AggregateKind.SUM, AggregateKind.COUNT))
    )
    collections = tuple(
        replace(each, body=replace(each.body, computed=kept)) if each.name == "listing" else each
        for each in found.design.collections
    )
    proposal = replace(found, design=replace(found.design, collections=collections))
    pipeline.load(proposal, url, database)
    return proposal


@pytest.fixture(params=["postgresql", "mysql"])
def kept(request: pytest.FixtureRequest, database: Database[dict[str, Any]]) -> Iterator[Kept]:
    """The same tables on PostgreSQL and on MariaDB."""
    if request.param == "postgresql":
        _, url, engine = created(request.getfixturevalue("postgresql"), TABLES.format(plain="NUMERIC"))
        yield Kept(engine, "postgresql", _loaded(url, "postgresql", database), database)
        return
    server, name = sa.make_url(request.getfixturevalue("mariadb")), f"t_{uuid.uuid4().hex}"
    with cursor_of(request.getfixturevalue("mariadb")) as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        url = server.set(database=name).render_as_string(hide_password=False)
        engine = sa.create_engine(url, poolclass=sa.NullPool)
        with engine.begin() as connection:
            for statement in TABLES.format(plain="DECIMAL(5,3)").split(";"):
                connection.exec_driver_sql(statement)
        yield Kept(engine, "mysql", _loaded(url, "mysql", database), database)
        cursor.execute(f"DROP DATABASE {name}")


@pytest.mark.thorough
def test_it_has_the_digits_of_the_database(kept: Kept, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Over none, over NULLs, in groups and within expressions; also once reviews came, changed and went; no review is read."""
    for write in ("", *WRITES):
        if write:
            kept.write(write)
        for sql, column in product(READS, COLUMNS):
            ours, theirs = kept.both(sql.format(column))
            assert ours == theirs, (write, sql.format(column))
    kept.database["review"].delete_many({})
    for sql, column in product(READS, COLUMNS):
        ours, theirs = kept.both(sql.format(column))
        assert ours == theirs, f"not from what is kept: {sql.format(column)}"


@pytest.mark.parametrize("step", [1, 3])
def test_of_an_approximated_number_there_is_no_average(step: int) -> None:
    """By a number that is too low it would be too high, whatever is tolerated."""
    stars = Attribute("stars", INTEGER, nullable=False)
    ids = tuple(Attribute(name, INTEGER, nullable=False) for name in ("id", "listing_id"))
    model = Model(
        "m",
        (Entity("listing", ids[:1], ("id",)), Entity("review", (*ids, stars), ("id",))),
        (Relationship("of", "listing", "review", ("id",), ("listing_id",), required=True),),
    )
    kept = (
        Computed("total", (Hop("of", up=False),), AggregateKind.SUM, TRANSACTION, "stars"),
        Computed("number", (Hop("of", up=False),), AggregateKind.COUNT, TRANSACTION, "stars", step=step),
    )
    review = Document("review", references=(Reference("of", Holder.CHILD),))
    collections = Collection("l", Document("listing", computed=kept), ("id",)), Collection("r", review, ("id",))
    tolerated = Tolerated(off_by={("review", "stars"): 5})
    for sql in ("SELECT AVG(stars) FROM review WHERE listing_id = 1", READS[3].format("stars")):
        query = translate(sql, model, "postgresql")
        assert isinstance(query, Query)
        read = compiled_read(plan_read(query, Design(model, collections), tolerated=tolerated))
        assert ("'r'" in repr((read.collection, read.pipeline))) is (step > 1)


SERIES = """
CREATE TABLE measured (id INT PRIMARY KEY, sensor INT NOT NULL, n INT NOT NULL, m INT);
INSERT INTO measured VALUES (1, 1, 5, 1), (2, 1, 4, NULL), (3, 1, 4, 2), (4, 2, 1, NULL), (5, 1, -3, 0), (6, 3, 1, 1),
                            (7, 3, 0, 7)"""
OF_SERIES = (
    "SELECT sensor, AVG({0}) AS mean FROM measured GROUP BY sensor ORDER BY sensor",
    "SELECT AVG({0}), COUNT({0}), SUM({0}) FROM measured",
    "SELECT AVG({0}) FROM measured WHERE sensor = 2",
    "SELECT AVG({0}) FROM measured WHERE sensor = 4",
)


@pytest.mark.thorough
def test_buckets_tell_it_too(postgresql: str, database: Database[dict[str, Any]]) -> None:
    """By their sums and their numbers; no event is unwound."""
    _, url, engine = created(postgresql, SERIES)
    found = pipeline.design(pipeline.inspect(url), "normalized")
    (home,) = found.design.collections
    summary = tuple(
        Summary(f"{function}_{name}", function, name)
        for function, name in product((AggregateKind.SUM, AggregateKind.COUNT), ("n", "m"))
    )
    series = Collection("series", home.body, bucket=Bucket(("sensor",), "events", 2, summary=summary))
    proposal = replace(found, design=replace(found.design, collections=(series,)))
    pipeline.load(proposal, url, database)
    kept = Kept(engine, "postgresql", proposal, database)
    for sql, column in product(OF_SERIES, ("n", "m")):
        read = pipeline.convert(proposal, sql.format(column), dialect="postgresql")
        assert isinstance(read, CompiledRead)
        assert "$events" not in repr(read.pipeline)
        ours, theirs = kept.both(sql.format(column))
        assert ours == theirs, sql.format(column)
