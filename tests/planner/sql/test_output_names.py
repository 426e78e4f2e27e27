"""PostgreSQL's names of outputs that have none of their own: those that a server gives."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from nestling.ir.statements.algebra import Query
from nestling.planner.sql import translate
from nestling.sources.ddl.read import read_ddl

TABLE = "CREATE TABLE named (id integer PRIMARY KEY, n bigint, s text, at timestamptz, tags text[], j jsonb, price numeric(9,2))"
EXPRESSIONS = (
    "variance(n)", "var_samp(n)", "stddev(n)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY n)",
    "count(*) FILTER (WHERE n > 1)", "count(*) OVER ()", "strpos(s, 'a')", "position('a' in s)", "mod(n, 3)", "n % 3",
    "tags[1]", "at AT TIME ZONE 'UTC'", "coalesce(s, 'a')", "CASE WHEN n > 1 THEN 1 END", "CASE WHEN n > 1 THEN 1 ELSE n END",
    "(SELECT max(n) FROM named)", "(SELECT n AS most FROM named LIMIT 1)", "EXISTS (SELECT 1 FROM named)", "n::text",
    "(n + 1)::integer", "CAST(n AS text)", "extract(year FROM at)", "date_trunc('day', at)", "upper(s)",
    "substring(s from 1 for 2)", "substr(s, 1, 2)", "trim(s)", "length(s) + 1", "-n", "s || 'a'", "now()", "current_date",
    "j ->> 'a'", "nullif(n, 1)", "greatest(n, 1)", "abs(price)", "cardinality(tags)", "round(price, 1)", "char_length(s)",
    "ltrim(s)", "array_length(tags, 1)", "upper(s) || lower(s)", "n IS NULL", "'a'", "1", "true", "NULL", "(n)", "left(s, 2)",
    "to_char(at, 'YYYY')", "bool_and(n > 1)", "string_agg(s, ',')", "power(n, 2)", "(n + 1)::bigint", "s::varchar(3)",
    "price::double precision", "CASE WHEN n > 1 THEN 'a' ELSE upper(s) END", "(n + 1)::numeric(9, 2)", "(at)::date",
    "('2026-01-01')::date", "true::boolean", "(s || 'a')::text", "j -> 'a' ->> 'b'", "upper(s)::text",
    "sum(n) OVER (ORDER BY id)",
)  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_names_are_the_servers(expression: str, postgresql: str) -> None:
    """What code reads by name, it reads by the same name."""
    sql = f"SELECT {expression} FROM named"
    model = read_ddl(TABLE, "named", dialect="postgresql").model
    query = translate(sql, model, "postgresql")
    assert isinstance(query, Query)
    engine = create_engine(postgresql, poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(TABLE.replace("CREATE TABLE", "CREATE TEMPORARY TABLE"))
        assert query.names == tuple(connection.exec_driver_sql(sql.replace("%", "%%")).keys())
