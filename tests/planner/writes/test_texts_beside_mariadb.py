"""Writes to texts whose case and accents do not count, as keys, unique and foreign keys: each on a design and on MariaDB."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import LoadError
from tests.beside_mariadb import Both, beside_mariadb, both_of

SCRIPT = """
CREATE TABLE city (name varchar(20) PRIMARY KEY, land varchar(20), code varchar(9) COLLATE utf8mb4_bin UNIQUE);
CREATE TABLE person (id int PRIMARY KEY, email varchar(40) NOT NULL UNIQUE, nick varchar(20) UNIQUE, city varchar(20),
  tag varchar(9) COLLATE utf8mb4_bin, FOREIGN KEY (city) REFERENCES city (name) ON UPDATE CASCADE);
CREATE TABLE visit (city varchar(20), day int, note varchar(20), PRIMARY KEY (city, day),
  FOREIGN KEY (city) REFERENCES city (name) ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO city VALUES ('Rome', 'Italy', 'a'), ('Zürich', 'Switzerland', 'A'), ('Oslo', NULL, 'b'), ('Bern', NULL, NULL);
INSERT INTO person VALUES (1, 'ada@x', 'Ada', 'Rome', 'x'), (2, 'bob@x', NULL, 'Oslo', 'X'), (3, 'cem@x', NULL, NULL, NULL);
INSERT INTO visit VALUES ('Rome', 1, 'x'), ('Rome', 2, NULL), ('Oslo', 1, 'y')
"""

WRITES = (
    "INSERT INTO city VALUES ('ROME', NULL, NULL)",
    "INSERT INTO city VALUES ('zurich', NULL, NULL)",
    "INSERT INTO city VALUES ('Paris', NULL, 'B')",
    "INSERT INTO city VALUES ('Lyon', NULL, 'B')",
    "INSERT INTO person VALUES (4, 'ADA@X', NULL, NULL, NULL)",
    "INSERT INTO person VALUES (4, 'dan@x', 'ADA', NULL, NULL)",
    "INSERT INTO person VALUES (4, 'dan@x', NULL, 'rome', 'y')",
    "INSERT INTO person VALUES (5, 'eve@x', NULL, 'nowhere', NULL)",
    "INSERT INTO visit VALUES ('ROME', 2, NULL)",
    "INSERT INTO visit VALUES ('Rome', 3, NULL)",
    "UPDATE visit SET note = 'z' WHERE city = 'ROME' AND day = 3",
    "UPDATE person SET nick = 'aDA' WHERE email = 'ADA@X'",
    "UPDATE person SET email = 'Ada@x' WHERE id = 2",
    "UPDATE person SET email = 'BOB@x' WHERE email = 'bob@X'",
    "UPDATE person SET nick = IF(email = 'BOB@X', 'Bobby', nick) WHERE id = 2",
    "UPDATE city SET land = 'Italia' WHERE name = 'rome'",
    "UPDATE city SET name = 'ROMA' WHERE name = 'rome'",
    "UPDATE city SET name = 'Roma' WHERE name = 'roma'",
    "INSERT INTO person VALUES (2, 'fay@x', 'Fay', NULL, NULL) ON DUPLICATE KEY UPDATE nick = 'twice'",
    "INSERT INTO person VALUES (7, 'BOB@X', 'Gil', NULL, NULL) ON DUPLICATE KEY UPDATE nick = 'Bo'",
    "INSERT INTO person VALUES (7, 'gil@x', 'Gil', NULL, NULL) ON DUPLICATE KEY UPDATE nick = 'Bo'",
    "INSERT INTO city VALUES ('OSLO', 'Norway', NULL) ON DUPLICATE KEY UPDATE land = 'Norge'",
    "DELETE FROM city WHERE name = 'roma'",
    "DELETE FROM person WHERE city = 'ROMA'",
    "DELETE FROM city WHERE name = 'roma'",
    "UPDATE person SET nick = NULL WHERE tag = 'x' AND email = 'ADA@x'",
    "DELETE FROM person WHERE tag = 'x'",
    "DELETE FROM person WHERE email = 'CEM@X'",
)

JOINS = (
    "SELECT p.id, c.land FROM person p JOIN city c ON c.name = p.city ORDER BY p.id",
    "SELECT v.day, c.land FROM visit v JOIN city c ON c.name = v.city WHERE c.name = 'OSLO'",
)

FINDS = (
    ("SELECT id FROM person WHERE email = 'BOB@X'", 1),
    ("SELECT id FROM person WHERE nick IN ('ada', 'nobody')", 1),
    ("SELECT land FROM city WHERE name = 'zurich'", 1),
    ("SELECT name FROM city WHERE code = 'A'", 1),
    ("SELECT id FROM person WHERE city = 'oslo'", 1),
)

both = both_of(SCRIPT, "normalized", "embedded")


@pytest.mark.thorough
def test_writes_do_as_mariadb_does(both: Both) -> None:
    """What one refuses, the other does, and all else leaves the same rows; joins find what differs by case."""
    for number, sql in enumerate(WRITES, 1):
        here, there = both.written(sql)
        assert here == there, f"{sql}: done {'here' if here else 'there'} only"
        if number % 6 == 0 or number == len(WRITES):
            both.assert_equal()
            for query in JOINS:
                mine, theirs = both.answers(query)
                assert mine == theirs, (sql, query)


@pytest.mark.parametrize("both", ["embedded"], indirect=True)
def test_an_element_has_the_key_it_lies_in(both: Both) -> None:
    """A row that spells its parent's key otherwise has no place in the parent's document: it is refused in words."""
    assert both.database.list_collection_names(filter={"name": "visit"}) == []
    assert both.written("INSERT INTO visit VALUES ('rome', 4, NULL)") == (False, True)


@pytest.mark.thorough
@pytest.mark.parametrize("both", ["normalized"], indirect=True)
def test_equality_is_answered_by_an_index(both: Both) -> None:
    """Whichever collation the attribute has: by key, unique and foreign key, the server looks at nothing else."""
    for sql, documents in FINDS:
        assert both.examined(sql) == documents, sql
        mine, theirs = both.answers(sql)
        assert mine == theirs, sql


def test_texts_only_the_source_tells_apart_are_named(mariadb: str, database: Database[Any]) -> None:
    """MariaDB's older collation takes ł and l for two letters: the load says which rows are one to MongoDB, and what to do."""
    script = "CREATE TABLE t (id int PRIMARY KEY, name varchar(9) UNIQUE);\nINSERT INTO t VALUES (1, 'łuk'), (2, 'luk'), (3, 'x')"
    named = r"several documents have the same: \{_id: 1, name: \"łuk\"\}; \{_id: 2, name: \"luk\"\}"
    with pytest.raises(LoadError, match=named), beside_mariadb(mariadb, database, script, "normalized"):
        pass


RESPELLED = """CREATE TABLE land (code char(2) NOT NULL PRIMARY KEY, name varchar(60) NOT NULL);
CREATE TABLE person (email varchar(60) NOT NULL PRIMARY KEY, land char(2) NOT NULL, FOREIGN KEY (land) REFERENCES land(code));
CREATE TABLE address (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, person varchar(60) NOT NULL, city varchar(60),
  FOREIGN KEY (person) REFERENCES person(email) ON DELETE CASCADE);
INSERT INTO land VALUES ('DE', 'Deutschland'), ('fr', 'France');
INSERT INTO person VALUES ('Ann@x', 'de'), ('bob@x', 'DE'), ('Eva@x', 'FR');
INSERT INTO address (person, city) VALUES ('Ann@x', 'Rome'), ('ANN@X', 'Oslo'), ('bob@x', 'Riga')"""
"""Foreign keys that spell their parent's key in another case."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["optimal", "tree", "embedded", "normalized"])
def test_foreign_keys_in_another_case(strategy: str, mariadb: str, database: Database[Any]) -> None:
    """A design keeps nothing along them that goes by the letter: it loads, answers alike, and its check finds nothing amiss."""
    with beside_mariadb(mariadb, database, RESPELLED, strategy) as both:
        known = both.proposal.statistics
        counts = [known.relationship(link.name).respelled for link in both.proposal.design.model.relationships]
        assert sorted(each.value for each in counts if each is not None) == [1, 2]
        for sql in (
            "SELECT a.id, p.email, a.city FROM person p LEFT JOIN address a ON a.person = p.email ORDER BY p.email, a.id",
            "SELECT p.email, l.name FROM person p JOIN land l ON l.code = p.land ORDER BY p.email",
            "SELECT a.id, l.name FROM address a JOIN person p ON p.email = a.person JOIN land l ON l.code = p.land ORDER BY a.id",
        ):
            here, there = both.answers(sql)
            assert here == there, sql
        both.assert_equal()
        assert pipeline.check(both.proposal, database).clean
