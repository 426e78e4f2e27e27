"""What people should know of values in a MariaDB that MongoDB keeps or compares otherwise."""

from __future__ import annotations

import pytest
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import ConstraintError, LoadError
from nestling.ir.constraints.allowed import Allowed
from nestling.ir.types import BOOLEAN, INTEGER
from tests.beside_mariadb import Both, beside_mariadb, both_of

_SCRIPT = """
CREATE TABLE customer (id int unsigned AUTO_INCREMENT PRIMARY KEY, vat varchar(20) UNIQUE, name varchar(40), note varchar(20),
  mood varchar(20) COLLATE utf8mb4_general_ci, word varchar(20) COLLATE utf8mb4_nopad_bin, is_active tinyint(1),
  is_old tinyint(1), stock smallint unsigned, rate decimal(5,2) unsigned, weight double unsigned, seen bigint);
INSERT INTO customer VALUES (1, 'a ', 'x', 'n ', 'sad', 'w ', 1, 0, 5, 1.5, 2.5, 7),
  (2, 'b', 'y', 'n ', '\U0001f600', 'w', 2, 1, 6, 0, 0, -7)
"""
both = both_of(_SCRIPT, "normalized")


@pytest.mark.thorough
def test_notes_name_columns_and_values(both: Both) -> None:
    """Blanks at the end, what is unique first; rare characters; flags that are none; widths."""
    blanks, rare, flag, width = (
        next(note for note in both.proposal.notes if word in note)
        for word in ("PAD SPACE", "U+FFFF", "tinyint(1)", "64 bits")
    )
    assert "`customer.vat` (1 row, in a unique key), `customer.note` (2 rows) end in blanks" in blanks
    assert "customer.word" not in blanks
    assert "TRIM" in blanks
    assert "`customer.mood` (1 row) has characters beyond" in rare
    assert "`customer.is_active` is tinyint(1) and holds 2 (1 row)" in flag
    assert "is_old" not in flag
    assert "`customer.id`, `customer.stock` are integers of less than 64 bits" in width


def test_without_such_values_one_note_says_how_texts_compare(
    mariadb: str, database: Database[dict[str, object]]
) -> None:
    """Before the first blank is written."""
    with beside_mariadb(
        mariadb, database, "CREATE TABLE t (id bigint PRIMARY KEY, name varchar(9))", "normalized"
    ) as found:
        (note,) = found.proposal.notes
        assert "1 column, where no text ends in a blank yet" in note


def test_unsigned_is_a_range(both: Both) -> None:
    """Of every unsigned number, refused below 0 as there; the truth of a flag needs none."""
    customer = both.proposal.design.model.entity("customer")
    allowed = {each.name for each in customer.attributes if each.allowed == Allowed(minimum=0)}
    assert allowed == {"id", "stock", "rate", "weight"}
    assert (customer.attribute("is_old").type, customer.attribute("is_active").type) == (BOOLEAN, INTEGER)
    store = Store(both.proposal, both.database)
    for sql in (
        "UPDATE customer SET stock = -1 WHERE id = 1",
        "UPDATE customer SET stock = :n WHERE id = 1",
        "UPDATE customer SET rate = -0.5 WHERE id = 1",
        "INSERT INTO customer (id) VALUES (-5)",
    ):
        with pytest.raises(ConstraintError):
            store.execute(sql, **({"n": -3} if ":n" in sql else {}))
    store.execute("UPDATE customer SET stock = 0 WHERE id = 1")


@pytest.mark.thorough
def test_true_and_false_are_numbers(both: Both) -> None:
    """A flag with a stray 2 is an integer, to which MySQL takes TRUE and FALSE as 1 and 0."""
    store = Store(both.proposal, both.database)
    store.execute("UPDATE customer SET is_active = :b WHERE id = 2", b=True)
    store.execute("UPDATE customer SET is_active = FALSE, rate = TRUE WHERE id = 1")
    found = store.execute("SELECT id FROM customer WHERE is_active = TRUE")
    assert [row["id"] for row in found] == [2]
    assert [row["id"] for row in store.execute("SELECT id FROM customer WHERE is_active = :b", b=False)] == [1]
    assert both.database["customer"].find_one({"_id": 1}, {"is_active": 1, "_id": 0}) == {"is_active": 0}


def test_rows_that_clash_are_named_with_their_keys(mariadb: str, database: Database[dict[str, object]]) -> None:
    """Two addresses that the source tells apart, and MongoDB's collation does not."""
    script = (
        "CREATE TABLE person (id int PRIMARY KEY, mail varchar(40) UNIQUE);\n"
        "INSERT INTO person VALUES (7, 'bo@x.de'), (9, 'bø@x.de'), (11, 'al@x.de')"
    )
    with pytest.raises(LoadError) as error, beside_mariadb(mariadb, database, script, "normalized"):
        pass
    said = str(error.value)
    assert "_id: 7" in said
    assert "_id: 9" in said
    assert "bø@x.de" in said
    assert "_id: 11" not in said


def test_ddl_says_the_same(both: Both) -> None:
    """UNSIGNED and widths are read from text too."""
    from nestling.sources.ddl.read import read_ddl

    reading = read_ddl(
        "CREATE TABLE t (a int unsigned, b double zerofill, c serial, d tinyint(1) unsigned, e bigint);",
        "shop",
        dialect="mysql",
    )
    allowed = {each.name for each in reading.model.entity("t").attributes if each.allowed == Allowed(minimum=0)}
    assert allowed == {"a", "b", "c"}
    assert any("`t.a` is an integer of less than 64 bits" in note for note in reading.notes)
