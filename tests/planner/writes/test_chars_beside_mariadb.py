"""MySQL's `char(n)` beside MariaDB: blanks at its end are not kept, whatever writes them."""

from __future__ import annotations

import pymysql
import pytest

from nestling import Store, pipeline
from nestling.common.errors import NestlingError
from tests.beside_mariadb import Both, both_of
from tests.written_module import written_function

_SCRIPT = """
CREATE TABLE item (id int PRIMARY KEY, code char(5) UNIQUE, mark national char(4) DEFAULT 'd  ', word varchar(9),
  shown varchar(20) AS (concat(rtrim(code), '|')) STORED);
INSERT INTO item (id, code, mark, word) VALUES (1, 'ab  ', 'm ', 'w '), (2, 'z', NULL, 'x'), (3, NULL, '', NULL);
CREATE TABLE part (code char(3), line int, note char(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  PRIMARY KEY (code, line));
INSERT INTO part VALUES ('a ', 1, 'one  '), ('b', 1, ' ')
"""
_WRITES = (
    "INSERT INTO item (id, code) VALUES (4, 'q  ')",
    "INSERT INTO item (id, code) VALUES (5, 'ab  ')",
    "INSERT INTO item (id, code) VALUES (5, 'r'), (6, 'r   ')",
    "INSERT IGNORE INTO item (id, code) VALUES (5, 'ab '), (6, 's ')",
    "UPDATE item SET code = 'y  ' WHERE id = 2",
    "UPDATE item SET code = 'y        ' WHERE id = 2",
    "UPDATE item SET code = 'ab ' WHERE id = 2",
    "UPDATE item SET code = 'toolong' WHERE id = 2",
    "UPDATE item SET code = concat('k', '  ') WHERE id = 3",
    "UPDATE item SET mark = word, word = concat(mark, '|')",
    "UPDATE item SET mark = concat(mark, ' ') WHERE id = 1",
    "UPDATE item SET mark = coalesce(mark, 'c  ')",
    "UPDATE item SET mark = code WHERE length(code) = 1",
    "INSERT INTO item (id, code, mark) VALUES (1, 'n ', 'n ') ON DUPLICATE KEY UPDATE code = 'o ', mark = VALUES(mark)",
    "INSERT INTO item (id, code) VALUES (9, 'o  ') ON DUPLICATE KEY UPDATE mark = 'dup '",
    "INSERT INTO item (id, code, mark) SELECT id + 20, concat(code, ' '), concat(word, ' ') FROM item WHERE id = 2",
    "INSERT INTO item (id, code, mark) SELECT id + 40, concat(code, '1'), mark FROM item WHERE id = 2",
    "INSERT INTO item (id, mark) VALUES (60, DEFAULT)",
    "INSERT INTO item (id, mark) VALUES (61, 5), (62, '')",
    "INSERT INTO item (id, word) SELECT id + 80, mark FROM item WHERE mark IS NOT NULL AND id < 20",
    "UPDATE item i JOIN part p ON p.code = 'b' AND p.line = 1 SET i.mark = concat(p.code, ' '), i.word = p.code WHERE i.id = 1",
    "REPLACE INTO item (id, code) VALUES (70, 'y  ')",
    "INSERT INTO part (code, line, note) VALUES ('a  ', 1, 'x')",
    "INSERT INTO part (code, line) VALUES ('c  ', 1)",
    "UPDATE part SET code = 'a ', line = 3 WHERE code = 'c'",
    "DELETE FROM part WHERE code = 'a' AND line = 3",
)
_QUERIES = (
    "SELECT id, code, mark, shown, length(code), concat(code, '|') FROM item",
    "SELECT id FROM item WHERE code = 'q'",
    "SELECT id FROM item WHERE code LIKE 'a%b'",
    "SELECT id FROM item WHERE code = word OR mark = word",
    "SELECT DISTINCT mark FROM item",
    "SELECT id, coalesce(mark, word), CASE WHEN id = 1 THEN code ELSE mark END FROM item",
    "SELECT mark, count(*) FROM item GROUP BY mark",
    "SELECT max(code), min(mark) FROM item",
    "SELECT id FROM item WHERE code IN ('z', 'ab') AND mark NOT IN ('q', 'm')",
    "SELECT code FROM item UNION SELECT mark FROM item UNION SELECT word FROM item WHERE id > 1",
    "SELECT i.id, p.note FROM item i JOIN part p ON p.code = i.code",
    "SELECT i.code, p.note FROM item i JOIN part p USING (code)",
    "SELECT code, line, note FROM part WHERE (code, line) = ('a', 1)",
)

both = both_of(_SCRIPT, "normalized", "embedded")


def _done_here(both: Both, sql: str, given: dict[str, object]) -> bool:
    try:
        Store(both.proposal, both.database).execute(sql, **given)
    except NestlingError as error:
        if "nestling does not convert this" in str(error):
            raise
        return False
    return True


def _done_there(both: Both, sql: str, given: dict[str, object]) -> bool:
    try:
        both.cursor.execute(sql.replace(":p", "%(p)s"), given)
    except pymysql.Error:
        return False
    return True


def _same(both: Both, sql: str, **given: object) -> None:
    assert _done_here(both, sql, given) == _done_there(both, sql, given), sql
    both.assert_equal()


@pytest.mark.thorough
def test_writes_keep_no_blanks(both: Both) -> None:
    """Constants, defaults, columns and computed values, in keys and what is unique too; and reads show none."""
    for sql in _WRITES:
        _same(both, sql)
        for query in _QUERIES:
            here, there = both.answers(query)
            assert sorted(map(repr, here)) == sorted(map(repr, there)), (sql, query)


@pytest.mark.thorough
@pytest.mark.parametrize("value", ["par  ", "ab   ", "par         ", "partial", "  p ", 5, None])
def test_parameters_keep_no_blanks(both: Both, value: object) -> None:
    """Stored alone, and computed with."""
    for sql in (
        "INSERT INTO item (id, code) VALUES (4, :p)",
        "UPDATE item SET mark = :p WHERE id = 2",
        "UPDATE item SET mark = concat(:p, '') WHERE id = 2",
        "INSERT INTO item (id, code) VALUES (4, :p) ON DUPLICATE KEY UPDATE mark = :p, code = VALUES(code)",
    ):
        _same(both, sql, p=value)


@pytest.mark.one_in(2)
def test_written_functions_keep_no_blanks(both: Both) -> None:
    """A written module stores what a store does."""
    sql = "UPDATE item SET code = :p WHERE id = 2"
    function = written_function(both.proposal, sql, "mysql")
    function(both.database, p="mod  ")
    both.cursor.execute(sql.replace(":p", "%(p)s"), {"p": "mod  "})
    both.assert_equal()


@pytest.mark.thorough
def test_the_model_says_which_they_are(both: Both) -> None:
    """As a file of DDL does."""
    found = pipeline.inspect(both.address).model
    assert str(found.entity("item").attribute("code").type) == "text(5) as char"
    assert str(found.entity("item").attribute("mark").type) == "text(4) as char"
    assert str(found.entity("item").attribute("word").type) == "text(9)"
