"""`normalized`: one collection per entity, the key as `_id`, references and keys indexed once."""

from __future__ import annotations

from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.proposal import Choice
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.strategies import design
from tests.strategies.readings import entity, read, reading, relationship, select


def indexes(found) -> dict[str, list[tuple[str, ...]]]:
    made: dict[str, list[tuple[str, ...]]] = {}
    for index in design(found, "normalized").design.indexes:
        made.setdefault(index.collection, []).append(tuple(path for path, _ in index.keys))
    return made


def test_every_relationship_is_a_parent_reference():
    """Each entity has a collection, and each decision says why."""
    found = reading([entity("a"), entity("b", "a_id")], [relationship("a", "b")])
    proposal = design(found, "normalized")
    assert [each.root for each in proposal.design.collections] == ["a", "b"]
    assert [(made.relationship, made.choice) for made in proposal.decisions] == [("a_b", Choice.PARENT_REFERENCE)]


def test_the_key_becomes_the_id():
    """A natural key saves an index (D3); a table without one uses what is unique and never NULL."""
    found = reading(
        [entity("a", "name", key=("code",)), entity("b", "name", key=(), uniques=[("name",)]), entity("c", "x", key=())]
    )
    assert [each.id for each in design(found, "normalized").design.collections] == [("code",), ("name",), ()]


def test_references_are_indexed():
    """A foreign key has an index; one that is the `_id` itself has it already."""
    found = reading(
        [entity("a"), entity("b", "a_id"), entity("c", "a_id", key=("a_id",))],
        [relationship("a", "b"), relationship("a", "c", one=True)],
    )
    assert indexes(found) == {"b": [("a_id",)]}


def test_parts_of_a_composite_id_are_indexed_by_their_path():
    """`_id` is indexed as one value, so a foreign key that is part of it needs an index of its own."""
    found = reading(
        [entity("a"), entity("b"), entity("ab", key=("a_id", "b_id"))],
        [relationship("a", "ab"), relationship("b", "ab")],
    )
    assert indexes(found) == {"ab": [("_id.a_id",), ("_id.b_id",)]}


def test_no_index_is_a_prefix_of_another():
    """A compound filter that begins with the foreign key serves both, and names the statements (D1, D4)."""
    found = reading(
        [entity("a"), entity("b", "a_id", "state")],
        [relationship("a", "b")],
        statements=[
            select("open", read("b", "a_id", "state")),
            select("children", read("a", "id"), read("b", via="a_b")),
        ],
    )
    (index,) = design(found, "normalized").design.indexes
    assert [path for path, _ in index.keys] == ["a_id", "state"]
    assert set(index.serves) == {"open", "children"}


def test_what_starts_with_a_unique_index_needs_no_other():
    """At most one row matches a unique group, so a longer index would find nothing more."""
    found = reading(
        [entity("a", "code", "state", uniques=[("code",)])], statements=[select("q", read("a", "code", "state"))]
    )
    assert indexes(found) == {"a": [("code",)]}


def test_unique_groups_are_enforced_as_sql_means_them():
    """NULLs differ in SQL and are equal to a unique index: it has the documents with a value, and serves who asks for one."""
    asked = [select("by_mail", read("a", "mail"))]
    found = reading([entity("a", "code", "mail?", uniques=[("code",), ("mail",)])], statements=asked)
    proposal = design(found, "normalized")
    assert [(index.keys, index.unique, index.partial, index.serves) for index in proposal.design.indexes] == [
        ((("code", 1),), True, (), ()),
        ((("mail", 1),), True, (Clause("mail", ClauseOperator.PRESENT),), ("by_mail",)),
    ]
    assert not proposal.notes
    assert [index.keys[0][0] for index in planned_indexes(proposal.design)] == ["code", "mail"]
