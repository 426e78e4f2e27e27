"""Groups by texts of two collations, of which one follows from the other keys: beside a MariaDB."""

from __future__ import annotations

import pytest

from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE land (code char(2) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY, name varchar(40), area int);
CREATE TABLE town (id int PRIMARY KEY, land char(2) CHARACTER SET ascii COLLATE ascii_bin, name varchar(40),
    badge varchar(9) COLLATE utf8mb4_bin, mood enum('sad', 'Glad'), plan enum('free', 'glad', 'paid'),
    FOREIGN KEY (land) REFERENCES land (code));
INSERT INTO land VALUES ('DE', 'Land', 1), ('de', 'LAND', 2), ('FR', 'Frankreich', 3), ('XX', NULL, 4);
INSERT INTO town VALUES
    (1, 'DE', 'Bonn', 'a', 'sad', 'paid'), (2, 'de', 'bonn', 'A', 'Glad', 'free'),
    (3, 'DE', 'BONN', 'a', NULL, 'glad'), (4, NULL, 'Ulm', NULL, 'sad', NULL)
"""
both = both_of(SCRIPT, "normalized", "embedded", scope="module")
QUERIES = (
    "SELECT l.name, COUNT(t.id) FROM land l LEFT JOIN town t ON t.land = l.code GROUP BY l.code, l.name",
    "SELECT l.name, COUNT(t.id) FROM land l LEFT JOIN town t ON t.land = l.code GROUP BY l.name, l.code",
    "SELECT name, SUM(area) FROM land GROUP BY code, name ORDER BY SUM(area) DESC",
    "SELECT l.name, l.area, COUNT(*) FROM town t JOIN land l ON l.code = t.land GROUP BY l.code, l.name, l.area ORDER BY l.area",
)
IN_ONE = (
    "SELECT name, badge, COUNT(*) FROM town GROUP BY id, badge, name ORDER BY name, id",
    "SELECT MIN(id), name FROM town WHERE name <> 'ULM' GROUP BY id, name, badge ORDER BY id",
)
REFUSED = (
    "SELECT badge, COUNT(*) FROM town GROUP BY badge, name",
    "SELECT name, COUNT(*) FROM land GROUP BY code, name ORDER BY name",
)


@pytest.mark.one_in(2)
def test_a_name_follows_from_its_key(both: Both) -> None:
    """So the names need not be compared, and those that differ in case alone are of two groups where their keys are."""
    for sql in QUERIES:
        here, there = both.answers(sql)
        assert (here if "ORDER" in sql else sorted(here, key=str)) == (
            there if "ORDER" in sql else sorted(there, key=str)
        ), sql


def test_other_texts_are_compared_by_the_collation_of_the_rest(both: Both) -> None:
    """Where all that is compared besides has one."""
    for sql in IN_ONE:
        if both.proposal.strategy == "embedded":  # whose towns are found by the key of their land
            continue
        here, there = both.answers(sql)
        assert here == there, sql


def test_labels_of_two_enums_are_texts(both: Both) -> None:
    """In the order of texts, and one where they differ in case alone."""
    for sql in (
        "SELECT mood FROM town UNION ALL SELECT plan FROM town ORDER BY mood",
        "SELECT IF(id > 1, plan, mood) AS v FROM town ORDER BY v, id",
        "SELECT COUNT(*) FROM (SELECT mood FROM town UNION SELECT plan FROM town) AS both_kinds",
    ):
        here, there = both.answers(sql)
        assert [str(row).casefold() for row in here] == [str(row).casefold() for row in there], sql


def test_both_kinds_compared_are_a_gap(both: Both) -> None:
    """In words that say why."""
    for sql in REFUSED:
        assert "regardless of case and accents, beside texts" in both.gap(sql), sql
