"""Commands that create a design's collections and indexes: collections come first, indexes best after loading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nestling.emitters.content import lines
from nestling.emitters.documents import documents
from nestling.emitters.jsonschema import can_validate, validation_gaps, validator
from nestling.emitters.validators.enforcement import STRICT
from nestling.ir.design import Design
from nestling.ir.indexes.index_form import with_free_name
from nestling.ir.indexes.index_paths import index_paths
from nestling.ir.indexes.index_text import read_index
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import index_gaps, named_indexes, planned_indexes
from nestling.ir.primitives import CollectionKind
from nestling.ir.programs.command import CreateCollection, CreateIndex, ModifyCollection
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Gap
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.storage.stored_names import stored_names
from nestling.ir.storage.validator_form import validator_form
from nestling.ir.values import Policy


def collection_commands(
    design: Design, *, policy: Policy | None = None, unseen: bool = False, foreign: bool = False
) -> tuple[CreateCollection, ...]:
    """Return a command per collection, with its validator, level and action.

    `unseen`: validators accept values that the source may hold although the model does not know them. `foreign`: validators
    accept documents in the form in which other applications write them (`validator`).
    """
    found: list[CreateCollection] = []
    for store in design.stores:
        options = validation(design, store, policy=policy, unseen=unseen, foreign=foreign)
        if options:
            options |= STRICT
        found.append(CreateCollection(store.name, {**storage(store), **options}))
    return tuple(found)


def unseen_commands(design: Design, *, policy: Policy | None = None) -> Mapping[str, tuple[ModifyCollection, ...]]:
    """Return, by collection, the commands after which validators accept values unknown to the model.

    They include all collections with data of the same entities, because copies carry values from one to the other.
    """
    alike: list[tuple[frozenset[str], tuple[str, ...]]] = []
    for store in design.stores:
        entities = _entities_in(design, store)
        near = [each for each in alike if each[0] & entities]
        alike = [each for each in alike if each not in near]
        alike.append(
            (entities.union(*(known for known, _ in near)), (*(n for _, names in near for n in names), store.name))
        )
    commands = {
        store.name: ModifyCollection(store.name, validation(design, store, policy=policy, unseen=True))
        for store in design.stores
        if can_validate(store)
    }
    groups = (tuple(commands[name] for name in names if name in commands) for _, names in alike)
    return {command.name: group for group in groups for command in group}


def own_validators(
    design: Design, *, policy: Policy | None = None, foreign: bool = True
) -> frozenset[tuple[str, bytes]]:
    """Return the collections with the forms of all our validators: after a load, after unseen values, during a migration.

    `foreign`: include those that accept documents in the form of other applications.
    """
    return frozenset(
        (store.name, validator_form(validator(design, store, policy=policy, unseen=unseen, foreign=is_foreign)))
        for store in design.stores
        if can_validate(store)
        for unseen, is_foreign in ((False, False), (True, False), (True, True))
        if foreign or not is_foreign
    )


def _entities_in(design: Design, store: StoredCollection) -> frozenset[str]:
    """The entities whose values a collection's documents hold, copied and computed ones too."""
    fields = (line.field for document in documents(design, store) for line in lines(document))
    computed = (each for node in store.nodes() for each in node.body.computed)
    return frozenset(
        (
            *(field.source.rpartition(".")[0] for field in fields if field.source),
            *(each.path[-1].target(design.model) for each in computed),
        )
    )


def index_commands(design: Design) -> tuple[CreateIndex, ...]:
    """A command per index; creating one that exists with the same options changes nothing."""
    return tuple(index.command() for index in planned_indexes(design))


def indexes_of(proposal: Proposal) -> tuple[PlannedIndex, ...]:
    """The indexes of a design in use: for a design in place the existing ones, for others all that it needs."""
    return named_indexes(proposal.design) if proposal.is_in_place else planned_indexes(proposal.design)


@dataclass(frozen=True, slots=True)
class InexpressibleIndex:
    """An index of the live database that a design cannot say, and the gap that says why.

    `fits`: whether the design's documents have its fields where the database's have them, so that it can be made as it is.
    """

    index: CreateIndex
    gap: Gap
    fits: bool


def inexpressible_indexes(proposal: Proposal) -> tuple[InexpressibleIndex, ...]:
    """The indexes of the live database that the design cannot say, by names that none of its own has."""
    taken = {(each.collection, each.name) for each in indexes_of(proposal)}
    found = ((with_free_name(read_index(gap.index, gap.where), taken), gap) for gap in proposal.gaps if gap.index)
    return tuple(
        InexpressibleIndex(index, gap, proposal.is_in_place or _fits(proposal.design, index)) for index, gap in found
    )


def _fits(design: Design, index: CreateIndex) -> bool:
    """Whether a collection of that name has an attribute of its rows at every path of the index."""
    there = {
        path
        for store in design.stores
        if store.name == index.collection
        for path, _ in stored_names(design.model, store)
    }
    options = {
        name: value for name, value in index.options.items() if name != "language_override"
    }  # few documents have it
    paths = [*index_paths(replace(index, options=options))]
    return bool(paths) and there.issuperset(paths)


def gaps(design: Design) -> tuple[Gap, ...]:
    """The constraints that the server cannot check, and the indexes that it cannot build."""
    return (*validation_gaps(design), *index_gaps(design))


def validation(
    design: Design,
    store: StoredCollection,
    *,
    policy: Policy | None = None,
    unseen: bool = False,
    foreign: bool = False,
) -> dict[str, object]:
    """`{"validator": …}`, or nothing for a collection that cannot have one."""
    if not can_validate(store):
        return {}
    return {"validator": validator(design, store, policy=policy, unseen=unseen, foreign=foreign)}


def storage(store: StoredCollection) -> dict[str, object]:
    """Options of `create` that decide how the server keeps a collection."""
    options = store.options
    match options.kind:
        case CollectionKind.PLAIN:
            return {}
        case CollectionKind.CLUSTERED:
            return {"clusteredIndex": {"key": {"_id": 1}, "unique": True}}
        case CollectionKind.CAPPED:
            return {"capped": True, "size": options.size_bytes}
        case CollectionKind.TIME_SERIES:
            return _time_series(store)


def _time_series(store: StoredCollection) -> dict[str, object]:
    options, root = store.options, store.roots[0]
    paths = {name: root.path_of(attribute) for name, attribute in
             (("timeField", options.time), ("metaField", options.meta)) if attribute}  # fmt: skip
    granularity = {"granularity": options.granularity} if options.granularity else {}
    return {"timeseries": {**paths, **granularity}}
