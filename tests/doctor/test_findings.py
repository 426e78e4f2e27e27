"""What findings say in cases the planted faults do not have, each once a false or useless finding on real data."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from bson import Binary, Decimal128, Int64, ObjectId
from pymongo.database import Database

from nestling.doctor.report import report
from nestling.doctor.reports.wording import measure, subject, verdict
from nestling.ir.finding import Finding, Severity
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _of(database: Db, rule: str) -> dict[str, Finding]:
    return {each.path: each for each in found(look(database)) if each.rule == rule}


def test_fields_of_another_kind_of_document_are_not_missing(database: Db) -> None:
    """What is missing together with others is of another kind of document; what is missing alone, beside nulls, is told."""
    pushes = [{"n": n, "ref": "a", "head": None if n % 2 else "x"} for n in range(20)]
    others = [{"n": n, "sender": "b", **({"note": None} if n % 3 == 0 else {})} for n in range(40)]
    database.events.insert_many(pushes + others)
    assert set(_of(database, "null-or-missing")) == {"note"}


def test_a_value_or_a_list_becomes_a_list(database: Db) -> None:
    """A query finds a value in an array, so that is not what it costs; the command makes arrays of what is none."""
    database.things.insert_many([{"kind": "case"}, {"kind": "case"}, {"kind": ["case", "bag"]}, {"kind": None}])
    finding = _of(database, "mixed-types")["kind"]
    assert "array" in finding.remedy
    assert " miss " not in finding.cost
    run(database.client, finding.commands[-1])
    assert [each["kind"] for each in database.things.find().sort("_id")] == [["case"], ["case"], ["case", "bag"], None]


@pytest.mark.parametrize(
    ("stored", "text", "made"),
    [(7, "8", 8), (1 << 40, "8", Int64(8)), (1.5, "8", 8.0), (Decimal128("1.50"), "8.10", Decimal128("8.10"))],
)
def test_texts_become_numbers_of_the_kind_there_is(database: Db, stored: object, text: str, made: object) -> None:
    """Money kept as decimals is not made a float of, nor an integer that others refer to."""
    database.things.insert_many([{"price": 1}, {"price": stored}, {"price": stored}, {"price": text}])
    run(database.client, _of(database, "mixed-types")["price"].commands[-1])
    *_, last = (each["price"] for each in database.things.find().sort("_id"))
    assert (last, type(last)) == (made, type(made))


@pytest.mark.parametrize(("levels", "severity"), [(3, None), (4, Severity.INFO), (5, Severity.WARNING)])
def test_one_level_more_is_a_hint(database: Db, levels: int, severity: Severity | None) -> None:
    """`--fail-on warning` fails from two levels more than the limit on."""
    inner: object = 1
    for _ in range(levels + 1):
        inner = {"a": inner}
    database.things.insert_many([{"n": n, **inner} for n in range(3) if isinstance(inner, dict)])
    assert [each.severity for each in _of(database, "deep-nesting").values()] == [severity] * (severity is not None)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("long", "many", "severity"), [(390, 1, Severity.INFO), (410, 1, Severity.WARNING), (390, 9, Severity.WARNING)]
)
def test_a_few_arrays_that_are_not_twice_too_long_are_a_hint(
    database: Db, long: int, many: int, severity: Severity
) -> None:
    """Where more than one in a hundred is too long, or one is by much, it is a warning."""
    rows = [{"n": n, "parts": [{"p": 1}] * (long if n < many else 3)} for n in range(400)]
    database.things.insert_many(rows)
    assert _of(database, "unbounded-array")["parts"].severity is severity


def test_what_cannot_be_converted_stays(database: Db) -> None:
    """No value is lost by the command: what is no number stays as it is, and the first command finds it."""
    database.things.insert_many(
        [{"price": 1.5}, {"price": 2}, {"price": "3"}, {"price": "on request"}, {"price": None}]
    )
    finding = _of(database, "mixed-types")["price"]
    assert "stay as they are; run the first command again to find them" in finding.remedy
    run(database.client, finding.commands[-1])
    assert [each["price"] for each in database.things.find().sort("_id")] == [1.5, 2, 3.0, "on request", None]
    assert [each["price"] for each in run(database.client, finding.commands[0])] == ["on request"]


@pytest.mark.parametrize(
    "values", [[True, False, True, "perhaps"], [datetime(2026, 1, 1, tzinfo=UTC)] * 2 + [ObjectId()]]
)
def test_what_would_lose_its_value_is_not_converted(database: Db, values: list[object]) -> None:
    """Any other text is a true boolean to the server, and of an ObjectId only its second is a date: they are only shown."""
    database.things.insert_many([{"kind": value} for value in values])
    (command,) = _of(database, "mixed-types")["kind"].commands
    assert [each["kind"] for each in run(database.client, command)] == values[-1:]


DAY = datetime(2024, 1, 2, tzinfo=UTC)
DATES = [
    "2024-01-02",
    "2024-01-02 10:00",
    "2024-01-02 10:00:00",
    "2024-01-02T10:00:00.123Z",
    "2024-02-29T10:00:00+02:00",
]
NUMERALS = ["5", "-5", "5.5", "0.25", "5000000000", "12345678901234567890", "-1.50", "123456789012345678901234.5"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    ("values", "types"),
    [
        ([*DATES, *DATES, DAY], {"date"}),
        ([*NUMERALS, *range(9)], {"int", "long", "decimal"}),
        (["5", "-5", "5.5", "0.25", "5000000000", *[5.5] * 6], {"double"}),
        ([*NUMERALS, 5], {"int", "long", "decimal"}),
        (["01067", 1067, 1099.0, Int64(1)], {"string"}),
        ([str(ObjectId()), str(ObjectId()), ObjectId()], {"objectId"}),
        (["a", "b", "5", 5], {"string"}),
        ([5, 6, True], {"int"}),
        ([*NUMERALS, *range(9), False], {"int", "long", "decimal"}),
    ],
)
def test_a_proposed_conversion_leaves_one_type(
    database: Db, values: list[object], types: set[str], whole: bool
) -> None:
    """Dates however many there are, numbers where texts are nearly all such, else texts; every form counted is converted."""
    database.things.insert_many([{"at": value} for value in values])
    (finding,) = [each for each in found(look(database, whole=whole)) if each.rule == "mixed-types"]
    run(database.client, finding.commands[-1])
    assert {row["_id"] for row in database.things.aggregate([{"$group": {"_id": {"$type": "$at"}}}])} == types
    assert "at" not in _of(database, "mixed-types")


@pytest.mark.parametrize(
    "values",
    [
        [1_700_000_000] * 3 + ["2024-01-02"] * 2 + [DAY],
        [1_700_000_000_000] * 3 + [DAY] * 2,
        [DAY] * 3 + ["tomorrow"],
        [5, 6, "on request"],
        [{"a": 1}, {"a": 2}, "text"],
        [{"a": 1}, {"a": 2}, [1], "text"],
        [5, 6, ObjectId()],
        [1.5, 2.5, "1.10"],
        [5, 6, "+7"],
        [5, 6, "-0"],
        [5.5, 6.5, "9007199254740993"],
        [5, 6, "7" * 35],
    ],
)
def test_no_conversion_is_proposed_where_none_fits(database: Db, values: list[object]) -> None:
    """The counts are named, and the only command shows the rare values."""
    database.things.insert_many([{"at": value} for value in values])
    finding = _of(database, "mixed-types")["at"]
    assert len(finding.commands) == 1
    assert "None of these types can hold the values of the others" in finding.remedy
    assert all(f"{kind} in {times}" in finding.remedy for kind, times in dict(finding.evidence).items())
    assert 0 < len(run(database.client, finding.commands[0])) < len(values)


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        ([f"{30_000_000 + n:09}" for n in range(60)], [3_012_345] * 3),
        ([f"{n:020}" for n in range(60)], [5, Int64(1 << 40)]),
        (["01067"] * 3, [10115] * 60),
        (["1.10", "1e3"] * 30, [2, 3_012_345.0, Decimal128("8.10")]),
    ],
)
def test_no_text_loses_what_it_says(database: Db, texts: list[str], numbers: list[Any]) -> None:
    """Digits behind a zero, and texts mostly written otherwise, stay: the numbers become texts, and all is said alike."""
    database.things.insert_many([{"n": n, "at": value} for n, value in enumerate([*texts, *numbers])])
    finding = _of(database, "mixed-types")["at"]
    assert finding.message.endswith("are not string)")
    assert finding.number == len(numbers)
    assert f"({len(numbers)} of type number) to string" in finding.remedy
    run(database.client, finding.commands[-1])
    width = len(texts[0]) if texts[0].startswith("0") else 0  # of codes, whose zeros the numbers have lost
    written = [str(int(each) if isinstance(each, float) else each).zfill(width) for each in numbers]
    assert [each["at"] for each in database.things.find().sort("n")] == [*texts, *written]


def test_a_conversion_leaves_what_the_sample_did_not_show(database: Db) -> None:
    """Texts that no number would be written as, numbers of many digits and dates in other orders are not guessed at."""
    database.things.insert_many([{"n": n, "at": n if n % 9 else str(n)} for n in range(90)])
    command = _of(database, "mixed-types")["at"].commands[-1]
    odd = ["007", "+5", "1e3", "5.", " 5", "-0", "NaN"]
    database.things.insert_many({"n": "odd", "at": text} for text in odd)
    run(database.client, command)
    assert [each["at"] for each in database.things.find({"n": "odd"}).sort("_id")] == odd
    database.things.delete_many({})
    database.things.insert_many([{"at": "2024-01-02"}, {"at": DAY}, {"at": DAY}])
    command = _of(database, "mixed-types")["at"].commands[-1]
    database.things.insert_many({"n": "odd", "at": text} for text in ["01/02/2024", "20240102"])
    run(database.client, command)
    assert [each["at"] for each in database.things.find({"n": "odd"})] == ["01/02/2024", "20240102"]
    database.things.delete_many({})
    database.things.insert_many([{"at": "x"}, {"at": "y"}, {"at": "z"}, {"at": 0.1}, {"at": 0.1 + 0.2}])
    run(database.client, _of(database, "mixed-types")["at"].commands[-1])
    assert [each["at"] for each in database.things.find()] == ["x", "y", "z", "0.1", 0.1 + 0.2]


def test_references_are_looked_up_wherever_they_lie(database: Db) -> None:
    """Those that dangle are found where they are the last in order, as the newest are, and the texts among numbers."""
    database.users.insert_many([{"_id": n} for n in range(600)])
    database.posts.insert_many([{"user_id": n if n < 600 else str(n)} for n in range(900)])
    finding = _of(database, "dangling-reference")["user_id"]
    assert finding.number == 300


def test_an_id_is_not_converted(database: Db) -> None:
    """No update changes an `_id`: the documents are stored anew."""
    database.things.insert_many([{"_id": 1}, {"_id": 2}, {"_id": "three"}])
    finding = _of(database, "mixed-types")["_id"]
    assert finding.remedy.startswith("Rewrite these documents")
    assert not [each for each in finding.commands if "update" in each]


def test_one_is_not_said_as_many(database: Db) -> None:
    """A count of one has its noun in the singular, in sentences and in what was measured."""
    database.things.insert_one({"a": 1})
    facts = look(database)
    findings = found(facts)
    said = (subject(facts), verdict(report(facts, findings)), findings[0].message, measure(findings[0]))
    assert [part.split(": ")[-1] for part in said[:1]] == ["1 collection, 1 document, 29 bytes"]
    assert said[1:3] == ("1 info", "1 document and no validator")
    assert said[3].startswith("1 document (threshold 0 documents")


def test_one_of_each_is_in_the_singular(database: Db) -> None:
    """One value looked up, one document that stays, one link and copy compared: no sentence has a plural behind a 1."""
    database.users.insert_one({"_id": ObjectId(), "name": "Ada"})
    database.sessions.insert_one({"user_id": ObjectId(), "expires_at": datetime(2099, 1, 1, tzinfo=UTC), " a": 1})
    database.command("collMod", "sessions", validator={"$jsonSchema": {"required": ["lost"]}}, validationAction="warn")
    findings = found(look(database), thresholds={"unindexed-reference.documents": 0, "deep-nesting.levels": 0})
    assert {"dangling-reference", "missing-ttl", "weak-validator", "awkward-field-names"} <= {e.rule for e in findings}
    said = [text for each in findings for text in (each.message, each.cost, each.remedy, measure(each))]
    assert [text for text in said if re.search(r"(?<![\d.,])1 (?!is\b|has\b)\w+s\b", text)] == []


def test_documents_that_a_collection_deletes_by_their_id_expire(database: Db) -> None:
    """A clustered collection with `expireAfterSeconds` deletes what is old: its date of expiry needs no index."""
    database.create_collection("sessions", clusteredIndex={"key": {"_id": 1}, "unique": True}, expireAfterSeconds=3600)
    database.sessions.insert_many(
        [
            {"_id": datetime(2099, 1, day, tzinfo=UTC), "expires_at": datetime(2099, 2, day, tzinfo=UTC)}
            for day in range(1, 9)
        ]
    )
    assert _of(database, "missing-ttl") == {}
    database.command("collMod", "sessions", expireAfterSeconds="off")
    assert set(_of(database, "missing-ttl")) == {"expires_at"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "field", "is_proposed"),
    [
        ("sessions", "expires_at", True),
        ("refreshTokens", "expiresAt", True),
        ("access_log", "valid_until", True),
        ("things", "delete_at", True),
        ("coupons", "valid_to", False),
        ("catalogs", "expires_at", False),
        ("cards", "expiry_date", False),
    ],
)
@pytest.mark.parametrize("indexed", [False, True])
def test_nothing_deletes_what_may_be_business_data(
    database: Db, name: str, field: str, is_proposed: bool, indexed: bool
) -> None:
    """A TTL index is proposed where names say that documents do not outlive their date, on indexed fields too; else asked for."""
    database[name].insert_many({field: datetime(2099, 1, day, tzinfo=UTC)} for day in range(1, 9))
    if indexed:
        database[name].create_index(field)
    finding = _of(database, "missing-ttl")[field]
    assert finding.severity is (Severity.WARNING if is_proposed else Severity.INFO)
    assert len(finding.commands) == is_proposed
    assert ("accept this finding" in finding.remedy) is not is_proposed
    for command in finding.commands:
        run(database.client, command)
    assert set(_of(database, "missing-ttl")) == (set() if is_proposed else {field})


@pytest.mark.parametrize("texts", [["0000-00-00", "2024-00-15"], ["infinity", "10000-01-01", "0044-03-15 BC"]])
@pytest.mark.parametrize("documents", [10_000, 200])
def test_dates_that_no_date_can_be_stay_texts(database: Db, texts: list[str], documents: int) -> None:
    """What a source has for dates and BSON has not is no fault, however much of it there is; any other text is."""
    rows = [{"n": n, "at": texts[n % len(texts)] if n % 3 else datetime(2024, 1, 1, tzinfo=UTC)} for n in range(900)]
    database.things.insert_many(rows)
    mixed = [each for each in found(look(database, documents=documents)) if each.rule == "mixed-types"]
    assert mixed == []
    database.things.update_many({"n": {"$lt": 300}}, {"$set": {"at": "2024-01-01 10:00:00"}})
    assert "at" in _of(database, "mixed-types")


def test_nothing_removes_empty_texts(database: Db) -> None:
    """The empty text may be a value of its own: no command takes it away, while null is taken away."""
    forms: list[dict[str, object]] = [{}, {"a": ""}, {"a": None}, {"a": "x"}]
    database.things.insert_many({"n": n, **forms[n % 4]} for n in range(40))
    finding = _of(database, "null-or-missing")["a"]
    for command in finding.commands:
        run(database.client, command)
    assert database.things.count_documents({"a": ""}) == 10
    assert database.things.count_documents({"a": {"$type": "null"}}) == 0
    assert _of(database, "null-or-missing")["a"].commands == ()


@pytest.mark.parametrize("whole", [False, True])
def test_texts_that_can_be_told_become_numbers_whatever_the_others_are(database: Db, whole: bool) -> None:
    """One amount that ends in 0 keeps no other from being converted; what stays is counted, with the reason."""
    numbers = [{"total": n + 0.25} for n in range(570)]
    texts = ["2930.17"] * 25 + ["1.10", "2.00", "1e3"] + ["on request", ""]
    database.things.insert_many([*numbers, *({"total": text} for text in texts)])
    (finding,) = [each for each in found(look(database, whole=whole)) if each.rule == "mixed-types"]
    assert "(30 of type string) to number" in finding.remedy
    assert "Of these texts, 3 stay because a number would be written differently" in finding.remedy
    assert "2 cannot be read as number." in finding.remedy
    show, convert = finding.commands
    run(database.client, convert)
    assert sorted(each["total"] for each in run(database.client, show)) == ["", "1.10", "1e3", "2.00", "on request"]
    assert database.things.count_documents({"total": 2930.17}) == 25


_DATE = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    ("subtype", "others", "is_own"),
    [
        (128, "text", True),
        (129, {"a": 1}, True),
        (129, [1], True),
        (130, _DATE, True),
        (128, 5, False),
        (129, 5, False),
        (0, "text", False),
        (5, {"a": 1}, False),
    ],
)
def test_what_nestling_keeps_as_binary_is_no_other_type(
    database: Db, subtype: int, others: object, is_own: bool, whole: bool
) -> None:
    """Its forms of texts and documents that BSON does not keep are texts and documents; any other binary is another type."""
    rows = [{"v": others} for _ in range(30)] + [{"v": Binary(b"\xe9{}", subtype)} for _ in range(4)]
    database.things.insert_many(rows)
    mixed = {each.path for each in found(look(database, whole=whole)) if each.rule == "mixed-types"}
    assert mixed == (set() if is_own else {"v"})


def test_values_of_a_third_type_are_told_beside_what_nestling_keeps_as_binary(database: Db) -> None:
    """Only what stands for a document or text is left out of the count."""
    database.things.insert_many(
        [*({"v": "text"} for _ in range(9)), {"v": Binary(b"\xe9", 128)}, {"v": Binary(b"x", 0)}]
    )
    assert dict(_of(database, "mixed-types")["v"].evidence) == {"string": 9, "binData": 1}


def test_texts_that_begin_with_the_day_become_dates(database: Any) -> None:
    """The command makes dates of them; what no calendar has stays, and the first command finds it."""
    texts = ["31.12.2024", "1.2.2025", "02.01.2025", "5.10.2024", "31.02.2024"]
    database["reviews"].insert_many([{"date": each} for each in texts])
    found, made = _of(database, "dates-as-texts")["date"].commands
    run(database.client, made)
    left = list(run(database.client, found))
    assert [each["date"] for each in left] == ["31.02.2024"]
    dates = sorted(each["date"] for each in database["reviews"].find({"date": {"$type": "date"}}))
    assert [f"{each:%Y-%m-%d}" for each in dates] == ["2024-10-05", "2024-12-31", "2025-01-02", "2025-02-01"]
    assert "date" not in _of(database, "dates-as-texts")


def test_texts_that_begin_with_the_day_among_others_become_dates(database: Any) -> None:
    """Two applications write one field: the command makes dates of what either wrote."""
    texts = [f"{day:02}.10.2024" for day in range(1, 7)] + [f"2024-10-{day:02}" for day in range(7, 20)]
    database["reviews"].insert_many([{"date": each} for each in texts])
    told = _of(database, "dates-as-texts")["date"]
    assert (
        told.message
        == "of 19 dates stored as text, 6 begin with the day, of the form `DD.MM.YYYY`; 13 are of the form `YYYY-MM-DD`"
    )
    run(database.client, told.commands[1])
    dates = sorted(each["date"] for each in database["reviews"].find())
    assert [f"{each:%Y-%m-%d}" for each in dates] == [f"2024-10-{day:02}" for day in range(1, 20)]


def test_texts_of_dates_with_slashes_are_found_and_not_guessed(database: Any) -> None:
    """`05/10/2024` is a day of May or of October; texts that sort, and other texts, are none of it."""
    database["reviews"].insert_many(
        [{"date": f"05/{day:02}/2024", "sorts": f"2024-05-{day:02}", "name": f"5/{day}/x"} for day in range(1, 10)]
    )
    told = _of(database, "dates-as-texts")
    assert told.keys() == {"date"}
    assert told["date"].message == "9 dates stored as text have slashes, of the form `NN/NN/YYYY`"
    (found,) = told["date"].commands
    assert len(list(run(database.client, found))) == 9
    assert "Ask whoever writes" in told["date"].remedy


@pytest.mark.parametrize(("form", "shown"), [("{m:02}/{d:02}/2024", "MM/DD/YYYY"), ("{d}/{m}/2024", "DD/MM/YYYY")])
def test_days_after_the_twelfth_tell_the_order(database: Any, form: str, shown: str) -> None:
    """No month is a thirteenth; texts of other forms beside them become dates, too, and one day in both places tells nothing."""
    dates = [datetime(2024, n % 12 + 1, n % 28 + 1, tzinfo=UTC).replace(tzinfo=None) for n in range(84)]
    texts = [form.format(m=each.month, d=each.day) for each in dates]
    texts[:2] = [f"{dates[0]:%d.%m.%Y}", f"{dates[1]:%Y-%m-%d}"]
    database["invoices"].insert_many([{"_id": n, "due": text} for n, text in enumerate(texts)])
    told = _of(database, "dates-as-texts")["due"]
    assert f"82 have slashes, of the form `{shown}`" in told.message
    run(database.client, told.commands[1])
    assert [each["due"] for each in database["invoices"].find(sort=[("_id", 1)])] == dates
    odd = {"MM/DD/YYYY": "13/01/2024", "DD/MM/YYYY": "01/13/2024"}[shown]
    database["invoices"].drop()
    database["invoices"].insert_many([{"_id": n, "due": text} for n, text in enumerate([*texts, odd])])
    again = _of(database, "dates-as-texts")["due"]
    assert "Ask whoever writes" in again.remedy
    assert len(again.commands) == 1


def test_fields_of_documents_in_arrays_become_one_type(database: Any) -> None:
    """The update converts the field of each element; other elements and fields stay, and so does what is no number."""
    rows = [
        {"_id": n, "items": [{"qty": k, "sku": "a"} for k in range(3)] + [{"qty": str(n)}, {"sku": "b"}, 7]}
        for n in range(20)
    ]
    rows += [{"_id": 98, "items": [{"qty": "many"}, {"qty": "5"}]}, {"_id": 99, "items": []}]
    database["orders"].insert_many(rows)
    found, made = _of(database, "mixed-types")["items[].qty"].commands
    run(database.client, made)
    for each in database["orders"].find({"_id": {"$lt": 98}}):
        numbers = [{"qty": k, "sku": "a"} for k in range(3)]
        assert each["items"] == [*numbers, {"qty": each["_id"]}, {"sku": "b"}, 7]
    assert database["orders"].find_one({"_id": 98}) == {"_id": 98, "items": [{"qty": "many"}, {"qty": 5}]}
    assert [each["_id"] for each in run(database.client, found)] == [98]


def test_months_that_became_names_are_found_while_they_are_few(database: Db) -> None:
    """Collections that differ only in a date are a finding of their own, far below what a server can hold."""
    for month in range(1, 9):
        database[f"stats_2024_{month:02}"].insert_one({"v": month})
    database.stats_of_all.insert_one({"v": 1})
    (finding,) = (each for each in found(look(database)) if each.rule == "too-many-collections")
    assert (finding.path, finding.number) == ("stats_#_#", 8)
    assert finding.message.startswith(
        "8 collections differ only in a date or a number: `stats_2024_01`, `stats_2024_02`"
    )
