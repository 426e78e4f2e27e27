"""What an index whatever the case finds is what PostgreSQL finds, with all that may be asked besides, and no row is missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.ir.primitives import Index
from tests.found_by import found_by
from tests.planner.reads.beside_postgresql import EVERY_LETTER, Beside, created
from tests.planner.reads.test_ilike_beside_postgresql import WORDS

TABLES = """
CREATE TYPE kind AS ENUM ('Big', 'big', 'small');
CREATE TABLE p (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE w (id int PRIMARY KEY, t text, u varchar(20), n int, b boolean, k kind, d date, m numeric(8, 2), at timestamptz,
  of_p int REFERENCES p (id), uid uuid);
INSERT INTO p VALUES (1, 'one'), (2, 'Two');
INSERT INTO w SELECT n, word, upper(word), mod(at, 3), mod(at, 2) = 0, (ARRAY['Big', 'big', 'small'])[1 + mod(at, 3)]::kind,
  date '2024-01-01' + (mod(at, 3))::int, mod(at, 3) + 0.5,
  timestamptz '2024-01-01 00:00Z' + mod(at, 3) * interval '1 day', 1 + mod(at, 2),
  ('00000000-0000-0000-0000-00000000000' || mod(at, 3))::uuid
FROM unnest(ARRAY[{}]) WITH ORDINALITY AS x (word, at), LATERAL (SELECT 2 * at AS n UNION ALL SELECT 2 * at + 1) AS y;
INSERT INTO w (id) VALUES (0);
"""
WRITTEN = ", ".join("'" + word.replace("%", "%%") + "'" for word in WORDS)
CASES = ("lower(t) = :q", "lower(t) = lower(:q)", "upper(t::text) = upper(:q)", ":q = upper(t)")
BESIDE = (
    "n = 1", "b", "NOT b", "b = false", "k = 'big'", "k <> 'big'", "d = '2024-01-02'", "m = 1.5", "m > 0.5", "uid IS NOT NULL",
    "at >= '2024-01-02'", "of_p = 2", "n IN (1, 2)", "u = 'SUN'", "u <> 'SUN'", "lower(u) = 'sun'", "upper(u) = upper(t)",
    "length(t) = 3", "t IS NOT NULL", "(n = 1 OR n = 2)", "uid = '00000000-0000-0000-0000-000000000001'", "u = upper(:q)",
)  # fmt: skip
SHOWN = (
    "SELECT id, t FROM w WHERE {} ORDER BY id",
    "SELECT count(*), min(n) FROM w WHERE {}",
    "SELECT n, count(*) FROM w WHERE {} GROUP BY n ORDER BY n",
    "SELECT id FROM w WHERE {} ORDER BY n DESC, id LIMIT 2",
    "SELECT t || 'x', upper(t), t = 'sun' AS same FROM w WHERE {} ORDER BY id",
    "SELECT DISTINCT n FROM w WHERE {} ORDER BY n",
)
READS_ALL = (
    "SELECT id FROM w WHERE {} ORDER BY t, id",
    "SELECT min(t) FROM w WHERE {}",
    "SELECT DISTINCT t FROM w WHERE {}",
    "SELECT t, count(*) FROM w WHERE {} GROUP BY t",
    "SELECT w.id, p.name FROM w JOIN p ON p.id = w.of_p WHERE {} ORDER BY w.id",
    "SELECT id FROM w WHERE {} AND EXISTS (SELECT 1 FROM p WHERE p.id = w.of_p AND p.name = 'Two') ORDER BY id",
    "SELECT id FROM w WHERE ({}) IS NOT TRUE ORDER BY id",
    "SELECT id FROM w WHERE {} OR n = 1 ORDER BY id",
)


@pytest.fixture(scope="module")
def words(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Beside]:
    name, url, engine = created(postgresql, TABLES.format(WRITTEN), EVERY_LETTER)
    reading = pipeline.inspect(url)
    plain = pipeline.design(reading, "normalized")
    collection = plain.design.places["w"][0].store.name
    keys = ((("t", 1),), (("t", 1), ("n", 1)), (("u", 1), ("of_p", 1)))
    indexes = (*plain.design.indexes, *(Index(collection, each, any_case=True) for each in keys))
    proposal = replace(plain, design=replace(plain.design, indexes=indexes))
    database = mongo_client[name]
    pipeline.load(proposal, url, database, mode=pipeline.LoadMode.REPLACE)
    yield Beside(engine, url, reading, proposal, database)
    engine.dispose()
    mongo_client.drop_database(name)


def _same(words: Beside, sql: str, asked: object) -> None:
    values = {"q": asked} if ":q" in sql else None
    theirs = sorted(words.theirs(sql, values), key=repr)
    assert sorted(words.ours(sql, values), key=repr) == theirs, (sql, asked)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES)
def test_every_word(words: Beside, case: str) -> None:
    """As a parameter, and NULL."""
    for asked in (*WORDS, None):
        _same(words, SHOWN[0].format(case), asked)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("beside", BESIDE)
def test_what_is_asked_besides(words: Beside, beside: str) -> None:
    """Conditions on values of other types, and on other texts to the letter."""
    for case in CASES:
        for asked in ("sun", "ſun", "σασ", "k", "ΣΑΣ"):
            _same(words, SHOWN[0].format(f"{case} AND {beside}"), asked)


@pytest.mark.thorough
@pytest.mark.parametrize("sql", [*SHOWN, *READS_ALL])
def test_what_is_shown(words: Beside, sql: str) -> None:
    """Rows, groups, orders; what compares texts to the letter elsewhere, and what joins, reads all rows and is as right."""
    for case in CASES:
        for asked in ("sun", "SUN", "K", "k", "σασ", "straße", "\u0131lik"):
            _same(words, sql.format(case), asked)


def test_which_are_found_by_it(words: Beside) -> None:
    """The forms that read what the index leads to, and those that read all: of two documents for each word."""
    collection = words.proposal.design.places["w"][0].store.name

    def documents(sql: str) -> int:
        return found_by(words.database, collection, lambda: words.ours(sql, {"q": "sun"}))[1]

    for case in CASES:
        assert {sql: many for sql in SHOWN if (many := documents(sql.format(case))) > 8} == {}, case
        assert {sql: many for sql in READS_ALL if (many := documents(sql.format(case))) < 100} == {}, case
    found = {beside: documents(SHOWN[0].format(f"{CASES[1]} AND {beside}")) for beside in BESIDE}
    assert {beside for beside, many in found.items() if many > 8} == {"k = 'big'", "k <> 'big'"}
