"""The columns `unload` makes in MySQL and PostgreSQL: as the model has them, wider where a row and a value need it."""

# ruff: noqa: DTZ001 - a timestamp has no zone
from __future__ import annotations

from contextlib import closing
from datetime import datetime
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import SourceError
from nestling.ir.fraction import Fraction
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL
from nestling.ir.types import INTEGER, Type
from nestling.pipeline import design, inspect, load, unload, verify
from nestling.sources.sql import open_sink
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.connection import connect
from nestling.sources.sql.mysql.columns import enum_words, fitting, text_words

SHOP = """
CREATE TABLE customer (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(120) NOT NULL DEFAULT 'x', email VARCHAR(255) UNIQUE,
  state ENUM('new', 'it''s', 'gone') NOT NULL DEFAULT 'new', made DATETIME DEFAULT CURRENT_TIMESTAMP,
  fine DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3), micro DATETIME(6), code CHAR(5), body LONGTEXT)
  CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
CREATE TABLE place (a VARCHAR(500), b VARCHAR(250), c VARCHAR(700), d VARCHAR(9000), e VARCHAR(300),
  PRIMARY KEY (a, b), UNIQUE (c))
  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE sale (id BIGINT PRIMARY KEY, email VARCHAR(255), FOREIGN KEY (email) REFERENCES customer (email))
  CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
INSERT INTO customer VALUES (1, 'Ann', 'a@x', 'it''s', '2024-01-01 10:00:00', '2024-01-01 10:00:00.123',
  '2024-01-01 10:00:00.123456', 'DE', 'text'), (2, 'Bob', 'b@x', 'gone', NULL, NULL, NULL, NULL, NULL);
INSERT INTO place VALUES ('a', 'b', 'c', 'd', 'e');
INSERT INTO sale VALUES (1, 'a@x')"""
COLUMNS = (
    "SELECT table_name, column_name, column_type, collation_name, column_default FROM information_schema.columns"
    " WHERE table_schema = DATABASE() AND table_name IN ('customer', 'place', 'sale') ORDER BY table_name, ordinal_position"
)


def _asked(url: str, *statements: str) -> list[tuple[Any, ...]]:
    """The rows of the last statement."""
    with closing(connect(parse_address(url), read_only=False)) as connection:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        rows = cursor.fetchall() if cursor.description else []
        connection.commit()
    return list(rows)


def _model(*attributes: Attribute, name: str = "t") -> Model:
    return Model("m", (Entity(name, (Attribute("id", INTEGER, nullable=False), *attributes), ("id",)),))


def test_types_come_back(mariadb_urls: tuple[str, str], database: Database[dict[str, Any]]) -> None:
    """Lengths, labels, digits of a second, defaults and foreign keys are the source's."""
    target, source = mariadb_urls[1], mariadb_urls[0]
    _asked(source, *SHOP.split(";\n"))
    before = _asked(source, COLUMNS)
    proposal = design(inspect(source), "normalized")
    load(proposal, source, database)
    unload(proposal, target, database)
    assert _asked(target, COLUMNS) == before
    assert verify(proposal, target, database).equal
    (left,) = _asked(
        target, "INSERT INTO customer (email) VALUES ('c@x')", "SELECT name, state FROM customer WHERE email = 'c@x'"
    )
    assert left == ("x", "new")
    pymysql = pytest.importorskip("pymysql")
    with pytest.raises(pymysql.err.IntegrityError, match="foreign key"):
        _asked(target, "INSERT INTO sale VALUES (2, 'none')")


LONG, SECONDS = Attribute("a", Type.parse("text(5)")), Attribute("at", Type.parse("timestamp"), fraction=Fraction(0))


@pytest.mark.parametrize("server", ["mariadb", "postgresql"])
def test_what_is_beyond_the_model(request: pytest.FixtureRequest, server: str) -> None:
    """Widens its column, in whichever batch it comes: nothing is cut, rounded or lost."""
    url = request.getfixturevalue(f"{server}_urls")[1]
    model = _model(
        LONG, SECONDS, Attribute("b", Type.parse("text(5)")), Attribute("on", SECONDS.type, fraction=Fraction(0))
    )
    rows = [
        (1, "short", datetime(2024, 1, 1, 10), "12345", datetime(2024, 1, 1)),
        (2, "much too long", datetime(2024, 1, 1, 10, 0, 0, 250_000), None, None),
        (3, None, datetime(2024, 1, 1, 10, 0, 0, 999_000), "x", None),
    ]
    sink = open_sink(url)
    sink.begin(model)
    for row in rows:
        sink.write(model.entities[0], [row])
    notes = sink.finish()
    assert _asked(url, "SELECT * FROM t ORDER BY id") == rows
    assert any("`a` (text(5)) as" in note for note in notes)
    read = inspect(url).model.entity("t")
    kinds = [
        (str(read.attribute(name).type).partition("(")[0], read.attribute(name).type.numbers) for name in ("a", "b")
    ]
    assert kinds == [("text", ()), ("text", (5,))]
    assert [read.attribute(name).fraction is None for name in ("at", "on")] == [True, False]


def test_nothing_stays_of_a_widened_table(mariadb_urls: tuple[str, str]) -> None:
    """Widening commits there: a run that is given up drops its tables, and empties those that were there."""
    url = mariadb_urls[1]
    _asked(url, "CREATE TABLE u (id bigint PRIMARY KEY)")
    other = Entity("u", (Attribute("id", INTEGER, nullable=False),), ("id",))
    model = Model("m", (other, *_model(LONG).entities))
    sink = open_sink(url)
    sink.begin(model)
    sink.write(other, [(1,)])
    sink.write(model.entities[1], [(1, "much too long")])
    sink.close()
    assert _asked(url, "SHOW TABLES LIKE 't'") == _asked(url, "SELECT id FROM u") == []


def test_a_key_is_no_longer_than_it_says(mariadb_urls: tuple[str, str]) -> None:
    """A longer text is refused by table and row."""
    entity = Entity("t", (Attribute("a", Type.parse("text(5)"), nullable=False),), ("a",))
    sink = open_sink(mariadb_urls[1])
    sink.begin(Model("m", (entity,)))
    with pytest.raises(SourceError, match="table t, the row a = "):
        sink.write(entity, [("much too long",)])
    sink.close()


def _texts(*lengths: int) -> tuple[Attribute, ...]:
    return tuple(Attribute(f"c{place}", Type.parse(f"text({length})")) for place, length in enumerate(lengths))


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ((16_000, 300), ["varchar(16000)", "varchar(300)"]),
        ((16_000, 16_000, 300), ["longtext", "varchar(16000)", "varchar(300)"]),
        ((400,) * 45, ["longtext"] * 5 + ["varchar(400)"] * 40),
        ((16_384, 1_000_000), ["longtext", "longtext"]),
    ],
)
def test_a_row_that_would_not_fit(mariadb_urls: tuple[str, str], lengths: tuple[int, ...], words: list[str]) -> None:
    """Has its longest texts without a length, and as few of them as that takes."""
    model = _model(*_texts(*lengths))
    sink = open_sink(mariadb_urls[1])
    sink.begin(model)
    sink.write(model.entities[0], [(1, *("x" for _ in lengths))])
    sink.finish()
    shown = _asked(mariadb_urls[1], "SHOW COLUMNS FROM t")
    assert [column[1] for column in shown[1:]] == words


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ((700,), ["varchar(700)"]),
        ((1_000,), ["varchar(190)"]),
        ((500, 200), ["varchar(500)", "varchar(200)"]),
        ((500, 300, 20), ["varchar(190)", "varchar(190)", "varchar(20)"]),
    ],
)
def test_a_key_that_would_not_fit(mariadb_urls: tuple[str, str], lengths: tuple[int, ...], words: list[str]) -> None:
    """Has shorter texts."""
    texts = _texts(*lengths)
    entity = Entity("t", texts, tuple(each.name for each in texts))
    sink = open_sink(mariadb_urls[1])
    sink.begin(Model("m", (entity,)))
    sink.finish()
    assert [column[1] for column in _asked(mariadb_urls[1], "SHOW COLUMNS FROM t")] == words


@pytest.mark.parametrize(
    ("labels", "collation", "words"),
    [
        (("a", "A"), Collation.BINARY, "enum('a','A')"),
        (("a", "A"), Collation.UNICODE_CI, "text"),
        (("ł", "l"), Collation.UNICODE_CI, "text"),
        (("a ", "b"), Collation.BINARY, "text"),
        (("", "b"), Collation.BINARY, "text"),
        (("it's", "a\\b"), Collation.UNICODE_CI, r"enum('it''s','a\\b')"),
    ],
)
def test_labels_that_mysql_does_not_tell_apart(
    mariadb_urls: tuple[str, str], labels: tuple[str, ...], collation: Collation, words: str
) -> None:
    """Are texts; others are an ENUM, which takes nothing else."""
    attribute = Attribute("e", Type(Type.parse("enum('a')").name, values=labels), collation=collation)
    assert enum_words(attribute) == words
    model = _model(attribute)
    with closing(open_sink(mariadb_urls[1])) as sink:
        sink.begin(model)
        sink.write(model.entities[0], [(place, label) for place, label in enumerate(labels)])
        if words != "text":
            with pytest.raises(SourceError, match="`e` is "):
                sink.write(model.entities[0], [(9, "other")])
        sink.finish()
    assert _asked(mariadb_urls[1], "SELECT e FROM t ORDER BY id") == [(label,) for label in labels]


def test_what_a_model_knows_beside_texts() -> None:
    """A column that also holds values of other types takes any text; a foreign key counts as a key."""
    mixed = Attribute("a", Type.parse("text(5)"), also=(INTEGER,))
    assert text_words(mixed, keyed=False) == "longtext"
    entity = Entity("t", (Attribute("id", INTEGER), *_texts(700, 300)), ("id",))
    link = Relationship("l", "p", "t", ("x", "y"), ("c0", "c1"))
    found = fitting(entity, [entity.key, link.child_attributes])
    assert [each.type.numbers for each in found.attributes[1:]] == [(190,), (190,)]
    assert parse_address("mysql://h/d").dialect == MYSQL


def test_digits_of_postgresql(postgresql_urls: tuple[str, str]) -> None:
    """Are declared, but where the source has more of them than the model."""
    url = postgresql_urls[1]
    kept = {"a": ("timestamp", Fraction(0)), "b": ("timestamptz", Fraction(3)), "c": ("timestamp", None)}
    finer = Attribute("d", Type.parse("timestamp"), fraction=Fraction(3, cut=True, source_is_finer=True))
    model = _model(*(Attribute(name, Type.parse(kind), fraction=part) for name, (kind, part) in kept.items()), finer)
    with closing(open_sink(url)) as sink:
        sink.begin(model)
        sink.finish()
    asked = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 1"
    assert [kind for (kind,) in _asked(url, f"{asked} ORDER BY attnum")] == [
        "timestamp(0) without time zone",
        "timestamp(3) with time zone",
        "timestamp without time zone",
        "timestamp without time zone",
    ]
