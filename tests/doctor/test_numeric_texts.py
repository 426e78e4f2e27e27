"""Texts of numbers beside numbers: which type the field gets, what stays, and that the drafted validator fits it."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from bson import Decimal128, Int64
from pymongo.database import Database

from nestling.ir.finding import Confidence, Finding
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _mixed(database: Db, values: list[Any], *, documents: int = 10_000) -> tuple[Finding, list[Finding]]:
    database.things.insert_many({"_id": n, "x": value} for n, value in enumerate(values))
    findings = found(look(database, documents=documents))
    (finding,) = [each for each in findings if each.rule == "mixed-types"]
    return finding, findings


def _after(database: Db, findings: list[Finding]) -> list[Any]:
    """The values once the finding's commands were run; the drafted validator takes them all."""
    for finding in findings:
        if finding.rule in ("mixed-types", "no-validator"):
            for command in finding.commands:
                run(database.client, command)
    rules = next(database.list_collections(filter={"name": "things"}))["options"]["validator"]
    assert database.things.count_documents({"$nor": [rules]}) == 0
    return [each["x"] for each in database.things.find(sort=[("_id", 1)])]


def _said_to_stay(finding: Finding) -> int:
    reason = r"([\d,]+) (?:stays?\b|cannot be read)"
    return sum(int(each.replace(",", "")) for each in re.findall(reason, finding.remedy))


def test_texts_that_are_numbers_become_numbers_though_they_are_more(database: Db) -> None:
    """60 texts and 40 numbers, all 4.2: they are numbers afterwards, and the validator takes numbers alone."""
    _, findings = _mixed(database, ["4.2"] * 60 + [4.2] * 40)
    assert _after(database, findings) == [4.2] * 100
    rules = next(database.list_collections(filter={"name": "things"}))["options"]["validator"]
    assert rules["$jsonSchema"]["properties"]["x"] == {"bsonType": "number"}


@pytest.mark.parametrize(
    ("texts", "numbers", "kind"),
    [
        (["7", "12"], [3, 4], int),
        (["7", "12"], [Int64(2**40)], Int64),
        (["7.5", "12"], [3.5], float),
        (["7.50", "12"], [Decimal128("3.5")], Decimal128),
    ],
)
def test_the_kind_of_number_is_the_fields(database: Db, texts: list[str], numbers: list[Any], kind: type) -> None:
    """Whole numbers stay whole; fractions become what the field's numbers are."""
    _, findings = _mixed(database, texts + numbers * 20)
    assert {type(each) for each in _after(database, findings)} == {kind}


@pytest.mark.parametrize("documents", [10_000, 100])
@pytest.mark.parametrize("odd", [[], ["1.5", "n/a"]])
def test_amounts_are_converted_with_their_zeros(database: Db, odd: list[str], *, documents: int) -> None:
    """Texts that all have two decimals are amounts, in a sampled collection too; else those with a zero at the end stay."""
    texts = [f"{n / 100:.2f}" for n in range(100, 700)]
    finding, findings = _mixed(database, texts + [n / 4 for n in range(1200)] + odd, documents=documents)
    after = _after(database, findings)
    left = [each for each in after if isinstance(each, str)]
    assert left == ([*(text for text in texts if text.endswith("0")), "n/a"] if odd else [])
    assert _said_to_stay(finding) == len(left)


def test_versions_stay(database: Db) -> None:
    """A text such as 1.10 is kept beside 1.2, and where there are no numbers nothing is found."""
    _, findings = _mixed(database, ["1.10", "1.2", "1.9"] * 10 + [1.5] * 31)
    assert _after(database, findings).count("1.10") == 10
    database.versions.insert_many({"v": each} for each in ("1.10", "1.20"))
    assert not [each for each in found(look(database)) if each.rule == "mixed-types" and "versions" in each.namespace]


_DRAWN: list[Any] = [
    "4.20", "4.2", "1e3", "007", "7", "-0", "0.5", ".5", "+3", "12345678901234567890", "", "n/a", "2021-02-30", "\t1", "1\n",
    4.2, 0.1 + 0.2, 1e300, 5e-324, float("nan"), float("inf"), 1e-9, 1 / 3, 12.0, 2.0**63, 3, Int64(2**60), 99_999_999.99,
    Decimal128("1.50"), True,
]  # fmt: skip


@pytest.mark.in_turn("seed")
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("documents", [10_000, 50])
def test_what_is_said_to_stay_is_what_stays(database: Db, seed: int, *, documents: int) -> None:
    """Of any texts and numbers: what is converted is worth the same, and the finding says how many stay."""
    rng = random.Random(seed)
    kinds = [*rng.sample(_DRAWN, rng.randint(2, 8)), "4.2", 1]
    values = [each for each in kinds for _ in range(rng.choice([5, 20, 60]))]
    rng.shuffle(values)
    finding, findings = _mixed(database, values, documents=documents)
    after = _after(database, findings)
    for before, now in zip(values, after, strict=True):
        assert _worth(before) == _worth(now)
    if len(finding.commands) > 1:
        left = run(database.client, finding.commands[0])
        assert len(left) == _said_to_stay(finding), finding.remedy


def _worth(value: Any) -> str:
    """A value as what it says; true is 1, as where it becomes a number or a text it says no less."""
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    if text == "true":
        return "1.0"
    try:
        number = float(text)
    except ValueError:
        return text
    return repr(number + 0.0) if text == text.strip() and "e3" not in text and not text.startswith("00") else text


def test_quantities_stored_as_texts_become_numbers(database: Db) -> None:
    """Amounts of money decimals; codes, ids, versions and what is named otherwise are rightly texts."""
    row = {"price": "{n}.50", "qty": "{n}", "zip": "1{n:04}", "price_code": "{n}", "version": "1.{n}", "weight": "0{n}"}
    database.things.insert_many(
        {"_id": n, **{name: form.format(n=n) for name, form in row.items()}} for n in range(1, 61)
    )
    findings = {each.path: each for each in found(look(database)) if each.rule == "numbers-as-texts"}
    assert findings.keys() == {"price", "qty"}
    for finding in findings.values():
        assert finding.confidence is Confidence.POSSIBLE
        for command in finding.commands:
            run(database.client, command)
    after = {"price": Decimal128("7.50"), "qty": 7, "zip": "10007", "price_code": "7", "version": "1.7", "weight": "07"}
    assert database.things.find_one({"_id": 7}) == {"_id": 7} | after
