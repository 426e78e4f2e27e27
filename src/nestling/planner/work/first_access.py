"""How the server reads what a plan begins with: the index it takes for the conditions and the order asked, or a scan.

The server compares indexes by trying them and takes the one that yields results with the fewest keys and documents; a collection
is scanned only when no index serves. A compound `_id` serves equality on all its parts, or on the first few, and gives the
documents in its own order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log2, prod

from nestling.ir.design import Design
from nestling.ir.indexes.any_case import finds_any_case
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.statements.clause import Clause, ClauseOperator, imply
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import index_collation
from nestling.ir.storage.stored_names import stored_names
from nestling.ir.types import TEXTS
from nestling.planner.work.cold_reads import from_disk
from nestling.planner.work.conditions import has_some, in_turn, of_any
from nestling.planner.work.stream import Condition, Leading, Use

IndexOrder = tuple[tuple[str, int], ...]
_BY_ID: IndexOrder = (("_id", 1),)
_EITHER_WAY: tuple[IndexOrder, ...] = (_BY_ID, (("_id", -1),))


@dataclass(frozen=True, slots=True)
class FirstAccess:
    """One way to read: documents it yields, its work, whether they come in the order asked."""

    rows: float
    work: Work
    ordered: bool = False

    @property
    def effort(self) -> float:
        """What the server's trial of plans counts: keys and documents read. A scan is used only if no index serves."""
        return self.work.keys + self.work.documents


@dataclass(frozen=True, slots=True)
class IndexCondition:
    """A condition an index serves: `part` is `whole`, or what it asks of an element among others."""

    whole: Condition
    part: Condition


def access_taken(
    leading: Leading, design: Design, order: IndexOrder = (), needs: frozenset[str] | None = None
) -> FirstAccess:
    """The access the server would take, reads from disk and all. `needs`: the only paths asked for, which an index may hold."""
    access = _chosen(leading, design, order, needs)
    return replace(access, work=access.work + from_disk(access.work, leading.documents.cold))


def _chosen(leading: Leading, design: Design, order: IndexOrder, needs: frozenset[str] | None) -> FirstAccess:
    found = [*_by_any_index(leading, design, order, needs)]
    found += [
        access for each in leading.conditions if (access := _by_several(leading, each, design, order)) is not None
    ]
    if not found:
        return _by_scan(leading)
    return min(
        found, key=lambda access: access.effort + (0.0 if access.ordered or not order else _sorting(access.rows))
    )


def _by_any_index(
    leading: Leading, design: Design, order: IndexOrder, needs: frozenset[str] | None
) -> Iterator[FirstAccess]:
    """The accesses by one index each."""
    for keys in _indexes(leading, design):
        if (access := _by_index(_as_collated(leading, design, keys), design, keys, order, needs)) is not None:
            yield access
    yield from _by_partial(leading, design, order)
    parts = _by_index(
        _without_varying(_as_collated(leading, design, _BY_ID)),
        design,
        tuple((path, 1) for path in leading.identity),
        (),
        needs,
    )
    if parts is not None:
        yield replace(parts, ordered=order[:1] in _EITHER_WAY)


def _without_varying(leading: Leading) -> Leading:
    """The conditions with comparisons with values of outer rows tested on each document."""
    asked = (replace(each, use=Use.NONE) if each.varies else each for each in leading.conditions)
    return replace(leading, conditions=tuple(asked))


def _indexes(leading: Leading, design: Design) -> Iterator[IndexOrder]:
    """The keys of every index over all documents of the collection that compares texts as the read does."""
    yield _BY_ID
    for index in planned_indexes(design):
        is_here = index.collection == leading.collection and not index.partial
        if is_here and (leading.collation is Collation.UNICODE_CI or not finds_any_case(design, index)):
            yield index.keys


def _as_collated(leading: Leading, design: Design, keys: IndexOrder) -> Leading:
    """The conditions without the use of an index for texts, if no index on these keys compares them as the read does.

    Nor does the server use it for documents, such as an `_id` of several parts, in which there may be texts.
    """
    here = [each for each in planned_indexes(design) if each.collection == leading.collection]
    by = {each.collation for each in here if each.keys == keys} | ({Collation.BINARY} if keys == _BY_ID else set())
    if leading.collation in by:
        return leading
    texts = _texts(leading, design)
    asked = (replace(each, use=Use.NONE) if each.path in texts else each for each in leading.conditions)
    return replace(leading, conditions=tuple(asked))


def _texts(leading: Leading, design: Design) -> frozenset[str]:
    """The paths of the collection's texts, and `_id` if it is a document."""
    store = design.store(leading.collection)
    stored = stored_names(design.model, store)
    texts = {path for path, (name, at) in stored if design.model.entity(name).attribute(at).type.name in TEXTS}
    return frozenset(texts | ({"_id"} if len(store.collection.id) > 1 else set()))


def _by_partial(leading: Leading, design: Design, order: IndexOrder) -> Iterator[FirstAccess]:
    """The accesses by indexes that hold only some documents, where the conditions say that of all they ask for."""
    for index in planned_indexes(design):
        if index.collection == leading.collection and index.partial:
            told = [each for each in leading.conditions if _is_part(each, index.partial)]
            is_told = imply([each.clause for each in told if each.clause is not None], index.partial)
            if is_told or _are_of_elements(leading, index.partial):
                access = _by_index(leading, design, index.keys, order, None, told)
                yield from () if access is None else (access,)


def _are_of_elements(leading: Leading, partial: Sequence[Clause]) -> bool:
    """Whether elements of an array are asked for by the fields that an index of the documents with such elements is on: they
    all have these fields.
    """
    arrays = tuple(f"{path}." for path in leading.documents.arrays)
    asked = {part.path for each in leading.conditions for part in each.same if part.use is not Use.NONE}
    asked |= {one.path for one in leading.conditions if one.use is not Use.NONE and one.path.startswith(arrays)}
    return all(each.comparison is ClauseOperator.PRESENT and each.name in asked for each in partial)


def _is_part(asked: Condition, partial: Sequence[Clause]) -> bool:
    """Whether a condition says something that holds of an index's documents."""
    return asked.clause is not None and any(asked.clause.implies(each) for each in partial)


def _by_several(leading: Leading, asked: Condition, design: Design, order: IndexOrder) -> FirstAccess | None:
    """The access to the documents of an OR by an index for each of its sides; None where one has none, or it is no OR.

    What must hold besides is asked on each side. The server merges what they find where each gives the order asked.
    """
    if not asked.either:
        return None
    rest = tuple(each for each in leading.conditions if each is not asked)
    sides: list[list[FirstAccess]] = []
    for side in asked.either:
        one = replace(leading, conditions=(*side, *rest))
        sides.append([*_by_any_index(one, design, order, None)])
    in_order = [[access for access in found if access.ordered] for found in sides]
    ordered = bool(order) and all(in_order)
    if not all(sides):
        return None
    best = [min(found, key=lambda access: access.effort) for found in (in_order if ordered else sides)]
    work = sum((access.work for access in best), NO_WORK)
    return FirstAccess(sum(access.rows for access in best), work, ordered)


def _by_scan(leading: Leading) -> FirstAccess:
    documents = leading.documents
    rows = documents.count * prod(each.share for each in leading.conditions)
    work = work_of.scan(documents.count, documents.read_bytes(leading.mentioned))
    return FirstAccess(rows, work + asked_in_turn(documents.count, leading.conditions))


def distinct(leading: Leading, design: Design, path: str, values: float) -> FirstAccess | None:
    """The different values of a path from an index that begins with it, a seek for each; None without one."""
    begins = any(keys[0][0] == path for keys in _indexes(leading, design))
    known = leading.documents.known.get(path)
    if leading.conditions or not begins or known is None or known.each != 1.0 or _is_collated(leading, design, (path,)):
        return None
    return FirstAccess(values, work_of.work_of_entries(values, seeks=values))


def first_of_each(leading: Leading, design: Design, path: str, order: IndexOrder, groups: float) -> FirstAccess | None:
    """The first document for each value of a path, by an index that begins with it and has the order; None without such an index.

    The server does so if there is no condition on the documents.
    """
    if leading.conditions or not order or order[0][0] != path:
        return None
    ways = (_by_index(leading, design, keys, order, None) for keys in _indexes(leading, design))
    if not any(way is not None and way.ordered for way in ways):
        return None
    work = work_of.fetch_by_index(groups, leading.documents.read_bytes(leading.mentioned), seeks=groups)
    return FirstAccess(groups, work + from_disk(work, leading.documents.cold), ordered=True)


def _by_index(
    leading: Leading,
    design: Design,
    keys: IndexOrder,
    order: IndexOrder,
    needs: frozenset[str] | None,
    told: Sequence[Condition] = (),
) -> FirstAccess | None:
    """The access by one index, None when it serves neither a condition nor the order. `told`: conditions all in it meet."""
    documents = leading.documents
    used: list[IndexCondition] = []
    equal = 0
    for path, _ in keys:
        found = _serving(path, leading.conditions)
        if found is None:
            break
        used.append(found)
        if found.part.use is Use.RANGE:
            break
        equal += 1
    several = frozenset(path for (path, _), each in zip(keys, used, strict=False) if each.part.seeks > 1)
    has_arrays = any(path in documents.arrays for path, _ in order)
    ordered = bool(order) and not has_arrays and _ordered(keys, equal, order, several)
    if not used and not ordered:
        return None
    seeks = prod(each.part.seeks for each in used)
    used += [IndexCondition(each, each) for each in told if all(one.whole is not each for one in used)]
    share, entries, rest = _found(leading.conditions, used)
    for path, _ in keys[len(used) :]:
        entries *= documents.arrays.get(path, 1.0)
    fetched = documents.count * share
    work = work_of.fetch_by_index(
        fetched, documents.read_bytes(leading.mentioned), keys=documents.count * entries, seeks=seeks
    )
    if needs is not None and _covers(leading, design, keys, needs):
        work = work_of.work_of_entries(documents.count * entries, seeks=seeks)
    rows = fetched * prod(each.share for each in rest)
    return FirstAccess(rows, work + asked_in_turn(fetched, rest), ordered)


def _found(conditions: Sequence[Condition], used: Sequence[IndexCondition]) -> tuple[float, float, list[Condition]]:
    """Of the documents the share an index finds, the entries it meets for each of all, and what is still to be asked."""
    share, entries, rest = 1.0, 1.0, list[Condition]()
    for whole in conditions:
        parts = [each.part for each in used if each.whole is whole]
        if not parts:
            rest.append(whole)
        elif not whole.same:
            share, entries = share * whole.share, entries * (whole.entries or whole.share)
        else:
            elements = prod(each.share for each in parts)
            kept = has_some(elements, whole.elements)
            share, entries = share * kept, entries * whole.elements * elements
            left = of_any(tuple(each for each in whole.same if each not in parts), whole.elements)
            rest += [replace(left, share=min(1.0, whole.share / kept))] if left.same and kept else []
    return share, entries, rest


def _covers(leading: Leading, design: Design, keys: IndexOrder, needs: frozenset[str]) -> bool:
    """Whether the index holds all that is asked of a document; one over arrays or of a collation holds no whole values, and none
    tells a null from a missing field.
    """
    if any(each.clause is not None and each.clause.comparison is ClauseOperator.NULL for each in leading.conditions):
        return False
    held = {path for path, _ in keys}
    known = leading.documents.known
    single = all((found := known.get(path)) is not None and found.each == 1.0 for path in held)
    if not single or not needs | {each.path for each in leading.conditions} <= held:
        return False
    return not _is_collated(leading, design, [path for path, _ in keys])


def _is_collated(leading: Leading, design: Design, paths: Sequence[str]) -> bool:
    if leading.collation is Collation.UNICODE_CI and not _texts(leading, design).isdisjoint(paths):
        return True
    store = design.store(leading.collection)
    return index_collation(design, store, paths, unique=False) is not Collation.BINARY


def _serving(path: str, conditions: Sequence[Condition]) -> IndexCondition | None:
    """The condition on that path an index can use, equality first."""
    asked = (IndexCondition(each, part) for each in conditions for part in (each.same or (each,)))
    usable = [each for each in asked if each.part.path == path and each.part.use is not Use.NONE]
    return min(usable, key=lambda each: (each.part.use is Use.RANGE, each.part.share), default=None)


def _ordered(keys: IndexOrder, equal: int, order: IndexOrder, several: frozenset[str]) -> bool:
    """Whether entries under the equal prefix come in the order asked, or the other way round; `several`: paths of which more
    than one value is sought, which the server leaves aside only where no order of theirs is asked.
    """
    fixed = {path for path, _ in keys[:equal]}
    fixed -= several if several & {path for path, _ in order} else frozenset()
    asked = [(path, direction) for path, direction in order if path not in fixed]
    rest = [key for key in keys if key[0] not in fixed][: len(asked)]
    return rest == asked or rest == [(path, -direction) for path, direction in asked]


def _sorting(rows: float) -> float:
    return rows * log2(max(rows, 2.0))


def asked_in_turn(rows: float, conditions: Sequence[Condition]) -> Work:
    """Conditions are asked one after the other, cheap ones first, and only of the documents that are left."""
    if not conditions:
        return NO_WORK
    tests = patterns = 0.0
    for each in in_turn(conditions):
        tests, patterns = tests + rows * each.weight, patterns + rows * each.patterns
        rows *= each.share
    return work_of.ask(tests) + work_of.hold_against_pattern(patterns) if patterns else work_of.ask(tests)
