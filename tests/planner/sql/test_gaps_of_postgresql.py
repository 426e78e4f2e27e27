"""What the documentation says is a gap in PostgreSQL's dialect is one, row by row."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from tests.planner.sql.gaps_of_dialects import cases, is_gap, kinds_listed, table_of

ROWS = {
    "JSON": (
        "j -> 'a'", "j -> 0 IS NULL", "j ->> s", "j #>> '{a,01}'", "j @> '{}'", "j ? 'a'", "jb @> to_jsonb(n)",
        "jb ?| a", "jb @? '$.a'",
        "jsonb_typeof(jb)",
        "json_object_agg(s, n)", "to_json(s)", "json_build_object(s, n)", "json_build_object('a', u)",
    ),
    "orders": ("max(e)", "min(e)", "SELECT id FROM item ORDER BY j", "SELECT id FROM item ORDER BY a", "max(j)", "max(a)"),
    "arrays": (
        "a[n]", "a[1:2]", "unnest(a), unnest(a || a)", "a <@ ARRAY['x']", "a && a", "a @> a", "a <@ a",
        "SELECT id FROM item WHERE a = ARRAY[s]",
        "SELECT id FROM item WHERE a IN ('{}', '{x}')",
        "SELECT id FROM item WHERE 'x' < ANY (a)", "array_to_string(ARRAY[s, 'x'], ',')", "array_to_string(a, ',', s)",
        "SELECT array_to_string(array_agg(s), ',') FROM item",
    ),
    "FROM": (
        "SELECT n FROM item i, LATERAL unnest(i.a, i.a) AS t", "SELECT 1 FROM LATERAL (SELECT 1 AS n) x",
        "SELECT n FROM item i, LATERAL json_each(i.j) AS t",
        "SELECT * FROM generate_series(1, 3000)", "SELECT * FROM generate_series(current_date, now(), '1 day')",
        "SELECT id FROM item TABLESAMPLE SYSTEM (10)", "SELECT id FROM item ORDER BY id FETCH FIRST 2 ROWS WITH TIES",
    ),
    "aggregates": (
        "array_agg(a)", "array_agg(j)", "json_agg(at)", "json_object_agg(s, n)",
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY at)", "percentile_cont(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY n)",
        "percentile_disc(0.5) WITHIN GROUP (ORDER BY e)", "mode() WITHIN GROUP (ORDER BY n)",
        "stddev(n) OVER ()", "corr(f, f)", "bit_and(n)", "sum(DISTINCT n) OVER ()",
    ),
    "windows": ("sum(n) OVER (ORDER BY at RANGE BETWEEN INTERVAL '1 day' PRECEDING AND CURRENT ROW)",),
    "comparisons": ("(n, s) > ALL (SELECT n, s FROM item)", "SELECT id FROM item WHERE n <= ANY (:ns)"),
    "numbers": ("power(n, 2)", "n ^ 2", "power(f, 0.5)"),
    "texts": (
        "regexp_replace(s, 'a', 'b')", "split_part(s, s, 1)", "initcap(s)", "overlay(s placing 'x' from 1)", "encode(b, 'hex')",
        "s SIMILAR TO 'a'", "to_tsvector(s) @@ to_tsquery('a')", "md5(s)", "to_char(n, '999')", "to_char(at, 'DDth')",
        "substring(s from '[a-z]+-[0-9]+')", "substring(s from 'a|b')", "substring(s from '(ab)+')", "substring(s from s || '.')",
        "substring(s from 'a#\"b#\"c' for '#')",
    ),
    "times": (
        "age(at)", "age(at, at)", "extract(hour FROM age(at))", "max(at - at)", "extract(month FROM at - at)", "INTERVAL '1 day'",
        "make_timestamp(2020, 1, 1, 0, 0, 0)",
        "to_date(s, 'YYYY')", "at AT TIME ZONE 'CET'",
        "extract(day FROM iv)", "date_part('minute', iv)", "date_trunc('hour', iv)", "to_char(iv, 'HH24')", "iv * 2", "-iv",
        "extract(day FROM coalesce(iv, iv))",
        "t - t", "t * 2", "-t",
    ),
    "bits": ("bi::int", "bi::bigint + 1", "SELECT id FROM item WHERE bi::int = 5", "bi + 1", "octet_length(bi)", "upper(bi)"),
    "names": ('SELECT "Code" FROM item', "UPDATE item SET code = 'x' WHERE id = 1"),
    "rows": ("row(n, s)", "SELECT row_to_json(row(n)) FROM item", "SELECT max(i) FROM item i",
        "SELECT row_to_json(x) FROM item i LEFT JOIN (SELECT n FROM item) x ON x.n = i.id", "SELECT i FROM item i"),
    "casts": ("u::text", "f::text"),
    "writes": (
        "INSERT INTO item (id, n) VALUES (1, 2) ON CONFLICT ON CONSTRAINT item_once DO NOTHING",
        "INSERT INTO item (id, s) VALUES (1, 'a') ON CONFLICT (upper(s)) DO NOTHING",
    ),
    "statements": (
        "WITH x AS (DELETE FROM item RETURNING n) SELECT n FROM x", "TRUNCATE item", "COPY item FROM STDIN",
        "MERGE INTO item USING item x ON x.id = item.id WHEN MATCHED THEN DELETE",
        "nextval('x')", "random()",
    ),
}  # fmt: skip
CONVERTED = (
    "INSERT INTO item (id, n) VALUES (1, 2) ON CONFLICT ON CONSTRAINT item_pkey DO UPDATE SET n = excluded.n",
    "SELECT j ->> 'phone' FROM item",
    "SELECT id FROM item WHERE n = ANY (SELECT n FROM item)",
    "SELECT id FROM item WHERE n <> ALL (SELECT n FROM item)",
    "SELECT n > ALL (SELECT n FROM item) FROM item",
    "INSERT INTO item (id, n) VALUES (1, 2) ON CONFLICT (id) DO NOTHING",
    "SELECT a[1] FROM item",
    "SELECT id FROM item WHERE jb @> '{\"a\": 1}' AND jb ? 'b'",
    "SELECT array_agg(n ORDER BY id), json_agg(s), every(n > 1) FROM item",
    "SELECT json_build_object('a', n, 'd', at::date, 'j', j) FROM item",
    "SELECT i.id, x.n FROM item i LEFT JOIN LATERAL (SELECT n FROM item o WHERE o.n = i.id ORDER BY o.at LIMIT 3) x ON true",
    "SELECT bi::text, length(bi), coalesce(bi, bi), nullif(bi, bi), min(t) FROM item GROUP BY id, bi",
    "SELECT id FROM item WHERE extract(day FROM at - at) > 3",
    "SELECT avg(DISTINCT n), avg(DISTINCT price), count(DISTINCT (n, s)) FROM item",
)


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    """A table of each kind of column."""
    columns = {
        "id": "integer", "price": "decimal(12,2)", "n": "integer", "f": "float", "s": "text", "at": "timestamp", "b": "bytes",
        "j": "json", "jb": "json as jsonb", "e": "enum('small', 'large')", "a": "array(text)", "u": "uuid",
        "Code": "text", "code": "text", "r": "text as daterange", "bi": "bits", "iv": "interval", "t": "time",
    }  # fmt: skip
    return table_of("postgresql", columns)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("r @> '2024-01-01'::date", "an operation on `r`, a daterange, which is stored as text"),
        (
            "a IN ('{}', '{x}')",
            "a conversion of text to array(text) as postgresql does it; compare the number of elements",
        ),
        (
            "at > date_trunc('day', :at)",
            "a conversion of any to timestamp as postgresql does it; give the parameter's type: `:at::timestamp`",
        ),
        (
            "a && item.a",
            "`&&` of other than a column and a constant or parameter array, as in `tags && ARRAY['a', 'b']`",
        ),
        ("a @> item.a", "`@>` of other than a column and a constant or parameter array"),
        ("a <@ ARRAY['x']", "`<@` of other than a constant or parameter array and a column"),
        ("power(n, 2) > 3", "POWER as postgresql does it"),
    ],
)
def test_it_is_told_in_words_of_postgresql(proposal: Proposal, condition: str, said: str) -> None:
    """And what to write instead."""
    found = pipeline.convert(proposal, f"SELECT id FROM item WHERE {condition}", dialect="postgresql")
    assert isinstance(found, NotCompiled)
    assert found.gap.what.startswith(said)


def test_every_row_of_the_table_is_tried() -> None:
    """A row that is added or dropped is so here too."""
    assert kinds_listed("postgresql") == list(ROWS)


@pytest.mark.parametrize(("kind", "sql"), cases(ROWS))
def test_it_is_a_gap(proposal: Proposal, kind: str, sql: str) -> None:
    """And is refused in words."""
    assert is_gap(proposal, sql, "postgresql"), kind


@pytest.mark.parametrize("sql", CONVERTED)
def test_what_is_said_to_be_converted_is(proposal: Proposal, sql: str) -> None:
    """The other way to write it."""
    assert not is_gap(proposal, sql, "postgresql")
