"""What PostgreSQL refuses by types alone is refused, and what it takes is not: each statement beside a real one."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy
from sqlalchemy.exc import DBAPIError

from nestling import pipeline
from nestling.common.errors import GapError, WorkloadError
from nestling.ir.model import Model
from nestling.planner.sql import translate

TABLES = (
    "CREATE TYPE pg_temp.state AS ENUM ('red', 'blue')",
    (
        "CREATE TEMP TABLE visit (id integer PRIMARY KEY, name text, born date, at timestamp, well boolean, state pg_temp.state,"
        " score numeric, stay interval, code uuid)"
    ),
)
REFUSED = (
    "avg(born)",
    "sum(well)",
    "sum(at)",
    "avg(state)",
    "min(id) FILTER (WHERE name > 5)",
    "count(*) FILTER (WHERE well = 1)",
    "count(*) FILTER (WHERE name = id)",
    "count(*) FILTER (WHERE born < 2000)",
    "count(*) FILTER (WHERE code = 7)",
    "count(*) FILTER (WHERE id IN (1, 2) AND name IN (1, 2))",
    "count(*) FILTER (WHERE state = 'bogus')",
    "count(*) FILTER (WHERE state IN ('red', 'bogus'))",
    "max(name + 1)",
    "max(id * well)",
    "max(state - 1)",
    "count(*) FILTER (WHERE at > CASE WHEN id = 1 THEN '2024-01-01' ELSE '2025-01-01' END)",
    "count(*) FILTER (WHERE coalesce('1', NULL) < id)",
)
TAKEN = (
    "avg(score)",
    "sum(id) FILTER (WHERE name > '5')",
    "count(*) FILTER (WHERE well = 'true' OR well = true)",
    "count(*) FILTER (WHERE id = '1' AND score > 1 AND id < score)",
    "count(*) FILTER (WHERE born < at AND at < '2020-01-01' AND born = '2020-01-01')",
    "count(*) FILTER (WHERE state IN ('red', 'blue') AND state <> 'red')",
    "max(id + '1')",
    "count(*) FILTER (WHERE at > CASE WHEN id = 1 THEN timestamp '2024-01-01' ELSE '2025-01-01' END)",
    "count(*) FILTER (WHERE name > CASE WHEN id = 1 THEN 'a' ELSE NULL END)",
    "count(*) FILTER (WHERE (id > 1) = well)",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """The table's, as nestling reads it."""
    path = tmp_path_factory.mktemp("refused") / "schema.sql"
    path.write_text(";\n".join(TABLES).replace("TEMP ", "").replace("pg_temp.", "") + ";\n", encoding="utf-8")
    return pipeline.inspect(str(path), dialect="postgresql").model


@pytest.mark.parametrize("operation", ["raw || '{}'", "raw - 'a'", "'x' || raw"])
def test_operators_of_composites_are_named(operation: str, tmp_path: Path) -> None:
    """With the operation as it is written, and not with a cast nobody wrote."""
    (tmp_path / "s.sql").write_text("CREATE TABLE t (id integer PRIMARY KEY, tags text[], raw json);", encoding="utf-8")
    model = pipeline.inspect(str(tmp_path / "s.sql"), dialect="postgresql").model
    for sql in (f"SELECT {operation} FROM t", f"UPDATE t SET raw = {operation}"):
        with pytest.raises(GapError) as found:
            translate(sql, model, "postgresql")
        assert f"`{operation}`, an operator of " in str(found.value)
    with pytest.raises(WorkloadError, match="`x` is not an array: an array must be written in braces"):
        translate("SELECT tags || 'x' FROM t", model, "postgresql")


@pytest.mark.thorough
@pytest.mark.postgresql
def test_refused_where_postgresql_refuses(postgresql: str, model: Model) -> None:
    """Neither takes the first ones, and both take the others."""
    engine = sqlalchemy.create_engine(postgresql, poolclass=sqlalchemy.NullPool)
    for sums, is_taken in ((REFUSED, False), (TAKEN, True)):
        for each in sums:
            sql = f"SELECT {each} FROM visit"
            with engine.begin() as connection:
                for table in TABLES:
                    connection.exec_driver_sql(table)
                try:
                    with connection.begin_nested():
                        connection.exec_driver_sql(sql)
                    taken = True
                except DBAPIError:
                    taken = False
                connection.exec_driver_sql("DROP TABLE visit; DROP TYPE pg_temp.state")
            assert taken is is_taken, sql
            if is_taken:
                translate(sql, model, "postgresql")
            else:
                with pytest.raises(WorkloadError):
                    translate(sql, model, "postgresql")


@pytest.mark.parametrize("value", ["stay * 2", "-stay", "stay + stay", "2 * stay"])
def test_arithmetic_of_intervals_is_a_gap(value: str, model: Model) -> None:
    """They are kept as texts."""
    with pytest.raises(GapError, match="arithmetic"):
        translate(f"SELECT {value} FROM visit", model, "postgresql")


@pytest.mark.parametrize("limit", ["'x'", "2.5", "1 OFFSET 'x'", "TRUE"])
def test_limits_are_whole_numbers(limit: str, model: Model) -> None:
    """Anything else is a mistake; SQLite takes a text that is one."""
    with pytest.raises(WorkloadError, match="LIMIT and OFFSET take a whole number"):
        translate(f"SELECT id FROM visit LIMIT {limit}", model, "sqlite")
    assert translate("SELECT id FROM visit LIMIT '2'", model, "sqlite") == translate(
        "SELECT id FROM visit LIMIT 2", model, "sqlite"
    )
