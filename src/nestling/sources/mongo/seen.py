"""A node of a database's documents and what it was seen to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from nestling.ir.facts import CollectionFacts
from nestling.ir.facts.nodes import NodeColumn, NodeFacts
from nestling.ir.facts.structure import Columns, FieldPlace, Link, RepeatedColumn, Steps


class NodeRole(StrEnum):
    """What a node holds."""

    ENTITY = "entity"
    BUCKET = "bucket"  # a header over an array of events
    PAGES = "pages"  # what an array had no room for
    ORPHANS = "orphans"  # rows whose parent does not exist
    COPY = "copy"  # rows that live elsewhere, kept here too
    MERGED = (
        "merged"  # part of the rows around: a reference with what is copied beside it, or rows nothing could refer to
    )
    LISTED = "listed"  # the ids of rows that live elsewhere
    WHOLE = "whole"  # a value nothing more is said of
    INSIDE = "inside"  # part of a node that is no entity itself


@dataclass(slots=True)
class ObservedNode:
    """A node and what it was seen to be. `of`: the node whose pages or orphans these are; `link`: along which rows are copied,
    or whose ids are listed; `back`: by which the rows listed tell their parent themselves. `kind`: what the discriminator of the
    documents says, of which there are `documents`. `foreign`: the parts of the key of the
    rows above, and the columns outside of that document which hold them.
    """

    collection: CollectionFacts
    node: NodeFacts
    role: NodeRole
    above: ObservedNode | None = None
    key: Columns = ()
    of: ObservedNode | None = None
    link: Link | None = None
    back: Link | None = None
    why: str = ""
    kind: str = ""
    documents: int = 0
    discriminator: str = ""
    repeats: tuple[RepeatedColumn, ...] = ()
    foreign: dict[Steps, NodeColumn] = field(default_factory=dict)

    @property
    def around(self) -> ObservedNode | None:
        """The rows that it is inside of, not counting sub-documents that are part of them."""
        above = self.above
        while above is not None and above.role is NodeRole.MERGED:
            above = above.above
        return above

    @property
    def place(self) -> FieldPlace:
        """The place of the node, and the kind of documents where there are several."""
        return self.collection.name, (*self.node.steps, *([f"?{self.kind}"] if self.kind else []))
