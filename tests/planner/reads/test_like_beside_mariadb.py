"""LIKE whatever case and accents: read from MariaDB, loaded, and asked beside it, character by character and with parameters."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import replace
from typing import Any
from unicodedata import category

import pytest

from nestling.emitters.mql.script import read_json, read_shell
from nestling.emitters.python_code import module
from nestling.executors.run import run_read
from nestling.ir.conversions.letters_alike import letters_alike
from nestling.ir.conversions.like_patterns import alike
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE hotel (id int PRIMARY KEY, name varchar(40), code varchar(20) COLLATE utf8mb4_bin) COLLATE utf8mb4_uca1400_ai_ci;
CREATE TABLE letter (id int PRIMARY KEY, text varchar(2)) COLLATE utf8mb4_bin;
INSERT INTO hotel VALUES (1, 'Hotel Éden 4', 'a_b'), (2, 'HOTEL EDEN', 'A%b'), (3, 'hôtel\nedén', 'a'), (4, 'Søren Łuk', 'x'),
  (5, NULL, NULL), (6, 'Straße', ''), (7, 'Strasse', '%'), (8, 'Ærø', '_'), (9, '', 'é'), (10, 'Ωμέγα', 'E'), (11, 'ёлка й', 'e'),
  (12, 'ｗｉｄｅ ²', 'e\u0301'), (13, 'e\u0301den', '[a]'), (14, 'a[b]-^c|d', 'a|b'), (15, 'ひらカタ', '日本'), (16, 'h|', '100%')
"""

both = both_of(_SCRIPT, "normalized", scope="module")

PATTERNS = (
    "HOTEL e%", "%EDEN%", "%eden", "h_tel%", "hotel_eden", "soren luk", "STRA%E", "%ss%", "%ß%", "_ro", "æ%", "", "%", "_", "%_%",
    "ωΜΕΓΑ", "%Ω%", "ЕЛКА%", "%Й", "%и", "wide 2", "É%", "e_den", "e\u0301%", "%\u0301%", "a[b]-^c%", "%^%", "%|%", "ヒラ%",
    "%た", "A\\_B", "a\\%b", "100\\%", "h\\|", "x\\", "%h|\\", "%日%", "%😀%", "a\\[B]%",
)  # fmt: skip


def _same(both: Both, sql: str, pattern: str | None) -> None:
    """A parameter finds the same rows here and there."""
    both.cursor.execute(sql.replace("%", "%%").replace(":q", "%(q)s"), {"q": pattern})
    mine = run_read(both.database, both.convert(sql), {"q": pattern})
    assert sorted(mine) == sorted(both.cursor.fetchall()), (sql, pattern)


@pytest.mark.thorough
def test_classes_are_mariadbs(both: Both) -> None:
    """Two characters of Unicode are in one class where MariaDB gives them one weight, and its LIKE takes them for each other."""
    known = [chr(code) for code in range(1, sys.maxunicode) if category(chr(code)) not in ("Cs", "Cn", "Co")]
    rows, assigned = [*enumerate(known)], {*known}
    for at in range(0, len(rows), 10_000):
        both.cursor.executemany("INSERT INTO letter VALUES (%s, %s)", rows[at : at + 10_000])
    both.cursor.execute(
        "SELECT text, HEX(WEIGHT_STRING(text COLLATE utf8mb4_uca1400_nopad_ai_ci)) FROM letter ORDER BY id"
    )
    found = defaultdict[str, list[str]](list)
    for text, weight in both.cursor.fetchall():
        found[weight].append(text)
    classes = {"".join(letters) for letters in found.values() if len(letters) > 1}
    assert {"".join(filter(assigned.__contains__, line)) for line in letters_alike() if line} == classes
    letters = both.database["letters"]
    letters.insert_many([{"_id": text} for text in known])
    for each in "aeosz1-^]ßæøłωйё":
        both.cursor.execute("SELECT text FROM letter WHERE text LIKE %s COLLATE utf8mb4_uca1400_ai_ci", (each,))
        theirs = {text for (text,) in both.cursor.fetchall()}
        assert {row["_id"] for row in letters.find({"_id": {"$regex": f"^{alike(each)}\\z"}})} == theirs, each


@pytest.mark.thorough
def test_the_server_compares_by_the_same_classes(both: Both) -> None:
    """So LIKE and `=` agree on letters, as far as the server knows them."""
    letters = both.database["letters of Europe"]
    letters.insert_many([{"_id": each} for each in map(chr, range(0x20, 0x530)) if category(each) not in ("Cn", "Cc")])
    for each in "AEOLDHS19ΩЙЁ":
        equal = {row["_id"] for row in letters.find({"_id": each}).collation({"locale": "en", "strength": 1})}
        assert {row["_id"] for row in letters.find({"_id": {"$regex": f"^{alike(each)}\\z"}})} == equal, each


@pytest.mark.thorough
def test_constant_patterns(both: Both) -> None:
    """Written down, and negated; to the letter where the column is compared so."""
    for pattern in PATTERNS:
        text = pattern.replace("\\", "\\\\")
        for condition in ("name LIKE", "name NOT LIKE", "NOT name LIKE", "code LIKE", "concat(name, '') LIKE"):
            mine, theirs = both.answers(f"SELECT id FROM hotel WHERE {condition} '{text}'")
            assert sorted(mine) == sorted(theirs), (condition, pattern)
    mine, theirs = both.answers("SELECT id, name LIKE '%EDEN%', 'É' LIKE 'e', name LIKE 'H||' ESCAPE '|' FROM hotel")
    assert sorted(mine) == sorted(theirs)


@pytest.mark.thorough
def test_patterns_given_as_parameters(both: Both) -> None:
    """A pattern that is a parameter, or one between constants, is made a regular expression when it is given."""
    for pattern in (*PATTERNS, None):
        for sql in (
            "SELECT id FROM hotel WHERE name LIKE :q",
            "SELECT id FROM hotel WHERE name NOT LIKE :q",
            "SELECT id FROM hotel WHERE name LIKE CONCAT('%', :q, '%')",
            "SELECT id, name LIKE CONCAT(:q, '_%') FROM hotel",
        ):
            _same(both, sql, pattern)


@pytest.mark.parametrize("other", ["code", "name", "CONCAT(:q, :p)", "CONCAT(name, '%')"])
def test_other_patterns_are_gaps(other: str, both: Both) -> None:
    """The server would have to know the classes for every row."""
    assert "LIKE regardless of case and accents with a pattern" in both.gap(
        f"SELECT id FROM hotel WHERE name LIKE {other} COLLATE utf8mb4_uca1400_ai_ci"
    )


def test_what_is_shown_asks_for_the_regular_expression(both: Both) -> None:
    """For mongosh by a name of its own, in JSON by a mark: the pattern itself would be another condition."""
    read = both.convert("SELECT id FROM hotel WHERE name LIKE :q")
    assert "q_regex" in read_shell(read)
    assert "{'$parameter': 'q', 'as': 'regex'}" in str(read_json(read))


def test_a_module_makes_it_itself(both: Both) -> None:
    """What is written in Python has the classes with it."""
    read = replace(both.convert("SELECT id FROM hotel WHERE name LIKE CONCAT(:q, '%')"), name="found")
    names: dict[str, Any] = {}
    exec(module([read]), names)
    for pattern in ("HOTEL e", "%\\", None):
        rows = names["found"](both.database, q=pattern)
        assert [(row["id"],) for row in rows] == [*run_read(both.database, read, {"q": pattern})], pattern
