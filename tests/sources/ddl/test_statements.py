"""A text is cut into statements where a database's own client would cut it, and its dialect is found out."""

from __future__ import annotations

import pytest

from nestling.common.errors import SourceError
from nestling.sources.ddl import detect_dialect
from nestling.sources.ddl.statements import statements
from nestling.sources.ddl.tokens import TokenKind, tokens
from tests.sources.ddl.ddl_texts import read


def cut(text, dialect):
    """Each statement's first word and line."""
    return [(statement.tokens[0].text, statement.line) for statement in statements(text, dialect)]


@pytest.mark.parametrize(
    ("dialect", "quoted"),
    [
        ("sqlite", "'a;b'"), ("sqlite", "'it''s;'"), ("sqlite", '"a;b"'), ("sqlite", "[a;b]"), ("sqlite", "`a;b`"),
        ("sqlite", "x'00'"), ("sqlite", "-- a;b\n"), ("sqlite", "/* a;b */"), ("sqlite", "'back\\slash'"),
        ("mysql", "'it\\'s;'"), ("mysql", "`a``;b`"), ("mysql", '"a\\";b"'), ("mysql", "# a;b\n"),
        ("mysql", "/*!999999\\- a;b */"),
        ("postgresql", "$$ a;b $$"), ("postgresql", "$fn$ a; $$ ;b $fn$"), ("postgresql", "E'it\\'s;'"), ("postgresql", "'c:\\'"),
        ("postgresql", '"a"";b"'), ("postgresql", "U&'a;b'"),
    ],
)  # fmt: skip
def test_semicolons_in_quotes_and_comments_end_nothing(dialect, quoted):
    """Each dialect's own quoting."""
    assert cut(f"one {quoted};\ntwo;", dialect)[0] == ("one", 1)
    assert [word for word, _ in cut(f"one {quoted};\ntwo;", dialect)] == ["one", "two"]


def test_lines_are_those_of_the_text():
    """Whatever was skipped before a statement."""
    assert cut("\n-- c\n;;one;\n\n\ntwo\n;", "sqlite") == [("one", 3), ("two", 6)]


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
def test_bodies_of_triggers_are_one_statement(dialect):
    """BEGIN … END with CASE … END in it; a body without BEGIN ends at its semicolon."""
    text = """CREATE TRIGGER a AFTER INSERT ON t BEGIN UPDATE t SET x = CASE WHEN 1 THEN 2 ELSE 3 END; DELETE FROM u; END;
        after;"""
    assert [word for word, _ in cut(text, dialect)] == ["CREATE", "after"]
    assert [word for word, _ in cut("CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW SET x = 1; after;", dialect)] == [
        "CREATE",
        "after",
    ]


def test_bodies_with_loops():
    """END IF and its like close no BEGIN."""
    text = (
        "CREATE PROCEDURE p() BEGIN IF 1 THEN SELECT 1; END IF; WHILE 1 DO BEGIN SELECT 2; END; END WHILE; END; after;"
    )
    assert [word for word, _ in cut(text, "mysql")] == ["CREATE", "after"]


def test_a_body_that_never_ends_is_cut_at_its_first_semicolon():
    """What follows it is not swallowed."""
    assert [w for w, _ in cut("CREATE TRIGGER a BEFORE INSERT ON t BEGIN SELECT 1; after; more;", "sqlite")] == [
        "CREATE",
        "after",
        "more",
    ]


def test_delimiter_lines_of_mysql():
    """Statements between them end at the other delimiter."""
    body = "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END //\nCREATE FUNCTION f() RETURN 1 //"
    text = f"one;\nDELIMITER //\n{body}\nDELIMITER ;\ntwo;"
    assert cut(text, "mysql") == [("one", 1), ("CREATE", 3), ("CREATE", 4), ("two", 6)]


def test_copy_data_and_psql_lines_are_passed_over():
    """Rows may hold anything; a block may be last in the file without its end."""
    text = "\\connect db\nCOPY t (a) FROM stdin;\nit's; one\n\\.\n\ntwo;\nCOPY u FROM stdin;\nrow's"
    assert cut(text, "postgresql") == [("COPY", 2), ("two", 6), ("COPY", 7)]


def test_executed_comments_of_mysql_are_text():
    """`/*!40101 … */` is for the server, `/* … */` is not."""
    assert [token.text for token in tokens("/*!40101 SET a */ /* no */ = 1", "mysql")] == ["SET", "a", "=", "1"]


def test_tokens_without_their_quotes():
    """Doubled quotes are single, and a quoted name is no keyword."""
    found = list(tokens("""NULL "NULL" 'it''s' [a]]""", "sqlite"))
    assert [(token.kind, token.text, token.key) for token in found[:4]] == [
        (TokenKind.WORD, "NULL", "NULL"),
        (TokenKind.NAME, "NULL", ""),
        (TokenKind.STRING, "it's", ""),
        (TokenKind.NAME, "a", ""),
    ]


def test_a_quote_that_never_closes_hides_one_statement_only():
    """Unless another quote follows, which would close it."""
    assert [word for word, _ in cut("one 'never; two; three;", "sqlite")] == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("CREATE TABLE `t` (`id` int) ENGINE=InnoDB", "mysql"), ("CREATE TABLE t (id int AUTO_INCREMENT)", "mysql"),
        ("CREATE TABLE t (a enum('x'))", "mysql"), ("/*!40101 SET NAMES utf8 */; CREATE TABLE t (a int)", "mysql"),
        ("CREATE TABLE t (id SERIAL)", "postgresql"), ("CREATE TABLE t (a text DEFAULT 'x'::text)", "postgresql"),
        ("CREATE TYPE e AS ENUM ('a'); CREATE TABLE t (a e)", "postgresql"), ("CREATE TABLE t (a timestamptz)", "postgresql"),
        ("DROP TABLE t CASCADE; CREATE TABLE t (a int)", "postgresql"),
        ("create table t (id bigint generated by default as identity, primary key (id))", "postgresql"),
        ("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)", "sqlite"), ("CREATE TABLE [t] ([a] int)", "sqlite"),
        ("CREATE TABLE t (a int)", "sqlite"), ("-- ENGINE=InnoDB\nCREATE TABLE t (a int)", "sqlite"),
        ("CREATE TABLE [a] ([b]TEXT, PRIMARY KEY (`b`)); PRAGMA foreign_keys = on;", "sqlite"), ("", "sqlite"),
    ],
)  # fmt: skip
def test_dialect(text, dialect):
    """By what only one of them writes; SQLite when nothing tells."""
    assert detect_dialect(text) == dialect


@pytest.mark.parametrize(
    "text",
    [
        "USE [Shop]\nGO\nCREATE TABLE [dbo].[t]([Id] [int] IDENTITY(1,1) NOT NULL)\nGO",
        "CREATE TABLE t (id int IDENTITY (1, 1) PRIMARY KEY)",
    ],
)
def test_sql_server_is_told(text):
    """It is not read, unless somebody says that it is another dialect."""
    with pytest.raises(SourceError, match=r"(?s)Transact-SQL.*--dialect"):
        read(text)
    assert read("-- GO\nCREATE TABLE t (id int)").model.entities


def test_words_of_oracle_are_told():
    """SQLite takes any name for a type: they are read, with a note."""
    text = "CREATE TABLE t (id NUMBER(10) NOT NULL, name VARCHAR2(9), PRIMARY KEY (id))"
    assert any("Oracle syntax is read as sqlite" in note for note in read(text).notes)
    numbered = text.replace("NUMBER(10) NOT NULL", "NUMBER(10) GENERATED ALWAYS AS IDENTITY")
    assert any("Oracle syntax is read as postgresql" in note for note in read(numbered).notes)
    assert not any("Oracle" in note for note in read(text, "sqlite").notes)
    assert not any("Oracle" in note for note in read(text.replace("VARCHAR2", "VARCHAR")).notes)


@pytest.mark.parametrize(
    ("dialect", "insert"),
    [
        ("sqlite", "INSERT INTO t VALUES ('a;b', \"c;d\", 'it''s'),\n(1, '-- x')"),
        ("mysql", "INSERT IGNORE INTO `t;u` VALUES ('it\\'s; ''no'' end', -1)"),
        ("postgresql", "INSERT INTO t VALUES (E'it\\'s;', $$a;'b$$) -- don't;"),
        ("sqlite", "INSERT INTO t -- don't; stop\n VALUES (1 /* ' */)"),
    ],
)
def test_rows_of_any_quoting_hide_nothing(dialect, insert):
    """Whether an INSERT is passed over as a whole or read, the statement after it is found in its line."""
    lines = insert.count("\n") + 2
    for with_rows in (True, False):
        found = statements(f"{insert}\n;two;", dialect, with_rows=with_rows)
        assert [(each.tokens[0].text, each.line) for each in found] == [("INSERT", 1), ("two", lines)]
