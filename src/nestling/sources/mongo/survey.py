"""What each node of a database is in our terms: rows of an entity, copies, ids, overflow pages, orphans – or a value kept whole.

The order matters: a node is what its documents say, before it is what it looks like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from nestling.ir.facts import Collection, Facts
from nestling.ir.facts.nodes import PAGE, Node, NodeForm, Steps, is_paged, nodes_of
from nestling.ir.facts.structure import Columns, Evidence, Key, Kinds, Link, Repeat, Structure
from nestling.sources.mongo.declared import with_declared

ALL_EQUAL, MOSTLY = 0.98, 0.95
"""Rows that must be equal for a copy, and values found for a reference that not all rows were looked at for."""
Place = tuple[str, Steps]
"""A collection and the steps to a node in it."""


class Role(StrEnum):
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
class Seen:
    """A node and what it was seen to be. `of`: the node whose pages or orphans these are; `link`: along which rows are copied,
    or whose ids are listed; `back`: by which the rows listed tell their parent themselves. `kind`: what the discriminator of the
    documents says, of which there are `documents`.
    """

    collection: Collection
    node: Node
    role: Role
    above: Seen | None = None
    key: Columns = ()
    of: Seen | None = None
    link: Link | None = None
    back: Link | None = None
    why: str = ""
    kind: str = ""
    documents: int = 0
    discriminator: str = ""
    repeats: tuple[Repeat, ...] = ()

    @property
    def around(self) -> Seen | None:
        """The rows it lies in: those above, sub-documents that are part of theirs left out."""
        above = self.above
        while above is not None and above.role is Role.MERGED:
            above = above.above
        return above

    @property
    def place(self) -> Place:
        """Where it is; of a kind of documents, which kind."""
        return self.collection.name, (*self.node.steps, *([f"?{self.kind}"] if self.kind else []))


@dataclass(slots=True)
class Survey:
    """Every node of a database with its role, and the links between those that are entities."""

    facts: Facts
    seen: dict[Place, Seen]
    links: tuple[Link, ...]
    notes: list[str] = field(default_factory=list)

    def entities(self) -> Iterator[Seen]:
        """The nodes whose rows are an entity's, those of a document before what lies in it."""
        return (each for each in self.seen.values() if each.role is Role.ENTITY)


def _links_by_name(facts: Facts) -> Iterator[Link]:
    """References to collections too large for their keys to be looked at all: found by names, values looked up on the server."""
    structure = facts.structure
    partial = {name for name, node in structure.partial if not node}
    linked = {(link.collection, steps) for link in structure.links for steps in link.columns}
    nodes = {(key.collection, key.node) for key in structure.keys if key.main}
    for each in facts.references:
        steps = each.steps
        node = next((steps[:n] for n in range(len(steps), -1, -1) if (each.collection, steps[:n]) in nodes), ())
        is_sure = each.resolved >= MOSTLY * each.checked > 0
        if each.target in partial and each.target_field == "_id" and is_sure and (each.collection, steps) not in linked:
            where = (each.database, each.collection, node, (steps,), each.target, (), (("_id",),))
            yield Link(*where, each.checked, each.resolved, Evidence.NAME, whole=False)


def flat_copies(survey: Survey) -> Iterator[Repeat]:
    """Repeats that are copies by their names or by where they stand, but for sub-documents that are copies as a whole."""
    for repeat in survey.facts.structure.repeats:
        seen = survey.seen.get((repeat.collection, repeat.node))
        if seen is None or repeat.equal < ALL_EQUAL * repeat.checked:
            continue
        if (seen.role is Role.ENTITY and repeat.named) or (seen.role is Role.MERGED and repeat in seen.repeats):
            yield repeat


def survey(facts: Facts) -> Survey:
    """Every node of the facts' collections, with its role."""
    structure = facts.structure
    found: dict[Place, Seen] = {}
    structure = replace(structure, links=(*structure.links, *_links_by_name(facts)))
    made = Survey(facts, found, structure.links)
    known = _Known(structure)
    collections = [with_declared(each) for each in facts.of_documents()]
    for collection in sorted(collections, key=lambda each: each.name):
        for node in nodes_of(collection):
            seen = _seen(collection, node, found, known)
            found[seen.place] = seen
    for kinds in structure.kinds:
        _part_into_kinds(kinds, found)
    _set_aside(found)
    _absorb_copies(found, known)
    return made


def _part_into_kinds(kinds: Kinds, found: dict[Place, Seen]) -> None:
    """Documents of several kinds: what all have stays, what one kind has is an entity of its own, told by the discriminator."""
    root = found.get((kinds.collection, ()))
    if root is None or root.node.column(kinds.column) is None or not root.key:
        return
    own = {steps for _, _, columns in kinds.kinds for steps in columns}
    for name, documents, columns in kinds.kinds:
        held = replace(root.node, columns=tuple(c for c in root.node.columns if c.steps in columns))
        seen = Seen(root.collection, held, Role.ENTITY, root, root.key, kind=name, documents=documents)
        found[seen.place] = seen
    common = tuple(c for c in root.node.columns if c.steps not in own and c.steps != kinds.column)
    root.node, root.discriminator = replace(root.node, columns=common), kinds.column[0]


class _Known:
    """The structure by place."""

    def __init__(self, structure: Structure) -> None:
        self.keys: dict[Place, Key] = {(key.collection, key.node): key for key in structure.keys if key.main}
        self.links: dict[Place, list[Link]] = {}
        self.repeats: dict[Place, list[Repeat]] = {}
        for link in structure.links:
            self.links.setdefault((link.collection, link.node), []).append(link)
        for repeat in structure.repeats:
            self.repeats.setdefault((repeat.collection, repeat.node), []).append(repeat)


def _seen(collection: Collection, node: Node, found: Mapping[Place, Seen], known: _Known) -> Seen:
    place = (collection.name, node.steps)
    above = found[collection.name, node.above] if node.above is not None else None
    seen = Seen(collection, node, Role.ENTITY, above, _key(collection, node, above, known))
    if above is None:
        return seen
    if above.role not in (Role.ENTITY, Role.BUCKET, Role.MERGED):
        seen.role = Role.INSIDE
    elif above.role is not Role.BUCKET and not above.key:
        is_object = node.form is NodeForm.OBJECT
        seen.role = Role.MERGED if is_object else Role.WHOLE
        seen.why = "" if is_object else "lies in rows that nothing tells apart"
    elif above.role is Role.BUCKET and node.form is not NodeForm.OBJECT:
        seen.repeats = tuple(known.repeats.get(place, ()))
    return seen


def _key(collection: Collection, node: Node, above: Seen | None, known: _Known) -> Columns:
    """The key found; for an empty collection its `_id`, for a sub-document what tells the document apart."""
    key = known.keys.get((collection.name, node.steps))
    if key is not None:
        return key.columns
    if above is None:
        return tuple(column.steps for column in node.columns if column.steps[0] == "_id")
    return above.key if node.form is NodeForm.OBJECT else ()


COUNT, START = "count", "bucket_start"
BUCKET_FIELDS = frozenset({PAGE, COUNT, START, "bucket_end"})
"""What a bucket's document tells besides what its events have in common."""


def _set_aside(found: Mapping[Place, Seen]) -> None:
    """Buckets, overflow pages and orphans: documents of our own forms (docs/document-forms.md)."""
    for seen in [each for each in found.values() if each.above is None]:
        inner = [each for each in found.values() if each.above is seen]
        names = {column.steps[-1] for column in seen.node.columns if column.steps[0] != "_id"}
        arrays = [each for each in inner if each.node.form in (NodeForm.ARRAY, NodeForm.VALUES)]
        if is_paged(seen.node) and len(arrays) == 1:
            if COUNT in names and START not in names:
                seen.role = Role.BUCKET
            elif COUNT not in names and (owner := _array_called(arrays[0], found)) is not None:
                seen.role, seen.of = Role.PAGES, owner
                _inside(seen, found)
        elif (owner := _array_of_orphans(seen, found)) is not None:
            seen.role, seen.of = Role.ORPHANS, owner
            _inside(seen, found)


def _inside(seen: Seen, found: Mapping[Place, Seen]) -> None:
    for each in found.values():
        if each.collection is seen.collection and each is not seen:
            each.role = Role.INSIDE


def _array_called(pages: Seen, found: Mapping[Place, Seen]) -> Seen | None:
    """The array elsewhere of the same name and the same columns, which these are the rest of."""
    mine = {column.steps[-1] for column in pages.node.columns}
    for each in found.values():
        same_name = each.node.form is pages.node.form and each.node.steps[-2:] == pages.node.steps[-2:]
        theirs = {column.steps[-1] for column in each.node.columns}
        if each.collection is not pages.collection and same_name and (mine <= theirs or theirs <= mine):
            return each
    return None


ORPHANS_SUFFIX = "_orphans"


def _array_of_orphans(seen: Seen, found: Mapping[Place, Seen]) -> Seen | None:
    """The embedded rows whose name and columns a collection of orphans has."""
    if not seen.collection.name.endswith(ORPHANS_SUFFIX):
        return None
    name = seen.collection.name.removesuffix(ORPHANS_SUFFIX)
    mine = {column.steps[-1] for column in seen.node.columns}
    is_empty = not any(column.path.documents for column in seen.node.columns)
    candidates = [
        each
        for each in found.values()
        if each.above is not None
        and not each.kind
        and each.collection is not seen.collection
        and each.node.columns
        and (_own_names(each) <= mine or is_empty)
    ]
    named = [each for each in candidates if _field(each.node) == name]
    alike = [each for each in candidates if len(_own_names(each)) > 1]
    return next(iter(named or alike), None)


def _own_names(seen: Seen) -> frozenset[str]:
    """The names of its columns that are no part of its key."""
    return frozenset(column.steps[-1] for column in seen.node.columns if column.steps not in seen.key)


def _field(node: Node) -> str:
    steps = node.steps[:-1] if node.form in (NodeForm.ARRAY, NodeForm.VALUES) else node.steps
    return steps[-1]


def _absorb_copies(found: Mapping[Place, Seen], known: _Known) -> None:
    """Sub-documents and arrays that only repeat rows which live elsewhere, and arrays of ids their rows are told by."""
    for seen in [each for each in found.values() if each.above is not None and each.role is Role.ENTITY]:
        place = seen.place
        inner = [each for each in found.values() if each.above is seen]
        repeats = [each for each in known.repeats.get(place, ()) if each.equal >= ALL_EQUAL * each.checked]
        if inner or not seen.node.columns:
            continue
        if seen.node.form is NodeForm.OBJECT:
            _as_copied_object(seen, repeats)
        elif (link := _sole_link(seen, known)) is not None:
            _as_copied_rows(seen, link, repeats, found, known)


def _as_copied_object(seen: Seen, repeats: Sequence[Repeat]) -> None:
    """A sub-document all of whose columns repeat one row a link of the document above leads to."""
    own = {column.steps for column in seen.node.columns}
    for along in dict.fromkeys(each.link for each in repeats):
        covered = {each.column for each in repeats if each.link == along}
        if own <= covered | set(along):
            seen.role = Role.MERGED if set(along) <= own else Role.COPY
            seen.repeats = tuple(each for each in repeats if each.link == along)
            return


def _sole_link(seen: Seen, known: _Known) -> Link | None:
    """The link of an array's elements by which each row elsewhere is in one array at most."""
    found = [link for link in known.links.get(seen.place, ()) if link.sole and link.total and len(link.columns) == 1]
    return found[0] if found else None


def _as_copied_rows(
    seen: Seen, link: Link, repeats: Sequence[Repeat], found: Mapping[Place, Seen], known: _Known
) -> None:
    """An array of rows that live elsewhere: copied where they refer back to this document, listed where only it tells them."""
    target = found.get((link.target, link.target_node))
    above = seen.above
    assert above is not None
    if target is None or target.key != link.target_columns or target.role is not Role.ENTITY:
        return
    own = {column.steps for column in seen.node.columns} - {link.columns[0]}
    if own - {each.column for each in repeats if each.link == link.columns}:
        return
    back = [
        each
        for each in known.links.get(target.place, ())
        if (each.target, each.target_node) == above.place and each.target_columns == above.key
    ]
    if seen.node.form is NodeForm.VALUES and above.above is None and target.above is None:
        seen.role, seen.link, seen.back = Role.LISTED, link, next(iter(back), None)
    elif back:
        seen.role, seen.link = Role.COPY, back[0]
        seen.repeats = tuple(each for each in repeats if each.link == link.columns)
