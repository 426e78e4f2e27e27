"""Rows that meet every rule at its edge: NULLs, ties, empty and foreign texts, extreme numbers, texts that are numbers, dates."""

from __future__ import annotations

import sqlite3

TABLE = """
CREATE TABLE t (
    id INTEGER PRIMARY KEY, i INTEGER, j INTEGER NOT NULL, f FLOAT, g FLOAT NOT NULL, n NUMERIC, s TEXT, z TEXT NOT NULL,
    b BOOLEAN, d DATE, ts TIMESTAMP, x, y
)
"""
INTEGERS = (0, 1, -1, 7, -7, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), None, 3, 10)
FLOATS = (0.0, -0.0, 1.0, 2.5, -2.5, 0.1, 1e20, -1e-7, 1e300, 3.0, None, 1234.5678, 5.0)
NUMBERS = (0, 1.5, -1, 2, 99.99, 1e18, 2**53, None, 0.3, -0.005, 1000, 12.25, 3)
TEXTS = (
    "",
    "a",
    "A",
    "abc",
    "ABC",
    "Abc%",
    "a_c",
    "ünïcödé",
    "ÜNÏ",
    "😀b",
    None,
    "12",
    "-3.5e2",
    " 7 ",
    "12abc",
    "0",
    "x\ny",
    "K",
    "10%",
    "a\\b",
    "[x]",
    "2024-02-29",
    "2024-02-29 12:30:45",
    "trailing  ",
    "TRAILING",
    "9999999999999999999",
    "1e400",
    ".5",
    "5.",
)
DATES = ("2024-02-29", "2023-12-31", "1999-01-01", None, "2024-03-01", "0005-06-07", "9998-12-31")
TIMESTAMPS = ("2024-02-29 12:30:45", "2023-12-31 23:59:59", "1970-01-01 00:00:00", None, "2024-03-01 00:00:00")
ANYTHING = (1, "1", 1.5, "x", None, "X", "", 0, "1.0", -3, "2024-01-01", 2.0)
CLASSES = (1, "1", b"x", 1.5, None, b"", "x", b"1")


def rows() -> list[tuple[object, ...]]:
    """The rows: every column walks through its values at its own pace."""
    return [
        (
            place + 1,
            INTEGERS[place % 13],
            INTEGERS[place * 5 % 10],
            FLOATS[place * 3 % 13],
            FLOATS[place * 7 % 10],
            NUMBERS[place * 2 % 13],
            TEXTS[place * 11 % len(TEXTS)],
            TEXTS[place * 7 % 10],
            (0, 1, None)[place % 3],
            DATES[place % 7],
            TIMESTAMPS[place % 5],
            ANYTHING[place % 12],
            CLASSES[place % 8],
        )
        for place in range(130)
    ]


def database() -> sqlite3.Connection:
    """A SQLite database of them."""
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    connection.executemany(f"INSERT INTO t VALUES ({','.join('?' * 13)})", rows())
    return connection
