"""What a person should know of a database that became a model: what could not, and what rests on less than everything."""

from __future__ import annotations

import json
from collections.abc import Iterator

from nestling.ir.facts import BUILT, NO_RIGHT, SET_ASIDE, USE_UNSEEN, CollectionFacts, NamespaceKind, steps_text
from nestling.ir.facts.nodes import NodeForm, other_subtypes
from nestling.ir.facts.structure import Columns, Kinds, Link, Unclear
from nestling.ir.literals import of_collection, shell
from nestling.ir.quantity_words import agreeing, counted, first_of
from nestling.ir.reading import Gap, GapKind
from nestling.ir.words.reference_words import looked_up
from nestling.sources.mongo.absorbed import ALL_EQUAL
from nestling.sources.mongo.entities import EntityOf
from nestling.sources.mongo.relations import LEAST_RESOLVED, Entities
from nestling.sources.mongo.seen import NodeRole
from nestling.sources.mongo.survey import Survey, flat_copies
from nestling.sources.mongo.taken import Verdicts, notes_of
from nestling.sources.mongo.types import odd_types

MOST_FIELDS_NAMED = 4
_LEFT_OUT = (BUILT, SET_ASIDE)
"""Why collections are in neither the model nor the design, and need not be."""
_ELEMENTS = (NodeForm.ARRAY, NodeForm.VALUES)
_NOT_READ = {
    NamespaceKind.TIME_SERIES: "is a time series collection, which is not read yet",
    NamespaceKind.VIEW: "is a view, not a table",
}


def gaps(survey: Survey, found: Entities) -> Iterator[Gap]:
    """What could not be understood, each with its place."""
    for collection in survey.facts.collections:
        if collection.kind in _NOT_READ:
            is_view = collection.kind is NamespaceKind.VIEW
            yield Gap(GapKind.NOTIMPL if is_view else GapKind.LOST, _NOT_READ[collection.kind], collection.name)
        yield from _of_collation(collection)
    for skipped in (each for each in survey.facts.skipped if each.why not in (NO_RIGHT, USE_UNSEEN, *_LEFT_OUT)):
        yield Gap(GapKind.INPUT, f"{skipped.what} could not be looked at: {skipped.why}")
    for entity in found.values():
        yield from _of_entity(entity)
    yield from (_unclear(each) for each in survey.facts.structure.unclear if each.named)
    for near in survey.facts.structure.near_keys:
        key = f"`{near.target}.{steps_text(near.target_column)}`"
        share = _rows(near.repeated, "shares or lacks", "share or lack")
        what = f"`{steps_text(near.column)}` refers to {key}, which is not a key: {share} it"
        yield Gap(GapKind.INPUT, what, near.collection)
    linked = {(link.collection, steps) for link in survey.links for steps in link.columns}
    for reference in survey.facts.references:
        if reference.converted:
            what = f"`{steps_text(reference.steps)}` refers to `{reference.target}` in another type: {looked_up(reference)}"
            yield Gap(GapKind.INPUT, what, reference.collection)
        elif not reference.resolved and (reference.collection, reference.steps) not in linked:
            what = f"`{steps_text(reference.steps)}` refers to nothing that exists: none of {reference.checked:,} values is found"
            yield Gap(GapKind.INPUT, what, reference.collection)


def _of_collation(collection: CollectionFacts) -> Iterator[Gap]:
    """A collection that compares texts by a collation: designs have none."""
    if collection.collation:
        told = json.loads(collection.collation)
        known = ", ".join(f"{name} {told[name]}" for name in ("locale", "strength") if name in told)
        what = (
            f"has its own collation ({known}), which a design cannot express: when rebuilt, it compares texts exactly"
        )
        yield Gap(GapKind.NOTIMPL, what, collection.name)


def _of_entity(entity: EntityOf) -> Iterator[Gap]:
    collection = entity.seen.collection.name
    for path in entity.seen.node.unnamed:
        what = f"`{path.text}` has a name that queries cannot address, and is not read"
        yield Gap(GapKind.NOTIMPL, what, collection)
    for each in entity.stored:
        text = steps_text(each.column.steps)
        if each.column.why:
            unsought = ", in which no references are looked for" if other_subtypes(each.column.path) else ""
            what = f"`{text}` {each.column.why}, and is kept whole as json{unsought}"
            yield Gap(GapKind.NOTIMPL, what, collection)
        elif odd := odd_types(each.column.path):
            yield Gap(GapKind.NOTIMPL, f"`{text}` holds {', '.join(odd)}, which the model has no type for", collection)
        elif each.attribute.also and not _only_numbers(each.attribute.also):
            others = ", ".join(map(str, each.attribute.also))
            yield Gap(GapKind.INPUT, f"`{text}` is {each.attribute.type} and sometimes {others}", collection)


def _only_numbers(kinds: tuple[object, ...]) -> bool:
    return {str(kind) for kind in kinds} <= {"integer", "float", "decimal"}


def _unclear(unclear: Unclear) -> Gap:
    field = steps_text(unclear.columns[0])
    some = first_of([f"`{name}`" for name in unclear.targets], MOST_FIELDS_NAMED)
    what = f"`{field}` is named like a reference; its {unclear.checked:,} values may be keys of {some}: declare it in the model"
    return Gap(GapKind.INPUT, what, unclear.collection)


def _maybe(unclear: Unclear) -> str:
    """What may be a reference, and may be none."""
    where = f"`{unclear.collection}.{steps_text(unclear.columns[0])}` may refer to `{unclear.targets[0]}`"
    found = f"{unclear.resolved:,} of {unclear.checked:,} values exist there"
    return f"{where}: {found}. Neither its name nor a unique index confirms it: declare it in the model if it does"


def _unkept(link: Link) -> str:
    """What would be a reference, were it kept unique what it leads to."""
    where = f"{link.collection}.{steps_text(link.columns[0])}"
    to = f"{link.target}.{steps_text(link.target_columns[0])}"
    what = f"`{where}` may refer to `{to}`: {link.resolved:,} of {link.checked:,} values exist there"
    if link.target_node:
        return f"{what}. Nothing enforces that these are unique: declare it in the model if they are"
    keys = shell({steps_text(steps): 1 for steps in link.target_columns})
    index = f"{of_collection('db', link.target)}.createIndex({keys}, {{unique: true}})"
    return f"{what}. No index enforces that these are unique: if they are, run {index} and read the database again"


def _left_out(survey: Survey) -> Iterator[str]:
    for why in _LEFT_OUT:
        if names := [f"`{each.what}`" for each in survey.facts.skipped if each.why == why]:
            yield f"{first_of(names, MOST_FIELDS_NAMED)} {agreeing(len(names))} left out, {why}"


def notes(survey: Survey, found: Entities, compared: Verdicts) -> Iterator[str]:
    """Notes on what loses nothing and should be seen."""
    if files := [each.name for each in survey.facts.collections if each.kind is NamespaceKind.GRIDFS]:
        yield f"{', '.join(f'`{name}`' for name in files)}: GridFS, managed by the driver; neither read nor changed"
    if refused := [each.what for each in survey.facts.skipped if each.why == NO_RIGHT]:
        yield f"the user has no right to see {first_of(refused, MOST_FIELDS_NAMED)}; the role `clusterMonitor` allows most of it"
    yield from _left_out(survey)
    ordered = [e.name for e in found.values() if e.seen.node.form in _ELEMENTS]
    if any(survey.seen[place].above is not None for place in found) and ordered:
        yield "the order of array elements is not part of the model; if it matters, give the elements a field for it"
    keys = [f"`{e.name}` ({', '.join(e.key)})" for e in found.values() if e.seen.node.form in _ELEMENTS and e.key]
    if keys:
        yield (
            f"element keys that are unique today, but not enforced: {first_of(keys, MOST_FIELDS_NAMED)}. If one may repeat, give"
            " the elements a field that identifies them"
        )
    yield from _lacked_ids(survey, found)
    for link in survey.links:
        if link.dangling and link.resolved >= LEAST_RESOLVED * link.checked:
            where = f"{link.collection}.{steps_text(link.columns[0])}"
            target = ".".join((link.target, *filter(None, [steps_text(link.target_node)])))
            yield f"`{where}` refers to `{target}`; {_rows(link.dangling, 'refers', 'refer')} to a row that does not exist"
    yield from (_maybe(each) for each in survey.facts.structure.unclear if not each.named)
    yield from map(_unkept, survey.unkept)
    for seen in survey.seen.values():
        if seen.role in (NodeRole.PAGES, NodeRole.ORPHANS) and seen.of is not None:
            what = "overflow of arrays" if seen.role is NodeRole.PAGES else "rows whose parent does not exist"
            yield f"`{seen.collection.name}` was taken for {what}: `{seen.of.collection.name}.{steps_text(seen.of.node.steps)}`"
    yield from notes_of(compared)
    yield from _repeats(survey)
    yield from _counters(survey)
    yield from (_unnamed(kinds) for kinds in survey.facts.structure.kinds if not kinds.column)
    partial = sorted({name for name, _ in survey.facts.structure.partial})
    if partial:
        yield f"keys and references were looked for in samples of {', '.join(partial)}"


def _lacked_ids(survey: Survey, found: Entities) -> Iterator[str]:
    """Elements that have no key, as some lack the id that the others have."""
    keyless = {e.seen.place: e.name for e in found.values() if not e.key}
    for lacked in survey.facts.structure.lacked_ids:
        if name := keyless.get((lacked.collection, lacked.node)):
            what = f"`{name}` has no key: {lacked.lacking:,} of {lacked.checked:,} elements lack their"
            yield f"{what} `{steps_text(lacked.column[-1:])}`, so only their position in the array identifies them. Give each one"


def _repeats(survey: Survey) -> Iterator[str]:
    """Columns that repeat others in many rows, and are not called copies."""
    copies = {(each.collection, each.column) for each in flat_copies(survey)}
    for repeat in survey.facts.structure.repeats:
        is_flat = survey.seen[repeat.collection, repeat.node].role is NodeRole.ENTITY
        is_told = not survey.own.isdisjoint({(repeat.collection, repeat.column), (repeat.collection, repeat.node)})
        if is_flat and not is_told and (repeat.collection, repeat.column) not in copies:
            mine = f"{repeat.collection}.{steps_text(repeat.column)}"
            theirs = f"{repeat.target}.{steps_text(repeat.target_column)}"
            differing = repeat.checked - repeat.equal
            stale = f"a copy that is stale in {differing:,}" if differing else "a copy"
            yield f"`{mine}` is `{theirs}` in {repeat.equal:,} of {repeat.checked:,} rows: {stale}, or a coincidence"


def _counters(survey: Survey) -> Iterator[str]:
    """Columns that count the elements of an array beside them, or, with many differences, the rows that refer to their own."""
    for each in survey.facts.structure.counted:
        if not each.by_values or not (each.is_inside or each.equal < ALL_EQUAL * each.checked):
            continue
        mine = f"{each.collection}.{steps_text(each.column)}"
        array = ".".join(filter(None, (each.child, steps_text(each.child_node[:-1]))))
        rows = f"elements of `{array}`" if each.is_inside else f"rows of `{array}` that refer to its row"
        drifted = each.checked - each.equal
        what = f"a counter that is off in {drifted:,}" if drifted else "a counter"
        yield (
            f"`{mine}` is the number of {rows} in {each.equal:,} of {each.checked:,} rows: {what}, or a"
            " coincidence; it is treated as independent data, which only the application keeps up to date"
        )


def _unnamed(kinds: Kinds) -> str:
    """Kinds of documents that no field names, and what would make entities of them."""
    each = [f"{_listed(columns)} ({counted(documents, 'document')})" for _, documents, columns in kinds.kinds]
    return (
        f"the documents of `{kinds.collection}` are of {len(each)} kinds no field distinguishes: {'; '.join(each)}. Each"
        " becomes an entity once a field such as `type` names the kind in every document"
    )


def _listed(columns: Columns) -> str:
    return first_of([f"`{steps_text(steps)}`" for steps in columns], MOST_FIELDS_NAMED)


def _rows(number: float, one: str, many: str) -> str:
    return f"{counted(number, 'row')} {agreeing(number, one, many)}"
