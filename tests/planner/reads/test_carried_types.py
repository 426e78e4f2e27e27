"""Types of PostgreSQL that are kept as texts or doubles: what is converted answers as PostgreSQL does, the rest are gaps."""

from __future__ import annotations

from collections import Counter

import pytest

from nestling.common.errors import WorkloadError
from nestling.ir.types import Type
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE host (id integer PRIMARY KEY, ip inet, net cidr, span int4range, wide numrange, paid money, mac macaddr,
    weight real, due interval);
INSERT INTO host VALUES
    (1, '10.0.0.9', '10.0.0.0/8', '[1,4]', '[1.0,2)', 9, '08:00:2b:01:02:03', 0.1, '1 day'),
    (2, '10.0.0.10/32', '10.0.0.0/8', '[1,5)', '[1.00,2)', 10, '08:00:2b:01:02:03', 0.5, '24 hours'),
    (3, '10.0.0.9/24', '10.0.0.0/16', NULL, NULL, NULL, NULL, 16777217, NULL);
CREATE TABLE reading (id integer PRIMARY KEY, height float8, price numeric(9, 2), fine float8);
INSERT INTO reading VALUES (1, 'NaN', 'NaN', 1), (2, 1.5, 2.5, 2), (3, 'Infinity', NULL, 'Infinity'), (4, 'NaN', 'NaN', NULL);
"""
STATEMENTS = (
    "SELECT id FROM host WHERE ip IS NOT NULL",
    "SELECT a.id, b.id FROM host a JOIN host b ON a.span = b.span AND a.ip <> b.ip",
    "SELECT id FROM host WHERE net IN (SELECT net FROM host WHERE id = 2)",
    "SELECT mac, count(*), count(DISTINCT net) FROM host GROUP BY mac",
    "SELECT count(*) FROM (SELECT DISTINCT ip, coalesce(net, net) AS net FROM host) q",
    "SELECT count(*) FROM (SELECT span FROM host UNION SELECT span FROM host) q",
    "SELECT id FROM host WHERE weight > 0.25",
    "SELECT id FROM host WHERE ip = '10.0.0.10' OR ip IN ('10.0.0.9/24', '10.0.0.7')",
    "SELECT id FROM host WHERE ip <> '10.0.0.9' AND mac = '08:00:2b:01:02:03'",
    "SELECT id FROM host WHERE weight = 0.5 OR weight IN (3, 0.5)",
    "SELECT id FROM host ORDER BY weight DESC LIMIT 1",
    "SELECT a.id FROM host a JOIN host b ON a.weight = b.weight",
    "SELECT id FROM reading WHERE height = 'NaN' OR price = 2.5",
    "SELECT height, price, count(*) FROM reading GROUP BY height, price",
    "SELECT count(DISTINCT height), count(DISTINCT price) FROM reading",
    "SELECT a.id, b.id FROM reading a JOIN reading b ON a.height = b.height AND a.price = b.price",
    "SELECT id FROM reading WHERE height <> 1.5 AND price IS NOT NULL",
    "SELECT sum(height), avg(height), sum(price) FROM reading",
    "SELECT height * 2, price + 1 FROM reading",
    "SELECT id FROM reading WHERE fine > 1 ORDER BY fine DESC",
)
GAPS = (
    "SELECT id FROM host WHERE ip < '10.0.0.9'",
    "SELECT id FROM host WHERE ip = '10.0.0.10/32'",
    "SELECT id FROM host WHERE ip IN ('10.0.0.9', '10.0.0.10/32')",
    "SELECT id FROM host WHERE net = '10.0.0.0/8'",
    "SELECT max(ip) FROM host",
    "SELECT id FROM host ORDER BY ip",
    "SELECT id FROM host ORDER BY paid",
    "SELECT id FROM host WHERE paid > '9.50'",
    "SELECT id FROM host WHERE span = '[1,4]'",
    "SELECT wide, count(*) FROM host GROUP BY wide",
    "SELECT count(DISTINCT wide) FROM host",
    "SELECT ip || '' FROM host",
    "SELECT CAST(ip AS text) FROM host",
    "SELECT greatest(ip, ip) FROM host",
    "SELECT q.ip FROM (SELECT ip FROM host) q ORDER BY q.ip",
    "SELECT weight * 2 FROM host",
    "SELECT sum(weight) FROM host",
    "SELECT avg(weight) FROM host",
    "SELECT id FROM host WHERE weight = 0.1",
    "SELECT id FROM host WHERE weight < 16777217",
    "SELECT id FROM host WHERE weight = id",
    "SELECT CAST(weight AS numeric) FROM host",
    "SELECT DISTINCT wide FROM host",
    "SELECT wide FROM host UNION SELECT wide FROM host",
    "SELECT row_number() OVER (PARTITION BY wide ORDER BY id) FROM host",
    "SELECT id FROM host WHERE coalesce(ip, '10.0.0.1') < '10.0.0.9'",
    "SELECT coalesce(weight, 0) FROM host",
    "SELECT DISTINCT due FROM host",
    "SELECT due, count(*) FROM host GROUP BY due",
    "SELECT id FROM reading WHERE height > 1",
    "SELECT id FROM reading WHERE price BETWEEN 1 AND 2",
    "SELECT id FROM reading ORDER BY height",
    "SELECT max(price) FROM reading",
    "SELECT rank() OVER (ORDER BY height) FROM reading",
    "SELECT greatest(height, fine) FROM reading",
)


hosts = beside_of(TABLES, scope="module")
"""Hosts with an attribute of each such type."""


@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_postgresqls(hosts: Beside, sql: str) -> None:
    """Equal values have equal texts, or doubles in their order."""
    assert Counter(map(repr, hosts.ours(sql))) == Counter(map(repr, hosts.theirs(sql)))  # NaN is not equal to itself


@pytest.mark.parametrize("sql", GAPS)
def test_what_goes_by_another_order_is_a_gap(hosts: Beside, sql: str) -> None:
    """No text tells which address, amount or range comes first, nor a double what single precision makes of a number."""
    told = hosts.gap(sql)
    assert (
        "stored as text, which neither sorts" in told
        or "single precision" in told
        or "of intervals" in told
        or "NaN" in told
    ), told


def test_the_model_says_the_word(hosts: Beside) -> None:
    """A type has the source's word for it, and is read back from its text."""
    kinds = {each.name: str(each.type) for each in hosts.reading.model.entity("host").attributes}
    assert (kinds["ip"], kinds["weight"], kinds["paid"]) == ("text as inet", "float as real", "text as money")
    assert all(str(Type.parse(text)) == text for text in kinds.values())


def test_a_text_that_is_given_is_written_as_postgresql_does(hosts: Beside) -> None:
    """It finds the equal one; spelt otherwise it is refused, as nothing would be found."""
    store = Store(hosts.proposal, hosts.database)
    assert [row["id"] for row in store.execute("SELECT id FROM host WHERE ip = :ip", ip="10.0.0.10")] == [2]
    assert [row["id"] for row in store.execute("SELECT id FROM host WHERE ip = ANY(:ips)", ips=["10.0.0.9", None])] == [
        1
    ]
    with pytest.raises(WorkloadError, match="the source writes inet differently"):
        store.execute("SELECT id FROM host WHERE ip = :ip", ip="10.0.0.10/32")


def test_what_is_stored_is_found_again(hosts: Beside) -> None:
    """However an address is spelt in a write; a text that is computed is a gap."""
    store = Store(hosts.proposal, hosts.database)
    store.execute("INSERT INTO host (id, ip, weight) VALUES (9, '10.7.7.7/32', 0.123456789)")
    assert [*store.execute("SELECT id, weight FROM host WHERE ip = '10.7.7.7'")] == [{"id": 9, "weight": 0.12345679}]
    with pytest.raises(WorkloadError, match=r"'hello' cannot be stored as inet"):
        store.execute("UPDATE host SET ip = 'hello' WHERE id = 9")
    assert "storing a computed value as text as inet" in hosts.gap("UPDATE host SET ip = CAST(id AS text) WHERE id = 9")
    store.execute("DELETE FROM host WHERE id = 9")
