"""Statements that order texts which MariaDB orders otherwise than MongoDB: the columns, rows and statements are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.programs.compiled import NotCompiled
from tests.beside_mariadb import Both, beside_mariadb, both_of
from tests.cli.commands import nestling

_SCRIPT = """
CREATE TABLE page (id int PRIMARY KEY, slug varchar(40) COLLATE utf8mb4_general_ci,
  file varchar(40) COLLATE utf8mb4_general_ci, host varchar(40) CHARACTER SET latin1 COLLATE latin1_swedish_ci,
  title varchar(40), note varchar(40) COLLATE utf8mb4_uca1400_ai_ci, word varchar(40) COLLATE utf8mb4_general_ci,
  parent int, FOREIGN KEY (parent) REFERENCES page (id));
INSERT INTO page VALUES (1, 'red-hat', 'red_hat.md', 'a.example', 'Über [uns]', 'x_1', 'Łódź', NULL),
  (2, 'Redhat', 'redhat.md', 'b-1.example', 'a_b', 'x1', 'lodz', 1),
  (3, 'red 2', 'red-2.md', 'b.example', 'ab', 'x[1', 'Straße', 1),
  (4, 'réd.1/b', 'RED.md', 'b@2', 'a^b', 'X{', 'strasse', 2),
  (5, '2-red', '[2].md', 'b3', 'Ab', 'xa', 'øre', NULL),
  (6, 'redhats', 'redhats.md', 'B', 'łb', '', 'a', NULL)
"""
both = both_of(_SCRIPT, "normalized", "embedded")

ALIKE = (
    "SELECT slug FROM page ORDER BY slug LIMIT 4",
    "SELECT id FROM page WHERE slug > 'red 2' ORDER BY id",
    "SELECT id FROM page WHERE slug BETWEEN '2' AND 'redhat' ORDER BY id",
    "SELECT min(slug) AS least, max(slug) AS most FROM page",
    "SELECT note FROM page ORDER BY note",
    "SELECT id FROM page WHERE note < 'x1' ORDER BY id",
    "SELECT id FROM page WHERE file = 'RED_HAT.md'",
    "SELECT id FROM page WHERE file IN ('redhat.md', '[2].md') ORDER BY id",
    "SELECT count(DISTINCT file) AS n FROM page",
    "SELECT file FROM page ORDER BY file COLLATE utf8mb4_bin",
    "SELECT host FROM page ORDER BY host COLLATE latin1_bin",
)
TOLD = (
    ("SELECT id FROM page ORDER BY file LIMIT 4", "page.file"),
    ("SELECT count(*) AS n FROM page WHERE file > 'redhat.md'", "page.file"),
    ("SELECT count(*) AS n FROM page WHERE file BETWEEN 'a' AND 'redz'", "page.file"),
    ("SELECT max(file) AS last FROM page", "page.file"),
    ("SELECT id, row_number() OVER (ORDER BY host) AS n FROM page", "page.host"),
    ("SELECT group_concat(file ORDER BY file) AS files FROM page", "page.file"),
    ("SELECT last FROM (SELECT parent, max(file) AS last FROM page GROUP BY parent) AS x ORDER BY last", "page.file"),
    ("SELECT p.id FROM page p JOIN page c ON c.parent = p.id WHERE c.host < p.host", "page.host"),
    ("SELECT id FROM page p WHERE EXISTS (SELECT 1 FROM page c WHERE c.parent = p.id AND c.file < 'red')", "page.file"),
    ("SELECT file FROM page UNION ALL SELECT slug FROM page ORDER BY 1", "page.file"),
    ("SELECT title FROM page ORDER BY title", "page.title"),
    ("SELECT word FROM page ORDER BY word", "page.word"),
    ("SELECT id FROM page WHERE slug < 'red~'", "page.slug"),
    ("DELETE FROM page WHERE file < 'b'", "page.file"),
    ("UPDATE page SET note = 'y' WHERE host >= 'b'", "page.host"),
    ("UPDATE page SET note = 'y' ORDER BY file LIMIT 1", "page.file"),
    ("INSERT INTO page (id, slug) SELECT 7, max(file) FROM page", "page.file"),
)


def test_columns_and_rows_are_named(both: Both) -> None:
    """Those that hold characters with another order, by collation; letters that equal others; the others in one note."""
    notes = [note for note in both.proposal.notes if "sort differently on MongoDB" in note]
    general, latin, unicode_ = (
        next(n for n in notes if f"`{name}`" in n) for name in ("page.file", "page.host", "page.title")
    )
    assert general.startswith("`page.file` (2 rows), `page.word` (3 rows) have characters")
    assert "utf8mb4_general_ci" in general
    assert latin.startswith("`page.host` (1 row) has characters")
    assert unicode_.startswith("`page.title` (2 rows) has characters")
    assert not any(f"page.{name}" in note for name in ("slug", "note") for note in notes)
    (letters,) = (note for note in both.proposal.notes if "letters such as" in note)
    assert letters.startswith("`page.title` (1 row), `page.word` (3 rows) have letters")


@pytest.mark.thorough
def test_statements_over_other_texts_answer_as_mariadb_does(both: Both) -> None:
    """Ordered and compared, and what only asks for equality; nothing is told of them."""
    for sql in ALIKE:
        assert both.convert(sql).notes == (), sql
        mine, theirs = both.answers(sql)
        assert mine == theirs, sql


@pytest.mark.thorough
def test_a_statement_that_orders_such_texts_says_so(both: Both) -> None:
    """Itself or inside, a read or a write; of a column without such texts where a constant has such a character."""
    for sql, named in TOLD:
        found = pipeline.convert(both.proposal, sql, dialect="mysql")
        assert not isinstance(found, NotCompiled), found
        assert [f"`{named}`" in note for note in found.notes] == [True], sql


@pytest.mark.thorough
def test_the_order_is_another_one(both: Both) -> None:
    """What the notes say is so: MariaDB has another order of these texts."""
    mine, theirs = both.answers("SELECT file FROM page ORDER BY file")
    assert mine != theirs
    assert sorted(mine) == sorted(theirs)


def test_before_the_first_such_text_one_note_says_it(mariadb: str, database: Database[Any]) -> None:
    """Of a collation that orders usual characters otherwise; none of one that does not."""
    script = "CREATE TABLE t (id int PRIMARY KEY, a varchar(9) COLLATE {}, b varchar(9) COLLATE {0})"
    for name, told in (("utf8mb4_general_ci", 1), ("utf8mb4_unicode_ci", 0), ("utf8mb4_uca1400_ai_ci", 0)):
        with beside_mariadb(mariadb, database, script.replace("{}", "{0}").format(name), "normalized") as found:
            notes = [note for note in found.proposal.notes if "sort differently on MongoDB" in note]
            assert len(notes) == told, notes
            assert not told or "none occurs in 2 columns yet" in notes[0]
            assert bool(found.convert("SELECT id FROM t WHERE a < 'm~'").notes) == bool(told)
            assert not found.convert("SELECT id FROM t WHERE a < 'm' ORDER BY a").notes
        database.client.drop_database(database.name)


@pytest.mark.thorough
def test_a_design_and_convert_say_it(both: Both, tmp_path: Path) -> None:
    """Which statements of the workload, in the design's notes; on the screen, and in `--json`."""
    work = tmp_path / "w.sql"
    work.write_text(
        "-- name: files\nSELECT id FROM page ORDER BY file LIMIT 3;\n-- name: last\nSELECT max(file) AS f FROM page;\n"
        "-- name: one\nSELECT id FROM page WHERE file = :file;\n"
    )
    design = ("design", both.address, "--workload", "w.sql", "--strategy", "normalized", "--output", "d.yaml")
    assert nestling(*design, cwd=tmp_path).code == 0
    proposal = pipeline.read_proposal(tmp_path / "d.yaml")
    (note,) = (note for note in proposal.notes if "is sorted as in MongoDB" in note)
    assert note.startswith("`files`, `last`: `page.file` is sorted as in MongoDB")
    said = nestling("convert", "d.yaml", "--file", "w.sql", cwd=tmp_path)
    assert said.err.count("note: files: `page.file` is sorted as in MongoDB") == 1
    assert "one:" not in said.err
    found = [
        *map(json.loads, nestling("convert", "d.yaml", "--file", "w.sql", "--json", cwd=tmp_path).out.splitlines())
    ]
    assert [bool(each.get("notes")) for each in found] == [True, True, False]
