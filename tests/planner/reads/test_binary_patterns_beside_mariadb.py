"""LIKE BINARY and REGEXP, as Django writes `contains`, `startswith`, `regex` and `iregex`: each beside MariaDB."""

from __future__ import annotations

import pytest

from nestling.common.errors import NestlingError
from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE course (id int PRIMARY KEY, title varchar(40), code varchar(20) COLLATE utf8mb4_bin);
INSERT INTO course VALUES (1, 'Python', 'Py'), (2, 'python ', 'py'), (3, 'Pythön', 'PY'), (4, 'PYTHON\\n', 'é'), (5, NULL, NULL),
  (6, 'My Python\\nin two lines', 'E'), (7, '', ''), (8, 'É', 'É_'), (9, 'é', 'a%b'), (10, '100% of P', '%'), (11, 'a_b', '_'),
  (12, 'ſafe', 'K'), (13, '\u212a', 'k'), (14, 'a.b', '.'), (15, 'Straße', 'ss'), (16, 'p', 'P1'), (17, '٣3', '3'),
  (18, '😀 P', '😀')
"""

both = both_of(_SCRIPT, "normalized", scope="module")

LIKES = (
    "Python%",
    "%Python%",
    "%on",
    "python",
    "python ",
    "É",
    "é%",
    "%ö%",
    "100\\\\%%",
    "a\\\\_b",
    "",
    "%",
    "%P",
    "%\\n%",
    "😀%",
)
PATTERNS = (
    "^P", "^p", "P", "on$", "^Py.*n$", "^[a-m]", "é", "É", "^é$", "s", "^s", "k", "K", "o n|P", "", "a\\\\.b", "(my|a_)",
    "Python.in",
    "^.+$", "^[^p]+$", "STRASSE", "straße", "P{1}", "^[0-9]+%", "^$",
)  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("column", ["title", "code"])
@pytest.mark.parametrize("pattern", LIKES)
def test_like_binary(both: Both, pattern: str, column: str) -> None:
    """To the letter, with blanks and accents, whatever the collation; as a condition, negated and as a value."""
    for condition in (
        f"{column} LIKE BINARY '{pattern}'",
        f"{column} NOT LIKE BINARY '{pattern}'",
        f"BINARY {column} LIKE '{pattern}'",
        f"NOT ({column} LIKE BINARY '{pattern}') OR id = 5",
    ):
        mine, theirs = both.answers(f"SELECT id FROM course WHERE {condition}")
        assert sorted(mine) == sorted(theirs), condition
    mine, theirs = both.answers(f"SELECT id, {column} LIKE BINARY '{pattern}' FROM course")
    assert sorted(mine) == sorted(theirs)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("column", ["title", "code"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_regular_expressions(both: Both, pattern: str, column: str) -> None:
    """Of any case by the column's collation, to the letter by BINARY."""
    for operator in ("REGEXP", "REGEXP BINARY", "NOT REGEXP", "RLIKE"):
        sql = f"SELECT id FROM course WHERE {column} {operator} '{pattern}'"
        if operator == "REGEXP BINARY" and pattern == "Python.in":
            assert "one byte" in both.gap(sql)
            continue
        mine, theirs = both.answers(sql)
        assert sorted(mine) == sorted(theirs), (operator, pattern)
    mine, theirs = both.answers(f"SELECT id, {column} REGEXP '{pattern}' FROM course")
    assert sorted(mine) == sorted(theirs)


@pytest.mark.parametrize("pattern", ["%Python%", "Py%", "é", "%", "", "a\\_b", "100\\%%", None])
def test_patterns_given_as_parameters(both: Both, pattern: str | None) -> None:
    """A pattern that is given, as Django escapes it."""
    for condition in ("title LIKE BINARY :q", "title NOT LIKE BINARY :q", "title LIKE BINARY CONCAT('%', :q)"):
        sql = f"SELECT id FROM course WHERE {condition}"
        both.cursor.execute(sql.replace("%", "%%").replace(":q", "%(q)s"), {"q": pattern})
        mine = run_read(both.database, both.convert(sql), {"q": pattern})
        assert sorted(mine) == sorted(both.cursor.fetchall()), condition


def test_what_stands_for_one_byte(both: Both) -> None:
    """`_` is one byte there and one character in MongoDB: a gap where it is written, an error where it is given."""
    assert "`_`, which stands for one byte" in both.gap("SELECT id FROM course WHERE title LIKE BINARY '_'")
    with pytest.raises(NestlingError, match="one byte"):
        list(run_read(both.database, both.convert("SELECT id FROM course WHERE title LIKE BINARY :q"), {"q": "_"}))
    for pattern in (".", "é+", "[^a]", "a.b"):
        assert "one byte" in both.gap(f"SELECT id FROM course WHERE title REGEXP BINARY '{pattern}'")
    assert "regular expression" in both.gap("SELECT id FROM course WHERE title REGEXP '\\\\d'")
