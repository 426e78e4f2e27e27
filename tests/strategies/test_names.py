"""Names the strategies give: the entity's own, and never twice."""

from __future__ import annotations

from nestling.strategies import design, strategy_names
from tests.strategies.readings import entity, reading, relationship


def test_embedded_fields_are_called_by_their_role():
    """The field of embedded children is what the parent calls them."""
    found = reading([entity("user"), entity("address", "user_id")], [relationship("user", "address")])
    (collection,) = design(found, "embedded").design.collections
    assert (collection.name, collection.body.embeddings[0].field) == ("user", "address")


def test_a_role_that_is_also_an_attribute_gives_way():
    """An attribute `address` beside embedded addresses: the latter take the next name."""
    found = reading([entity("user", "address"), entity("address", "user_id")], [relationship("user", "address")])
    (collection,) = design(found, "embedded").design.collections
    assert collection.body.embeddings[0].field == "address_by_user_id"


def test_attributes_stored_alike_are_told_apart():
    """`a.b` and `a．b` would be one field; the second is renamed, and so is what is called `_id`."""
    found = reading([entity("t", "a.b", "a．b", "_id", "_id_", "$x", "＄x", "")])
    for strategy in strategy_names():
        (root,) = design(found, strategy).design.stores[0].roots
        paths = [each.path for each in root.stored]
        assert len(set(paths)) == len(paths)


def test_collections_stored_alike_are_told_apart():
    """`$a` and `＄a` are two entities and must be two collections."""
    names = [each.name for each in design(reading([entity("$a"), entity("＄a")]), "normalized").design.collections]
    assert len(set(names)) == 2


def test_keys_told_apart_by_reserved_characters_do_not_share_an_id():
    """A composite key whose attributes would have one name in `_id` is kept outside it."""
    found = reading([entity("t", key=("a.b", "a．b"))])
    assert design(found, "normalized").design.collections[0].id == ()


def test_orphans_collections_do_not_take_an_entitys_name():
    """A table that is called `b_orphans` keeps its name."""
    found = reading([entity("b_orphans"), entity("a"), entity("b", "a_id")], [relationship("a", "b", required=False)])
    for strategy in strategy_names():
        assert "b_orphans" in [each.name for each in design(found, strategy).design.collections]
