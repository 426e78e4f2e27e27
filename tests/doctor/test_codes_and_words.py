"""Digits that are codes, words that are booleans, and decimals beside doubles: which type the field gets."""

from __future__ import annotations

from typing import Any

import pytest
from bson import Decimal128, ObjectId
from pymongo.database import Database

from nestling.ir.finding import Confidence, Finding
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _mixed(database: Db, *, documents: int = 10_000, whole: bool = False) -> Finding:
    (finding,) = [
        each for each in found(look(database, documents=documents, whole=whole)) if each.rule == "mixed-types"
    ]
    return finding


def _mend(database: Db) -> None:
    for command in _mixed(database).commands:
        run(database.client, command)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("texts", [80, 50, 20])
@pytest.mark.parametrize("name", ["zip", "postalCode", "phone_number", "sku", "licensePlate", "shippingZip"])
def test_what_is_named_as_a_code_becomes_texts(database: Db, name: str, texts: int) -> None:
    """However many are numbers: nobody adds them up. That is likely, not certain; no text has zeros to lose."""
    database.things.insert_many({"_id": n, name: str(10_000 + n) if n < texts else 10_000 + n} for n in range(100))
    finding = _mixed(database)
    assert finding.confidence is Confidence.LIKELY
    assert "leading zeros" not in finding.remedy
    _mend(database)
    assert [each[name] for each in database.things.find(sort=[("_id", 1)])] == [str(10_000 + n) for n in range(100)]


@pytest.mark.parametrize(("documents", "whole"), [(10_000, False), (100, True)])
def test_numbers_get_back_the_zeros_they_lost(database: Db, documents: int, whole: bool) -> None:
    """Where all texts have as many digits, whatever the field is called; in arrays, too."""
    codes = [f"{n * 37:05}" for n in range(1_000)]
    depots: list[Any] = [int(code) if n % 7 == 0 else code for n, code in enumerate(codes)]
    depots[14] = float(depots[14])
    database.things.insert_many({"_id": n, "depot": each, "all": [{"depot": each}]} for n, each in enumerate(depots))
    findings = [each for each in found(look(database, documents=documents, whole=whole)) if each.rule == "mixed-types"]
    assert len(findings) == 2
    for finding in findings:
        assert "Numbers get the leading zeros they have lost: all texts have 5 digits." in finding.remedy
        for command in finding.commands:
            run(database.client, command)
    after = list(database.things.find(sort=[("_id", 1)]))
    assert [each["depot"] for each in after] == codes
    assert [each["all"] for each in after] == [[{"depot": code}] for code in codes]


def test_zeros_that_nobody_knows_are_spoken_of(database: Db) -> None:
    """Texts with leading zeros of several widths: the numbers stay as they are written."""
    values: list[Any] = [f"0{n}" if n % 3 else n for n in range(1, 300)]
    database.things.insert_many({"_id": n, "code": each} for n, each in enumerate(values))
    assert "lost their leading zeros" in _mixed(database).remedy
    _mend(database)
    assert [each["code"] for each in database.things.find(sort=[("_id", 1)])] == [str(each) for each in values]


def test_codes_in_arrays_become_texts(database: Db) -> None:
    """Postal codes of addresses in an array, four in five of them texts."""
    addresses = [[{"zip": str(20_000 + n) if n % 5 else 20_000 + n, "city": n}] for n in range(100)]
    database.users.insert_many({"_id": n, "addresses": each} for n, each in enumerate(addresses))
    _mend(database)
    assert [each["addresses"] for each in database.users.find(sort=[("_id", 1)])] == [
        [{"zip": str(20_000 + n), "city": n}] for n in range(100)
    ]


@pytest.mark.parametrize(
    ("name", "texts", "kind"),
    [
        *(("x", 60, int), ("x", 40, int), ("rent", 75, int), ("views", 90, int), ("numberOfStars", 90, int)),
        *(("order_no", 60, str), ("userId", 60, str), ("userId", 40, int)),
    ],
)
def test_texts_that_are_whole_numbers_become_numbers(database: Db, name: str, texts: int, kind: type) -> None:
    """Whatever the field is called and however many they are, but for ids, which become what most are."""
    database.things.insert_many({"_id": n, name: str(n) if n < texts else n} for n in range(100))
    _mend(database)
    assert [each[name] for each in database.things.find(sort=[("_id", 1)])] == [kind(n) for n in range(100)]


def test_words_of_booleans_become_booleans(database: Db) -> None:
    """Though most are texts; other words stay, and are spoken of."""
    words = ["true", "false", "yes", "NO", "On", "off"]
    values: list[Any] = [words[n % 6] if n % 4 else n % 8 == 0 for n in range(200)]
    database.things.insert_many({"_id": n, "active": each} for n, each in enumerate([*values, "perhaps"]))
    finding = _mixed(database)
    assert "1 cannot be read as bool" in finding.remedy
    _mend(database)
    after = [each["active"] for each in database.things.find(sort=[("_id", 1)])]
    expected = [each if isinstance(each, bool) else each.lower() in ("true", "yes", "on") for each in values]
    assert after == [*expected, "perhaps"]


def test_words_of_booleans_in_arrays_become_booleans(database: Db) -> None:
    """Of documents in an array, and nothing else in it."""
    flags = [[{"on": "false" if n % 2 else True, "n": n}] for n in range(60)]
    database.things.insert_many({"_id": n, "flags": each} for n, each in enumerate(flags))
    _mend(database)
    assert [each["flags"] for each in database.things.find(sort=[("_id", 1)])] == [
        [{"on": not n % 2, "n": n}] for n in range(60)
    ]


@pytest.mark.parametrize(("documents", "whole"), [(10_000, False), (100, True)])
def test_a_few_bits_among_booleans_become_booleans(database: Db, documents: int, whole: bool) -> None:
    """Not the many booleans numbers; what is neither 0 nor 1 leaves the choice to people, and so does a majority of numbers."""
    values: list[Any] = [n % 2 == 0 if n % 40 else (n // 40 % 2) for n in range(1_000)]
    database.things.insert_many({"_id": n, "active": each} for n, each in enumerate(values))
    finding = _mixed(database, documents=documents, whole=whole)
    assert finding.remedy.startswith("Convert what is not bool (25 of type number) to bool")
    _mend(database)
    assert [each["active"] for each in database.things.find(sort=[("_id", 1)])] == [bool(each) for each in values]
    database.things.update_many({"_id": {"$mod": [50, 0]}}, {"$set": {"active": 2}})
    assert "choose one" in _mixed(database, documents=documents, whole=whole).remedy
    database.things.update_many({}, [{"$set": {"active": {"$cond": [{"$lt": ["$_id", 800]}, 1, True]}}}])
    assert "choose one" in _mixed(database, documents=documents, whole=whole).remedy


def test_bits_and_words_in_arrays_become_booleans(database: Db) -> None:
    """Of documents in an array: each of the forms that programs give a flag."""
    forms: list[Any] = [True, False, True, 1, 0.0, "no", "true", True]
    database.things.insert_many({"_id": n, "flags": [{"on": each} for each in forms]} for n in range(20))
    _mend(database)
    first = database.things.find_one({"_id": 0})
    assert first is not None
    assert [each["on"] for each in first["flags"]] == [True, False, True, True, False, False, True, True]


@pytest.mark.thorough
@pytest.mark.parametrize(("documents", "whole"), [(10_000, False), (100, True)])
def test_decimals_beside_doubles_are_found(database: Db, documents: int, whole: bool) -> None:
    """A query for 0.1 finds half of them; afterwards it finds all. Counted by the server, the numbers are the same."""
    amounts = [(n % 10) / 10 for n in range(1_000)]
    database.payments.insert_many(
        {"_id": n, "amount": each if n // 10 % 2 else Decimal128(str(each))} for n, each in enumerate(amounts)
    )
    assert database.payments.count_documents({"amount": Decimal128("0.1")}) == 50
    finding = _mixed(database, documents=documents, whole=whole)
    assert finding.message.startswith("decimal in 500, double with a fraction in 400 (")  # 0.0 and 0.5 are equal
    _mend(database)
    assert database.payments.count_documents({"amount": Decimal128("0.1")}) == 100
    assert not [each for each in found(look(database)) if each.rule == "mixed-types"]


def test_numbers_that_are_equal_are_of_one_type(database: Db) -> None:
    """Whole doubles, and halves and quarters, equal the decimals of the same digits."""
    values = [1.0, 0.5, 2.25, Decimal128("0.1"), Decimal128("7"), 3]
    database.things.insert_many({"_id": n, "x": values[n % 6]} for n in range(120))
    assert not [each for each in found(look(database)) if each.rule == "mixed-types"]


@pytest.mark.parametrize("alone", [True, False])
def test_values_a_unique_index_would_find_equal_are_told_before(database: Db, alone: bool) -> None:
    """3 and "3": the second command finds them; once one of them is set right, the conversion goes through."""
    database.things.insert_many({"_id": n, "sku": str(n) if n % 3 else n, "shop": 1} for n in range(90))
    database.things.insert_one({"_id": 100, "sku": "3", "shop": 1})
    if not alone:
        database.things.insert_one({"_id": 101, "sku": "3", "shop": 2})
    database.things.create_index([("sku", 1)] if alone else [("shop", 1), ("sku", 1)], unique=True)
    finding = _mixed(database)
    assert "the second command finds those that would be" in finding.remedy
    find, equal, *convert = finding.commands
    assert len(run(database.client, find)) == 30
    (pair,) = run(database.client, equal)
    assert sorted(pair["documents"]) == [3, 100]
    database.things.delete_one({"_id": 100})
    for command in convert:
        run(database.client, command)
    assert run(database.client, find) == []


def test_collections_of_one_family_get_one_type(database: Db) -> None:
    """Each month has another majority of texts and numbers; what suits all of them is advised for each."""
    for month, texts in enumerate((30, 70, 40)):
        database[f"events_2025_{month}"].insert_many(
            {"_id": n, "raw": f"w{n}" if n < texts else float(n)} for n in range(100)
        )
    findings = [each for each in found(look(database)) if each.rule == "mixed-types"]
    assert len(findings) == 3
    advice = {each.remedy.split(" (")[0] for each in findings}
    assert len(advice) == 1, advice


@pytest.mark.parametrize("other", [True, ObjectId()])
def test_what_texts_do_not_mean_stays(other: object, database: Db) -> None:
    """Neither ids beside words nor switches beside words become texts: no conversion is proposed."""
    database.things.insert_many({"by": "system" if n % 3 else other} for n in range(300))
    (finding,) = [each for each in found(look(database)) if each.rule == "mixed-types"]
    assert finding.remedy.startswith("None of these types can hold the values of the others")
    assert not any("update" in command for command in finding.commands)
