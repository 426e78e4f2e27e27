"""What sets two designs apart is said in words, and the ways its documents depend on are known."""

from __future__ import annotations

import pytest

from nestling.ir.design import Design
from nestling.ir.migration import Reach
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document, Field, Holder, Reference
from nestling.ir.rows import Hop
from nestling.ir.types import TEXT
from nestling.planner.migration import differences, reaches
from tests.cases.pattern_case import pattern_cases

PATTERNS = {case.name: case.proposal.design for case in pattern_cases()}


@pytest.mark.parametrize(
    ("pattern", "entity", "to"),
    [
        ("archive", "line", "the array `lines` of `orders` and the archive `orders_archive`"),
        ("bucket_window", "reading", "buckets in `sensor_readings`"),
        ("bucket_window", "sensor", "the collection `sensors`"),
        ("drop_the_one_side", "host", "copies `host` in `logmsg` and `silent_hosts` (rows without a parent)"),
        ("inheritance", "ebook", "fields of `books`"),
        ("one_to_one", "profile", "the sub-document `profile` of `users`"),
        ("outlier", "purchase", "the array `customers_purchased` of `books` and pages of `book_purchases_overflow`"),
    ],
)
def test_where_rows_move_to(pattern: str, entity: str, to: str) -> None:
    """From a collection of their own to each kind of place there is."""
    new = PATTERNS[pattern]
    links = new.model.relationships
    apart = (
        Document(
            each.name, references=tuple(Reference(link.name, Holder.CHILD) for link in links if link.child == each.name)
        )
        for each in new.model.entities
    )
    old = Design(
        new.model,
        tuple(Collection(f"old_{body.entity}", body, new.model.entity(body.entity).key) for body in apart),
    )
    assert f"`{entity}` moves from the collection `old_{entity}` to {to}" in differences(old, new)
    assert differences(new, new) == ()


def test_names_of_fields() -> None:
    """Fields that two designs call differently are told, as of a database that was read and is designed anew."""
    model = Model(
        "names", (Entity("user", tuple(Attribute(name, TEXT) for name in ("id", "name", "name_2")), ("id",)),)
    )
    old, new = (
        Design(model, (Collection(name, Document("user", fields=fields), ("id",)),))
        for name, fields in (("Users", (Field("name", "Name"), Field("name_2", "name"))), ("user", ()))
    )
    assert differences(old, new) == (
        "`user` moves from the collection `Users` to the collection `user`",
        "fields of `user` are renamed: `Name` becomes `name`, `name` becomes `name_2`",
    )


def test_ancestors_depend_on_every_row_above() -> None:
    """A copy of all above follows its link again and again, by what is copied and what links."""
    (found,) = reaches(PATTERNS["tree_ancestors"]).values()
    up = (Hop("subcategories", up=True),)
    assert Reach(up, frozenset({"category_id", "parent_id", "name"}), again=True) in found


def test_ids_of_children_depend_on_keys_and_links_alone() -> None:
    """An array of ids is the same whatever else of a child changes."""
    found = reaches(PATTERNS["child_reference"])["products", "product"]
    parts = (Hop("product_parts", up=False),)
    assert [each for each in found if each.path == parts] == [Reach(parts, frozenset({"part_id", "catalog_number"}))]
