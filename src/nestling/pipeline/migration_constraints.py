"""Risks of a migration: values refused only by the new design, constraints that are lost, and fields no longer read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nestling.common.errors import name_list
from nestling.ir.quantity_words import agreeing, first_of

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.executors.migrate import Job
    from nestling.ir.candidate import Indexed
    from nestling.ir.design import Design
    from nestling.ir.indexes.planned_index import PlannedIndex
    from nestling.ir.primitives import Index
    from nestling.ir.programs.command import CreateIndex
    from nestling.ir.storage.layout import Node, StoredCollection

MOST_COLLECTIONS_NAMED = 5


def lost_constraints(old: Design, new: Design, job: Job) -> Iterator[str]:
    """Yield what unique and expiring indexes enforce today but the new design does not, or only for fewer rows."""
    from nestling.planner.options.structures.constraints import constraints, is_kept, kept_of_fewer

    gone = list[tuple[str, str]]()
    for index in job.indexes.lost:
        for known in constraints(old, _plain(index)):
            name = f"`{index.collection}.{index.name}`"
            fewer = kept_of_fewer(new, known)
            for each in fewer:
                yield (
                    f"{name} keeps {known} today, `{each.collection}.{each.name}` of the new "
                    f"design {_more_narrowly(each)}: the application must take care of the rest"
                )
            if not fewer and not is_kept(new, known):
                gone.append((str(known), f"{name} does"))
    if len(gone) == 1:
        yield f"no index of the new design keeps {gone[0][0]}, as {gone[0][1]} today: the application must do so instead"
    elif gone:
        told = ", ".join(f"{known} ({does} today)" for known, does in gone)
        yield f"no index of the new design keeps {told}: the application must do so instead"


def _more_narrowly(index: PlannedIndex) -> str:
    """Describe how an index enforces its rule for fewer rows than another one."""
    return f"only where {' and '.join(map(str, index.partial))}" if index.partial else "only as it compares texts"


def _plain(index: CreateIndex) -> Iterator[Index]:
    """Yield the index as designs express one, if they can, without options that only distinguish it from the one on `_id`."""
    from nestling.ir.indexes.needed_indexes import NOTHING_BESIDE_ID
    from nestling.ir.primitives import Index

    keys = tuple((path, way) for path, way in index.keys if isinstance(way, int))
    seconds = index.options.get("expireAfterSeconds")
    expires = round(seconds) if isinstance(seconds, int | float) else None
    if len(keys) == len(index.keys):
        keys = tuple(key for key in keys if key[0] != NOTHING_BESIDE_ID)
        yield Index(index.collection, keys, bool(index.options.get("unique")), expire_after_seconds=expires)


def _indexes_today(old: Design, database: Database[Any]) -> Iterator[tuple[Index, Mapping[str, Any]]]:
    """Yield the database's indexes on the old design's collections: as designs express them, and with the server's options."""
    from nestling.executors.migrate import indexes_today

    for each in indexes_today(database, [store.name for store in old.stores]):
        yield from ((index, each.options) for index in _plain(each))


# --- what is to be unique --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Unique:
    """Attributes of an entity whose values must be unique; `some`: only among certain rows.

    `within`: the relationships down to the array that holds the rows. Two rows in one document may then share the values.
    Empty: no two rows may.
    """

    entity: str
    attributes: frozenset[str]
    some: bool = False
    collated: bool = False
    within: tuple[str, ...] = ()

    def implies(self, other: _Unique) -> bool:
        """Whether the other holds where this one does."""
        of_more = (other.some or not self.some) and (self.collated or not other.collated)
        in_larger = other.within[len(other.within) - len(self.within) :] == self.within  # the same documents, in others
        return self.entity == other.entity and self.attributes <= other.attributes and of_more and in_larger


def new_uniques(old: Design, new: Design, job: Job, database: Database[Any]) -> Iterator[str]:
    """Yield unique indexes, including those on `_id`, that will refuse what the database accepts today."""
    from nestling.ir.indexes.index_form import index_form

    today = tuple(_unique_today(old, database))
    called = {index_form(each): each.name for each in (*job.indexes.built, *job.indexes.late)}
    for unique, index in _unique_then(new):
        if any(each.implies(unique) for each in today):
            continue
        names = ", ".join(name for name in new.model.entity(unique.entity).attribute_names if name in unique.attributes)
        since = "as soon as `migrate` has built it" if index.collection in job.kept else "from the cutover on"
        instead = _instead(unique, index, called.get(index_form(index.command()), index.name))
        yield (
            f"`{index.collection}` gets a unique index on {index.fields}, and nothing keeps {names} of `{unique.entity}` "
            f"unique today: duplicates are refused (E11000) {since}; {instead}"
        )


def stricter_uniques(old: Design, new: Design, job: Job, database: Database[Any]) -> Iterator[str]:
    """Unique indexes over all documents that have a field, where today's look at values of some types alone."""
    from nestling.ir.indexes.index_form import index_form
    from nestling.ir.literals import of_collection, shell, shell_ordered

    today = tuple(_uniques_today(old, database))
    named = {index_form(each): each.name for each in (*job.indexes.built, *job.indexes.late)}
    for unique, index in _unique_then(new):
        alike = [_types(told) for known, told in today if known.implies(unique)]
        if unique.some or index.keys == (("_id", 1),) or not alike or not all(alike):
            continue
        types = alike[0]
        told = ", ".join(f"{path} is of type {shell(kind)}" for path, kind in types.items())
        keys, only = shell_ordered(index.keys), shell({path: {"$type": kind} for path, kind in types.items()})
        at, name = of_collection("db", index.collection), named.get(index_form(index.command()), index.name)
        yield (
            f"`{index.collection}` gets a unique index on {index.fields} over all documents that have the field, where "
            f"today's covers only those in which {told}: from the cutover on, a second document with null there, or with "
            "the same value of another type, is refused (E11000). Omit the field instead of writing null; or, after the "
            f"cutover, {at}.dropIndex({shell(name)}) and"
            f" {at}.createIndex({keys}, {{unique: true, partialFilterExpression: {only}}})"
        )


def _types(told: Mapping[str, Any]) -> dict[str, object]:
    """The types an index of the database asks for, by path."""
    conditions = told.get("partialFilterExpression", {})
    return {
        path: each["$type"]
        for path, each in conditions.items()
        if isinstance(each, Mapping) and each.keys() == {"$type"}
    }


def _instead(unique: _Unique, index: PlannedIndex, name: str) -> str:
    from nestling.ir.literals import of_collection, shell

    if index.keys == (("_id", 1),):
        return f"if duplicates are legitimate, give `{unique.entity}` a unique key, in the model and in both designs"
    return f"if duplicates are legitimate, drop the index then: {of_collection('db', index.collection)}.dropIndex({shell(name)})"


def _unique_then(new: Design) -> Iterator[tuple[_Unique, PlannedIndex]]:
    """Yield what the new design makes the server keep unique, with the index that does it."""
    from nestling.ir.indexes.needed_indexes import NOTHING_BESIDE_ID
    from nestling.ir.indexes.planned_index import PlannedIndex
    from nestling.ir.indexes.planned_indexes import planned_indexes
    from nestling.ir.primitives import Index
    from nestling.ir.statements.operators import Collation
    from nestling.planner.options.structures.in_place import indexed

    for store, root, attributes in _ids(new):
        yield _Unique(root.entity, attributes), PlannedIndex(store.name, (("_id", 1),), ("key",), unique=True)
    for each in planned_indexes(new):
        keys = tuple(key for key in each.keys if key[0] != NOTHING_BESIDE_ID)
        on = indexed(new.store(each.collection), Index(each.collection, keys)) if each.unique else None
        if on is not None:
            collated = each.collation is not Collation.BINARY
            within = _arrays(new, each.collection).get(on.entity, ())
            yield _unique(on, some=_is_of_some(each), collated=collated, within=within), each


def _unique_today(old: Design, database: Database[Any]) -> Iterator[_Unique]:
    """Yield what the server keeps unique today among rows that all lie in one place."""
    for _, root, attributes in _ids(old):
        yield _Unique(root.entity, attributes)
        yield from _single(old, root, attributes)
    yield from (unique for unique, _ in _uniques_today(old, database))


def _uniques_today(old: Design, database: Database[Any]) -> Iterator[tuple[_Unique, Mapping[str, Any]]]:
    """Yield what the database's unique indexes enforce, with the server's options of each."""
    from nestling.planner.options.structures.constraints import constraints

    for index, told in _indexes_today(old, database):
        arrays = _arrays(old, index.collection)
        for each in constraints(old, [index]) if index.unique else ():
            within = arrays.get(each.on.entity)
            if within is not None and (not within or len(old.places[each.on.entity]) == 1):
                some, collated = _has_condition(told), "collation" in told
                yield _unique(each.on, some=some, collated=collated, within=within), told


def _arrays(design: Design, collection: str) -> dict[str, tuple[str, ...]]:
    """Map each entity in a collection's documents to the relationships down to its array; empty if a document has one row."""
    from nestling.ir.storage.layout import NodeKind

    found = dict[str, tuple[str, ...]]()

    def walk(node: Node, links: tuple[str, ...], within: tuple[str, ...]) -> None:
        found.setdefault(node.entity, within)
        for child in node.children:
            if child.embedding is not None:
                path = (*links, child.embedding.relationship)
                walk(child, path, path if child.form.to_many or within else ())

    for root in design.store(collection).roots:
        if root.kind is NodeKind.ROOT:
            walk(root, (), ())
    return found


def _single(design: Design, node: Node, unique: frozenset[str]) -> Iterator[_Unique]:
    """Yield what is unique because a document holds one such row at most: its reference to the document's unique row."""
    for child in node.children:
        if child.embedding is None or child.form.to_many:
            continue
        link = design.model.relationship(child.embedding.relationship)
        pairs = dict(zip(link.parent_attributes, link.child_attributes, strict=True))
        if unique <= pairs.keys():
            known = frozenset(pairs[name] for name in unique)
            yield _Unique(child.entity, known)
            yield from _single(design, child, known)


def _ids(design: Design) -> Iterator[tuple[StoredCollection, Node, frozenset[str]]]:
    """The attributes that the `_id`s of homes are made of."""
    from nestling.ir.storage.layout import NodeKind, Role

    for store in design.stores:
        for root in store.roots:
            names = frozenset(field.attribute for field in root.stored if field.path.partition(".")[0] == "_id")
            if store.role is Role.HOME and root.kind is NodeKind.ROOT and names:
                yield store, root, names


def _unique(on: Indexed, *, some: bool, collated: bool, within: tuple[str, ...]) -> _Unique:
    return _Unique(on.entity, frozenset(name for name, _ in on.keys), some, collated, within)


def _is_of_some(index: PlannedIndex) -> bool:
    """Whether an index covers only some of the rows that have its values: it has a condition other than presence."""
    from nestling.ir.statements.clause import ClauseOperator

    return any(each.comparison is not ClauseOperator.PRESENT for each in index.partial)


def _has_condition(told: Mapping[str, Any]) -> bool:
    """Whether an index of the database has a condition other than that a value is present."""
    conditions = told.get("partialFilterExpression", {}).values()
    return any(not isinstance(each, Mapping) or not each.keys() <= {"$exists", "$type"} for each in conditions)


# --- what is to be of one form ---------------------------------------------------------------------------------------


def new_validators(
    old: Design, new: Design, own: Design, job: Job, database: Database[Any], rules: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Yield validators of rebuilt collections that differ from today's, or that ask for more.

    `own`: the old design over its own model. `rules`: what collections validated before a cutover of this migration made them
    refuse every write.
    """
    from nestling.emitters.commands import own_validators
    from nestling.emitters.jsonschema import can_validate
    from nestling.ir.literals import shell
    from nestling.ir.storage.validator_form import validator_form

    today = {each["name"]: each.get("options", {}) for each in database.list_collections()} | dict(rules)
    ours = own_validators(own, policy=job.policy)
    free, others = list[str](), list[str]()
    for store in new.stores:
        if store.name in job.kept or not can_validate(store):
            continue
        of = {node.entity for node in store.nodes()}
        there = (each for each in old.stores if each.name in job.old)
        sources = [each.name for each in there if of & {node.entity for node in each.nodes()}]
        if not all(refuses(today.get(name, {})) for name in sources):
            free.append(store.name)
        elif any((name, validator_form(today[name]["validator"])) not in ours for name in sources):
            others.append(store.name)
    for names, what in (
        (free, "each gets a validator, where the server accepts any document today"),
        (others, "each gets a new validator in place of today's, whose rules no longer apply"),
    ):
        if names:
            shown = first_of([f"`{name}`" for name in names], MOST_COLLECTIONS_NAMED)
            yield (
                f"{shown}: {what}: from the cutover on, documents are refused that lack a field that all documents have by "
                "then, or that hold a value of a type that none has (such as a whole number where all have fractions). "
                "`nestling emit NEW.YAML --as jsonschema` shows the validators; after the cutover, "
                f'db.runCommand({{collMod: {shell(names[0])}, validationAction: "warn"}}) only logs what it would refuse, '
                "and `validator: {}` accepts anything"
            )


def refuses(options: Mapping[str, Any]) -> bool:
    """Whether a collection's validator refuses documents, all of them that break it."""
    level, action = options.get("validationLevel", "strict"), options.get("validationAction", "error")
    return bool(options.get("validator")) and level == "strict" and action == "error"


# --- what the server takes and nothing reads ------------------------------------------------------------------------------


def unread_fields(old: Design, new: Design, job: Job) -> Iterator[str]:
    """Yield fields and collections that applications of the old design may keep writing but the new design does not read."""
    after = {store.name: store for store in new.stores}
    built = [store for store in old.stores if store.name in job.replaced]
    if collections := [store.name for store in built if store.name not in after]:
        yield _unread_collections(collections)
    gone = {store.name: _gone(store, after[store.name]) for store in built if store.name in after}
    if fields := {name: paths for name, paths in gone.items() if paths}:
        yield _unread_fields(fields)


def _unread_collections(names: list[str]) -> str:
    from nestling.ir.literals import of_collection

    commands = " and ".join(f"{of_collection('db', name)}.countDocuments()" for name in names[:MOST_COLLECTIONS_NAMED])
    one = agreeing(len(names), "it", "one of them")
    tell = agreeing(min(len(names), MOST_COLLECTIONS_NAMED), "shows", "show")
    return (
        f"the new design has no {agreeing(len(names), 'collection', 'collections')} {name_list(names)}: {_TAKES} an insert "
        f"into {one} creates a collection of that name, and nothing reads it. {_FIRST} {commands} then {tell} such "
        "documents"
    )


def _unread_fields(gone: Mapping[str, list[str]]) -> str:
    from nestling.ir.literals import shell

    names = first_of(
        [f"`{name}.{path}`" for name, paths in gone.items() for path in paths], MOST_COLLECTIONS_NAMED * len(gone)
    )
    never = {
        name: ", ".join(f"{{{shell(path)}: {{$exists: false}}}}" for path in paths[:MOST_COLLECTIONS_NAMED])
        for name, paths in gone.items()
    }
    added = ", ".join(f"{conditions} to the validator of `{name}`" for name, conditions in never.items())
    return (
        f"{names}: the new design has nothing there: {_TAKES} such writes are accepted, since validators allow fields that "
        f"are not in the design, and nothing reads them. {_FIRST} `nestling check NEW.YAML URI` then reports such fields; "
        f"to have the server refuse them, add {added}: {{$and: [VALIDATOR, ...]}}"
    )


_TAKES = "if an application still writes as before the cutover,"
_FIRST = "Stop or change such applications before the cutover."


def _gone(before: StoredCollection, after: StoredCollection) -> list[str]:
    """Return the paths that documents of one collection have and those of another lack; only the topmost of each."""
    from nestling.ir.invariants import paths_in

    known = [*paths_in(after)]
    there = {".".join(path.split(".")[: depth + 1]) for path in known for depth in range(path.count(".") + 1)}
    found = dict[str, None]()
    for path in paths_in(before):
        parts = path.split(".")
        upper = (".".join(parts[: depth + 1]) for depth in range(len(parts)))
        first = next((each for each in upper if each not in there), None)
        if first is not None:
            found[first] = None
    return [*found]
