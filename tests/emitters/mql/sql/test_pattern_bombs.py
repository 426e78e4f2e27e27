"""Patterns made to be slow: LIKE and GLOB take time in proportion to the text, and find what there is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.collection import Collection

from tests.emitters.mql.sql.beside import Fields, compare_conditions, open_table
from tests.planner.sql.sqlite_oracle import Oracle

LENGTH = 40_000
Table = tuple[Oracle, Collection[dict[str, Any]]]


@pytest.fixture(scope="module")
def texts(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Table]:
    """Long texts of one letter, with something else at an end or in the middle, and short ones."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("CREATE TABLE t (s TEXT, p TEXT)")
    long = "a" * LENGTH
    rows = [
        (long, "a%a%a%b"), (long + "b", "%a%a%a%a%b"), (long + "\nb" + long, "%b%"), ("b" + long, "b%a"), ("aab", "a%b"),
        ("ab", "%%%a%%b%"), ("aba", "_%_"), ("", "%"), ("(*)", "(*)%"), ("a(*)b", "%(*)_"), ("x.*y", "%.*%"), ("%", "%%"),
    ]  # fmt: skip
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    collection = mongo_client["bombs"]["t"]
    collection.drop()
    yield open_table(connection, collection), collection
    connection.close()
    mongo_client.drop_database("bombs")


@pytest.mark.parametrize(
    "condition",
    [
        *("s LIKE 'a%a%a%a%a%a%a%a%b'", "s LIKE '%a%a%a%a%a%a%a%b'", "s LIKE '%a%a%a%a%a%a%b%'", "s LIKE '%a_a%a_b'"),
        *("s LIKE '" + "%a" * 40 + "%b'", "s LIKE '%b%b%'", "s LIKE 'b%a%b'", "s LIKE '%b%a'", "s LIKE 'a%b'"),
        *("s LIKE '%'", "s LIKE '%%'", "s LIKE ''", "s LIKE 'a%'", "s LIKE '%b'", "s LIKE '%ab%'", "s LIKE '_%b'"),
        *("s GLOB '*a*a*a*a*a*b'", "s GLOB 'a*a*a*b*'", "s GLOB '*[ab]*[!a]*a*b'", "s GLOB '*'", "s GLOB 'a*'"),
        *("s GLOB '*b'", "s LIKE '%(*)%'", "s LIKE 'a(%)b'", "s LIKE '%.*%'"),
        *("s LIKE p", "s LIKE p || '%'", "s LIKE '%' || p"),
    ],
)  # fmt: skip
@pytest.mark.timeout(120)
def test_patterns_are_linear_and_exact(texts: Table, condition: str) -> None:
    """The rows are SQLite's, in the query language and as expressions; a pattern that backtracks would not end."""
    report = compare_conditions(*texts, [condition])
    assert not report.differences
    assert not report.gaps


def test_a_pattern_given_as_a_parameter(texts: Table) -> None:
    """So are those that come with the values."""
    for pattern in ("a%a%a%a%a%b", "%a%a%a%a%a%a%b%", "%b", "%" * 50 + "b"):
        report = compare_conditions(*texts, ["s LIKE :p"], Fields({"p": pattern}))
        assert not report.differences
