"""SQL that PostgreSQL's users and drivers write: LIMIT ALL, counts of rows, patterns before ANY, arrays as texts."""

from __future__ import annotations

import pytest

from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE EXTENSION citext;
CREATE TABLE venue (id uuid PRIMARY KEY, name text NOT NULL, code char(4), nick citext);
CREATE TABLE event (id bigint PRIMARY KEY, venue_id uuid REFERENCES venue, title text, mood mood, price numeric(12, 2) NOT NULL,
    at timestamp(3), a boolean, b boolean);
INSERT INTO venue VALUES ('a0000000-0000-0000-0000-00000000000a', 'Hall', 'DE', 'Hall'),
    ('b0000000-0000-0000-0000-00000000000b', 'Barn', 'D', 'barn'), ('c0000000-0000-0000-0000-00000000000c', 'Pub', NULL, NULL);
INSERT INTO event VALUES (1, 'a0000000-0000-0000-0000-00000000000a', 'Rock', 'sad', 0, '2024-02-29', true, false),
    (2, 'a0000000-0000-0000-0000-00000000000a', 'rock_2', 'ok', 12.5, '2024-02-29 10:00:00.5', NULL, true),
    (3, NULL, NULL, 'happy', -12.55, NULL, false, NULL),
    (4, 'b0000000-0000-0000-0000-00000000000b', 'Zoë 50', NULL, 99, NULL, true, true);
"""
STATEMENTS = (
    "SELECT id FROM event ORDER BY id LIMIT ALL",
    "SELECT id FROM event ORDER BY id LIMIT ALL OFFSET 2",
    "SELECT count(e.*), count(e) FROM event e",
    "SELECT count(e.*) FILTER (WHERE e.price > 1) FROM event e",
    "SELECT id, count(e.*) OVER (PARTITION BY mood) FROM event e",
    "SELECT v.name, count(e.*), count(v.*), count(e) FROM venue v LEFT JOIN event e ON e.venue_id = v.id GROUP BY v.name",
    "SELECT v.name, count(e.*) FROM venue v LEFT JOIN event e ON e.venue_id = v.id AND e.price > 1 GROUP BY v.name",
    "SELECT count(v.*), count(e.*) FROM venue v RIGHT JOIN event e ON e.venue_id = v.id",
    "SELECT count(v.*), count(e.*) FROM venue v FULL JOIN event e ON e.venue_id = v.id AND e.price > 1",
    "SELECT count(x.*) FROM (SELECT title FROM event) x",
    "SELECT id FROM event WHERE title ILIKE ANY (ARRAY['r%', 'zo_ %'])",
    "SELECT id FROM event WHERE title LIKE ANY (ARRAY['r%', 'Z%']::text[])",
    "SELECT id FROM event WHERE title LIKE SOME ('{r%,\"Z%\"}')",
    "SELECT id FROM event WHERE title LIKE ALL (ARRAY['%o%', '%k'])",
    "SELECT id FROM event WHERE title NOT LIKE ALL (ARRAY['%2', 'Z%'])",
    "SELECT id FROM event WHERE title NOT ILIKE ANY (ARRAY['%O%', NULL])",
    "SELECT id FROM event WHERE NOT title ILIKE ANY (ARRAY['%2', 'z%', NULL])",
    "SELECT id FROM event WHERE title ~~* ANY ('{%K,z%}'::text[])",
    "SELECT id, title LIKE ANY (ARRAY['R%', NULL]), title LIKE ALL (ARRAY['R%', NULL]) FROM event",
    "SELECT id FROM event WHERE title LIKE ALL (ARRAY[]::text[])",
    "SELECT id FROM event WHERE title LIKE ANY ('{}')",
    "SELECT name FROM venue WHERE nick LIKE ANY (ARRAY['HA%', 'B%'])",
    "SELECT id FROM event WHERE mood = ANY('{sad,ok}'::mood[])",
    "SELECT id FROM event WHERE mood = ANY('{sad,ok}')",
    "SELECT id FROM event WHERE id = ANY('{1,2}'::bigint[])",
    "SELECT id FROM event WHERE id = ANY('{1,2}')",
    "SELECT id FROM event WHERE id <> ALL('{1,2}'::bigint[])",
    "SELECT id FROM event WHERE id <> ALL('{1,NULL}'::bigint[])",
    "SELECT id FROM event WHERE id = ANY('{}'::bigint[])",
    "SELECT id FROM event WHERE id <> ALL('{}')",
    "SELECT id FROM event WHERE id > ANY('{2,3}'::bigint[]) AND id < ALL('{9,4}')",
    "SELECT id FROM event WHERE price = ANY('{12.5,0}'::numeric[])",
    "SELECT id FROM event WHERE at = ANY('{2024-02-29,NULL}'::timestamp[])",
    "SELECT id FROM event WHERE title = ANY('{Rock,\"Zoë 50\"}'::text[])",
    "SELECT name FROM venue WHERE id = ANY('{a0000000-0000-0000-0000-00000000000a}'::uuid[])",
    "SELECT name FROM venue WHERE nick = ANY('{HALL,x}')",
    "SELECT name FROM venue WHERE nick = ANY('{HALL,x}'::text[])",
    "SELECT name FROM venue WHERE nick = ANY('{HALL,x}'::citext[])",
    "SELECT name FROM venue WHERE code = ANY('{DE,\"D \"}')",
    "SELECT id FROM event WHERE (mood = 'sad') = (title IS NOT NULL)",
    "SELECT id FROM event WHERE (mood = 'sad') <> a",
    "SELECT id FROM event WHERE NOT ((price > 1) = a) OR a = b",
    "SELECT id FROM event WHERE (price > 1) IS NOT DISTINCT FROM a OR a IS DISTINCT FROM b",
    "SELECT id, (price > 1) = a, (price > 1) < b, a <> b, (a AND b) IS DISTINCT FROM (price > 1) FROM event",
)
GIVEN = (
    ("SELECT id FROM event WHERE mood = ANY(:s::mood[])", {"s": ["sad", "ok"]}),
    ("SELECT id FROM event WHERE mood <> ALL(CAST(:s AS mood[]))", {"s": ["sad"]}),
    ("SELECT id FROM event WHERE mood IN (SELECT unnest(:s::mood[]))", {"s": ["happy", None]}),
    (
        "SELECT title FROM event WHERE venue_id = ANY(:ids::uuid[]) AND mood = ANY(:m::mood[])",
        {"ids": ["a0000000-0000-0000-0000-00000000000a"], "m": ["sad"]},
    ),
)
GAPS = (
    ("SELECT id FROM event WHERE title LIKE ANY (:these)", "of a list parameter; write `ARRAY[:a, :b]`"),
    ("SELECT id FROM event WHERE id = ANY('{{1},{2}}'::bigint[])", "the items of a one-dimensional array"),
    ("SELECT id FROM event WHERE title = ANY(:t::varchar(20)[])", "cast it to a type without numbers in parentheses"),
    (
        "SELECT count(x.*) FROM venue v LEFT JOIN (SELECT venue_id, title FROM event) x ON x.venue_id = v.id",
        "has no column that is never NULL; name a column",
    ),
    ("SELECT count(DISTINCT e.*) FROM event e", "of whole rows; name columns"),
)


events = beside_of(TABLES, "normalized", "embedded", scope="module")
"""The tables in PostgreSQL and in MongoDB."""


@pytest.mark.in_turn("events")
@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_postgresqls(events: Beside, sql: str) -> None:
    """On each design."""
    assert sorted(map(repr, events.ours(sql))) == sorted(map(repr, events.theirs(sql.replace("%", "%%"))))


@pytest.mark.parametrize(("sql", "values"), GIVEN)
def test_lists_of_enums_and_uuids(events: Beside, sql: str, values: dict[str, object]) -> None:
    """A cast to an array of an enum leaves the texts as they are."""
    assert sorted(map(repr, events.ours(sql, values))) == sorted(map(repr, events.theirs(sql, values)))


@pytest.mark.parametrize(("sql", "why"), GAPS)
def test_what_to_write_instead(events: Beside, sql: str, why: str) -> None:
    """A gap says it."""
    assert why in events.gap(sql)
