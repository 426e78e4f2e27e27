"""What each node of a database is in our terms: rows of an entity, copies, ids, overflow pages, orphans – or a value kept whole.

The order matters: a node is what its documents say, before it is what it looks like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nestling.ir.facts import CollectionFacts, Facts
from nestling.ir.facts.nodes import NodeFacts, NodeForm, nodes_of, paged_by
from nestling.ir.facts.structure import (
    Columns,
    Counted,
    Evidence,
    FieldPlace,
    Key,
    Kinds,
    Link,
    RepeatedColumn,
    StructureFacts,
)
from nestling.sources.mongo.absorbed import ALL_EQUAL, absorb_copies
from nestling.sources.mongo.declared import fieldless, with_declared
from nestling.sources.mongo.our_forms import is_bucket, set_aside
from nestling.sources.mongo.seen import NodeRole, ObservedNode

LEAST_FOUND_SHARE = 0.95
"""Values found for a reference that not all rows were looked at for."""


@dataclass(slots=True)
class Survey:
    """Every node of a database with its role, and the links between those that are entities.

    `own`: the places of fields and nodes that look like repeats of others, and hold something else. `unkept`: what would be
    links, were what they lead to kept unique.
    """

    facts: Facts
    seen: dict[FieldPlace, ObservedNode]
    links: tuple[Link, ...]
    own: frozenset[FieldPlace] = frozenset()
    unkept: tuple[Link, ...] = ()
    notes: list[str] = field(default_factory=list)

    def entities(self) -> Iterator[ObservedNode]:
        """The nodes whose rows are an entity's, those of a document before what lies in it."""
        return (each for each in self.seen.values() if each.role is NodeRole.ENTITY)


def _links_by_name(facts: Facts) -> Iterator[Link]:
    """References to collections too large for their keys to be looked at all: found by names, values looked up on the server."""
    structure = facts.structure
    partial = {name for name, node in structure.partial if not node}
    linked = {(link.collection, steps) for link in structure.links for steps in link.columns}
    nodes = {(key.collection, key.node) for key in structure.keys if key.main}
    for each in facts.references:
        if each.others:
            continue  # to any of several
        steps = each.steps
        node = next((steps[:n] for n in range(len(steps), -1, -1) if (each.collection, steps[:n]) in nodes), ())
        is_sure = each.resolved >= LEAST_FOUND_SHARE * each.checked > 0
        if each.target in partial and each.target_field == "_id" and is_sure and (each.collection, steps) not in linked:
            where = (each.database, each.collection, node, (steps,), each.target, (), (("_id",),))
            yield Link(*where, each.checked, each.resolved, Evidence.NAME, whole=False)


def _unkept(structure: StructureFacts) -> Iterator[Link]:
    """Links to values that happen to be all different: no unique index keeps them so, and they are not what tells rows apart."""
    by_chance = {
        (key.collection, key.node, frozenset(key.columns))
        for key in structure.keys
        if not key.main and not key.declared
    }
    for link in structure.links:
        if (link.target, link.target_node, frozenset(link.target_columns)) in by_chance:
            yield link


def _without(structure: StructureFacts, links: tuple[Link, ...]) -> StructureFacts:
    """The structure without these links, and without what repeats or counts rows by them."""
    led = {(each.collection, each.columns, each.target, each.target_node) for each in links}
    return replace(
        structure,
        links=tuple(each for each in structure.links if each not in links),
        repeats=tuple(
            each for each in structure.repeats if (each.collection, each.link, each.target, each.target_node) not in led
        ),
        counted=tuple(
            each
            for each in structure.counted
            if (each.child, each.child_columns, each.collection, each.node) not in led
        ),
    )


def flat_copies(survey: Survey) -> Iterator[RepeatedColumn]:
    """Repeated columns that are copies by their names or places, except in sub-documents that are copies as a whole."""
    for repeat in survey.facts.structure.repeats:
        seen = survey.seen.get((repeat.collection, repeat.node))
        is_own = not survey.own.isdisjoint({(repeat.collection, repeat.column), (repeat.collection, repeat.node)})
        if seen is None or is_own or repeat.column in seen.key or repeat.equal < ALL_EQUAL * repeat.checked:
            continue
        is_beside = seen.role is NodeRole.ENTITY and repeat.named and _tells(seen, repeat.link)
        if is_beside or (seen.role is NodeRole.MERGED and repeat in seen.repeats):
            yield repeat


def _tells(seen: ObservedNode, link: Columns) -> bool:
    """Whether rows of a node tell a link: by fields of theirs, or by the key of the rows around."""
    around = seen.above.key if seen.above is not None else ()
    return {*link} <= {*around, *(column.steps for column in seen.node.columns)}


def counts(survey: Survey) -> Iterator[Counted]:
    """Columns that count other documents' rows, the likeliest of those, and are not part of their own rows' key.

    Not those that differ in many rows: comparing them with all documents would only tell that again.
    """
    best: dict[FieldPlace, Counted] = {}
    for each in survey.facts.structure.counted:
        place = each.collection, each.column
        seen = survey.seen.get((each.collection, each.node))
        is_other = not each.is_inside and place not in survey.own and each.equal >= ALL_EQUAL * each.checked
        if is_other and (seen is None or each.column not in seen.key):
            known = best.get(place)
            best[place] = each if known is None or each.equal > known.equal else known
    yield from best.values()


def survey(facts: Facts, own: frozenset[FieldPlace] = frozenset()) -> Survey:
    """Every node of the facts' collections, with its role.

    `own`: places that are not repeats, however much they look like them.
    """
    found: dict[FieldPlace, ObservedNode] = {}
    unkept = tuple(_unkept(facts.structure))
    facts = replace(facts, structure=_without(facts.structure, unkept))
    structure = replace(facts.structure, links=(*facts.structure.links, *_links_by_name(facts)))
    made = Survey(facts, found, structure.links, own, unkept)
    known = _Known(structure)
    collections = [with_declared(each) for each in facts.of_documents()]
    for collection in sorted(collections, key=lambda each: each.name):
        marks = fieldless(collection)
        nodes = nodes_of(collection, marks)
        header = _header(nodes)
        for node in nodes:
            seen = _seen(collection, node, found, known, header, is_mark=node.steps in marks)
            found[seen.place] = seen
    for kinds in structure.kinds:
        _part_into_kinds(kinds, found)
    set_aside(found)
    absorb_copies(found, known.links, known.repeats, own)
    return made


def _header(nodes: Sequence[NodeFacts]) -> Columns:
    """What a bucket tells of all its events; nothing for documents that are none."""
    root = nodes[0]
    return paged_by(root) if is_bucket(root, [each for each in nodes if each.above == root.steps]) else ()


def _part_into_kinds(kinds: Kinds, found: dict[FieldPlace, ObservedNode]) -> None:
    """Documents of several kinds: what all have stays, what one kind has is an entity of its own, told by the discriminator."""
    root = found.get((kinds.collection, ())) if kinds.column else None
    if root is None or root.node.column(kinds.column) is None or not root.key:
        return
    own = {steps for _, _, columns in kinds.kinds for steps in columns}
    for name, documents, columns in kinds.kinds:
        held = replace(root.node, columns=tuple(c for c in root.node.columns if c.steps in columns))
        seen = ObservedNode(root.collection, held, NodeRole.ENTITY, root, root.key, kind=name, documents=documents)
        found[seen.place] = seen
    common = tuple(c for c in root.node.columns if c.steps not in own and c.steps != kinds.column)
    root.node, root.discriminator = replace(root.node, columns=common), kinds.column[0]


class _Known:
    """The structure by place."""

    def __init__(self, structure: StructureFacts) -> None:
        self.keys: dict[FieldPlace, Key] = {(key.collection, key.node): key for key in structure.keys if key.main}
        self.links: dict[FieldPlace, list[Link]] = {}
        self.repeats: dict[FieldPlace, list[RepeatedColumn]] = {}
        for link in structure.links:
            self.links.setdefault((link.collection, link.node), []).append(link)
        for repeat in structure.repeats:
            self.repeats.setdefault((repeat.collection, repeat.node), []).append(repeat)


def _seen(
    collection: CollectionFacts,
    node: NodeFacts,
    found: Mapping[FieldPlace, ObservedNode],
    known: _Known,
    header: Columns,
    *,
    is_mark: bool,
) -> ObservedNode:
    place = (collection.name, node.steps)
    above = found[collection.name, node.above] if node.above is not None else None
    seen = ObservedNode(collection, node, NodeRole.ENTITY, above, _key(collection, node, above, known, header))
    if above is None:
        return seen
    if above.role not in (NodeRole.ENTITY, NodeRole.BUCKET, NodeRole.MERGED):
        seen.role = NodeRole.INSIDE
    elif above.role is not NodeRole.BUCKET and not above.key:
        is_part = node.form is NodeForm.OBJECT and not is_mark
        seen.role = NodeRole.MERGED if is_part else NodeRole.WHOLE
        seen.why = "" if is_part else "is nested in rows that nothing identifies"
    elif above.role is NodeRole.BUCKET and node.form is not NodeForm.OBJECT:
        seen.repeats = tuple(known.repeats.get(place, ()))
    return seen


def _key(
    collection: CollectionFacts, node: NodeFacts, above: ObservedNode | None, known: _Known, header: Columns
) -> Columns:
    """The key found, of columns that the rows have or the rows around are told apart by (what is declared may make other
    columns of the fields than were looked at); else a document's `_id`, and for a sub-document the key of what is around.
    """
    key = known.keys.get((collection.name, node.steps))
    around = above.key if above is not None else ()
    if key is not None and {*key.columns} <= {*(column.steps for column in node.columns), *around, *header}:
        return key.columns
    if above is None:
        return tuple(column.steps for column in node.columns if column.steps[0] == "_id")
    return around if node.form is NodeForm.OBJECT else ()
