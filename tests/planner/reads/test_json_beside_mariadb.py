"""What Django asks of a JSONField in MySQL: each condition beside MariaDB."""

from __future__ import annotations

import pytest

from nestling.common.errors import NestlingError
from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE course (id int PRIMARY KEY, data json, name varchar(20));
INSERT INTO course VALUES (1, '{"lang": "en", "hours": 2, "x": {"y": 1, "k.v": "d"}, "tags": ["a", ["b", 3]], "on": true}', 'en'),
  (2, '{"lang": "EN", "hours": 10, "x": {"y": 2}, "tags": ["b"], "on": false}', 'EN'), (3, NULL, NULL),
  (4, '{"lang": null, "hours": "3", "x": {"y": null}, "tags": [], "on": "true"}', 'null'), (5, '[{"lang": "en"}, 1]', 'x'),
  (6, '"en"', ''), (7, 'null', 'null'), (8, '{}', NULL), (9, '{"lang": {"a": 1}, "hours": " 4.5 h", "x": [{"y": 1}]}', 'y'),
  (10, '{"lang": "é", "hours": -1, "x": {}, "tags": [{"a": 1, "b": 2}, [[3]]]}', 'e'), (11, '1', '1'), (12, 'true', 'true'),
  (13, '{"hours": 2.50, "lang": "null"}', 'null'), (14, '{"hours": true, "lang": ["en"], "tags": "a"}', '1'),
  (15, '{"hours": null, "lang": "", "tags": 3}', ''), (16, '{"hours": 1e3, "tags": [1.0, "A"]}', 'A')
"""

both = both_of(_SCRIPT, "normalized", scope="module")


def _value(path: str) -> str:
    return f"JSON_UNQUOTE(JSON_EXTRACT(data, '{path}'))"


CONDITIONS = (
    *(
        f"""{_value('$."lang"')} {asked}"""
        for asked in (
            "= JSON_EXTRACT('\"en\"', '$')", "= 'en'", "= 'EN'", "<> 'en'", "IS NULL", "= 'null'", "= JSON_EXTRACT('null', '$')",
            "IN ('en', 'é')", "LIKE BINARY 'e%'", "> 'a'",
        )
    ),
    *(f"""{_value('$."hours"')} {asked}""" for asked in ("> 2", "<= 2", "= 2", "<> 0", "BETWEEN 2 AND 3", "> 2.4", "= 1000")),
    f"""{_value('$."x"."y"')} = JSON_EXTRACT('1', '$')""",
    f"""{_value('$."x"."y"')} > 1""",
    f"""{_value('$."x"."k.v"')} = 'd'""",
    f"""{_value('$."on"')} = JSON_EXTRACT('true', '$')""",
    f"""{_value('$.on')} IN ('true', 'false')""",
    *(
        f"JSON_CONTAINS(data, '{said}')"
        for said in (
            '{"lang": "en"}', '{"lang": "EN"}', '{"lang": null}', '{"x": {"y": 1}}', '{"tags": "b"}', '{"tags": ["b"]}',
            '{"tags": 3}',
            '{"tags": ["a", "b"]}', '{"tags": []}', '{"tags": {"a": 1}}', '{"tags": [1]}', '{"tags": 1}', '{}', "[]",
            '"en"', "null", "1", "1.0", "true", '[{"lang": "en"}]', '{"hours": 2.5}', '{"hours": 1000}', '{"x": {}}',
            '{"lang": "en", "hours": 2}',
        )
    ),
    "JSON_CONTAINS_PATH(data, 'one', '$.\"lang\"')",
    "JSON_CONTAINS_PATH(data, 'one', '$.\"x\".\"y\"')",
    "JSON_CONTAINS_PATH(data, 'one', '$.x.y', '$.on')",
    "JSON_CONTAINS_PATH(data, 'all', '$.x.y', '$.on')",
)  # fmt: skip


@pytest.mark.parametrize("value", ["null", "en", "true", "10", ""])
@pytest.mark.parametrize("asked", ["= :v", "IN (:v, 'é')"])
def test_a_parameter_beside_what_lies_under_a_key(asked: str, value: str, both: Both) -> None:
    """JSON's null is the text `null`, which a parameter finds as a constant does."""
    for path in ("$.lang", "$.hours", "$.on"):
        sql = f"SELECT id FROM course WHERE {_value(path)} {asked} AND id NOT IN (9, 13, 14, 16) ORDER BY id"
        both.cursor.execute(sql.replace(":v", "%s"), (value,))
        assert [*run_read(both.database, both.convert(sql), {"v": value})] == [*both.cursor.fetchall()], path


@pytest.mark.one_in(2)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_keep_mariadbs_rows(both: Both, condition: str) -> None:
    """With the condition, with its NOT, and where it is NULL; of texts no rows that hold a text MongoDB does not know."""
    is_text = "JSON_UNQUOTE" in condition and "hours" not in condition
    where = "id NOT IN (9, 14) AND " if is_text and "lang" in condition else ""
    for form in (condition, f"NOT ({condition})", f"({condition}) IS NULL"):
        sql = f"SELECT id FROM course WHERE {where}({form}) ORDER BY id"
        both.cursor.execute(sql)
        theirs = list(both.cursor.fetchall())
        assert list(run_read(both.database, both.convert(sql))) == theirs, form


def test_values_and_groups(both: Both) -> None:
    """Shown, grouped and ordered."""
    value = _value('$."x"."y"')
    for sql in (
        f"SELECT id, {value} AS y FROM course ORDER BY id",
        f"SELECT {value} AS y, COUNT(*) AS n FROM course GROUP BY y ORDER BY y",
    ):
        here, there = both.answers(sql)
        assert here == there, sql


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("JSON_CONTAINS(data, '1', '$.x')", "MySQL and MariaDB differ on a path"),
        ("JSON_CONTAINS(data, '[[1]]')", "an array in an array"),
        ("JSON_UNQUOTE(JSON_EXTRACT(data, '$.tags[0]')) = 'a'", "does not consist of constant keys"),
        (f"{_value('$.lang')} = name", "of another collation"),
        ("JSON_UNQUOTE(name) = 'a'", "JSON_UNQUOTE()"),
        ("JSON_CONTAINS(name, '1')", "not on a JSON column"),
        ("JSON_CONTAINS_PATH(data, 'some', '$.a')", "with other than 'one' or 'all'"),
    ],
)
def test_other_questions_are_gaps(both: Both, asked: str, why: str) -> None:
    """Places in arrays, and what MySQL and MariaDB answer differently."""
    assert why in both.gap(f"SELECT id FROM course WHERE {asked}")


def test_a_fraction_has_no_known_text(both: Both) -> None:
    """MariaDB keeps how it was written, so its text fails; as a number it is known."""
    with pytest.raises(NestlingError, match="the text that MySQL writes is not known"):
        list(run_read(both.database, both.convert(f"SELECT {_value('$.hours')} AS h FROM course")))
