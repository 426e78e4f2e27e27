"""Models whose rows are reached in several ways – two foreign keys to one parent, diamonds, trees – in random designs."""

from __future__ import annotations

import random

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model, OnDelete, OnUpdate, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Order, Overflow, Reference
from nestling.ir.types import Type, TypeName
from tests.generators.writes import Writer
from tests.write_traces import Rows

_INTEGER, _TEXT = Type(TypeName.INTEGER), Type(TypeName.TEXT)
_LINKS = (
    ("a_b", "a", "b", "a1"), ("a_b_again", "a", "b", "a2"), ("a_c", "a", "c", "a1"), ("b_c", "b", "c", "b1"),
    ("b_d", "b", "d", "b1"), ("c_d", "c", "d", "c1"), ("a_d", "a", "d", "a1"), ("a_a", "a", "a", "up"),
)  # fmt: skip
"""Name, parent, child, foreign key."""


def drawn(draw: random.Random) -> tuple[Design, Rows]:
    """A valid design of a model drawn with its foreign keys' actions, and its rows."""
    is_part = draw.random() < 0.4  # d belongs to b by its key
    entities = (
        Entity("a", (_whole("id"), Attribute("x", _TEXT), _number("up")), ("id",)),
        Entity("b", (_whole("id"), _number("a1"), _number("a2"), Attribute("x", _TEXT)), ("id",)),
        Entity("c", (_whole("id"), _number("a1"), _number("b1")), ("id",)),
        Entity(
            "d",
            (_whole("n"), _whole("b1") if is_part else _number("b1"), _number("c1"), _number("a1")),
            ("b1", "n") if is_part else ("n",),
        ),
    )
    links = tuple(
        _link(draw, *each, is_key=is_part and each[0] == "b_d")
        for each in _LINKS
        if each[0] == "b_d" or draw.random() < 0.8
    )
    model = Model("diamonds", entities, links)
    return Design(model, _collections(draw, model)), _rows(draw)


def statement(writer: Writer, draw: random.Random) -> str:
    """A DELETE of parents or a new key for one, mostly."""
    choice = draw.random()
    if choice < 0.45:
        entity = writer.model.entity(draw.choice("aabcd"))
        return f"DELETE FROM {entity.name} WHERE {writer.condition(entity)}"
    if choice < 0.6:
        name = draw.choice("abc")
        row = writer.existing(writer.model.entity(name))
        if row is not None:
            return f"UPDATE {name} SET id = {draw.randint(1, 14)} WHERE id = {row['id']}"
    return writer.statement()


def _whole(name: str) -> Attribute:
    return Attribute(name, _INTEGER, nullable=False)


def _number(name: str) -> Attribute:
    return Attribute(name, _INTEGER)


def _link(draw: random.Random, name: str, parent: str, child: str, own: str, *, is_key: bool) -> Relationship:
    deletes = (OnDelete.CASCADE, OnDelete.CASCADE, OnDelete.SET_NULL, OnDelete.RESTRICT)
    updates = (OnUpdate.CASCADE, OnUpdate.CASCADE, OnUpdate.SET_NULL, OnUpdate.RESTRICT)
    return Relationship(
        name,
        parent,
        child,
        ("id",),
        (own,),
        enforced=draw.random() < 0.65,
        on_delete=OnDelete.CASCADE if is_key else draw.choice(deletes),
        on_update=OnUpdate.CASCADE if is_key else draw.choice(updates),
    )


def _collections(draw: random.Random, model: Model) -> tuple[Collection, ...]:
    homes: dict[str, Relationship] = {}
    for entity in ("b", "c", "d"):
        above = [link for link in model.parents_of(entity) if not link.is_self]
        if above and draw.random() < 0.7:
            homes[entity] = draw.choice(above)

    def body(entity: str) -> Document:
        inside = tuple(_embedding(draw, link, body(child)) for child, link in homes.items() if link.parent == entity)
        refers = tuple(
            Reference(link.name, Holder.CHILD) for link in model.parents_of(entity) if homes.get(entity) != link
        )
        return Document(entity, embeddings=inside, references=refers)

    return tuple(
        Collection(f"all_{entity.name}", body(entity.name), id=entity.key if draw.random() < 0.8 else ())
        for entity in model.entities
        if entity.name not in homes
    )


def _embedding(draw: random.Random, link: Relationship, body: Document) -> Embedding:
    child = link.child
    over = Overflow(draw.choice((1, 2)), f"pages_{child}", f"more_{child}") if draw.random() < 0.4 else None
    is_ordered = draw.random() < 0.4 and link.child_attributes != ("a1",)
    order = (Order("a1", descending=draw.random() < 0.5),) if is_ordered else ()
    return Embedding(f"{child}s", link.name, Form.ARRAY, body, orphans=f"stray_{child}", overflow=over, order=order)


def _rows(draw: random.Random) -> Rows:
    rows: dict[str, list[tuple[object, ...]]] = {"a": [], "b": [], "c": [], "d": []}

    def some(entity: str) -> object:
        return draw.choice(rows[entity])[0] if rows[entity] and draw.random() < 0.85 else None

    for number in range(1, 5):
        rows["a"].append((number, draw.choice(("p", "q", None)), some("a")))
    for number in range(1, 6):
        rows["b"].append((number, some("a"), some("a"), "t"))
    for number in range(1, 6):
        rows["c"].append((number, some("a"), some("b")))
    for number in range(1, 8):
        rows["d"].append((number, some("b") or 1, some("c"), some("a")))
    return rows
