"""Trees of frozen dataclasses: all of their nodes in order, and the same with others in their place."""

from __future__ import annotations

from dataclasses import dataclass, field

from nestling.common.trees import nodes_in, rebuilt


@dataclass(frozen=True)
class Leaf:
    """Holds a value."""

    value: int


@dataclass(frozen=True)
class Branch:
    """Holds others, alone and in nested tuples, and what is made of them."""

    first: object
    rest: tuple[object, ...] = ()
    count: int = field(init=False, compare=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", 1 + len(self.rest))


TREE = Branch(Leaf(1), (Branch(Leaf(2)), (Leaf(3), "text"), Leaf(4)))


def test_nodes_come_in_order() -> None:
    """Each before what is inside it, the fields from first to last."""
    assert [each.value for each in nodes_in((TREE, Leaf(5))) if isinstance(each, Leaf)] == [1, 2, 3, 4, 5]
    assert next(nodes_in(TREE)) is TREE
    assert list(nodes_in("text")) == []


def test_what_is_put_in_their_place() -> None:
    """Only what changes is made anew; what stands in a place is not looked into."""

    def change(node: object) -> object | None:
        if node == Leaf(3):
            return Branch(Leaf(3), (Leaf(3),))
        return None

    found = rebuilt(TREE, change)
    assert found == Branch(Leaf(1), (Branch(Leaf(2)), (Branch(Leaf(3), (Leaf(3),)), "text"), Leaf(4)))
    assert found.rest[0] is TREE.rest[0]
    assert found.count == TREE.count
    assert rebuilt(TREE, lambda _: None) is TREE
