"""A model names no attribute twice where once is meant, and has no type that no column has; each mistake has its line."""

from __future__ import annotations

import pytest

from nestling.common.errors import InputError
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.text import read_reading
from nestling.ir.types import Type

MODEL = """\
nestling: 1
model:
  name: m
  entities:
    owner:
      key: [a, b]
      attributes: {a: integer!, b: integer!}
    thing:
      key: [id]
      uniques: [[n, o]]
      partial_uniques: [{attributes: [n, id], where: o IS NULL}]
      attributes: {id: integer!, n: text, o: integer!, also: {type: text, also: [integer]}}
  relationships:
    owners: {parent: owner, child: thing, attributes: [id, o], references: [a, b]}
"""


def said_of(text: str) -> list[str]:
    """Each problem in one line."""
    with pytest.raises(InputError) as caught:
        read_reading(text, "f.yaml")
    return [problem.line() for problem in caught.value.problems]


def test_an_attribute_is_named_once() -> None:
    """In a key, a unique group, one of some rows, and on both sides of a foreign key: all are told at once."""
    assert read_reading(MODEL, "f.yaml").model.entities
    text = MODEL.replace("[id]", "[id, id]").replace("[[n, o]]", "[[n, o], [n, n, n]]").replace("[n, id]", "[n, n]")
    assert said_of(text.replace("[id, o]", "[id, id]").replace("[a, b]}", "[a, a]}")) == [
        "f.yaml:9:13: `id` is named 2 times",
        "f.yaml:10:26: `n` is named 3 times",
        "f.yaml:11:39: `n` is named 2 times",
        "f.yaml:14:5: `owners` refers to a, a of `owner`, which is not unique",
        "f.yaml:14:56: `id` is named 2 times",
        "f.yaml:14:78: `a` is named 2 times",
    ]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("text(-5)", "its length is 0 to 4,294,967,295"),
        ("text(99999999999999999999)", "its length is 0 to 4,294,967,295"),
        ("text(1,2)", "it has 1 number at most"),
        ("bits(0)", "its length is 1 to 4,294,967,295"),
        ("timestamp(99)", "its number of fraction digits is 0 to 9"),
        ("decimal(-3,2)", "its number of digits is 1 to 1,000"),
        ("decimal(0)", "its number of digits is 1 to 1,000"),
        ("decimal(5,1001)", "its scale is -1,000 to 1,000"),
        ("enum('a', 'b', 'a')", "'a' is listed twice"),
        ("text('a', 'a') as set", "'a' is listed twice"),
        ("array(text(-1))", "its length is 0 to 4,294,967,295"),
    ],
)
def test_a_type_no_column_has(kind: str, why: str) -> None:
    """Its numbers cannot be, or a value of it is listed twice: of the attribute's own type and of those seen besides."""
    assert said_of(MODEL.replace("n: text", f'n: "{kind}"')) == [f"f.yaml:12:37: type `{kind}`: {why}"]
    assert said_of(MODEL.replace("[integer]", f'["{kind}"]')) == [f"f.yaml:12:82: type `{kind}`: {why}"]
    with pytest.raises(InputError, match="type `"):
        Model("m", (Entity("e", (Attribute("a", Type.parse(kind)),)),))


@pytest.mark.parametrize(
    "kind",
    [
        "text(0)",
        "decimal(65,30)",
        "decimal(2,5)",
        "decimal(10,-2)",
        "decimal(1000)",
        "decimal(65,4,30)",
        "timestamp(9)",
    ],
)
def test_a_type_some_database_has(kind: str) -> None:
    """MySQL has texts of no length, PostgreSQL decimals with more digits after the point than there are, or below none."""
    assert read_reading(MODEL.replace("n: text", f'n: "{kind}"'), "f.yaml").model.entities
