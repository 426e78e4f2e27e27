"""What is refused, and how it is said: mistakes with what was known, gaps with their construct, place and kind."""

from __future__ import annotations

import pickle

import pytest

from nestling.common.errors import GapError, WorkloadError
from nestling.ir.reading import GapKind
from nestling.planner.sql import StatementGap, translate
from tests.planner.sql.shop_rows import shop


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT nmae FROM person", "1:8: no column `nmae`; there is `name`"),
        ("SELECT json_extract(nmae, '$.x') FROM person", "1:21: no column `nmae`; there is `name`"),
        ("SELECT id FROM person WHERE odd(nmae) = 1", "1:33: no column `nmae`; there is `name`"),
        ("SELECT p.nmae FROM person p", "1:10: no column `nmae` in `p`; it has `name`"),
        ("SELECT *\nFROM persn", "2:6: no table `persn`; there is `person`"),
        ("SELECT q.name FROM person p", "1:8: no table or alias `q`; there is `p`"),
        ("SELECT q.* FROM person p", "no table or alias `q`"),
        ("SELECT city FROM visit v, visit w", "`city` is ambiguous: `v` and `w` have it"),
        ("SELECT 1; SELECT 2", "there are 2 statements where one is expected"),
        ("", "there is no statement"),
        ("-- only a comment", "there is no statement"),
        ("SELECT FROM WHERE", "cannot be read"),
        (
            "SELEC id",
            "1:1: the statement cannot be read: no statement begins with `SELEC`; did you mean SELECT?",
        ),
        ("SELEC 1", "1:1: the statement cannot be read: no statement begins with `SELEC`"),
        ("\n  SELEC name FROM person", "2:3: the statement cannot be read: no statement begins with `SELEC`"),
        ("delte from person", "no statement begins with `delte`; did you mean DELETE?"),
        (" ->>'a' SELECT name FROM person", "an operator has nothing before it"),
        ("SELECT (1", "cannot be read"),
        ("SELECT ceil() FROM person", "CEIL() has too few arguments"),
        ("SELECT floor() FROM person", "FLOOR() has too few arguments"),
        ("SELECT", "a SELECT has no columns"),
        ("SELECT FROM person", "a SELECT has no columns"),
        ("SELECT 1 FROM person WHERE count(*) > 1", "aggregate where rows are not grouped"),
        (
            "SELECT id FROM person WHERE row_number() OVER () = 1",
            "a window function outside the select list and ORDER BY",
        ),
        ("SELECT 1 UNION SELECT 1, 2", "one side has 1 column and the other 2"),
        ("SELECT id FROM person WHERE id IN (SELECT id, name FROM person)", "IN compares 1 value with 2 columns"),
        ("SELECT (SELECT id, name FROM person)", "a subquery of 2 columns stands for one value"),
        ("SELECT id FROM person ORDER BY 3", "there is no column 3 in the select list"),
        ("SELECT id FROM person GROUP BY 0", "there is no column 0 in the select list"),
        ("SELECT * FROM person JOIN visit USING (id)", "no column `id`"),
        ("SELECT *", "`*` without a FROM"),
        ("SELECT sum(id) OVER w FROM person", "no window `w`"),
        ("INSERT INTO person (id, nam) VALUES (1, 2)", "no column `nam` in `person`"),
        ("INSERT INTO (id, name) SELECT id, name FROM person", "INSERT names no table"),
        ("DELETE person WHERE id = 1", "DELETE names no table"),
        ("INSERT INTO hollow VALUES (1)", "1 value for 2 columns of `hollow`"),
        ("UPDATE person SET nam = 1", "no column `nam` in `person`"),
        ("DELETE FROM persn", "no table `persn`"),
        ("SELECT id FROM person WHERE id IN :ids OR boss = :ids", "1:43: `ids` is used as one value and as a list"),
        ("SELECT '" + "x" * 100_000 + "'", "at most 100000 are allowed"),
    ],
)
def test_mistakes_say_what_and_where(sql: str, said: str) -> None:
    """A mistake is a WorkloadError that names the place and what exists."""
    with pytest.raises(WorkloadError) as caught:
        translate(sql, shop().model, "sqlite")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("sql", "construct", "where"),
    [
        ("CREATE TABLE x (y int)", "CREATE statement", "1:1"),
        ("DROP TABLE person", "DROP statement", "1:1"),
        ("SELECT printf('%x', id) FROM person", "printf pattern `%x`", "1:8"),
        ("SELECT printf('%.9f', id) FROM person", "printf's `%.9f`", "1:8"),
        ("SELECT printf(name, id) FROM person", "a pattern that is not a constant", "1:8"),
        ("SELECT id,\n  random() FROM person", "RAND", "2:"),
        ("SELECT id FROM person WHERE +id = '1'", "a plus sign in front of a value", "1:"),
        ("SELECT date(born, 'weekday 7') FROM person", "date modifier `weekday 7`", ""),
        ("SELECT name COLLATE german = 'x' FROM person", "collation `german`", "1:"),
        ("SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM person", "EXCLUDE", ""),
        ("SELECT strftime('%G', born) FROM person", "time format `%G`", ""),
        ("UPDATE person SET pay = stars FROM visit WHERE person_id = id", "several rows for one row of the target", "1:"),
    ],
)  # fmt: skip
def test_gaps_name_construct_place_and_kind(sql: str, construct: str, where: str) -> None:
    """A construct nothing is made of is a gap, and survives pickling."""
    with pytest.raises(GapError) as caught:
        translate(sql, shop().model, "sqlite")
    gap = caught.value
    assert isinstance(gap, StatementGap)
    assert construct in gap.gap.what
    assert gap.gap.where.startswith(where)
    assert gap.gap.kind is GapKind.NOTIMPL
    assert pickle.loads(pickle.dumps(gap)).gap == gap.gap


@pytest.mark.parametrize(
    ("dialect", "sql", "construct"),
    [
        ("mysql", "SELECT locate('a', name, 3) FROM person", "a position to search from"),
        ("mysql", "SELECT left(name, id) FROM person", "LEFT with a length that is not a constant"),
        ("mysql", "SELECT born + 1 FROM person", "arithmetic with dates"),
        ("postgresql", "SELECT string_agg(name, ',') OVER () FROM person", "DISTINCT or a concatenation over a window"),
        ("mysql", "SELECT count(DISTINCT boss) OVER () FROM person", "DISTINCT or a concatenation over a window"),
        (
            "postgresql",
            "SELECT id FROM person WHERE name LIKE 'a' ESCAPE 'ab'",
            "ESCAPE with other than one character",
        ),
        ("mysql", "SELECT :x DIV 2 FROM person", "DIV of numbers that may not be whole"),
        ("postgresql", "SELECT substring(name from name || '.') FROM person", "SUBSTRING with a regular expression"),
        ("postgresql", "SELECT substring(name, upper(name)) FROM person", "SUBSTRING with a regular expression"),
        (
            "postgresql",
            "SELECT substring(name from '_#\"%#\"' for '#') FROM person",
            "SUBSTRING with a regular expression",
        ),
        ("postgresql", "SELECT born * 2 FROM person", "arithmetic with dates"),
        ("postgresql", "SELECT born + :days FROM person", r"arithmetic with dates; write `CAST\(:days AS integer\)`"),
        ("postgresql", "SELECT * FROM person TABLESAMPLE SYSTEM (10)", "TABLESAMPLE"),
        ("postgresql", "SELECT * FROM visits_of(1)", "a table function"),
        ("postgresql", "SELECT unnest(name) FROM person", "`name` is text where an array is needed"),
        ("mysql", "SELECT json_arrayagg(id) FROM person", r"JSON_ARRAYAGG\(\) function"),
        ("postgresql", "SELECT id FROM person WHERE name @> ARRAY['x']", "`name` is text where an array is needed"),
        ("postgresql", "SELECT ~id FROM person", "`~id` "),
        (
            "postgresql",
            "SELECT mode() WITHIN GROUP (ORDER BY id) FROM person",
            "MODE WITHIN GROUP",
        ),
        (
            "postgresql",
            "WITH x AS (DELETE FROM person RETURNING id) SELECT id FROM x",
            r"a WITH that writes \(DELETE\); make it a statement of its own",
        ),
        ("postgresql", "SELECT id FROM person WHERE (5, 1) > ALL (SELECT 1, 2)", r"`\(5, 1\) > ALL \(SELECT 1, 2\)` "),
        ("postgresql", "SELECT string_agg(DISTINCT name, name, ',') FROM person", "STRING_AGG"),
        ("mysql", "SELECT yearweek(born, id) FROM person", "YEARWEEK"),
    ],
)
def test_gaps_of_servers_dialects(dialect: str, sql: str, construct: str) -> None:
    """The same, of what SQLite has not."""
    with pytest.raises(GapError, match=construct):
        translate(sql, shop().model, dialect)


def test_unknown_dialects_are_named() -> None:
    """A dialect that does not exist is answered with those that do."""
    with pytest.raises(WorkloadError, match="no dialect `oracle`; there is"):
        translate("SELECT 1", shop().model, "oracle")


def test_postgresql_wants_columns_grouped() -> None:
    """PostgreSQL's rule for bare columns: only beside a whole key."""
    with pytest.raises(WorkloadError, match="`name` is neither grouped by nor aggregated"):
        translate("SELECT name, count(*) FROM person GROUP BY boss", shop().model, "postgresql")
    translate("SELECT name, count(*) FROM person GROUP BY id", shop().model, "postgresql")


def test_parentheses_people_write_are_read() -> None:
    """However deep they are, they change nothing."""
    assert translate(f"SELECT {'(' * 60}1{')' * 60} AS x", shop().model) == translate("SELECT 1 AS x", shop().model)


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    """Parentheses beyond the interpreter's depth are refused."""
    with pytest.raises((WorkloadError, GapError)):
        translate(f"SELECT {'(' * 5000}1{')' * 5000}", shop().model)


def test_a_cte_that_doubles_itself_is_refused() -> None:
    """Bound at every mention, thirty CTEs naming the one before twice would never end."""
    ctes = ["c0 AS (SELECT 1 AS x)"]
    ctes += [f"c{n} AS (SELECT a.x FROM c{n - 1} a, c{n - 1} b)" for n in range(1, 30)]
    with pytest.raises(GapError, match="a statement of more than"):
        translate(f"WITH {', '.join(ctes)} SELECT * FROM c29", shop().model)
