"""ILIKE, and LIKE of texts in one case, beside PostgreSQL: in constants, parameters and what is written."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from nestling import pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.mql.script import read_shell
from nestling.emitters.python_code import module
from nestling.executors.run import run_read
from nestling.ir.conversions.like_patterns import escaped
from nestling.ir.conversions.postgresql_case import becomes
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.value_forms.letter_case import known_case
from tests.planner.reads.beside_postgresql import EVERY_LETTER, Beside, beside_of
from tests.soaking import sample

WORDS = (
    "İpek", "ipek", "ılık", "Ilik", "ΣΑΣ", "σας", "σασ", "ſun", "sun", "SUN", "K", "K", "k", "ẞ", "ß", "Ǆ", "ǅ", "ǆ", "µ", "μ",
    "Å", "å", "Ω", "ω", "ϐ", "β", "θ", "ϑ", "ϴ", "ẛ", "ṡ", "Ԁ", "ԁ", "ᏸ", "Ᏸ", "Ა", "ა", "և", "Ｋ", "ｋ", "𐐀", "𐐨", "", "a%b",
    "A_B", "[a]^-", "x\\y", "Zoë\nZOË", "ﬁ", "FI", "ᾀ", "ᾈ", "Straße", "STRASSE",
)  # fmt: skip
PATTERNS = (
    *dict.fromkeys(word.replace("\\", "\\\\") for word in WORDS),
    "i%", "s%", "%ς", "%σ", "Σ%", "%K%", "_UN", "%ann%", "zoË%", "%\\%B", "a\\_b", "%^%", "%İ%", "%_ß_%", "x\\\\Y", "%fi%",
)  # fmt: skip
TABLES = "CREATE TABLE w (id int PRIMARY KEY, t text, p text); " + (
    "INSERT INTO w SELECT at, word, upper(word) FROM unnest(ARRAY[{}]) WITH ORDINALITY AS x (word, at); INSERT INTO w VALUES (0)"
).format(", ".join("'" + word.replace("%", "%%") + "'" for word in WORDS))
FORMS = (
    "t ILIKE {}",
    "NOT t ILIKE {}",
    "t || '' ILIKE {}",
    "UPPER(t::text) LIKE UPPER({})",
    "lower(t) LIKE lower({})",
    "lower(t) LIKE {}",
    "upper(t) LIKE {}",
    "upper(t) ILIKE {}",
    "UPPER(t) NOT LIKE UPPER({})",
    "lower(t) = lower({})",
    "upper({}) = upper(t::text)",
    "lower(t) = {}",
    "NOT upper(t) = {}",
    "(lower(t || 'ς') = lower({})) IS NULL OR t = 'K'",
    "lower(t || 'ς') = lower({} || 'Σ')",
)
GIVEN_FORMS = (*FORMS, "t ILIKE '%%' || {} || '%%'", "UPPER(t) LIKE UPPER('%%' || {} || '%%')")


words = beside_of(TABLES, made=EVERY_LETTER, scope="module")


def _rows(words: Beside, condition: str, values: dict[str, object] | None = None) -> None:
    sql = f"SELECT id FROM w WHERE {condition} ORDER BY id"
    asked = sql if values else sql.replace("%", "%%")
    assert words.ours(sql, values) == words.theirs(asked, values), (condition, values)


@pytest.mark.thorough
@pytest.mark.parametrize("form", FORMS)
def test_constants(words: Beside, form: str) -> None:
    """Every pattern as a constant."""
    for pattern in sample(PATTERNS, one_in=4, first=FORMS.index(form)):
        _rows(words, form.format(f"'{pattern}'"))


@pytest.mark.one_in(7)
@pytest.mark.parametrize("form", GIVEN_FORMS)
def test_patterns_given_as_parameters(words: Beside, form: str) -> None:
    """Every pattern as a parameter, alone or between constants; NULL too."""
    sql = form.format(":q")
    for pattern in (*sample(PATTERNS, one_in=4, first=GIVEN_FORMS.index(form)), None):
        theirs = words.theirs(f"SELECT id FROM w WHERE {sql} ORDER BY id", {"q": pattern})
        assert words.ours(f"SELECT id FROM w WHERE {sql.replace('%%', '%')} ORDER BY id", {"q": pattern}) == theirs, (
            pattern
        )


@pytest.mark.parametrize(
    "condition", ["t ILIKE p", "p ILIKE t || '%'", "t ILIKE ALL (ARRAY[lower(t)])", "t ILIKE 'xaX%b' ESCAPE 'x'"]
)
def test_other_patterns(words: Beside, condition: str) -> None:
    """Of columns, by the lower case of both sides; a letter that escapes has no case."""
    told = words.gap(f"SELECT id FROM w WHERE {condition}")
    if not told:
        _rows(words, condition.replace("\\", ""))


@pytest.mark.thorough
def test_every_letter(words: Beside) -> None:
    """A letter of the Basic Multilingual Plane, or beyond, is those PostgreSQL finds."""
    codes = [code for code in range(1, 0x1F000) if not 0xD800 <= code < 0xE000 and known_case(chr(code))]
    with words.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TEMP TABLE l AS SELECT chr(x) AS t FROM unnest(%s::int[]) x", (codes,))
        found = connection.exec_driver_sql("SELECT lower(t), array_agg(t) FROM l GROUP BY 1 HAVING count(*) > 1").all()
    assert len(found) > 1400
    classes = {lower: sorted(alike) for lower, alike in found}
    cased = "".join(letter for alike in classes.values() for letter in alike)
    for lower, alike in classes.items():
        assert sorted(re.findall(becomes(lower, upper=False), cased)) == alike, lower
    letters = words.database["letters"]
    letters.insert_many([{"t": letter} for letter in cased])
    for lower in ("i", "k", "s", "σ", "ა", "ꭰ", "𐐨", *[*classes][::60]):
        regex = f"^{becomes(lower, upper=False)}\\z"
        assert sorted(row["t"] for row in letters.find({"t": {"$regex": regex}})) == classes[lower], lower
    in_no_class = "".join({chr(code) for code in codes} - {*cased})
    assert all(becomes(character, upper=False) == escaped(character) for character in in_no_class)


def test_plain_letters_stay_plain(words: Beside) -> None:
    """The server's own rule where it is PostgreSQL's, and one condition on the field in any case."""

    def regex_of(condition: str) -> str:
        found = pipeline.convert(words.proposal, f"SELECT id FROM w WHERE {condition}", dialect="postgresql")
        assert isinstance(found, CompiledRead)
        return read_shell(found)

    assert '{t: {$regex: "ann", $options: "i"}}' in regex_of("t ILIKE '%ann%'")
    assert '{t: {$regex: "^[Iiİ][Ss]"}}' in regex_of("t ILIKE 'is%'")
    assert "{t: {$regex: " in regex_of("UPPER(t::text) LIKE UPPER('%sun%')")


def test_an_equality_asks_the_text_itself(words: Beside) -> None:
    """No letter of a row is looked up in a table, and `%` is one."""
    for condition, regex in (
        ("lower(t) = 'a_b'", '{t: {$regex: "^[Aa]_[Bb]\\\\z"}}'),
        ("lower(t) = lower('A%')", '{t: {$regex: "^[Aa]%\\\\z"}}'),
    ):
        found = pipeline.convert(words.proposal, f"SELECT id FROM w WHERE {condition}", dialect="postgresql")
        assert isinstance(found, CompiledRead)
        assert regex in read_shell(found)
    given = pipeline.convert(words.proposal, "SELECT id FROM w WHERE lower(t) = lower(:q)", dialect="postgresql")
    assert isinstance(given, CompiledRead)
    assert len(read_shell(given)) < 400
    assert "where lower(w.t) = lower(:q)" in given.access_path


@pytest.mark.thorough
def test_long_texts(words: Beside) -> None:
    """A class for each of so many letters would be too large a regular expression for the server."""
    for text in ("abxyz" * 1200, "Kſtraße)(a" * 200, "a" * 201 + "%" + ")b\\(?i:x)" * 9, "i" * 1500):
        with words.engine.begin() as connection:
            connection.exec_driver_sql("DELETE FROM w WHERE id > 1000")
            connection.exec_driver_sql(
                "INSERT INTO w VALUES (1001, %s, NULL), (1002, %s, NULL)", (text.upper(), text + "x")
            )
        words.database["w"].delete_many({"_id": {"$gt": 1000}})
        words.database["w"].insert_many([{"_id": 1001, "t": text.upper()}, {"_id": 1002, "t": text + "x"}])
        for form in ("lower(t) = lower(:q)", "upper(t) = upper(:q)", "lower(t) = :q", "lower(t) LIKE lower(:q)"):
            _rows(words, form, {"q": text})
    words.database["w"].delete_many({"_id": {"$gt": 1000}})
    with words.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM w WHERE id > 1000")


def test_what_is_written_makes_it_too(words: Beside) -> None:
    """A module has the letters with it; for mongosh the parameter has a name of its own."""
    read = pipeline.convert(words.proposal, "SELECT id FROM w WHERE t ILIKE :q ORDER BY id", dialect="postgresql")
    assert isinstance(read, CompiledRead)
    assert "q_regex" in read_shell(read)
    names: dict[str, Any] = {}
    exec(module([replace(read, name="found")]), names)
    for pattern in (*PATTERNS, None):
        rows = names["found"](words.database, q=pattern)
        assert [(row["id"],) for row in rows] == [*run_read(words.database, read, {"q": pattern})], pattern


def test_letters_that_differ_from_one_server_to_another(words: Beside) -> None:
    """Unicode 16 gave `ƛ` a capital: a constant is a gap, a parameter refused, and a text fails only where its case is needed."""
    assert "the case of the letters of `ƛ%`" in words.gap("SELECT id FROM w WHERE t ILIKE 'ƛ%'")
    with pytest.raises(WorkloadError, match="PostgreSQL servers differ"):
        words.ours("SELECT id FROM w WHERE t ILIKE :q", {"q": "ƛ"})


@pytest.mark.parametrize("pattern", ["é", "^ǅ", "[a-z]ë", "Ⅸ|ß", "Σ$", "ſ", "İ", "ı", "k|é", "K", "zo[^a-d]|é", "ა"])
def test_regular_expressions(words: Beside, pattern: str) -> None:
    """`~*` looks for the lower and the upper case of each letter."""
    _rows(words, f"t ~* '{pattern}'")
    _rows(words, f"NOT t ~* '{pattern}'")
