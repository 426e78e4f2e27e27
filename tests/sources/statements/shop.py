"""A small shop the statement tests speak about, and what they ask of a statement."""

from __future__ import annotations

from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload

MODEL = read_ddl(
    """CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT,
        referred_by INTEGER REFERENCES customer (id));
    CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id), placed DATE, status TEXT);
    CREATE TABLE order_line (order_id INTEGER, no INTEGER, product_id INTEGER REFERENCES product (id), amount INTEGER,
        PRIMARY KEY (order_id, no), FOREIGN KEY (order_id) REFERENCES orders (id));
    CREATE TABLE delivery (id INTEGER PRIMARY KEY, order_id INTEGER, no INTEGER, "sent on" DATE,
        FOREIGN KEY (order_id, no) REFERENCES order_line (order_id, no));
    CREATE TABLE [Log Entries] ([Id] INTEGER PRIMARY KEY, [At$] DATE, [größe] INTEGER);""",
    "shop",
    dialect="sqlite",
).model


def read(text, dialect="sqlite"):
    """The workload and gaps of a text called `w.sql`."""
    return parse_workload(text, MODEL, dialect, "w.sql")


def statement(sql, dialect="sqlite"):
    """One statement that must be understood entirely."""
    workload, gaps = read(f"-- name: s, rate: 1/s\n{sql}", dialect)
    assert gaps == ()
    return workload.statements[0]


def gaps_of(sql, dialect="sqlite"):
    """The sentences of a statement's gaps, without its name."""
    _, gaps = read(f"-- name: ok, rate: 1/s\nSELECT 1;\n-- name: s, rate: 1/s\n{sql}", dialect)
    return [gap.what.removeprefix("statement `s`: ") for gap in gaps]


def accesses(sql, dialect="sqlite"):
    """Each access as a line: what is done to which entity by which way, with what."""
    return [access_line(access) for access in statement(sql, dialect).accesses]


def access_line(access):
    """`select orders via customer_orders: id, placed | status = | by placed`."""
    parts = [", ".join(access.attributes)]
    parts.append(", ".join(f"{found.attribute} {found.operator}" for found in access.filters))
    parts.append("by " + ", ".join(access.sort) if access.sort else "")
    via = f" via {access.via}" if access.via else ""
    return f"{access.kind} {access.entity}{via}: " + " | ".join(filter(None, parts))
