"""Rows of every type survive reading, writing and reading again."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nestling.common.errors import SourceError
from nestling.ir.model import Attribute
from nestling.ir.types import Type
from nestling.ir.value_forms.json_text import json_text, read_json
from nestling.sources.sql import SqlDatabase, open_database, open_sink
from nestling.sources.sql.driver_parameters import writer
from nestling.sources.sql.driver_values import converter
from tests.sources.sql.reading_back import all_rows, copied


def test_sqlite_to_sqlite(torture_sqlite: SqlDatabase, tmp_path: Path) -> None:
    """A copy of a SQLite database holds the same values in the same storage classes."""
    copy = copied(torture_sqlite, f"sqlite:///{tmp_path / 'copy.db'}")
    assert all_rows(copy) == all_rows(torture_sqlite)


@pytest.mark.thorough
def test_a_copy_reads_the_same_without_its_model(torture_sqlite: SqlDatabase, tmp_path: Path) -> None:
    """The copy's own declarations lead to the same values as the model it was made from."""
    url = f"sqlite:///{tmp_path / 'copy.db'}"
    copied(torture_sqlite, url)
    assert all_rows(open_database(url)) == all_rows(torture_sqlite)


def test_names_keep_their_percent_signs(tmp_path: Path) -> None:
    """A name is written as it is, though some databases' statements want percent signs doubled."""
    with closing(sqlite3.connect(tmp_path / "source.db")) as connection:
        connection.execute('CREATE TABLE "a%%b" ("x%%y" INTEGER PRIMARY KEY, "50%" TEXT)')
    url = f"sqlite:///{tmp_path / 'copy.db'}"
    copied(open_database(f"sqlite:///{tmp_path / 'source.db'}"), url)
    (entity,) = open_database(url).model.entities
    assert (entity.name, *entity.attribute_names) == ("a%%b", "x%%y", "50%")


def test_rows_come_back_as_they_were_in_postgresql(postgresql_urls: tuple[str, str], tmp_path: Path) -> None:
    """A PostgreSQL database survives a copy to PostgreSQL and one to SQLite."""
    source = open_database(postgresql_urls[0])
    expected = all_rows(source)
    assert all_rows(copied(source, postgresql_urls[1])) == expected
    assert all_rows(copied(source, f"sqlite:///{tmp_path / 'copy.db'}")) == expected


@pytest.mark.thorough
def test_rows_come_back_as_they_were_in_mariadb(mariadb_urls: tuple[str, str], tmp_path: Path) -> None:
    """A MariaDB database survives a copy to SQLite, and one to MariaDB."""
    source = open_database(mariadb_urls[0])
    expected = all_rows(source)
    assert all_rows(copied(source, f"sqlite:///{tmp_path / 'copy.db'}")) == expected
    assert all_rows(copied(source, mariadb_urls[1])) == expected


@pytest.mark.thorough
def test_a_target_with_rows_is_refused(torture_sqlite: SqlDatabase, tmp_path: Path) -> None:
    """Nothing is written over rows that are there already."""
    url = f"sqlite:///{tmp_path / 'copy.db'}"
    before = all_rows(copied(torture_sqlite, url))
    with pytest.raises(SourceError, match="already holds rows"):
        open_sink(url).begin(torture_sqlite.model)
    assert all_rows(open_database(url, model=torture_sqlite.model)) == before


@pytest.mark.thorough
def test_an_unfinished_sink_leaves_nothing(torture_sqlite: SqlDatabase, tmp_path: Path) -> None:
    """Everything becomes visible with `finish`, and not before; a file that was not there is not there either."""
    copy = tmp_path / "copy.db"
    for is_there in (False, True):
        if is_there:
            copy.touch()
        sink = open_sink(f"sqlite:///{copy}")
        sink.begin(torture_sqlite.model)
        sink.close()
        assert copy.exists() is is_there
    assert open_database(f"sqlite:///{copy}").catalog.tables == ()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@pytest.mark.thorough
@given(JSON)
def test_json_reads_as_written(value: object) -> None:
    """JSON text to value to text to value changes nothing, and what cannot be told apart stays text."""
    text = json.dumps(value)
    found = read_json(text)
    assert found == (text if value is None or isinstance(value, str) else value)
    assert read_json(json_text(found)) == found


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "null", '"x"', "nope", "NaN", "[" * 100_000, "1" * 5000, ""])
def test_json_that_a_value_cannot_stand_for_stays_text(text: str) -> None:
    """Double keys, top-level strings and null, and what is no JSON are handed over as found."""
    assert read_json(text) == text
    assert json_text(text) == text


def test_json_numbers_are_not_rounded() -> None:
    """A number that a float would change is a Decimal, and is written with all its digits."""
    text = "[0.1, 0.1000000000000000055, 1e400, 123456789012345678901234567890]"
    found = read_json(text)
    assert found == [0.1, Decimal("0.1000000000000000055"), Decimal("1e400"), 123456789012345678901234567890]
    assert read_json(json_text(found)) == found


MOMENTS = st.datetimes().map(lambda moment: moment.replace(fold=0))
VALUES = {
    "timestamp": MOMENTS,
    "timestamp(3)": MOMENTS,
    "timestamp(6)": MOMENTS,
    "timestamptz": MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)),
    "date": st.dates(),
    "uuid": st.uuids(),
    "boolean": st.booleans(),
    "decimal(20,5)": st.decimals(),
    "float": st.floats(),
    "array(decimal)": st.lists(st.decimals(allow_nan=False)),
    "array(float)": st.lists(st.floats(allow_nan=False, allow_infinity=False)),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", VALUES)
@given(st.data())
def test_sqlite_text_of_a_value_reads_as_that_value(kind: str, data: st.DataObject) -> None:
    """What the sink gives SQLite is what the source makes the same value of."""
    attribute = Attribute("a", Type.parse(kind))
    value = data.draw(VALUES[kind])
    convert = converter(attribute, "sqlite")
    assert convert is not None
    found = convert(writer(attribute, "sqlite")(value))
    assert repr(found) == repr(value) or (isinstance(value, Decimal | float) and math.isnan(value) and found != found)


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("date", "2020-W01-1"),
        ("date", "20200101"),
        ("timestamp", "2020-01-01T00:00:00"),
        ("timestamp", "2020-01-01"),
        ("timestamp", "2020-01-01 00:00:00.000"),
        ("timestamp(3)", "2020-01-01 00:00:00"),
        ("timestamp", "2020-01-01 00:00:00+00:00"),
        ("boolean", 2),
        ("boolean", 1.0),
        ("boolean", "1"),
        ("uuid", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
        ("decimal", "1e5"),
        ("decimal", 1.5),
        ("date", 5),
        ("timestamp", None),
    ],
)
def test_what_would_not_be_reversible_stays_as_found(kind: str, raw: object) -> None:
    """A value is converted only if writing it back gives the very same raw value."""
    convert = converter(Attribute("a", Type.parse(kind)), "sqlite")
    assert convert is not None
    found = convert(raw)
    assert found is raw


def test_a_resumed_stream_does_not_repeat_a_timestamp_key() -> None:
    """A key that was converted is written back in the column's own form, so that `after` means after."""
    attribute = Attribute("at", Type.parse("timestamp(3)"))
    assert writer(attribute, "sqlite")(datetime(2020, 1, 1)) == "2020-01-01 00:00:00.000"  # noqa: DTZ001
