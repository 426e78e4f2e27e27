"""How values lie, as measured: the same on every database, and as the rows have it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from nestling.ir.distribution import Distribution, below, equal
from nestling.ir.reading import Reading
from nestling.ir.statistics import AttributeStatistics, Origin
from nestling.sources.sql import open_database

ROWS = 2_000
COUNTRIES = ("FR",) * 12 + ("de",) * 5 + ("ES", "it", "PT")
TABLE = """CREATE TABLE visits (
    id INTEGER PRIMARY KEY, country VARCHAR(20), page VARCHAR(40), spent FLOAT, seen DATE, at TIMESTAMP NULL, flag INTEGER,
    price DECIMAL(8,2), password VARCHAR(20), note VARCHAR(400), nobody INTEGER)"""


def rows() -> Iterator[dict[str, object]]:
    """Rows whose shares are known: 60 % FR, 25 % de, the other countries 5 % each; numbers and days spread evenly."""
    for n in range(ROWS):
        yield {
            "id": n + 1,
            "country": COUNTRIES[n % 20],
            "page": f"page {n:05}",
            "spent": n / 4 if n % 2 else None,
            "seen": date(2024, 1, 1) + timedelta(days=n % 400),
            "at": datetime(2024, 1, 1) + timedelta(minutes=n),  # noqa: DTZ001 - as timestamps are
            "flag": n % 4 == 0,
            "price": round((n % 100) * 1.25, 2),
            "password": f"hunter{n % 7}",
            "note": "word " * 20,
            "nobody": None,
        }


def filled(url: str) -> Reading:
    """The reading of a database with such a table."""
    driver = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}
    scheme, rest = url.split("://", 1)
    engine = create_engine(f"{driver.get(scheme.split('+')[0], scheme)}://{rest}")
    names = list(next(rows()))
    insert = text(f"INSERT INTO visits VALUES ({', '.join(f':{name}' for name in names)})")
    with engine.begin() as connection:
        connection.execute(text(TABLE))
        found = [{name: int(v) if isinstance(v, bool) else v for name, v in row.items()} for row in rows()]
        if scheme == "sqlite":
            found = [{k: str(v) if isinstance(v, date) else v for k, v in row.items()} for row in found]
        connection.execute(insert, found)
    engine.dispose()
    return open_database(url).reading()


def known(reading: Reading, name: str) -> AttributeStatistics:
    """What is known of a column."""
    return reading.statistics.entity("visits").attribute(name)


def values(reading: Reading, name: str) -> Distribution:
    """How a column's values lie."""
    found = known(reading, name).values
    assert found is not None, name
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    "place",
    [
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.postgresql),
        pytest.param("mariadb", marks=pytest.mark.mariadb),
    ],
)
def test_values_of_a_table(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """On every database the same is kept, and the same is not."""
    sqlite = f"sqlite:///{tmp_path / 'visits.db'}"
    reading = filled(sqlite if place == "sqlite" else request.getfixturevalue(f"{place}_urls")[1])
    all_values_where_there_are_few(reading)
    quantiles_where_there_are_many(reading)
    what_is_not_kept(reading)


def all_values_where_there_are_few(reading: Reading) -> None:
    """With their shares, most frequent first; nothing is left for quantiles."""
    found = values(reading, "country")
    assert found.common[:2] == (("FR", 0.6), ("de", 0.25))
    assert dict(found.common[2:]) == {"ES": 0.05, "PT": 0.05, "it": 0.05}
    assert (found.quantiles, found.origin, found.rows) == ((), Origin.MEASURED, None)
    assert below(found, "de", 5) == pytest.approx(0.70)  # capitals first: by code point
    assert dict(values(reading, "flag").common) == {False: 0.75, True: 0.25}


def quantiles_where_there_are_many(reading: Reading) -> None:
    """Twenty parts of equally many rows, in the attribute's own type."""
    assert values(reading, "id").quantiles == (1, *range(100, ROWS + 1, 100))
    days = values(reading, "seen")
    assert days.quantiles[:2] == (date(2024, 1, 1), date(2024, 1, 20))
    assert below(days, "2024-04-10", 400) == pytest.approx(100 / 400, abs=0.01)
    assert below(values(reading, "at"), "2024-01-01 10:00:00", ROWS) == pytest.approx(600 / ROWS, abs=0.01)
    assert below(values(reading, "price"), 62.5, 100) == pytest.approx(0.5, abs=0.02)
    assert equal(values(reading, "price"), 62.5, 100) == pytest.approx(0.01, abs=0.005)
    assert below(values(reading, "spent"), 250, ROWS / 2) == pytest.approx(0.5, abs=0.02)


def what_is_not_kept(reading: Reading) -> None:
    """Texts that name rows, secrets, long texts; and where there is no value there is nothing to keep."""
    assert [known(reading, name).values for name in ("page", "password", "note", "nobody")] == [None] * 4


def test_a_sample_of_a_large_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Says over how many rows, and shares that are near those of the whole table."""
    monkeypatch.setattr("nestling.sources.sql.measure_values.SAMPLED_ABOVE_ROWS", 1_000)
    path = tmp_path / "large.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE visits (id INTEGER PRIMARY KEY, kind TEXT, amount INTEGER)")
        connection.executemany(
            "INSERT INTO visits VALUES (?, ?, ?)", ((n, "ab"[n % 3 == 0], n * 7919 % 5000) for n in range(20_000))
        )
    found = open_database(f"sqlite:///{path}").reading()
    kind, amount = values(found, "kind"), values(found, "amount")
    assert kind.rows is not None
    assert 800 <= kind.rows <= 1_200
    assert dict(kind.common)["b"] == pytest.approx(1 / 3, abs=0.03)
    assert below(amount, 2500, 5000) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("declared", ["DECIMAL_TEXT(8,2)", "DECIMAL(8,2)"])
def test_decimals_of_sqlite_lie_as_numbers(tmp_path: Path, declared: str) -> None:
    """Also where they are kept as texts, which SQLite orders otherwise."""
    path = tmp_path / "books.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE book (isbn TEXT PRIMARY KEY NOT NULL, price {declared})")
        connection.executemany("INSERT INTO book VALUES (?, ?)", [(str(n), f"{n * 1.5:.2f}") for n in range(200)])
    values = dict(dict(open_database(f"sqlite:///{path}").reading().statistics.entities)["book"].attributes)[
        "price"
    ].values
    assert values is not None
    assert below(values, 150) == pytest.approx(0.5, abs=0.01)
